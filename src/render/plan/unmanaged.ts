// What "as declared" does not speak of: live objects that no manifest declares, and lists that could not be read.
import type { PlanDocument, Unmanaged } from '../../core/plan/plan-document.ts'
import { isEmpty } from '../changes/plan-groups.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { type Flow, indent, type Line, piece, restLines, say, wrapItems } from '../text/line.ts'
import { code, prose } from '../text/markdown.ts'

/** Stands with "as declared" wherever nothing was counted. */
export const notLookedAt = 'What no manifest declares was not looked at.'

/** Sentences, the counts first. Empty: the plan says nothing that would need them. */
function sayUnmanaged(plan: PlanDocument, hint = ''): string[] {
  const { unmanaged } = plan
  if (unmanaged == null && plan.accessDrift !== undefined) return []
  if (unmanaged == null)
    return isEmpty(plan) && plan.base?.from !== 'journal' && plan.due === undefined ? [notLookedAt] : []
  const kinds = Object.entries(unmanaged)
  const looked = new Set(plan.access?.looked)
  const counted = (of: (kind: Unmanaged[string]) => number, among = kinds): string[] =>
    among
      .map(([kind, each]) => [kind, of(each)] as const)
      .flatMap(([kind, count]) => (count > 0 ? [nouns(kind, count)] : []))
  const [seen, others] = [true, false].map((wanted) => {
    const its = kinds.filter(([kind]) => looked.has(kind) === wanted)
    return counted(({ live, declared }) => (live ?? 0) - declared, its)
  }) as [string[], string[]]
  const unlisted = kinds.flatMap(([kind, each]) => (each.unlisted ?? []).map((list) => ({ kind, ...list })))
  const skipped = kinds.filter(([, each]) => (each.skippedLists ?? 0) > 0)
  const all = counted(({ live }) => live ?? 0)
  const saidOf = (what: string, which: readonly string[], end: string): string[] =>
    which.length === 0 ? [] : [`${what}, since no manifest declares them: ${which.join(', ')}.${end}`]
  const isWhole = unlisted.length + skipped.length === 0
  const listed = isWhole ? 'Everything that the platform lists' : 'What could be listed'
  const rest = all.length > 0 ? [`${listed} is declared: ${all.join(', ')}.`] : []
  return [
    ...saidOf('Looked at for access alone', seen, others.length > 0 ? '' : hint),
    ...saidOf('Not looked at', others, hint),
    ...(seen.length + others.length > 0 ? [] : rest),
    ...unlisted.map(({ kind, address, reason }) => {
      return `Could not be counted: ${address === kind ? plural(kind) : `${plural(kind)} (${address})`}. ${reason.replace(/\.$/, '')}.`
    }),
    ...skipped.map(([kind, { skippedLists = 0 }]) => {
      const where = formatCount(skippedLists, 'application')
      return `Not counted: ${plural(kind)} of ${where} that no manifest declares; \`--unmanaged\` counts them, too.`
    }),
  ]
}

/** Who has a level that no manifest lists, and of what nobody looked: both are left alone. */
function sayUnlisted(plan: PlanDocument, hint = ''): string[] {
  const unlistedLevels = unlistedIn(plan)
  if (unlistedLevels == null) return []
  const { entries, levels, inherited, notRead, untold } = unlistedLevels
  const entriesOf = (count: number): string => formatCount(count, 'entry', 'entries')
  return [
    entries === 0
      ? ''
      : `Left alone: ${entriesOf(entries)} at ${formatCount(levels, 'level')} that no manifest lists.${hint}`,
    untold && sayUntold(plan, untold.lists.length),
    untold && untold.entries > 0
      ? `Left alone: ${entriesOf(untold.entries)} whose level is not told, and that nothing declares.${hint}`
      : '',
    inherited &&
      `Inherited, and left alone: ${entriesOf(inherited.entries)} of ${formatCount(inherited.objects, 'object')}.${hint}`,
    notRead.length === 0
      ? ''
      : `Not read: the levels of ${formatCount(notRead.length, 'object')}, since no manifest lists any.`,
  ].flatMap((text) => text || [])
}

function sayUntold({ base }: PlanDocument, lists: number): string {
  const where = `The Svc platform tells no levels in ${formatCount(lists, 'list')} of privileges: accounts are compared`
  return base == null
    ? `${where}. Only a base shows a change of level: a ledger, or \`--since\`.`
    : `${where}, and what was declared before gives their levels.`
}

