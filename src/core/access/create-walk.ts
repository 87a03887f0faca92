// The walk from an account up to all groups that it is in, which finds what it holds and by which way.
import { getOrInsert } from '../model/group-by.ts'
import type { Time } from './aftermath.ts'
import { listedAtEnds } from './describe-access.ts'
import { createReach, type Way } from './reach.ts'
import { type AccessGraph, type Chain, joinChains, type Numbers, type Right, type StandIns } from './walk.ts'

interface Walk {
  /** Rights that an account has, in the order in which a walk from it upwards comes upon them. */
  from(account: number): Numbers
  /** The place of the group at which the walk found it, or what covers it; undefined: it did not. */
  placeOf(right: number): number | undefined
  /** The same of the right alone. */
  ownPlaceOf(right: number): number | undefined
  wayTo(place: number): Chain
  /** The same where it did not go from account to account; undefined: it did, or it is no way of groups. */
  reachedBy(place: number): Way | undefined
  /** The same way of another account is the same object. */
  isShared(way: Chain): boolean
  /** The groups at both ends of a way that a list names, with the number between; undefined: it is hardly longer. */
  endsOf(place: number): { readonly groups: number[]; readonly skipped: number } | undefined
  /** The same for later, when another walk may have been made. A long way is not held until it is asked for. */
  wayLater(account: number, place: number): () => Chain
  /** How much the last walk looked at. */
  steps(): number
}

/** The number of groups; a longer way is walked again. */
const shortWay = 100

/** The results of a walk. Successive walks through very many groups share this room. */
interface Tracks {
  readonly within: readonly Numbers[]
  readonly held: readonly Numbers[]
  readonly rights: readonly Right[]
  readonly passed: StandIns['passed'] | undefined
  /** Undefined: groups are substitutes, and what they have so is no right of theirs. */
  readonly reach: ReturnType<typeof createReach> | undefined
  /** Also what a substitute has for one company, and for all: it may be passed on by a shorter chain. */
  readonly tellsCovered: boolean
  /** The number of this walk. Accounts and rights that it met bear it. */
  round: number
  readonly seen: Int32Array
  readonly foundIn: number[]
  /** The place of each right that was found. */
  readonly placeAt: number[]
  /** By place, the ways that it did not have to walk. Undefined: it went from account to account. */
  reached: (Way | undefined)[] | undefined
  /** By places. */
  readonly accounts: Int32Array
  /** For each account the place of the one before it. */
  readonly inner: Int32Array
  /** How many accounts it met. */
  length: number
  steps: number
  /**
   * Ways that somebody asked for, which may be few and long; and behind the places of accounts, the rights of a
   * substitute.
   */
  readonly ways: Map<number, Chain>
  /** Short ways of groups, of all walks: those of many accounts are the same, and one object then. */
  readonly shared: Map<Chain, { readonly length: number; readonly next: Map<number, Chain> }>
}

/** The number of groups. */
const longestShared = 16

/**
 * Breadth first, by the keys of groups: what is found first is found by the shortest chain, and of those the first.
 * `tellsCovered`: see `Tracks`.
 */
export function createWalk(graph: AccessGraph, time: Time, tellsCovered = false): Walk {
  const tracks = createTracks(graph, time, tellsCovered)
  const from = (account: number): Numbers => {
    startAt(tracks, account)
    const found = takeReached(tracks, account) ?? goUp(tracks)
    addPassed(tracks, found)
    return found
  }
  return {
    from,
    placeOf: (right) => placeOf(tracks, right),
    ownPlaceOf: (right) => ownPlaceOf(tracks, right),
    steps: () => tracks.steps,
    wayTo: (place) => wayTo(tracks, place),
    reachedBy: (place) => tracks.reached?.[place],
    isShared: (way) => tracks.shared.has(way),
    endsOf: (place) => endsOf(tracks, place),
    wayLater(account, place) {
      const far = tracks.reached?.[place]
      if (far !== undefined) return chainLater(tracks, far)
      let way = isShort(tracks, place) ? wayTo(tracks, place) : ('unasked' as const)
      return () => {
        if (way !== 'unasked') return way
        from(account)
        way = wayTo(tracks, place)
        return way
      }
    },
  }
}

