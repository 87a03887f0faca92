// The access of a plan as data: who gains what and who loses what, the most serious first.
import { append, getOrInsert } from '../model/group-by.ts'
import type { Kind } from '../model/kind.ts'
import { type AccessBlock, seriousEnough } from './access-blocks.ts'
import { times } from './aftermath.ts'
import {
  type AccessGraph,
  type Chain,
  groupsOf,
  holdersAmong,
  perhapsGroupsIn,
  type Right,
  type Substitution,
  substitutionsIn,
} from './graph-model.ts'

/** `declared`: what was read for the plan alone tells. */
type AccessMode = 'declared' | 'full' | 'none'

/** The path by which somebody has something. */
export interface AccessPath {
  /**
   * Groups from the one that the account is in to the one that holds the level; where the kind is `substitution`, who
   * is stood in for as well. None: the account itself does.
   */
  readonly via: readonly string[]
  /** So many in the middle of `via` are left out. Absent: none. */
  readonly skipped?: number
  /** The persons in `via` who have a substitute. Absent: none. */
  readonly substitutions?: readonly Substitution[]
  /** For `changed`: the groups of the former way. */
  readonly before?: readonly string[]
  readonly substitutionsBefore?: readonly Substitution[]
  /**
   * An account that may be a group, and whose members nobody knows: through it, the subject may have had before what it
   * gains, or may keep what is lost otherwise. The subject itself: the platform does not tell the level, or the
   * company.
   */
  readonly unseen?: string
}

/** Somebody, and what they can do. */
export interface AccessEntry extends AccessPath {
  /** An account: a person, an application, or a group whose members nobody knows. null: anybody, see `unknown`. */
  readonly subject: string | null
  /** null: the platform does not tell it. `owner` for an owner. */
  readonly level: string | null
  readonly address: string
  /** null: it holds for all. */
  readonly company: string | null
  readonly kind: 'privilege' | 'owner' | 'substitution'
  /** For `unknown`, the possible effect; absent in older plans: `lose`. */
  readonly may?: 'gain' | 'lose'
  /** For `unknown`: the subject may be a group itself, with unseen members. */
  readonly perhapsGroup?: true
  /** Other levels of the subject on the object: before what is gained, after what is lost. Absent: none. */
  readonly others?: readonly Pick<AccessEntry, 'company' | 'level'>[]
  /** For a list of everything: the platform does not tell the company. */
  readonly untold?: 'company'
}

export interface AccessDocument {
  readonly mode: AccessMode
  readonly gained: readonly AccessEntry[]
  readonly lost: readonly AccessEntry[]
  /** Rights that stay, through other groups. */
  readonly changed: readonly AccessEntry[]
  /**
   * Rights that may be held already, or be kept, and unseen ones. Without a subject: an unreadable object; with
   * `unseen`: a right of an account that may be a group, so that anybody may have it.
   */
  readonly unknown: readonly AccessEntry[]
  /** The number of further entries that are not listed. */
  readonly more: Readonly<Record<'gained' | 'lost' | 'changed' | 'unknown', number>>
  /** Accounts that hold something, and may be groups whose members nobody knows. */
  readonly unread: number
  /** Kinds of which svcsync also read undeclared objects. Absent: none. */
  readonly looked?: readonly string[]
  /** The requests that this took beside those of the plan. */
  readonly requests?: number
  /** The licences of users who gain access, after the plan. Absent: no user gains anything, or nobody asked. */
  readonly licences?: {
    /** How many hold none, and the first of them. */
    readonly missing: number
    readonly accounts: readonly string[]
    /** The requests that this took beside those of the plan and of access. */
    readonly requests: number
    /** Why it is not known of some; null: it is known of all. */
    readonly unread: string | null
  }
  /**
   * Unread facts that matter here. `people`: everything. On undeclared objects: the rights of `groups`, or of those who
   * are `represented` by a substitute. `stand-ins`: the substitutes. Absent: none.
   */
  readonly unlooked?: 'people' | 'groups' | 'represented' | 'stand-ins'
}

/**
 * The longest lists. A first apply may have a million entries: readers need few of them, and the counts tell the rest.
 * For Administrators the lists are longer.
 */
export const most = { entries: 1000, names: 20_000, administrators: { entries: 10_000, names: 200_000 } }

