// The next commands after a plan or a drift: apply, accept, or accept for a time.
import { shellOption, shellWord } from '@svcsync/core/guards/shell-option.ts'
import { shortDigest } from '@svcsync/core/plan/plan-digest.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { isEmpty } from '../changes/plan-counts.ts'
import { formatCount } from '../text/counts.ts'

export interface CommandOptions {
  /** The saved plan, as the person wrote it. It carries target, variables and selection, but no allowances. */
  readonly file?: string | undefined
  /** Options of the plan that a saved one does not carry, quoted for a shell. */
  readonly options?: readonly string[]
}

const exceptionOptions = ['--until DATE', '--reason REASON']

/** To heal, to keep, to leave alone, and all for one object alone. Nothing where nothing differs. */
export function nextCommands(
  plan: ShownPlan,
  { options = [] }: CommandOptions,
): Readonly<
  Partial<Record<'heal' | 'keep' | 'except' | 'one', { readonly what: string; readonly lines: readonly string[] }>>
> {
  if (plan.changes.length === 0) return {}
  const { refused, only, allowances } = optionsIn(plan)
  const also = refused.length === 0 ? '' : `, with what the guards above want`
  // There is no apply of the drift alone.
  const { pending = [] } = plan
  const rest =
    pending.length === 0 ? '' : `; it also applies the pending changes, ${formatCount(pending.length, 'object')}`
  const line = (command: string, ...more: readonly string[]): string => lineOf(command, options, more)
  const [first] = plan.changes
  return {
    heal: {
      what: `To heal, so that the platform is as declared${also}${rest}`,
      lines: [line('apply', ...only, ...allowances)],
    },
    keep: { what: 'To keep it, so that the manifests match the platform', lines: [line('accept', ...only)] },
    except: {
      what: 'To leave it alone for a time, so that an exception says why',
      lines: [line('accept', ...only, ...exceptionOptions)],
    },
    ...(plan.changes.length > 1 && {
      one: { what: 'For one object alone, add its address', lines: [onlyOne(first?.address ?? '')] },
    }),
  }
}

export function nextCommandsForObject(address: string, { options = [] }: CommandOptions): readonly string[] {
  const one = onlyOne(address)
  return [
    lineOf('apply', options, [one]),
    lineOf('accept', options, [one]),
    lineOf('accept', options, [one, ...exceptionOptions]),
  ]
}

const onlyOne = (address: string): string => `--only ${shellWord(address)}`

const lineOf = (command: string, options: readonly string[], more: readonly string[]): string =>
  ['svcsync', command, ...options, ...more].join(' ')

/** The options that apply this plan: its selection, which is part of the digest, and its allowances. */
function optionsIn({ guards, only }: PlanDocument) {
  const allowed = guards.flatMap(({ verdict, allow }) => (verdict === 'allowed' ? (allow ?? []) : []))
  return {
    refused: guards.filter(({ verdict }) => verdict === 'refused'),
    only: only.map((glob) => `--only ${shellWord(glob)}`),
    allowances: [...new Set(allowed.map(shellOption))],
  }
}

/** Undefined: nothing to apply, or always refused. `allows`: the command allows what guards refuse. */
export function digestOffer(plan: PlanDocument, { file, options = [] }: CommandOptions) {
  const { refused, only, allowances } = optionsIn(plan)
  if (isEmpty(plan) || refused.some(({ allow }) => allow === undefined)) return undefined
  const digest = shortDigest(plan.digest)
  const made = file === undefined ? [...options, ...only] : options
  const named = file === undefined ? [] : [shellWord(file)]
  const wanted = refused.flatMap(({ allow = [] }) => allow).map(shellOption)
  const words = [...named, `--expect ${digest}`, ...made, ...new Set([...allowances, ...wanted])]
  return { digest, command: `svcsync apply ${words.join(' ')}`, allows: refused.length > 0 }
}
