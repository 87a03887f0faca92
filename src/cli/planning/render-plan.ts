// Shows a plan in the requested format.

import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import type { ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import type { CommandOptions } from '@svcsync/render/plan/next-commands.ts'
import { formats } from '../program/formats.ts'
import type { SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'

/** `offersDigest`: adds the command that applies exactly this plan. `drift`: describes the platform instead. */
export async function planAs(
  document: ShownPlan,
  { format, verbose, unmanaged, short, hintsLedger, summary }: PlanOptions,
  console: Console,
  offersDigest: CommandOptions | false = false,
  drift?: CommandOptions,
): Promise<string> {
  const form = { console, verbose, unmanaged, short, hintsLedger, summary, offersDigest, drift }
  return formats[format].plan(document, form)
}

interface PlanOptions extends Pick<SharedOptions, 'format' | 'verbose'> {
  readonly unmanaged?: boolean
  readonly short?: boolean
  readonly hintsLedger?: boolean
  readonly summary?: boolean
}

export function optionsOfPlan(
  options: Partial<Record<'project' | 'target' | 'since' | 'baseUrl' | 'authUrl' | 'caFile', string | undefined>> &
    Pick<SharedOptions, 'var' | 'ledger' | 'rotate' | 'due'>,
): string[] {
  const { ledger, due, rotate = [], project, target, since, baseUrl, authUrl, caFile, var: variables } = options
  const named = {
    '--project': project,
    '--target': target,
    '--since': since,
    '--base-url': baseUrl,
    '--auth-url': authUrl,
  }
  return [
    ...Object.entries(named).flatMap(([option, value]) =>
      value === undefined ? [] : [`${option} ${shellWord(value)}`],
    ),
    ...(due ? ['--due'] : []),
    ...rotate.map((each) => `--rotate ${shellWord(each)}`),
    ...(ledger === false ? ['--no-ledger'] : []),
    ...(caFile === undefined ? [] : [`--ca-file ${shellWord(caFile)}`]),
    ...Object.entries(variables).map(([name, value]) => `--var ${shellWord(`${name}=${value}`)}`),
  ]
}