export function noAccess(mode: AccessMode): AccessDocument {
  const nothing = { gained: 0, lost: 0, changed: 0, unknown: 0 }
  return { mode, gained: [], lost: [], changed: [], unknown: [], more: nothing, unread: 0 }
}

interface Beside {
  /** Addresses of objects with levels that were not read: they say nothing where nobody is moved. */
  readonly unread?: readonly string[]
  /** See `unclearHeirs`. */
  readonly unclear?: readonly string[]
  /** See `heldUnseen`. */
  readonly held?: readonly AccessEntry[]
  /** True if the effect concerns the account itself, whoever may be behind it. */
  readonly standsAlone?: boolean
  /** Called before each entry, with how many there are; it throws where there is no room for more. */
  readonly checkRoom?: ((made: number) => void) | undefined
  readonly choice?: EntryChoice | undefined
}

/** Of very many entries, those that somebody needs. The rest is made, counted and dropped. */
interface EntryChoice {
  /** False: it is not counted either. */
  readonly takes: (entry: AccessEntry) => boolean
  /** True for an entry that is listed whatever comes before it. */
  readonly keeps: (entry: AccessEntry) => boolean
  /** So many others of each rank, in the order of the list. */
  readonly first: number
}

/** An effect on an account that may be a group is certain for nobody. */
function isCertain({ single }: AccessGraph, { effect, certain, subjects: [first] }: AccessBlock): boolean {
  return certain && (effect === 'keep' || single.has(first as number))
}

/** `limits`: how much of each is listed. */
export function describeAccess(
  graph: AccessGraph,
  blocks: readonly AccessBlock[],
  mode: AccessMode,
  { unread = [], unclear = [], held = [], standsAlone = false, checkRoom, choice }: Beside,
  limits: typeof most = most,
): AccessDocument {
  const sure = new Set(blocks.filter((block) => (standsAlone ? block.certain : isCertain(graph, block))))
  const listed = (isListed: (block: AccessBlock) => boolean) =>
    entriesOf(graph, blocks.filter(isListed), limits, (block) => sure.has(block), { checkRoom, choice })
  const certainly = (effect: AccessBlock['effect']) => listed((block) => block.effect === effect && sure.has(block))
  const [gained, lost, changed] = [certainly('gain'), certainly('lose'), certainly('keep')]
  const unknown = listed((block) => !sure.has(block))
  const closed = movesAnybody(graph) ? [...new Set([...unread, ...unclear])].sort() : unclear
  const unseen = [...closed.map(unknownOn), ...held].slice(0, limits.entries)
  const uncounted = closed.length + held.length - unseen.length
  return {
    mode,
    ...{ gained: gained.entries, lost: lost.entries, changed: changed.entries },
    unknown: [...unknown.entries, ...unseen],
    more: { gained: gained.more, lost: lost.more, changed: changed.more, unknown: unknown.more + uncounted },
    unread: blocks.length === 0 ? 0 : openAccounts(graph),
  }
}

/** All that there are of an event, those included that are not listed. */
export function countAccess(access: AccessDocument, event: keyof AccessDocument['more']): number {
  return access[event].length + access.more[event]
}

/** For whoever has to look at each. */
const noLimit = { entries: Number.POSITIVE_INFINITY, names: Number.POSITIVE_INFINITY }
export const unlimited: typeof most = { ...noLimit, administrators: noLimit }

/** An effect on somebody's access, for every reader that decides or shows. */
export interface AccessEvent {
  /** `keep`: it comes by another way. `unknown`: nobody could see who has what there. */
  readonly effect: AccessBlock['effect'] | 'unknown'
  /** False: what is gained may be held already, and what is lost may be kept. */
  readonly certain: boolean
  readonly entry: AccessEntry
}

/** Whose lists are not cut, or the first of each: in the order of the lists. */
export function accessEvents({
  gained,
  lost,
  changed = [],
  unknown,
}: Pick<AccessDocument, 'gained' | 'lost' | 'unknown'> & Partial<Pick<AccessDocument, 'changed'>>): AccessEvent[] {
  const sure = (effect: AccessEvent['effect'], entries: readonly AccessEntry[]) =>
    entries.map((entry): AccessEvent => ({ effect, certain: true, entry }))
  return [
    ...sure('gain', gained),
    ...sure('lose', lost),
    ...sure('keep', changed),
    // Plans of before do not say which of the two: it may be lost.
    ...unknown.map((entry): AccessEvent => {
      return { effect: entry.subject === null ? 'unknown' : (entry.may ?? 'lose'), certain: false, entry }
    }),
  ]
}

