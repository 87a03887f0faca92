// The walk from an account up to all groups that it is in, which finds what it holds and by which way.
import { getOrInsert } from '../model/group-by.ts'
import type { Time } from './aftermath.ts'
import { listedAtEnds } from './describe-access.ts'
import { type AccessGraph, type Chain, joinChains, type Numbers, type Right } from './graph-model.ts'
import { createReach, roomForRights, type Way } from './reach.ts'

/** The number of groups; a longer way is walked again. */
const shortWay = 100

interface Limits {
  /** Also what a substitute has for one company, and for all: it may be passed on by a shorter chain. */
  readonly tellsCovered?: boolean
  /** How many ways groups may remember. */
  readonly room?: number | undefined
  /** How many groups a list names at one end of a way. */
  readonly ends?: number
}

/**
 * Breadth first, by the keys of groups: what is found first is found by the shortest chain, and of those the first.
 * Successive walks through very many groups share the room of their results.
 */
export class GroupWalk {
  readonly #within: readonly Numbers[]
  readonly #held: readonly Numbers[]
  readonly #rights: readonly Right[]
  readonly #passed: ReadonlyMap<number, ReadonlyMap<number, Chain>> | undefined
  readonly #reach: ReturnType<typeof createReach>
  readonly #tellsCovered: boolean
  readonly #ends: number
  /** By place, the ways that it did not have to walk. Undefined: it went from account to account. */
  #reached: readonly (Way | undefined)[] | undefined
  /** By places. */
  readonly #accounts: Int32Array
  /** For each account the place of the one before it. */
  readonly #inner: Int32Array
  /** The number of accounts that it met. */
  #length = 0
  #steps = 0
  /** Requested ways, which may be few and long; after the places of accounts, also the rights of a substitute. */
  readonly #ways = new Map<number, Chain>()
  /** All members of a group go on by the same ways. */
  readonly #later = new Map<Way, () => Chain>()

  constructor(
    { within, held, rights, standIns }: AccessGraph,
    time: Time,
    { tellsCovered = false, room = roomForRights, ends = listedAtEnds }: Limits = {},
  ) {
    this.#within = within[time]
    this.#held = held[time]
    this.#rights = rights
    this.#passed = standIns?.[time]?.passed
    this.#tellsCovered = tellsCovered
    this.#ends = ends
    this.#accounts = new Int32Array(this.#within.length)
    this.#inner = new Int32Array(this.#within.length)
    const lends = (group: number) => this.#passed?.has(group)
    this.#reach = createReach({ within: this.#within, held: this.#held, rights: rights.length, ends, lends, room })
  }

  /** Rights that an account has, in the order in which a walk from it upwards comes upon them. */
  from(account: number): Numbers {
    this.#accounts[0] = account
    this.#ways.clear()
    this.#ways.set(0, undefined)
    const found = this.#takeReached(account) ?? this.#goUp(account)
    this.#addPassed(found)
    return found
  }

  /** The work of the last walk. */
  steps(): number {
    return this.#steps
  }

  /** The place of the right alone; undefined: the walk did not find it. */
  ownPlaceOf(right: number): number | undefined {
    const { foundIn, round, placeAt } = this.#reach.marks
    return foundIn[right] === round ? placeAt[right] : undefined
  }

  /** The place of the group at which the walk found it, or what covers it; undefined: it did not. */
  placeOf(right: number): number | undefined {
    const own = this.ownPlaceOf(right)
    const { covering } = this.#rights[right] as Right
    const other = covering < 0 ? undefined : this.ownPlaceOf(covering)
    return own === undefined || (other !== undefined && other < own) ? other : own
  }

