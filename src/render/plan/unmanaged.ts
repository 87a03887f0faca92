// What "as declared" does not speak of: live objects that no manifest declares, and lists that could not be read.
import { getOrInsert } from '../../core/model/group-by.ts'
import type { PlanDocument, Unmanaged } from '../../core/plan/plan-document.ts'
import { isEmpty } from '../changes/plan-groups.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { type Flow, indent, type Line, piece, restLines, wrapItems } from '../text/line.ts'
import { code, prose } from '../text/markdown.ts'
import { accessNotes } from './access.ts'
import { sayUnverifiable, standingWarnings } from './markdown-sections.ts'

/** Stands with "as declared" wherever nothing was counted. */
export const notLookedAt = 'Not managed: svcsync did not read what no manifest declares.'

/** Sentences, the counts first. Empty: the plan says nothing that would need them. */
function sayUnmanaged(plan: PlanDocument): string[] {
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
  const saidOf = (what: string, which: readonly string[]): string[] =>
    which.length === 0 ? [] : [`${what}: ${which.join(', ')}.`]
  const isWhole = unlisted.length + skipped.length === 0
  const listed = isWhole ? 'Everything that the platform lists' : 'What could be listed'
  const rest = all.length > 0 ? [`${listed} is declared: ${all.join(', ')}.`] : []
  return [
    ...saidOf('Not managed, read for access alone', seen),
    ...saidOf('Not managed', others),
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
function sayUnlisted(plan: PlanDocument): string[] {
  const unlistedLevels = unlistedIn(plan)
  if (unlistedLevels == null) return []
  const { entries, levels, inherited, notRead, untold } = unlistedLevels
  const entriesOf = (count: number): string => formatCount(count, 'entry', 'entries')
  return [
    entries === 0 ? '' : `Left alone: ${entriesOf(entries)} at ${formatCount(levels, 'level')} that no manifest lists.`,
    untold && sayUntold(plan, untold.lists.length),
    untold && untold.entries > 0
      ? `Left alone: ${entriesOf(untold.entries)} whose level is not told, and that nothing declares.`
      : '',
    inherited &&
      `Inherited, and left alone: ${entriesOf(inherited.entries)} of ${formatCount(inherited.objects, 'object')}.`,
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

/** Fields whose names here are in doubt, once a kind. */
function sayDoubted({ unverifiable }: PlanDocument): string[] {
  const counts = new Map<string, { readonly kind: string; readonly path: string; count: number }>()
  for (const { kind, paths } of unverifiable.flatMap(({ doubted }) => doubted ?? [])) {
    for (const path of paths) getOrInsert(counts, `${kind} ${path}`, () => ({ kind, path, count: 0 })).count += 1
  }
  const fields = [...counts.values()].map(({ kind, path, count }) => `${path} of ${nouns(kind, count)}`)
  return fields.length === 0 ? [] : [`Not compared, since names may be others here: ${fields.join(', ')}.`]
}

/** What the plan does not speak of, in sentences: each is said once, behind the changes. */
export function footnotes(plan: PlanDocument): string[] {
  const notCompared = sayUnverifiable(plan)
  const standing = standingWarnings(plan).length
  return [
    ...(standing === 0 ? [] : [`Policies: ${formatCount(standing, 'warning')} about unchanged objects.`]),
    ...accessNotes(plan),
    ...(notCompared === '' ? [] : [notCompared]),
    ...sayDoubted(plan),
    ...sayUnlisted(plan),
    ...sayUnmanaged(plan),
  ]
}

/** Whether there is more to them than counts. */
export function listsMore(plan: PlanDocument): boolean {
  const unlisted = unlistedIn(plan)
  const { entries = 0, notRead = [], inherited, untold } = unlisted ?? {}
  const levels = entries + notRead.length + (inherited?.entries ?? 0) + (untold?.entries ?? 0)
  const objects = Object.values(plan.unmanaged ?? {}).some(({ addresses }) => addresses.length > 0)
  return objects || levels + plan.unverifiable.length + standingWarnings(plan).length > 0
}

/** Who has the levels. */
export function unlistedLines(plan: PlanDocument): Flow[] {
  const unlistedLevels = unlistedIn(plan)
  if (unlistedLevels == null) return []
  const { entries, listed, inherited, notRead, untold } = unlistedLevels
  const linesOf = (all: number, levels: typeof listed, mark: string): Flow[] => [
    ...levels.flatMap(({ address, level, accounts }, index): Flow[] => [
      ...(address === levels[index - 1]?.address ? [] : [[indent(2), piece(address), piece(mark, 'faint')]]),
      wrapItems([indent(4), piece(level), indent(2)], accounts.map(asItem), piece(', ')),
    ]),
    ...restLines(all - levels.reduce((sum, { accounts }) => sum + accounts.length, 0), 2),
  ]
  return [
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
  return details('Left alone', items.slice(0, names), rest)
}

/** The addresses, as far as the plan holds them. */
export function unmanagedLines(plan: PlanDocument): Flow[] {
  return Object.values(plan.unmanaged ?? {}).flatMap(({ live, declared, addresses }): Line[] => [
    ...addresses.map((address) => [indent(2), piece(address)]),
    ...restLines((live ?? 0) - declared - addresses.length, 2, withCommands(': see `svcsync export --missing`')),
  ])
}

export function unmanagedSection(plan: PlanDocument, names: number): string[] {
  const addresses = Object.values(plan.unmanaged ?? {}).flatMap((each) => each.addresses)
  const rest = Object.values(plan.unmanaged ?? {}).reduce((sum, { live, declared }) => sum + (live ?? 0) - declared, 0)
  const shown = addresses.slice(0, names)
  return details('Not managed', shown.map(code), rest - shown.length)
}

/** To be opened. `rest`: how many are not shown. */
function details(title: string, shown: readonly string[], rest: number): string[] {
  if (shown.length === 0) return []
  const more = rest > 0 ? ` and ${formatNumber(rest)} more` : ''
  return ['<details>', `<summary>${title}</summary>`, '', `${shown.join(', ')}${more}`, '', '</details>']
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