function createTracks(graph: AccessGraph, time: Time, tellsCovered: boolean): Tracks {
  const { rights, standIns } = graph
  const [within, held, members] = [graph.within[time], graph.held[time], graph.members[time]]
  const passed = standIns?.[time]?.passed
  const accounts = within.length
  const lendsToGroups = [...(passed?.keys() ?? [])].some((each) => members[each] !== undefined)
  return {
    ...{ within, held, rights, passed, tellsCovered },
    reach: lendsToGroups ? undefined : createReach(within, held, listedAtEnds),
    reached: undefined,
    round: 0,
    seen: new Int32Array(accounts),
    foundIn: rights.map(() => 0),
    placeAt: rights.map(() => 0),
    accounts: new Int32Array(accounts),
    inner: new Int32Array(accounts),
    length: 0,
    steps: 0,
    ways: new Map(),
    shared: new Map([[undefined, { length: 0, next: new Map() }]]),
  }
}

function startAt(tracks: Tracks, account: number): void {
  tracks.round++
  tracks.steps = 0
  tracks.accounts[0] = account
  tracks.length = 1
  tracks.ways.clear()
  tracks.ways.set(0, undefined)
  tracks.seen[account] = tracks.round
}

/** The rights that the account and its groups hold by themselves, where that is known of the groups. */
function takeReached(tracks: Tracks, account: number): number[] | undefined {
  const { reach, round, foundIn, placeAt } = tracks
  const before = reach?.steps() ?? 0
  const all = reach?.of(account)
  tracks.steps = (reach?.steps() ?? 0) - before
  tracks.reached = undefined
  if (all === undefined) return undefined
  const reached: (Way | undefined)[] = [undefined]
  const found: number[] = []
  let last: Way | undefined
  for (const { right, way } of all) {
    // Results of one way share a track.
    if (way !== last) reached.push(way)
    last = way
    foundIn[right] = round
    placeAt[right] = reached.length - 1
    found.push(right)
  }
  tracks.reached = reached
  tracks.length = reached.length
  return found
}

/** The same from account to account. */
function goUp(tracks: Tracks): number[] {
  const { within, held, round, seen, foundIn, placeAt, accounts, inner } = tracks
  const found: number[] = []
  let { length, steps } = tracks
  for (let place = 0; place < length; place++) {
    const here = accounts[place] as number
    const groups = within[here] as Numbers
    const own = held[here] as Numbers
    steps += 1 + groups.length + own.length
    for (const right of own) {
      if (foundIn[right] === round) continue
      foundIn[right] = round
      placeAt[right] = place
      found.push(right)
    }
    for (const group of groups) {
      if (seen[group] === round) continue
      seen[group] = round
      accounts[length] = group
      inner[length] = place
      length++
    }
  }
  tracks.length = length
  tracks.steps = steps
  return found
}

/** Adds the rights as a substitute, behind all others. */
function addPassed(tracks: Tracks, found: number[]): void {
  const { passed, accounts, length, reached } = tracks
  if (passed === undefined) return
  let behind = length
  for (let place = 0; place < (reached === undefined ? length : 1); place++) {
    const own = passed.get(accounts[place] as number)
    if (own !== undefined) behind = addPassedAt(tracks, { place, own, behind }, found)
  }
}

