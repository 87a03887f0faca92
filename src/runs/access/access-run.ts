// A run that says who can do what: live, and as declared, with everything that the platform lists.
import { exceptionFinder } from '@svcsync/core/access/accepted-access.ts'
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import { aftermathOf, type Time, times } from '@svcsync/core/access/aftermath.ts'
import { containersOf } from '@svcsync/core/access/containers.ts'
import { type DeclaredLine, declaredPlaces } from '@svcsync/core/access/declared-places.ts'
import { declaredSide } from '@svcsync/core/access/declared-side.ts'
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { accessLister, directHolders, listAccess, otherWays } from '@svcsync/core/access/list-access.ts'
import { type GlobalPrivileges, outsideOf } from '@svcsync/core/access/outside.ts'
import { type AccessGraph as Graph, isPerson, peopleIn, perhapsGroupsIn } from '@svcsync/core/access/walk.ts'
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import { type Address, addressMatcher, byAddress, type NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import { accessExceptions } from '@svcsync/core/model/exception.ts'
import { getOrInsert, groupBy } from '@svcsync/core/model/group-by.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import { globSuggestion, suggestion } from '@svcsync/core/model/near-misses.ts'
import { isoMoment } from '@svcsync/core/model/time-bounds.ts'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { announcedIn } from '@svcsync/core/plan/announced.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { createObjectLists } from '@svcsync/live/object-lists.ts'
import type { PlatformClient } from '@svcsync/platform/index.ts'
import { refuseOverfull } from '@svcsync/platform/memory-budget.ts'
import type { declaredSince } from '../open/declared-since.ts'
import type { ReadProject } from '../open/open-project.ts'
import { holdsAny, licencesOrWhy } from '../plan/licences-held.ts'
import type { PlanRun } from '../plan/plan-run.ts'
import { readUndeclared } from '../plan/read-undeclared.ts'

export interface AccessQuestion {
  /** A svcId: only what this account can do. */
  readonly person?: string | undefined
  /** An address, or a glob over addresses. */
  readonly address?: string | undefined
  readonly level?: string | undefined
}

interface AccessSettings {
  readonly kinds: readonly Kind[]
  readonly global?: GlobalPrivileges | undefined
  /** Since when a way is declared; it asks git, and is called where there is something to say. Absent: nobody asks. */
  readonly sinceOf?: (() => ReturnType<typeof declaredSince>) | undefined
  /** What the base declares is told beside what is so now. */
  readonly tellsBase?: boolean | undefined
  /** Only what the base declares is told, by its own ways: the commit, as it was asked for. */
  readonly at?: string | undefined
  /** The first complete apply of what a commit says; absent: there is no ledger. */
  readonly appliedBy?: ((commit: string) => AccessRow['applied']) | undefined
  /** Whoever administers what objects are in is told of each object, asked about or not. */
  readonly tellsAbove?: boolean | undefined
  readonly onProgress?: ((objects: number) => void) | undefined
  readonly read?: Awaited<ReturnType<typeof readUndeclared>> | undefined
}

/** Throws an OperatorError for an account that nobody knows, and for an address that nothing has. */
export async function accessRun(
  opened: Pick<ReadProject, 'project' | 'assembly' | 'displayBase' | 'exceptions'>,
  client: PlatformClient,
  { plan, base: plannedBase, target, reads }: Pick<PlanRun, 'plan' | 'base' | 'target' | 'reads'>,
  { person, address, level }: AccessQuestion,
  { kinds, global, sinceOf, appliedBy, at, onProgress, read, tellsBase = true, tellsAbove }: AccessSettings,
): Promise<AccessReport> {
  const everything = read ?? (await readUndeclared(client, opened, { ...plan, reads }, kinds, onProgress))
  const { changes, leftOut, looked, unlooked } = everything
  const { pageSize } = opened.project.settings
  const licences = await licencesOrWhy(client, kinds, reads?.lists ?? createObjectLists(), pageSize)
  // An apply takes away what only the base declares, whether that is told or not.
  const base = tellsBase ? plannedBase : undefined
  const { normalise } = client
  const { nowMs } = opened.assembly.time
  const aftermath = aftermathOf(changes)
  const graph = accessGraphOf(changes, aftermath, [], nowMs)
  const asked = person === undefined ? undefined : askedAccount(graph, person, normalise)
  const unread = [...plan.unreadable, ...leftOut].map(({ address, reason }) => ({ address, reason })).sort(byAddress)
  const isAsked = address === undefined ? () => true : addressMatcher(address, kinds)
  const matches = (entry: AccessEntry): boolean =>
    isAsked(entry.address) && (level === undefined || entry.level === level)
  if (address !== undefined) requireMatch(address, [...changes, ...unread], kinds)
  const isUntold = companiesUntold(changes)
  const entriesIn = (of: Graph, time: Time): Side => {
    const list = accessLister(of, time)
    const accounts = person === undefined ? [...of.numbers.keys()] : [normalise(person)]
    return {
      accounts,
      entriesOf(key) {
        const number = of.numbers.get(key)
        if (number === undefined || (person === undefined && !isPerson(of, number))) return []
        const listed = list(number).filter(matches)
        return isUntold ? listed : listed.map(({ untold: _, ...entry }) => entry)
      },
    }
  }
  const sideOf = (side: 'declared' | 'base'): Side => {
    const sides = declaredSide(changes, side).changes
    return entriesIn(accessGraphOf(sides, aftermathOf(sides), [], nowMs), 'after')
  }
  // Who will stand in for somebody can do nothing by that now.
  const begun = changes.filter((change) => hasBegun(change, nowMs))
  const now = begun.length === changes.length ? graph : accessGraphOf(begun, aftermath, [], nowMs)
  const typesOf = licencesAmong(changes, licences, normalise)
  const rows = rowsOf({
    ...{ before: entriesIn(now, 'before'), after: entriesIn(graph, 'after') },
    ...{ declared: sideOf('declared'), atBase: base && sideOf('base') },
    places: declaredPlaces(changes, normalise),
    placesThen: declaredPlaces(at === undefined ? [] : asAtBase(changes), normalise),
    accepting: exceptionFinder(accessExceptions(opened.exceptions.exceptions), normalise),
    nowMs,
    sinceOf: sinceOf?.(),
    isPast: at !== undefined,
    appliedBy,
    licensed: (svcId) => holdsAny(typesOf(svcId)),
  })
  // Through groups, too: an account of a directory holds little by itself.
  const theirs = times.flatMap((time) => listAccess(graph, time, perhapsGroupsIn(graph)))
  const perhapsGroups = [...new Set(theirs.flatMap((entry) => (matches(entry) ? (entry.subject ?? []) : [])))].sort()
  const holders = asked === undefined || address === undefined ? [] : otherHolders(graph, isAsked, matches, rows)
  const self = now.numbers.get(normalise(person ?? ''))
  const others = self === undefined ? [] : otherWays(now, self).filter(matches)
  const selves = new Set(times.flatMap((time) => [...aftermath.groupsWith(normalise(person ?? ''), time)]))
  const upcoming =
    asked === undefined ? [] : announcedIn({ changes }).filter(({ svcId }) => selves.has(normalise(svcId)))
  const asOf = base ? baseIn(base, appliedBy) : null
  const above = administratorsAbove(
    changes,
    { isAsked: address === undefined && !tellsAbove ? undefined : isAsked, isAlone: !tellsAbove },
    () =>
      // Of everything the rows tell it.
      [person, address, level].every((each) => each === undefined)
        ? rows.filter(({ live }) => live)
        : listAccess(now, 'before', peopleIn(now)),
  )
  const outside = outsideOf(global, (svcId) => graph.numbers.has(normalise(svcId)))
  return {
    ...{ rows, otherWays: others, upcoming, holders, outside, readAt: isoMoment(nowMs) },
    ...{ objects: address === undefined ? [] : objectsWithLevels(changes, isAsked), above },
    ...{ perhapsGroups, unread, looked, ...(unlooked && { unlooked }), target, base: asOf },
    licences: Object.fromEntries(
      [...new Set(rows.map(({ subject }) => subject ?? ''))].flatMap((svcId) => {
        const types = typesOf(svcId)
        return types === null || types.length === 0 ? [] : [[svcId, types]]
      }),
    ),
    licencesUnread: typeof licences === 'string' ? licences : null,
  }
}

function otherHolders(
  graph: Graph,
  isAsked: (address: string) => boolean,
  matches: (entry: AccessEntry) => boolean,
  rows: readonly AccessRow[],
): AccessEntry[] {
  const isLive = new Set(rows.filter(({ live }) => live).map(rightOf))
  return directHolders(graph, isAsked).filter((entry) => matches(entry) && !isLive.has(rightOf(entry)))
}

function baseIn(
  { ref, commit }: NonNullable<PlanRun['base']>,
  appliedBy: AccessSettings['appliedBy'],
): AccessReport['base'] {
  return { ref, commit, ...(commit !== null && appliedBy && { applied: appliedBy(commit) ?? null }) }
}

/** Of users alone: an application needs no licence, and nobody sees who is in a group of a directory. */
function licencesAmong(
  changes: readonly Change[],
  holds: Awaited<ReturnType<typeof licencesOrWhy>>,
  normalise: NormaliseSvcId,
): (svcId: string) => readonly string[] | null {
  if (typeof holds === 'string') return () => null
  const users = new Set(changes.flatMap((each) => (kindOf(each).provides === 'user' ? keyOf(each) : [])))
  return (svcId) => (users.has(normalise(svcId)) ? holds(normalise(svcId)) : null)
}

function objectsWithLevels(changes: readonly Change[], isAsked: (address: string) => boolean): readonly string[] {
  const holds = (change: Change): boolean =>
    Object.values(kindOf(change).collections).some(({ nests, of }) => nests !== true && of !== 'items')
  return changes.flatMap((change) => (holds(change) && isAsked(change.address) ? [change.address] : [])).sort()
}

/** `isAsked`: undefined: nobody asks. `isAlone`: those that were asked about are in the rows. */
function administratorsAbove(
  changes: readonly Change[],
  { isAsked, isAlone }: { readonly isAsked: ((address: string) => boolean) | undefined; readonly isAlone: boolean },
  entries: () => readonly AccessEntry[],
): AccessReport['above'] {
  if (isAsked === undefined) return []
  const holds = new Map<Address, { readonly level: string; readonly holds: Address[] }>()
  for (const [address, containers] of containersOf(changes)) {
    if (!isAsked(address)) continue
    for (const { address: container, level } of containers) {
      if (isAlone && isAsked(container)) continue
      getOrInsert(holds, container, () => ({ level, holds: [] })).holds.push(address)
    }
  }
  if (holds.size === 0) return []
  const held = groupBy(entries(), ({ address }) => address)
  const found = [...holds].map(([address, { level, ...rest }]) => {
    const own = (held.get(address) ?? []).filter((each) => each.level === level)
    return { address, level, ...rest, entries: own }
  })
  return found.sort(byAddress)
}

function hasBegun(change: Change, nowMs: number): boolean {
  const roles = standIn.of(kindOf(change))
  if (roles === undefined || change.live === undefined) return true
  return !(Date.parse(String(change.live.spec[roles.from])) > nowMs)
}

/** Manifests limit something to a company, and no list tells one: not every installation does. Of a single list, that says nothing. */
function companiesUntold(changes: readonly Change[]): boolean {
  const declared = changes.flatMap(({ desired }) => Object.values(desired?.collections ?? {}))
  const live = changes.flatMap(({ live }) => Object.values(live?.collections ?? {}))
  const isLimited = declared.some(({ elements }) => [...elements.values()].some(({ element }) => element.company))
  return isLimited && !live.some((elements) => elements.some(({ company }) => company))
}

function askedAccount({ numbers, svcIds }: Graph, person: string, normalise: NormaliseSvcId): number {
  const found = numbers.get(normalise(person))
  if (found !== undefined) return found
  throw new OperatorError('SVC2280', `No manifest and no list of the platform names \`${person}\``, {
    hint:
      suggestion(person, svcIds) ??
      'Write the svcId of a user, a group or a directory account, as members and privileges have it.',
  })
}

function requireMatch(glob: string, all: readonly { readonly address: Address }[], kinds: readonly Kind[]): void {
  const matches = addressMatcher(glob, kinds)
  if (all.some((each) => matches(each.address))) return
  const addresses = all.map((each) => each.address)
  throw new OperatorError('SVC2281', `No object has an address that matches \`${glob}\``, {
    hint:
      globSuggestion(glob, addresses, kinds) ??
      'Addresses are like `process/main/Purchasing/Invoice approval`; `svcsync access list` shows them.',
  })
}

const rightOf = ({ level, address, company, untold }: AccessEntry): string =>
  JSON.stringify([level, address, company, untold ?? null])
const entryKey = (entry: AccessEntry): string => `${entry.subject} ${rightOf(entry)}`

/** What accounts can do at one time: of one after the other, since all of it may be very much. */
interface Side {
  readonly accounts: readonly string[]
  entriesOf(account: string): readonly AccessEntry[]
}

interface Sides extends SidesOf<Side> {
  readonly places: ReturnType<typeof declaredPlaces>
  /** The same at the base, where that alone is told. */
  readonly placesThen: ReturnType<typeof declaredPlaces>
  readonly accepting: ReturnType<typeof exceptionFinder>
  readonly nowMs: number
  readonly sinceOf: ReturnType<typeof declaredSince> | undefined
  readonly isPast: boolean
  readonly appliedBy: AccessSettings['appliedBy']
  readonly licensed: (svcId: string) => boolean | null
}

interface SidesOf<Of> {
  readonly before: Of
  readonly after: Of
  readonly declared: Of
  readonly atBase: Of | undefined
}

/** One row for what is so anywhere. */
function rowsOf({ before, after, declared, atBase, ...sides }: Sides): AccessRow[] {
  const all = [before, after, declared, ...(atBase === undefined ? [] : [atBase])]
  const accounts = new Set(all.flatMap((side) => side.accounts))
  const result: AccessRow[] = []
  let looked = -rowsAtOnce
  for (const account of accounts) {
    if (result.length >= looked + rowsAtOnce) {
      refuseOverfull('The list of access', 'Ask about one account or object')
      looked = result.length
    }
    const keyed = (side: Side): Keyed => side.entriesOf(account).map((entry): Keyed[number] => [entryKey(entry), entry])
    const own = {
      before: keyed(before),
      after: keyed(after),
      declared: keyed(declared),
      atBase: atBase && keyed(atBase),
    }
    for (const row of rowsOfOne({ ...sides, ...own })) result.push(row)
  }
  return result.sort((a, b) => {
    const [left, right] = [a.subject ?? '', b.subject ?? '']
    return left === right ? byAddress(a, b) : left < right ? -1 : 1
  })
}

/** The memory is looked at after so many. */
const rowsAtOnce = 2000

type Keyed = readonly (readonly [string, AccessEntry])[]

function rowsOfOne({
  before,
  after,
  declared,
  atBase,
  places,
  placesThen,
  accepting,
  nowMs,
  sinceOf,
  isPast,
  appliedBy,
  licensed,
}: SidesOf<Keyed> & Omit<Sides, keyof SidesOf<Side>>): AccessRow[] {
  const keysOf = (side: Keyed): ReadonlySet<string> => new Set(side.map(([key]) => key))
  const [lives, afters, based] = [keysOf(before), keysOf(after), atBase && keysOf(atBase)]
  const declaredBy = new Map(declared)
  const rows = new Map<string, AccessEntry>()
  const told = isPast ? [atBase ?? []] : [before, after, declared, atBase ?? []]
  for (const side of told) {
    for (const [key, entry] of side) if (!rows.has(key)) rows.set(key, entry)
  }
  return [...rows].map(([key, entry]): AccessRow => {
    // What is held, or declared, for all covers what is limited to one company.
    const keys = entry.company === null ? [key] : [key, entryKey({ ...entry, company: null })]
    const isIn = (side: ReadonlySet<string>): boolean => keys.some((key) => side.has(key))
    const declaring = keys.flatMap((key) => declaredBy.get(key) ?? [])[0]
    const saying = declaring && (sameWay(entry, declaring, places) ?? declaring)
    const lines = saying === undefined ? [] : places(saying)
    const fitting = accepting(entry)
    const by = fitting.find(({ untilMs }) => nowMs < untilMs) ?? fitting[0]
    // What is not told may be what is declared, or something else; where all is declared, it is.
    const isTold = entry.level !== null && (entry.untold === undefined || lines.length === linesOf(entry))
    return {
      ...entry,
      live: isIn(lives),
      afterApply: isIn(afters),
      declared: saying !== undefined && isTold,
      declaredWay: saying === undefined ? null : wayOf(saying),
      places: lines.map(({ place }) => place),
      atBase: based === undefined ? null : isIn(based),
      accepted:
        saying === undefined && by
          ? { until: by.until, isOver: nowMs >= by.untilMs, reason: by.reason, place: by.place }
          : null,
      ...sinceIn(isPast ? placesThen(entry) : wholeWay(saying, lines), sinceOf, appliedBy),
      licensed: licensed(entry.subject ?? ''),
    }
  })
}

/** What the base declares, in the place of what manifests do. */
function asAtBase(changes: readonly Change[]): readonly Change[] {
  return changes.map((change) => ({ ...change, desired: (change.desired ?? change.retired)?.since?.base }))
}

/** What was left out of a long way is not known. */
const wholeWay = (saying: AccessEntry | undefined, lines: readonly DeclaredLine[]): readonly DeclaredLine[] =>
  saying?.skipped === undefined ? lines : []

/** No lines: nobody knows. */
function sinceIn(
  lines: readonly DeclaredLine[],
  sinceOf: Sides['sinceOf'],
  appliedBy: Sides['appliedBy'],
): Pick<AccessRow, 'since' | 'applied'> {
  const since = lines.length === 0 ? null : (sinceOf?.(lines) ?? null)
  return { since, ...(since !== null && appliedBy && { applied: appliedBy(since.commit) ?? null }) }
}

/** As many as a way has that is declared from end to end, as far as it is told. */
const linesOf = ({ via, skipped }: AccessEntry): number => via.length + (skipped === undefined ? 1 : 0)

const wayOf = ({ via, skipped, substitutions }: AccessEntry): NonNullable<AccessRow['declaredWay']> => ({
  via,
  ...(skipped !== undefined && { skipped }),
  ...(substitutions && { substitutions }),
})

/** The declared entry by the way of the live one, where every line of it is declared: of several declared ways another was found. */
function sameWay(live: AccessEntry, declaring: AccessEntry, places: Sides['places']): AccessEntry | undefined {
  if (live.substitutions !== undefined || declaring.substitutions !== undefined) return undefined
  // What was left out of it may be declared, or not.
  if (live.skipped !== undefined) return undefined
  const { skipped: _, ...along } = { ...declaring, via: live.via }
  return places(along).length === linesOf(along) ? along : undefined
}
