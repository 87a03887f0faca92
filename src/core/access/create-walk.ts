// The walk from an account up to all groups that it is in, which finds what it holds and by which way.
import { getOrInsert } from '../model/group-by.ts'
import type { Time } from './aftermath.ts'
import { listedAtEnds } from './describe-access.ts'
import { createReach, roomForRights, type Way } from './reach.ts'
import { type AccessGraph, type Chain, joinChains, type Numbers, type Right } from './walk.ts'

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
  /** The groups at both ends of a way that a list names, with the number between; undefined: it is hardly longer. */
  endsOf(place: number): { readonly groups: number[]; readonly skipped: number } | undefined
  /** The same for later, after other walks. A long way is computed only when it is requested. */
  wayLater(account: number, place: number): () => Chain
  /** The work of the last walk. */
  steps(): number
}

/** The number of groups; a longer way is walked again. */
const shortWay = 100

/** The results of a walk. Successive walks through very many groups share this room. */
interface Tracks {
  readonly within: readonly Numbers[]
  readonly held: readonly Numbers[]
  readonly rights: readonly Right[]
  readonly passed: ReadonlyMap<number, ReadonlyMap<number, Chain>> | undefined
  readonly reach: ReturnType<typeof createReach>
  /** Also what a substitute has for one company, and for all: it may be passed on by a shorter chain. */
  readonly tellsCovered: boolean
  readonly ends: number
  /** By place, the ways that it did not have to walk. Undefined: it went from account to account. */
  reached: readonly (Way | undefined)[] | undefined
  /** By places. */
  readonly accounts: Int32Array
  /** For each account the place of the one before it. */
  readonly inner: Int32Array
  /** The number of accounts that it met. */
  length: number
  steps: number
  /**
   * Requested ways, which may be few and long; after the places of accounts, also the rights of a substitute.
   */
  readonly ways: Map<number, Chain>
}

interface Limits {
  /** See `Tracks`. */
  readonly tellsCovered?: boolean
  /** How many ways groups may remember. */
  readonly room?: number | undefined
  /** How many groups a list names at one end of a way. */
  readonly ends?: number
}

/** Breadth first, by the keys of groups: what is found first is found by the shortest chain, and of those the first. */
export function createWalk(graph: AccessGraph, time: Time, limits: Limits = {}): Walk {
  const tracks = createTracks(graph, time, limits)
  const from = (account: number): Numbers => {
    startAt(tracks, account)
    const found = takeReached(tracks, account) ?? goUp(tracks, account)
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
    endsOf: (place) => endsOf(tracks, place),
    wayLater(account, place) {
      const far = tracks.reached?.[place]
      if (far !== undefined) return chainLater(far)
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

function createTracks(
  graph: AccessGraph,
  time: Time,
  { tellsCovered = false, room = roomForRights, ends = listedAtEnds }: Limits,
): Tracks {
  const { rights, standIns } = graph
  const [within, held] = [graph.within[time], graph.held[time]]
  const passed = standIns?.[time]?.passed
  const byAccount = () => new Int32Array(within.length)
  const lends = (group: number) => passed?.has(group)
  return {
    ...{ within, held, rights, passed, tellsCovered, ends },
    reach: createReach({ within, held, rights: rights.length, ends, lends, room }),
    reached: undefined,
    accounts: byAccount(),
    inner: byAccount(),
    length: 0,
    steps: 0,
    ways: new Map(),
  }
}

function startAt(tracks: Tracks, account: number): void {
  tracks.accounts[0] = account
  tracks.ways.clear()
  tracks.ways.set(0, undefined)
}

/** The rights that the account and its groups hold by themselves, where that is known of the groups. */
function takeReached(tracks: Tracks, account: number): number[] | undefined {
  const { reach } = tracks
  const before = reach.steps()
  const reached = reach.of(account)
  tracks.steps = reach.steps() - before
  tracks.reached = reached?.ways
  tracks.length = reached?.ways.length ?? 1
  return reached?.found
}

/** The same from account to account. */
function goUp(tracks: Tracks, account: number): number[] {
  const { within, held, accounts, inner, reach } = tracks
  const { marks } = reach
  const round = ++marks.round
  const { seen, foundIn, placeAt } = marks
  const found: number[] = []
  seen[account] = round
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
  for (let place = 0; place < length; place++) {
    const own = passed.get(reached?.[place]?.holder ?? (accounts[place] as number))
    if (own !== undefined) behind = addPassedAt(tracks, { place, own, behind }, found)
  }
}

/** Takes the next free place. A right for one company is left out beside the same right for all. */
function addPassedAt(
  tracks: Tracks,
  { place, own, behind }: { place: number; own: ReadonlyMap<number, Chain>; behind: number },
  found: number[],
): number {
  const { rights, reach, ways, tellsCovered } = tracks
  const { round, foundIn, placeAt } = reach.marks
  const places = new Map<Chain, number>()
  let next = behind
  const isLimited = (right: number): boolean => Boolean((rights[right] as Right).company)
  for (const [right, chain] of [...own].sort(([a], [b]) => Number(isLimited(a)) - Number(isLimited(b)))) {
    if (foundIn[right] === round) continue
    if (!tellsCovered && isLimited(right) && foundIn[(rights[right] as Right).covering] === round) continue
    let at = places.get(chain)
    if (at === undefined) {
      at = next++
      places.set(chain, at)
      ways.set(at, joinChains(wayTo(tracks, place), chain))
    }
    foundIn[right] = round
    placeAt[right] = at
    found.push(right)
  }
  return next
}

function ownPlaceOf({ reach: { marks } }: Tracks, right: number): number | undefined {
  return marks.foundIn[right] === marks.round ? marks.placeAt[right] : undefined
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
  if (far !== undefined) return getOrInsert(ways, place, () => chainOf(far))
  const open: number[] = []
  let at = place
  for (; !ways.has(at); at = inner[at] as number) open.push(at)
  let way = ways.get(at)
  for (const each of open.reverse()) {
    way = { group: accounts[each] as number, inner: way }
    ways.set(each, way)
  }
  return way
}

function chainOf(way: Way): Chain {
  let chain: Chain
  for (let each: Way | undefined = way; each !== undefined; each = each.outer)
    chain = { group: each.group, inner: chain }
  return chain
}

function chainLater(way: Way): () => Chain {
  let chain: Chain
  return () => {
    chain ??= chainOf(way)
    return chain
  }
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
function endsOf({ length, inner, accounts, reached, ends }: Tracks, place: number): ReturnType<Walk['endsOf']> {
  if (place >= length) return undefined
  const far = reached?.[place]
  let count = far?.length ?? 0
  if (reached === undefined) for (let at = place; at > 0; at = inner[at] as number) count++
  const skipped = count - 2 * ends
  if (skipped < 2) return undefined
  if (far !== undefined) return { groups: [...groupsIn(far, ends), ...groupsIn(far.end, ends)], skipped }
  const groups: number[] = []
  let left = count
  for (let at = place; at > 0; at = inner[at] as number, left--)
    if (left > count - ends || left <= ends) groups.push(accounts[at] as number)
  return { groups: groups.reverse(), skipped }
}

function groupsIn(way: Way, most: number): number[] {
  const groups: number[] = []
  let each: Way | undefined = way
  for (; each !== undefined && groups.length < most; each = each.outer) groups.push(each.group)
  return groups
}
