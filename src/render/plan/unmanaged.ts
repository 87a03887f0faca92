// What "as declared" does not speak of: live objects that no manifest declares, and lists that could not be read.
import type { PlanDocument, Unmanaged } from '../../core/plan/plan-document.ts'
import type { MarkdownStage } from '../changes/markdown-changes.ts'
import { isEmpty } from '../changes/plan-groups.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { indent, type Line, piece, restLines, wrapText } from '../text/line.ts'
import { code, prose } from '../text/markdown.ts'

/** Stands with "as declared" wherever nothing was counted. */
export const notLookedAt = 'What no manifest declares was not looked at.'

/** Sentences, the counts first. Empty: the plan says nothing that would need them. */
function sayUnmanaged(plan: PlanDocument, hint = ''): string[] {
  const { unmanaged } = plan
  if (unmanaged == null)
    return isEmpty(plan) && plan.base?.from !== 'journal' && plan.due === undefined ? [notLookedAt] : []
  const kinds = Object.entries(unmanaged)
  const counted = (of: (kind: Unmanaged[string]) => number): string[] =>
    kinds
      .map(([kind, each]) => [kind, of(each)] as const)
      .flatMap(([kind, count]) => (count > 0 ? [nouns(kind, count)] : []))
  const others = counted(({ live, declared }) => (live ?? 0) - declared)
  const unlisted = kinds.flatMap(([kind, each]) => (each.unlisted ?? []).map((list) => ({ kind, ...list })))
  const skipped = kinds.filter(([, each]) => (each.skippedLists ?? 0) > 0)
  const all = counted(({ live }) => live ?? 0)
  const isWhole = unlisted.length + skipped.length === 0
  const listed = isWhole ? 'Everything that the platform lists' : 'What could be listed'
  const undeclared =
    plan.accessDrift === undefined
      ? 'Not looked at, since no manifest declares them'
      : 'Looked at for access alone, since no manifest declares them'
  const rest = all.length > 0 ? [`${listed} is declared: ${all.join(', ')}.`] : []
  return [
    ...(others.length > 0 ? [`${undeclared}: ${others.join(', ')}.${hint}`] : rest),
    ...unlisted.map(({ kind, address, reason }) => {
      return `Could not be counted: ${address === kind ? plural(kind) : `${plural(kind)} (${address})`}. ${reason.replace(/\.$/, '')}.`
    }),
    ...skipped.map(([kind, { skippedLists = 0 }]) => {
      const where = formatCount(skippedLists, 'application')
      return `Not counted: ${plural(kind)} of ${where} that no manifest declares; \`--unmanaged\` counts them, too.`
    }),
  ]
}

/** `lists`: with the addresses, as far as the plan holds them. */
export function unmanagedLines(plan: PlanDocument, width: number, lists: boolean): Line[] {
  const hint = lists
    ? ''
    : ' Listed with --unmanaged; `svcsync export --missing` prints what there is to declare of them.'
  const sentences = sayUnmanaged(plan, hint).flatMap((sentence) => wrapText([], withCommands(sentence), width))
  if (!lists) return sentences
  return [
    ...sentences,
    ...Object.values(plan.unmanaged ?? {}).flatMap(({ live, declared, addresses }): Line[] => {
      return [
        ...addresses.map((address) => [indent(2), piece(address)]),
        ...restLines((live ?? 0) - declared - addresses.length, 2, withCommands(': see `svcsync export --missing`')),
      ]
    }),
  ]
}

export function unmanagedSection(plan: PlanDocument, { names }: MarkdownStage): string[] {
  const [first, ...others] = sayUnmanaged(plan).map(prose)
  if (first === undefined) return []
  const addresses = Object.values(plan.unmanaged ?? {}).flatMap((each) => each.addresses)
  const rest = Object.values(plan.unmanaged ?? {}).reduce((sum, { live, declared }) => sum + (live ?? 0) - declared, 0)
  const shown = addresses.slice(0, names)
  const more = rest > shown.length ? ` and ${formatNumber(rest - shown.length)} more` : ''
  const list =
    shown.length === 0
      ? []
      : ['', '<details>', '<summary>Which</summary>', '', `${shown.map(code).join(', ')}${more}`, '', '</details>']
  return [first, ...others.map((sentence) => `<br>${sentence}`), ...list]
}

/** `1 user`, `12 process constants`. */
function nouns(kind: string, count: number): string {
  return formatCount(count, words(kind), plural(kind))
}

function plural(kind: string): string {
  return `${words(kind)}${kind.endsWith('s') ? 'es' : 's'}`
}

function words(kind: string): string {
  return kind.replaceAll('-', ' ')
}