/** True if the object was unreadable, rather than an account a possible group. */
export const isUnread = ({ effect, entry: { unseen } }: AccessEvent): boolean =>
  effect === 'unknown' && unseen === undefined

/** The administering rights among certain and possible gains, and among unknown ones without a subject. */
export function administratorsIn(access: AccessDocument, kinds: readonly Kind[]): AccessEntry[] {
  const levels = new Set<string | null | undefined>(kinds.map(({ administeredBy }) => administeredBy?.level))
  return accessEvents(access).flatMap((event) =>
    (event.effect === 'gain' && levels.has(event.entry.level)) || isUnread(event) ? event.entry : [],
  )
}

/** True if the document has any entry. */
export function holdsAccess({ gained, lost, changed, unknown }: AccessDocument): boolean {
  return gained.length + lost.length + changed.length + unknown.length > 0
}

/** The access to the object is unknown. */
export const unknownOn = (address: string): AccessEntry => ({
  ...{ subject: null, level: null, address, company: null, via: [], kind: 'privilege' },
})

function movesAnybody({ within, created, deleted, standIns }: AccessGraph): boolean {
  if (created.size + deleted.size > 0 || standIns?.move) return true
  return within.before.some((groups, each) => String(groups) !== String(within.after[each]))
}

/** Accounts that hold something, by themselves or through groups, and behind whom there may be anybody. */
function openAccounts(graph: AccessGraph): number {
  const accounts = perhapsGroupsIn(graph)
  return new Set(times.flatMap((time) => holdersAmong(graph, time, accounts))).size
}

/** The most serious rights first; then what came through the same groups stays together. */
function entriesOf(
  graph: AccessGraph,
  blocks: readonly AccessBlock[],
  limits: typeof most,
  isSure: (block: AccessBlock) => boolean,
  { checkRoom, choice }: Pick<Beside, 'checkRoom' | 'choice'>,
): { entries: AccessEntry[]; more: number } {
  const rankOf = (right: number): number => (graph.rights[right] as Right).rank
  const { least, all } = seriousEnough(blocks, rankOf, limits.entries)
  const byRight = new Map<number, AccessBlock[]>()
  for (const block of blocks) {
    for (const right of block.rights) if (rankOf(right) <= least) append(byRight, right, block)
  }
  const picked = createPicked(choice)
  const known = new Map<Chain, readonly string[]>()
  let [count, names] = [0, 0]
  for (const [right, itsBlocks] of [...byRight].sort(([a], [b]) => rankOf(a) - rankOf(b) || a - b)) {
    const rank = rankOf(right)
    const limit = rank === 0 ? limits.administrators : limits
    for (const block of itsBlocks) {
      for (const subject of block.subjects) {
        if (count >= limit.entries || names >= limit.names) break
        checkRoom?.(count)
        // One list for all entries by a way: there may be a million.
        const via = getOrInsert(known, block.via(), (chain) => namesOf(graph, chain))
        const entry = entryOf(graph, block, { subject, right, certain: isSure(block), via })
        names += via.length + (entry.before?.length ?? 0)
        picked.add(entry, rank)
        count++
      }
    }
  }
  return { entries: picked.entries(), more: all - count + picked.dropped() }
}

function createPicked(choice: EntryChoice | undefined) {
  const { takes, keeps, first } = choice ?? { first: Number.POSITIVE_INFINITY }
  const byRank: { readonly own: AccessEntry[]; readonly room: number }[] = []
  let dropped = 0
  return {
    add(entry: AccessEntry, rank: number): void {
      if (takes?.(entry) === false) return
      byRank[rank] ??= { own: [], room: 2 * first }
      const { own, room } = byRank[rank]
      if (own.push(entry) < room) return
      let left = first
      const chosen = own.sort(byWay).filter((each) => keeps?.(each) || left-- > 0)
      dropped += own.length - chosen.length
      // Very many may be kept: they are sorted again only with as many others.
      byRank[rank] = { own: chosen, room: 2 * chosen.length }
    },
    entries: (): AccessEntry[] => byRank.flatMap(({ own }) => own.sort(byWay)),
    dropped: (): number => dropped,
  }
}