/** Takes the next free place. A right for one company is left out beside the same right for all. */
function addPassedAt(
  tracks: Tracks,
  { place, own, behind }: { place: number; own: ReadonlyMap<number, Chain>; behind: number },
  found: number[],
): number {
  const { rights, round, foundIn, placeAt, ways, tellsCovered } = tracks
  const places = new Map<Chain, number>()
  let next = behind
  const isLimited = (right: number): boolean => Boolean((rights[right] as Right).company)
  for (const [right, chain] of [...own].sort(([a], [b]) => Number(isLimited(a)) - Number(isLimited(b)))) {
    if (foundIn[right] === round) continue
    if (!tellsCovered && isLimited(right) && foundIn[(rights[right] as Right).covering] === round) continue
    const at = places.get(chain) ?? next++
    if (!places.has(chain)) ways.set(at, place === 0 ? chain : joinChains(wayTo(tracks, place), chain))
    places.set(chain, at)
    foundIn[right] = round
    placeAt[right] = at
    found.push(right)
  }
  return next
}

function ownPlaceOf({ foundIn, round, placeAt }: Tracks, right: number): number | undefined {
  return foundIn[right] === round ? placeAt[right] : undefined
}

function placeOf(tracks: Tracks, right: number): number | undefined {
  const own = ownPlaceOf(tracks, right)
  const { covering } = tracks.rights[right] as Right
  const other = covering < 0 ? undefined : ownPlaceOf(tracks, covering)
  return own === undefined || (other !== undefined && other < own) ? other : own
}

function wayTo(tracks: Tracks, place: number): Chain {
  const { ways, inner, accounts, reached } = tracks
  const far = reached?.[place]
  if (far !== undefined) return getOrInsert(ways, place, () => chainOf(tracks, far))
  const open: number[] = []
  let at = place
  for (; !ways.has(at); at = inner[at] as number) open.push(at)
  let way = ways.get(at)
  for (const each of open.reverse()) {
    way = longerBy(tracks, accounts[each] as number, way)
    ways.set(each, way)
  }
  return way
}

function chainOf(tracks: Tracks, way: Way): Chain {
  let chain: Chain
  for (let each: Way | undefined = way; each !== undefined; each = each.outer)
    chain = longerBy(tracks, each.group, chain)
  return chain
}

function chainLater(tracks: Tracks, way: Way): () => Chain {
  let chain = way.length <= shortWay ? chainOf(tracks, way) : undefined
  return () => {
    chain ??= chainOf(tracks, way)
    return chain
  }
}

function longerBy({ shared }: Tracks, group: number, inner: Chain): Chain {
  const way = { group, inner }
  const known = shared.get(inner)
  if (known === undefined) return way
  const found = getOrInsert(known.next, group, () => way)
  const length = known.length + 1
  if (found === way && length < longestShared) shared.set(way, { length, next: new Map() })
  return found
}

function isShort({ ways, inner }: Tracks, place: number): boolean {
  let at = place
  for (let steps = 0; steps < shortWay; steps++) {
    if (ways.has(at)) return true
    at = inner[at] as number
  }
  return false
}

/** Nothing is made for each step of a way of thousands, which many may have. */
function endsOf({ length, inner, accounts, reached }: Tracks, place: number): ReturnType<Walk['endsOf']> {
  if (place >= length) return undefined
  const far = reached?.[place]
  let count = far?.length ?? 0
  if (reached === undefined) for (let at = place; at > 0; at = inner[at] as number) count++
  const skipped = count - 2 * listedAtEnds
  if (skipped < 2) return undefined
  if (far !== undefined) return { groups: [...groupsIn(far), ...groupsIn(far.end)], skipped }
  const groups: number[] = []
  let left = count
  for (let at = place; at > 0; at = inner[at] as number, left--)
    if (left > count - listedAtEnds || left <= listedAtEnds) groups.push(accounts[at] as number)
  return { groups: groups.reverse(), skipped }
}

/** As many as a list names at one end. */
function groupsIn(way: Way): number[] {
  const groups: number[] = []
  let each: Way | undefined = way
  for (; each !== undefined && groups.length < listedAtEnds; each = each.outer) groups.push(each.group)
  return groups
}
