// Words the limits of "as declared": live objects that no manifest declares, and unreadable lists.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { inlineText } from '@svcsync/core/model/yaml-text.ts'
import type { PlanDocument, Unmanaged } from '@svcsync/core/plan/plan-document.ts'
import { type Block, fold, name, names, note, type Row, table, words } from '../blocks/block.ts'
import { nounOf } from '../changes/change-blocks.ts'
import { isEmpty } from '../changes/plan-counts.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { accessNotes } from './access-notes.ts'
import { describeExceptions, exceptedBlocks } from './exceptions.ts'
import { standingWarnings, warningRows } from './notices.ts'

/** Stands with "as declared" wherever nothing was counted. */
export const undeclaredNotRead = 'Not managed: svcsync did not read what no manifest declares.'

/** Sentences, the counts first. Empty: the plan says nothing that would need them. */
function describeUnmanaged(plan: PlanDocument, brief: NoteOptions): string[] {
  const { unmanaged } = plan
  if (unmanaged == null && plan.accessDrift !== undefined) return []
  if (unmanaged == null)
    return isEmpty(plan) && plan.base?.from !== 'journal' && plan.due === undefined ? [undeclaredNotRead] : []
  const kinds = Object.entries(unmanaged)
  const accessKinds = new Set(plan.access?.looked)
  const counted = (of: (kind: Unmanaged[string]) => number, among = kinds): string[] =>
    among
      .map(([kind, each]) => [kind, of(each)] as const)
      .flatMap(([kind, count]) => (count > 0 ? [nouns(kind, count)] : []))
  const [seen, others] = [true, false].map((wanted) => {
    const its = kinds.filter(([kind]) => accessKinds.has(kind) === wanted)
    return counted(({ live, declared }) => (live ?? 0) - declared, its)
  }) as [string[], string[]]
  const unlisted = kinds.flatMap(([kind, each]) => (each.unlisted ?? []).map((list) => ({ kind, ...list })))
  const skipped = kinds.filter(([, each]) => (each.skippedLists ?? 0) > 0)
  const all = counted(({ live }) => live ?? 0)
  const saidOf = (what: string, which: readonly string[]): string[] =>
    which.length === 0 ? [] : [`${what}: ${which.join(', ')}.`]
  const isWhole = unlisted.length + skipped.length === 0
  const within = plan.target.only === undefined ? '' : ' within `only` of the target'
  const listed = isWhole ? 'everything that the platform lists' : 'all that could be listed'
  const isTold = all.length > 0 && (brief === undefined || isEmpty(plan))
  const rest = isTold ? [`The manifests declare ${listed}${within}: ${all.join(', ')}.`] : []
  return [
    ...saidOf('Not managed, read for access alone', seen),
    ...saidOf('Not managed', others),
    ...(seen.length + others.length > 0 ? [] : rest),
    ...describeUncounted(unlisted),
    ...skipped.map(([kind, { skippedLists = 0 }]) => {
      const where = formatCount(skippedLists, 'application')
      return `Not counted: ${plural(kind)} of ${where} that no manifest declares; \`--unmanaged\` counts them, too.`
    }),
  ]
}

/** All in one sentence: mostly the same keeps each from being counted. */
function describeUncounted(unlisted: readonly { kind: string; address: string; reason: string }[]): string[] {
  if (unlisted.length === 0) return []
  const which = unlisted.map(({ kind, address }) => (address === kind ? plural(kind) : `${plural(kind)} (${address})`))
  const reasons = new Set(unlisted.map(({ reason }) => `${reason.replace(/\.$/, '')}.`))
  return [`Could not be counted: ${which.join(', ')}. ${[...reasons].join(' ')}`]
}