/** Without a key for each of very many: a way that sorts first is the shorter of two that begin alike. */
function byWay(a: AccessEntry, b: AccessEntry): number {
  if (a.via !== b.via) {
    const [at, length] = [a.via.findIndex((each, at) => each !== b.via[at]), Math.min(a.via.length, b.via.length)]
    if (at >= 0 && at < length) return textOrder(a.via[at], b.via[at])
    if (a.via.length !== b.via.length) return a.via.length - b.via.length
  }
  return (
    textOrder(a.address, b.address) ||
    textOrder(a.level, b.level) ||
    textOrder(a.company, b.company) ||
    textOrder(a.subject, b.subject)
  )
}

const textOrder = (a: string | null = '', b: string | null = ''): number => {
  const [one, other] = [a ?? '', b ?? '']
  return one === other ? 0 : one < other ? -1 : 1
}

function entryOf(
  graph: AccessGraph,
  block: AccessBlock,
  {
    subject,
    right,
    certain,
    via,
  }: Readonly<Record<'subject' | 'right', number>> & { readonly certain: boolean; readonly via: readonly string[] },
): AccessEntry {
  const { through, effect, before } = block
  const was = before?.()
  const substitutionsBefore = before && told(was)
  const may = certain ? undefined : (effect as 'gain' | 'lose')
  return {
    ...heldEntry(graph, subject, right, block.via(), via),
    ...(before && { before: namesOf(graph, was) }),
    ...(substitutionsBefore && { substitutionsBefore }),
    ...(through !== undefined && { unseen: graph.svcIds[through] as string }),
    ...(may !== undefined && { may }),
    ...(may !== undefined && !graph.single.has(subject) && { perhapsGroup: true }),
  }
}

export function namesOf({ svcIds }: AccessGraph, chain: Chain): string[] {
  return groupsOf(chain).map((group) => svcIds[group] as string)
}

/** `names`: of the way. */
export function heldEntry(
  graph: AccessGraph,
  subject: number,
  right: number,
  via: Chain,
  names: readonly string[] = namesOf(graph, via),
): AccessEntry {
  const { address, level = null, company, kind } = graph.rights[right] as Right
  const held = { subject: graph.svcIds[subject] as string, level, address, company: company?.name ?? null, via: names }
  const substitutions = graph.standIns && told(via)
  // Each field by itself: spread, they take most of the time of a list.
  if (substitutions === undefined)
    return { subject: held.subject, level, address, company: held.company, via: names, kind }
  return { ...held, substitutions, kind: 'substitution' }
}

function told(chain: Chain): Substitution[] | undefined {
  const found = substitutionsIn(chain).map(({ address, person, from, until }) => ({ address, person, from, until }))
  return found.length === 0 ? undefined : found
}

/**
 * So many groups at either end of a long chain are named: in a sentence, and in a table of everything, which millions
 * of names would fill.
 */
const shownAtEnds = 4
export const listedAtEnds = 50

/** The steps of a way: a group, or the person with a substitute and the end. The middle of a long way is counted. */
export function chainNames(
  { via, substitutions = [], skipped = 0 }: AccessPath,
  show: (text: string) => string = String,
  ends = listedAtEnds,
): string[] {
  const rest = via.length - 2 * ends
  const say = (account: string): string => {
    const found = substitutions.find(({ person }) => person === account)
    if (found === undefined) return show(account)
    const day = (moment: string): string =>
      moment.slice(0, moment.includes('T00:00:00') || moment.includes('T23:59:59') ? 10 : 16)
    return `${standInSaid}${show(account)} from ${day(found.from)} until ${day(found.until)}`
  }
  if (rest < 2 && skipped === 0) return via.map(say)
  const count = `${(rest + skipped).toLocaleString('en')} more`
  return [...via.slice(0, ends).map(say), count, ...via.slice(-ends).map(say)]
}

const standInSaid = 'as substitute of '

/** `through a › b`, and `as substitute of a from … until …`; empty: by itself. */
export function throughChain(way: AccessPath, show?: (text: string) => string): string {
  return stepsSaid(chainNames(way, show, shownAtEnds))
}

/** Joins the steps of `chainNames`. */
export function stepsSaid(steps: readonly string[]): string {
  const said = steps.join(' › ')
  return said === '' || said.startsWith(standInSaid) ? said : `through ${said}`
}
