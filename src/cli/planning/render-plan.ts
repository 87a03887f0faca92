// Shows a plan in the form that was asked for.

import { cwd, env } from 'node:process'
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import type { ShownPlan } from '@svcsync/render/changes/by-cause.ts'
import { renderPlanMarkdown } from '@svcsync/render/plan/render-plan-markdown.ts'
import { renderPlanText } from '@svcsync/render/plan/render-plan-text.ts'
import type { WaySettings } from '@svcsync/render/plan/ways-on.ts'
import { renderDriftJson, renderPlanJson } from '@svcsync/render/report/render-json.ts'
import type { SharedOptions } from '../program/options.ts'
import type { Console } from '../terminal/console.ts'
import { linkFrom } from './place-links.ts'

/** `offersDigest`: what is said at the end of how to apply this plan and no other. `drift`: what the platform is like is said. */
export async function planAs(
  document: ShownPlan,
  options: Pick<SharedOptions, 'format' | 'verbose'> & {
    readonly unmanaged?: boolean
    readonly short?: boolean
    readonly hintsLedger?: boolean
    readonly summary?: boolean
  },
  console: Console,
  offersDigest: WaySettings | false = false,
  drift?: WaySettings,
): Promise<string> {
  switch (options.format) {
    case 'json':
      return drift === undefined ? renderPlanJson(document) : renderDriftJson(document, drift)
    case 'markdown':
      return renderPlanMarkdown(document, { offersDigest, drift, link: linkFrom(env, cwd()) })
    case 'html':
      return (await import('./as-page.ts')).planPage(document, { offersDigest, drift })
    case 'text':
      if (options.summary) {
        const { renderPlanSummary } = await import('@svcsync/render/plan/render-plan-summary.ts')
        return renderPlanSummary(document, { ...console, drift: drift !== undefined })
      }
      return renderPlanText(document, {
        ...console,
        verbose: options.verbose === true,
        short: options.short === true,
        offersDigest,
        drift,
        unmanaged: options.unmanaged || undefined,
        hintsLedger: options.hintsLedger === true,
      })
  }
}

/** The options that make the same plan again, to be copied. */
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