function describeUnlisted(plan: PlanDocument): string[] {
  const unlistedLevels = unlistedIn(plan)
  if (unlistedLevels == null) return []
  const { entries, levels, inherited, notRead, untold } = unlistedLevels
  const entriesOf = (count: number): string => formatCount(count, 'entry', 'entries')
  return [
    entries === 0 ? '' : `Left alone: ${entriesOf(entries)} at ${formatCount(levels, 'level')} that no manifest lists.`,
    untold && describeUnreadLevels(plan, untold.lists.length),
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

function describeUnreadLevels({ base }: PlanDocument, lists: number): string {
  const where = `The Svc platform tells no levels in ${formatCount(lists, 'list')} of privileges: accounts are compared`
  return base == null
    ? `${where}. Only a base shows a change of level: a ledger, or \`--since\`.`
    : `${where}, and earlier declarations give their levels.`
}

/** With everybody's access, all levels were read. */
const unlistedIn = ({ unlistedLevels, accessDrift }: PlanDocument): PlanDocument['unlistedLevels'] =>
  unlistedLevels && accessDrift ? { ...unlistedLevels, notRead: [] } : unlistedLevels

/** Empty: the platform returns every field. Doubts are separate. */
function describeUnverifiable({ unverifiable: all, unlistedLevels }: PlanDocument, brief: NoteOptions): string {
  const unread = new Set(unlistedLevels?.untold?.lists.map(({ address, path }) => `${address} ${path}`))
  const unverifiable = all
    .map(({ address, paths, doubted }) =>
      paths.filter((path) => !unread.has(`${address} ${path}`) && doubted?.paths.includes(path) !== true),
    )
    .filter((paths) => paths.length > 0)
  if (unverifiable.length === 0) return ''
  const fields = formatCount(unverifiable.flat().length, 'field')
  const why = brief === undefined ? ', which the Svc platform does not return' : ''
  return `Not compared: ${fields} of ${formatCount(unverifiable.length, 'object')}${why}.`
}

function describeDoubted({ unverifiable }: PlanDocument): string[] {
  const counts = new Map<string, { readonly kind: string; readonly path: string; count: number }>()
  for (const { kind, paths } of unverifiable.flatMap(({ doubted }) => doubted ?? [])) {
    for (const path of paths) getOrInsert(counts, `${kind} ${path}`, () => ({ kind, path, count: 0 })).count += 1
  }
  const fields = [...counts.values()].map(({ kind, path, count }) => `${path} of ${nouns(kind, count)}`)
  return fields.length === 0 ? [] : [`Not compared, since names may be others here: ${fields.join(', ')}.`]
}

type NoteOptions = Parameters<typeof accessNotes>[1]

export function footnotes(plan: PlanDocument, brief?: NoteOptions): string[] {
  const notCompared = describeUnverifiable(plan, brief)
  const standing = standingWarnings(plan).length
  return [
    ...(standing === 0 ? [] : [`Policies: ${formatCount(standing, 'warning')} about unchanged objects.`]),
    ...accessNotes(plan, brief),
    ...(notCompared === '' ? [] : [notCompared]),
    ...describeDoubted(plan),
    ...describeExceptions(plan),
    ...describeUnlisted(plan),
    ...describeUnmanaged(plan, brief),
  ]
}

export function footBlocks(plan: PlanDocument): Block[] {
  return [
    ...fold('Not compared', unverifiableRows(plan)),
    ...exceptedBlocks(plan),
    ...fold('Left alone', unlistedRows(plan)),
    ...fold('Policies about unchanged objects', warningRows(standingWarnings(plan))),
  ]
}

const unverifiableRows = ({ unverifiable }: PlanDocument): Block[] =>
  table(unverifiable.map(({ address, paths }): Row => ({ cells: [[name(address), names(paths)]] })))

function unlistedRows(plan: PlanDocument): Block[] {
  const unlistedLevels = unlistedIn(plan)
  if (unlistedLevels == null) return []
  const { entries, listed, inherited, notRead, untold } = unlistedLevels
  const rowsOf = (all: number, levels: typeof listed, mark: string): Block[] => {
    const rows = levels.map(({ address, level, accounts }): Row => {
      const who = accounts.map(({ svcId, company }) => (company === undefined ? svcId : `${svcId} (${company})`))
      return { cells: [[name(address), `${level}${mark}`, names(who)]] }
    })
    const rest = all - levels.reduce((sum, { accounts }) => sum + accounts.length, 0)
    return [...table(rows), ...(rest > 0 ? [note(`… and ${formatNumber(rest)} more`, 'faint')] : [])]
  }
  const levelNotTold = <Listed extends object>(each: Listed) => ({ ...each, level: 'level not told' })
  return [
    ...rowsOf(entries, listed, ''),
    ...(untold ? rowsOf(untold.entries, untold.listed.map(levelNotTold), '') : []),
    ...(inherited ? rowsOf(inherited.entries, inherited.listed, ', inherited') : []),
    ...table(notRead.map((address): Row => ({ cells: [[name(address), 'not read']] }))),
  ]
}

export function unmanagedRows(plan: PlanDocument): Block[] {
  return Object.entries(plan.unmanaged ?? {}).flatMap(([kind, each]): Block[] => {
    const { live, declared, addresses, excepted = [], percent, new: fresh = [] } = each
    const undeclared = (live ?? 0) - declared
    if (undeclared === 0) return []
    const rest = undeclared - addresses.length - excepted.length
    const share = percent === undefined ? '' : `, ${percent} %`
    const rows = [
      ...addresses.map((address, index): Row => {
        // New objects come first.
        return {
          cells: [[name(address), ...(index < fresh.length ? [words('new since the last run', 'warning')] : [])]],
        }
      }),
      ...excepted.map((address): Row => ({ cells: [[name(address), words('excepted', 'faint')]] })),
    ]
    return [
      note(`Declared: ${formatNumber(declared)} of ${nouns(kind, live ?? 0)}${share}.`, 'faint'),
      ...table(rows),
      ...(rest > 0 ? [note(`… and ${formatNumber(rest)} more: see \`svcsync export --missing\``, 'faint')] : []),
    ]
  })
}

/** Offers three ways for undeclared objects, as drift does. Empty: there are none. */
export function unmanagedOptions(plan: PlanDocument, options: readonly string[] = []): Block[] {
  const [first] = Object.values(plan.unmanaged ?? {}).flatMap(({ addresses }) => addresses)
  if (first === undefined) return []
  const line = ['svcsync export', ...options, '--missing'].join(' ')
  const item = `  - { address: ${inlineText(first)}, until: DATE, reason: REASON }`
  return [
    { block: 'copy', says: 'To declare what nobody declared:', lines: [line] },
    { block: 'copy', says: 'To leave one of them alone for a time, a line of exceptions.yaml:', lines: [item] },
    note('svcsync deletes none of them: delete it on the platform.', 'faint'),
  ]
}

export const nouns = (kind: string, count: number): string => formatCount(count, ...nounOf(kind))

const plural = (kind: string): string => nounOf(kind)[1]
