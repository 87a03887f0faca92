// A run that says who can do what: live, and as declared, with everything that the platform lists.
import { exceptionFinder } from '@svcsync/core/access/accepted-access.ts'
import { accessGraphOf } from '@svcsync/core/access/access-graph.ts'
import { Aftermath, type Time, times } from '@svcsync/core/access/aftermath.ts'
import { containersOf } from '@svcsync/core/access/containers.ts'
import { declaredPlaces } from '@svcsync/core/access/declared-places.ts'
import { declaredSide } from '@svcsync/core/access/declared-side.ts'
import type { AccessEntry } from '@svcsync/core/access/describe-access.ts'
import { type AccessGraph as Graph, isStill, peopleIn } from '@svcsync/core/access/graph-model.ts'
import { accessLister, directHolders, otherWays } from '@svcsync/core/access/list-access.ts'
import { type GlobalPrivileges, outsideOf } from '@svcsync/core/access/outside.ts'
import { groupsWithoutMembers, unseenHolders } from '@svcsync/core/access/unseen.ts'
import { externalAccounts } from '@svcsync/core/assemble/external-accounts.ts'
import { type Change, keyOf, kindOf } from '@svcsync/core/compare/change.ts'
import { type Address, addressMatcher, byAddress, type NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import { accessExceptions } from '@svcsync/core/model/exception.ts'
import { getOrInsert, groupBy } from '@svcsync/core/model/group-by.ts'
import type { Collection, Kind } from '@svcsync/core/model/kind.ts'
import { globSuggestion, suggestion } from '@svcsync/core/model/near-misses.ts'
import { isoMoment } from '@svcsync/core/model/time-bounds.ts'
import type { AccessReport, AccessRow } from '@svcsync/core/plan/access-report.ts'
import { findAnnouncements } from '@svcsync/core/plan/find-announcements.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { ObjectLists } from '@svcsync/live/object-lists.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import type { declaredSince } from '../open/declared-since.ts'
import type { ReadProject } from '../open/open-project.ts'
import { holdsAny, licencesOrWhy } from '../plan/licences-held.ts'
import type { PlanRun } from '../plan/plan-run.ts'
import { readUndeclared } from '../plan/read-undeclared.ts'
import { accessRows, createRightNames, rightOf, roomForList, sideOf } from './access-rows.ts'

/** `person`: what this svcId can do. `address`: one, or a glob over addresses. */
type AccessQuestion = {
  readonly [Part in 'person' | 'address' | 'level']?: string | undefined
}

interface AccessSettings {
  readonly global?: GlobalPrivileges | undefined
  /** Since when a way is declared; it asks git, and is called where there is something to say. Absent: nobody asks. */
  readonly sinceOf?: (() => ReturnType<typeof declaredSince>) | undefined
  /** The base's declarations appear beside the present ones. */
  readonly tellsBase?: boolean | undefined
  /** Lists only declarations of the base, by its own ways. `asOfMs`: the time at which they counted; absent: now. */
  readonly at?: { readonly asOfMs?: number | undefined } | undefined
  /** The first complete apply of what a commit says; absent: there is no ledger. */
  readonly appliedBy?: ((commit: string) => AccessRow['applied']) | undefined
  /** Administrators of containers appear for each object, asked about or not. */
  readonly tellsAbove?: boolean | undefined
  readonly onProgress?: ((objects: number) => void) | undefined
  readonly read?: Awaited<ReturnType<typeof readUndeclared>> | undefined
}

/** A level that is not told may be any but `owner`: whoever asks for one must see it. */
const mayBe = ({ level: told }: Pick<AccessEntry, 'level'>, level: string | undefined): boolean =>
  told === level || (told === null && level !== undefined && level !== 'owner')

/** With all rows at hand. Throws an OperatorError where they do not fit into the memory. */
export function wholeAnswer(answer: AccessReport<Iterable<AccessRow>>): AccessReport {
  const all: AccessRow[] = []
  const checkRoom = roomForList()
  for (const row of answer.rows) {
    checkRoom()
    all.push(row)
  }
  return { ...answer, rows: all }
}

export async function accessRun(...asked: Parameters<typeof answerAccess>): Promise<AccessReport> {
  return wholeAnswer(await answerAccess(...asked))
}

/** Throws an OperatorError for an account that nobody knows, and for an address that nothing has. */
export async function answerAccess(
  opened: Pick<ReadProject, 'project' | 'assembly' | 'displayBase' | 'exceptions'>,
  client: PlatformClient,
  { plan, base: plannedBase, gone = [], target, reads }: Pick<PlanRun, 'plan' | 'base' | 'gone' | 'target' | 'reads'>,
  { person, address, level }: AccessQuestion,
  { global, sinceOf, appliedBy, at, onProgress, read, tellsBase = true, tellsAbove }: AccessSettings,
): Promise<AccessReport<Iterable<AccessRow>>> {
  const everything = read ?? (await readUndeclared(client, opened, { ...plan, reads }, onProgress))
  const { changes, leftOut, looked, unlooked } = changesAtCommit(everything, gone, at)
  roomForList()()
  const { kinds } = opened.project
  const licences = await licencesOrWhy(client, opened.project, reads?.lists ?? new ObjectLists())
  // An apply removes access that only the base declares, whether the list shows it or not.
  const base = tellsBase ? plannedBase : undefined
  const { normalise } = client
  const { nowMs } = opened.assembly.time
  const { aftermath, graph, now, declared, atBase, told, sides, then } = graphsOf(changes, nowMs, { base, at })
  if (person !== undefined) requireAccount(opened, atBase === undefined ? [graph] : [graph, atBase], person, normalise)
  const unread = [...plan.unreadable, ...leftOut].map(({ address, reason }) => ({ address, reason })).sort(byAddress)
  const isAsked = address === undefined ? () => true : addressMatcher(address, kinds)
  const matches = (entry: Pick<AccessEntry, 'address' | 'level'>): boolean =>
    isAsked(entry.address) && (level === undefined || mayBe(entry, level))
  if (address !== undefined) requireMatch(address, [...changes, ...unread], kinds)
  const nameOf = createRightNames()
  const key = person === undefined ? undefined : normalise(person)
  const asking = { person: key, matches, isUntold: companiesUntold(changes), nameOf }
  const typesOf = licencesAmong(changes, licences, normalise)
  const { before, after } = sidesOfTime(now, graph, asking)
  // Nothing is otherwise there: nobody needs it twice.
  const sideIn = (other: Graph) => (other === graph ? after : sideOf(other, 'after', asking))
  const lazily = accessRows({
    ...{ before, after, nameOf },
    declared: sideIn(declared),
    atBase: atBase && sideIn(atBase),
    places: declaredPlaces(changes, normalise),
    placesThen: declaredPlaces(then, normalise),
    accepting: exceptionFinder(accessExceptions(opened.exceptions.exceptions), normalise),
    nowMs,
    sinceOf: sinceOf?.(),
    isPast: at !== undefined,
    appliedBy,
    licensed: (svcId) => holdsAny(typesOf(svcId)),
  })
  // One account has few rows, and the code reads them twice.
  const rows = person === undefined ? lazily : [...lazily]
  const perhapsGroups = findUnread(sides, matches, at && changes)
  // The present state does not answer a question about the past.
  const beside = (): Pick<AccessReport, 'otherWays' | 'upcoming' | 'holders'> => ({
    otherWays: otherWaysOf(now, key).filter(matches),
    upcoming: upcomingFor(key, changes, aftermath, normalise),
    holders: address === undefined ? [] : otherHolders(graph, isAsked, matches, rows),
  })
  const asOf = base ? baseIn(base, appliedBy) : null
  const above = administratorsAbove(
    changes,
    { isAsked: address === undefined && !tellsAbove ? undefined : isAsked, isAlone: !tellsAbove },
    (isWanted) => {
      const list = accessLister(told.graph, told.time)
      return peopleIn(told.graph).flatMap((each) => list(each).filter(isWanted))
    },
  )
  const outside = outsideOf(global, kinds, (svcId) => graph.numbers.has(normalise(svcId)))
  return {
    ...{
      rows,
      ...(person === undefined || at !== undefined ? nothingBeside : beside()),
      outside,
      readAt: isoMoment(nowMs),
    },
    ...{ objects: address === undefined ? [] : objectsWithLevels(changes, isAsked, level), above },
    ...{ perhapsGroups, unread, looked, ...(unlooked && { unlooked }), target, base: asOf },
    licencesOf: (svcId) => typesOf(svcId) ?? [],
    licencesUnread: typeof licences === 'string' ? licences : null,
  }
}

function sidesOfTime(now: Graph, graph: Graph, asking: Parameters<typeof sideOf>[2]) {
  const before = sideOf(now, 'before', asking)
  return { before, after: now === graph && isStill(now) ? before : sideOf(graph, 'after', asking) }
}

type UndeclaredRead = Awaited<ReturnType<typeof readUndeclared>>

/** A plan leaves out what only the base declares, and the past had it. Its substitutions need no read. */
function changesAtCommit(
  everything: UndeclaredRead,
  gone: readonly Desired[],
  at: AccessSettings['at'],
): UndeclaredRead {
  if (at === undefined) return everything
  const { changes, ...read } = everything
  const rest = new Map(gone.map((object) => [object.address, object]))
  const known = changes.map((change) => {
    const object = rest.get(change.address)
    rest.delete(change.address)
    const isKnown = object === undefined || (change.desired ?? change.retired)?.since !== undefined
    return isKnown ? change : { ...change, desired: object }
  })
  const nothing = { action: 'none', live: undefined, fields: [], collections: [], unverifiable: [] } as const
  const others = Array.from(rest.values(), (desired) => ({ address: desired.address, desired, ...nothing }))
  return { ...read, changes: [...known, ...others], unlooked: undefined }
}

/** `then`: the base's declarations, if the answer is only of them; `told`: the subject of the answer. */
function graphsOf(
  changes: readonly Change[],
  nowMs: number,
  { base, at }: { readonly base: PlanRun['base']; readonly at: AccessSettings['at'] },
) {
  const aftermath = new Aftermath(changes)
  const graph = accessGraphOf(changes, nowMs, [], aftermath)
  const declaredIn = (side: 'declared' | 'base', ms = nowMs): Graph => {
    const { changes: own } = declaredSide(changes, side)
    const isOver = side === 'base' && !own.every((change) => hasBegun(change, ms))
    const sides = isOver ? own.filter((change) => hasBegun(change, ms)) : own
    return sides === changes && ms === nowMs ? graph : accessGraphOf(sides, ms)
  }
  // A future substitute has no access yet.
  const begun = changes.filter((change) => hasBegun(change, nowMs))
  const now = begun.length === changes.length ? graph : accessGraphOf(begun, nowMs, [], aftermath)
  const atBase = base && declaredIn('base', at?.asOfMs)
  const told = at && atBase ? { graph: atBase, time: 'after' as const } : { graph: now, time: 'before' as const }
  const then = at === undefined ? [] : asAtBase(changes)
  const sides = at === undefined ? times.map((time) => ({ graph, time })) : [told]
  return { aftermath, graph, now, declared: declaredIn('declared'), atBase, told, sides, then }
}

/** `past`: the changes of an answer about the past, which groups without declared members leave open. */
function findUnread(
  sides: readonly { readonly graph: Graph; readonly time: Time }[],
  matches: (entry: AccessEntry) => boolean,
  past: readonly Change[] = [],
): string[] {
  const closed = groupsWithoutMembers(past)
  return [...new Set(sides.flatMap(({ graph, time }) => unseenHolders(graph, time, matches, closed)))].sort()
}

const nothingBeside = { otherWays: [], upcoming: [], holders: [] }

function otherWaysOf(graph: Graph, key: string | undefined): AccessEntry[] {
  const self = graph.numbers.get(key ?? '')
  return self === undefined ? [] : otherWays(graph, self)
}

/** The future beginnings and ends for the account in question, and for its groups. */
function upcomingFor(
  key: string | undefined,
  changes: readonly Change[],
  aftermath: Aftermath,
  normalise: NormaliseSvcId,
): AccessReport['upcoming'] {
  if (key === undefined) return []
  const selves = new Set(times.flatMap((time) => [...aftermath.groupsWith(key, time)]))
  return findAnnouncements({ changes }).filter(({ svcId }) => selves.has(normalise(svcId)))
}

/** Holders of direct rights there whom the rows leave out. */
function otherHolders(
  graph: Graph,
  isAsked: (address: string) => boolean,
  matches: (entry: AccessEntry) => boolean,
  rows: Iterable<AccessRow>,
): AccessEntry[] {
  const isLive = new Set([...rows].filter(({ live }) => live).map(rightOf))
  return directHolders(graph, isAsked).filter((entry) => matches(entry) && !isLive.has(rightOf(entry)))
}

function baseIn(
  { ref, commit }: NonNullable<PlanRun['base']>,
  appliedBy: AccessSettings['appliedBy'],
): AccessReport['base'] {
  return { ref, commit, ...(commit !== null && appliedBy && { applied: appliedBy(commit) ?? null }) }
}

/** For users only: an application needs no licence, and nobody sees the members of a directory's group. */
function licencesAmong(
  changes: readonly Change[],
  holds: Awaited<ReturnType<typeof licencesOrWhy>>,
  normalise: NormaliseSvcId,
): (svcId: string) => readonly string[] | null {
  if (typeof holds === 'string') return () => null
  const users = new Set(changes.flatMap((each) => (kindOf(each).provides === 'user' ? keyOf(each) : [])))
  return (svcId) => (users.has(normalise(svcId)) ? holds(normalise(svcId)) : null)
}

/** The objects that can have the level, if there is one: groups have owners, other objects have levels. */
function objectsWithLevels(
  changes: readonly Change[],
  isAsked: (address: string) => boolean,
  level: string | undefined,
): readonly string[] {
  const holding = (fits: (collection: Collection) => boolean): string[] =>
    changes.flatMap((change) => {
      const holds = Object.values(kindOf(change).collections).some(
        (each) => each.nests !== true && each.of !== 'items' && fits(each),
      )
      return holds && isAsked(change.address) ? [change.address] : []
    })
  const fitting = holding(({ part }) => level === undefined || (level === 'owner') === (part === undefined))
  return (fitting.length > 0 ? fitting : holding(() => true)).sort()
}

/** `isAsked`: undefined: nobody asks. `isAlone`: those that were asked about are in the rows. */
function administratorsAbove(
  changes: readonly Change[],
  { isAsked, isAlone }: { readonly isAsked: ((address: string) => boolean) | undefined; readonly isAlone: boolean },
  entries: (isWanted: (entry: AccessEntry) => boolean) => readonly AccessEntry[],
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
  const held = groupBy(
    entries((entry) => mayBe(entry, holds.get(entry.address)?.level)),
    ({ address }) => address,
  )
  const found = [...holds].map(([address, rest]) => ({ address, ...rest, entries: held.get(address) ?? [] }))
  return found.sort(byAddress)
}

/** A substitution that does not wait to begin, whatever else it is. */
function hasBegun(change: Change, nowMs: number): boolean {
  const roles = standIn.of(kindOf(change))
  const from = (change.live ?? change.desired)?.spec[roles?.from ?? '']
  return roles === undefined || from === undefined || !(Date.parse(String(from)) > nowMs)
}

/** Entries are limited to a company, but no list tells one, as on some installations. One list proves nothing. */
function companiesUntold(changes: readonly Change[]): boolean {
  const declared = changes.flatMap(({ desired }) => Object.values(desired?.collections ?? {}))
  const live = changes.flatMap(({ live }) => Object.values(live?.collections ?? {}))
  const isLimited = declared.some(({ elements }) => [...elements.values()].some(({ element }) => element.company))
  return isLimited && !live.some((elements) => elements.some(({ company }) => company))
}

/** Somebody who has left may be known to the base alone. */
function requireAccount(
  { project }: Pick<ReadProject, 'project'>,
  graphs: readonly Graph[],
  person: string,
  normalise: NormaliseSvcId,
): void {
  // Nothing tells of a directory's account until a list names it.
  if (externalAccounts(project.externalAccounts, normalise)(person)) return
  if (graphs.some(({ numbers }) => numbers.has(normalise(person)))) return
  throw new OperatorError('SVC2280', `No manifest and no list of the platform names \`${person}\``, {
    hint:
      suggestion(person, graphs[0]?.svcIds ?? []) ??
      'Write the svcId as members and privileges have it. A directory account that no list names is known if ' +
        '`accounts.external` of the project file matches it.',
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

function asAtBase(changes: readonly Change[]): readonly Change[] {
  return changes.flatMap((change) => {
    const desired = (change.desired ?? change.retired)?.since?.base
    return desired === undefined && change.live === undefined ? [] : { ...change, desired }
  })
}