  wayTo(place: number): Chain {
    const ways = this.#ways
    const far = this.#reached?.[place]
    if (far !== undefined) return getOrInsert(ways, place, () => chainOf(far))
    const open: number[] = []
    let at = place
    for (; !ways.has(at); at = this.#inner[at] as number) open.push(at)
    let way = ways.get(at)
    for (const each of open.reverse()) {
      way = { group: this.#accounts[each] as number, inner: way }
      ways.set(each, way)
    }
    return way
  }

  /** The same where it did not go from account to account; undefined: it did, or it is no way of groups. */
  reachedBy(place: number): Way | undefined {
    return this.#reached?.[place]
  }

  /** The same for later, after other walks. A long way is computed only when it is requested. */
  wayLater(account: number, place: number): () => Chain {
    const far = this.#reached?.[place]
    if (far !== undefined) return getOrInsert(this.#later, far, chainLater)
    let way = this.#isShort(place) ? this.wayTo(place) : ('unasked' as const)
    return () => {
      if (way !== 'unasked') return way
      this.from(account)
      way = this.wayTo(place)
      return way
    }
  }

  /**
   * The groups at both ends of a way that a list names, with the number between; undefined: it is hardly longer.
   * Nothing is made for each step of a way of thousands, which many may have.
   */
  endsOf(place: number): { readonly groups: number[]; readonly skipped: number } | undefined {
    if (place >= this.#length) return undefined
    const [inner, ends, far] = [this.#inner, this.#ends, this.#reached?.[place]]
    let count = far?.length ?? 0
    if (this.#reached === undefined) for (let at = place; at > 0; at = inner[at] as number) count++
    const skipped = count - 2 * ends
    if (skipped < 2) return undefined
    if (far !== undefined) return { groups: [...groupsIn(far, ends), ...groupsIn(far.end, ends)], skipped }
    const groups: number[] = []
    let left = count
    for (let at = place; at > 0; at = inner[at] as number, left--)
      if (left > count - ends || left <= ends) groups.push(this.#accounts[at] as number)
    return { groups: groups.reverse(), skipped }
  }

  /** The rights that the account and its groups hold by themselves, where that is known of the groups. */
  #takeReached(account: number): number[] | undefined {
    const reach = this.#reach
    const before = reach.steps()
    const reached = reach.of(account)
    this.#steps = reach.steps() - before
    this.#reached = reached?.ways
    this.#length = reached?.ways.length ?? 1
    return reached?.found
  }

  /** The same from account to account. */
  #goUp(account: number): number[] {
    const [within, held] = [this.#within, this.#held]
    const [accounts, inner] = [this.#accounts, this.#inner]
    const { marks } = this.#reach
    const round = ++marks.round
    const { seen, foundIn, placeAt } = marks
    const found: number[] = []
    seen[account] = round
    let [length, steps] = [this.#length, this.#steps]
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
    this.#length = length
    this.#steps = steps
    return found
  }

  /** Adds the rights as a substitute, behind all others. */
  #addPassed(found: number[]): void {
    const passed = this.#passed
    if (passed === undefined) return
    let behind = this.#length
    for (let place = 0; place < this.#length; place++) {
      const own = passed.get(this.#reached?.[place]?.holder ?? (this.#accounts[place] as number))
      if (own !== undefined) behind = this.#addPassedAt(place, own, behind, found)
    }
  }

  /** `behind`: the next free place, which it takes. A right for one company is left out beside the same for all. */
  #addPassedAt(place: number, own: ReadonlyMap<number, Chain>, behind: number, found: number[]): number {
    const { round, foundIn, placeAt } = this.#reach.marks
    const places = new Map<Chain, number>()
    let next = behind
    const isLimited = (right: number): boolean => Boolean((this.#rights[right] as Right).company)
    for (const [right, chain] of [...own].sort(([a], [b]) => Number(isLimited(a)) - Number(isLimited(b)))) {
      if (foundIn[right] === round) continue
      const { covering } = this.#rights[right] as Right
      if (!this.#tellsCovered && isLimited(right) && foundIn[covering] === round) continue
      let at = places.get(chain)
      if (at === undefined) {
        at = next++
        places.set(chain, at)
        this.#ways.set(at, joinChains(this.wayTo(place), chain))
      }
      foundIn[right] = round
      placeAt[right] = at
      found.push(right)
    }
    return next
  }

  #isShort(place: number): boolean {
    let at = place
    for (let steps = 0; steps < shortWay; steps++) {
      if (this.#ways.has(at)) return true
      at = this.#inner[at] as number
    }
    return false
  }
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

function groupsIn(way: Way, most: number): number[] {
  const groups: number[] = []
  let each: Way | undefined = way
  for (; each !== undefined && groups.length < most; each = each.outer) groups.push(each.group)
  return groups
}