/** With everybody's access, all levels were read. */
function unlistedIn({ unlistedLevels, accessDrift }: PlanDocument): PlanDocument['unlistedLevels'] {
  return unlistedLevels && accessDrift ? { ...unlistedLevels, notRead: [] } : unlistedLevels
}

/** `lists`: with who has them. */
export function unlistedLines(plan: PlanDocument, lists: boolean): Flow[] {
  const unlistedLevels = unlistedIn(plan)
  const lines = sayUnlisted(plan, lists ? '' : ' Listed with --verbose.').flatMap((sentence) => say(sentence))
  if (unlistedLevels == null || !lists) return lines
  const { entries, listed, inherited, notRead, untold } = unlistedLevels
  const linesOf = (all: number, levels: typeof listed, mark: string): Flow[] => [
    ...levels.flatMap(({ address, level, accounts }, index): Flow[] => [
      ...(address === levels[index - 1]?.address ? [] : [[indent(2), piece(address), piece(mark, 'faint')]]),
      wrapItems([indent(4), piece(level), indent(2)], accounts.map(asItem), piece(', ')),
    ]),
    ...restLines(all - levels.reduce((sum, { accounts }) => sum + accounts.length, 0), 2),
  ]
  return [
    ...lines,
    ...linesOf(entries, listed, ''),
    ...(untold ? linesOf(untold.entries, untold.listed.map(levelNotTold), '') : []),
    ...(inherited ? linesOf(inherited.entries, inherited.listed, '  inherited') : []),
    ...notRead.map((address): Line => [indent(2), piece(address), piece('  not read', 'faint')]),
  ]
}

const levelNotTold = <Listed extends object>(listed: Listed) => ({ ...listed, level: 'level not told' })

function asItem({ svcId, company }: { readonly svcId: string; readonly company?: string }): Line {
  return [piece(company === undefined ? svcId : `${svcId} (${company})`)]
}

export function unlistedSection(plan: PlanDocument, names: number): string[] {
  const [first, ...others] = sayUnlisted(plan).map(prose)
  if (first === undefined) return []
  const { entries = 0, listed = [], inherited, untold } = plan.unlistedLevels ?? {}
  const itemsOf = (levels: typeof listed, mark: string): string[] =>
    levels.flatMap(({ address, level, accounts }) =>
      accounts.map(({ svcId, company }) => {
        const limit = company === undefined ? '' : ` (${prose(company)})`
        return `${code(svcId)} ${prose(level)}${limit} on ${code(address)}${mark}`
      }),
    )
  const items = [
    ...itemsOf(listed, ''),
    ...itemsOf((untold?.listed ?? []).map(levelNotTold), ''),
    ...itemsOf(inherited?.listed ?? [], ', inherited'),
  ]
  const rest = entries + (untold?.entries ?? 0) + (inherited?.entries ?? 0) - Math.min(items.length, names)
  return [first, ...others.map((sentence) => `<br>${sentence}`), ...details(items.slice(0, names), rest)]
}

/** `lists`: with the addresses, as far as the plan holds them. */
export function unmanagedLines(plan: PlanDocument, lists: boolean): Flow[] {
  const hint = lists
    ? ''
    : ' Listed with --unmanaged; `svcsync export --missing` prints what there is to declare of them.'
  const sentences = sayUnmanaged(plan, hint).flatMap((sentence) => say(withCommands(sentence)))
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

export function unmanagedSection(plan: PlanDocument, names: number): string[] {
  const [first, ...others] = sayUnmanaged(plan).map(prose)
  if (first === undefined) return []
  const addresses = Object.values(plan.unmanaged ?? {}).flatMap((each) => each.addresses)
  const rest = Object.values(plan.unmanaged ?? {}).reduce((sum, { live, declared }) => sum + (live ?? 0) - declared, 0)
  const shown = addresses.slice(0, names)
  const list = details(shown.map(code), rest - shown.length)
  return [first, ...others.map((sentence) => `<br>${sentence}`), ...list]
}

/** To be opened. `rest`: how many are not shown. */
function details(shown: readonly string[], rest: number): string[] {
  if (shown.length === 0) return []
  const more = rest > 0 ? ` and ${formatNumber(rest)} more` : ''
  return ['', '<details>', '<summary>Which</summary>', '', `${shown.join(', ')}${more}`, '', '</details>']
}

/** `1 user`, `12 process constants`. */
export function nouns(kind: string, count: number): string {
  return formatCount(count, words(kind), plural(kind))
}

function plural(kind: string): string {
  return `${words(kind)}${kind.endsWith('s') ? 'es' : 's'}`
}

function words(kind: string): string {
  return kind.replaceAll('-', ' ')
}
