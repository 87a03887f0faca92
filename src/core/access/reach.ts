// Finds the access of accounts through groups, each by its shortest way. All members of a group share the access of the
// group, so it is computed once for each group.
import { append, getOrInsert } from '../model/group-by.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import type { Numbers } from './walk.ts'

/** From the first group on. Ways to one group share their ends. */
export interface Way {
  readonly group: number
  readonly outer: Way | undefined
  readonly length: number
  /** The group at the end of it. */
  readonly holder: number
  /** So many groups at the end of it, or all. */
  readonly end: Way
}

export interface Reached {
  readonly right: number
  /** Undefined: the account holds it by itself. */
  readonly way: Way | undefined
}

interface Reach {
  /** In the order in which a walk upwards comes upon them. Undefined: there is no room. */
  of(account: number): readonly Reached[] | undefined
  /** How many members of groups and rights it has looked at. */
  steps(): number
}

/** A limit for all groups: thousands of groups nested in each other may reach very much. */
const roomForRights = 2 ** 19

/** A limit for groups that are in each other. Beyond it, and an eighth of all there can be, walks are quicker. */
const alwaysTogether = 2 ** 12

interface Known {
  readonly within: readonly Numbers[]
  readonly held: readonly Numbers[]
  /** How long the end of a way is that is known. */
  readonly ends: number
  /** The access of a member through the group. Null: there is no room. */
  readonly byGroup: Map<number, readonly Reached[] | null>
}

/** `ends`: of how many groups the end of a way is known. */
export function createReach(within: readonly Numbers[], held: readonly Numbers[], ends: number): Reach {
  const known: Known = { within, held, ends, byGroup: new Map() }
  const { byGroup } = known
  const foundIn: number[] = []
  let [round, room, steps] = [0, roomForRights, 0]

  const gather = (account: number): readonly Reached[] | undefined => {
    const own = held[account] as Numbers
    const lists: (readonly Reached[])[] = []
    for (const group of within[account] as Numbers) {
      const byIt = byGroup.get(group)
      if (!byIt) return undefined
      lists.push(byIt)
    }
    steps += 1 + lists.length + own.length
    for (const list of lists) steps += list.length
    const [first] = lists
    if (own.length === 0 && lists.length === 1 && first !== undefined) return first
    round++
    const all: Reached[] = []
    const take = (each: Reached): void => {
      if (foundIn[each.right] === round) return
      foundIn[each.right] = round
      all.push(each)
    }
    for (const right of own) take({ right, way: undefined })
    eachByLength(lists, take)
    return all
  }

  const finish = (group: number): void => {
    const byIt: Reached[] = []
    const list = room > 0 ? gather(group) : undefined
    for (const { right, way } of list ?? []) add(byIt, right, group, way, ends)
    room -= byIt.length
    byGroup.set(group, list ? byIt : null)
  }

  const finishTogether = (groups: Numbers): void => {
    const lists = reachTogether(known, groups, Math.min(room, Math.max(alwaysTogether, groups.length ** 2 / 8)))
    for (const group of groups) {
      const byIt = lists?.get(group) ?? null
      byGroup.set(group, byIt)
      room -= byIt?.length ?? 0
      steps += 1 + (within[group] as Numbers).length + (byIt?.length ?? 0)
    }
  }

  /** From the outermost groups inwards. */
  const prepare = (account: number): void => {
    const open = new Set((within[account] as Numbers).filter((each) => !byGroup.has(each)))
    // The set grows while it is walked through.
    for (const each of open) for (const group of within[each] as Numbers) if (!byGroup.has(group)) open.add(group)
    if (open.size === 0) return
    for (const groups of stronglyConnected([...open], (each) => within[each] as Numbers)) {
      const [first] = groups as [number]
      if (groups.length > 1 || within[first]?.includes(first)) finishTogether(groups)
      else finish(first)
    }
  }

  return {
    of(account) {
      prepare(account)
      return gather(account)
    },
    steps: () => steps,
  }
}

/** The lists are sorted by length. Ways of equal length stay in the order of groups. */
function eachByLength(lists: readonly (readonly Reached[])[], take: (each: Reached) => void): void {
  const places = lists.map(() => 0)
  for (let length = 1; length < Number.POSITIVE_INFINITY; ) {
    let next = Number.POSITIVE_INFINITY
    for (const [at, list] of lists.entries()) {
      let place = places[at] as number
      for (; list[place]?.way?.length === length; place++) take(list[place] as Reached)
      places[at] = place
      next = Math.min(next, list[place]?.way?.length ?? next)
    }
    length = next
  }
}

const lengthOf = (way: Way | undefined): number => way?.length ?? 0

function add(byIt: Reached[], right: number, group: number, outer: Way | undefined, ends: number): void {
  const last = byIt.at(-1)?.way
  byIt.push({ right, way: last !== undefined && last.outer === outer ? last : longerBy(group, outer, ends) })
}

/**
 * The access through each of some groups that are in each other. All go a step further at a time, and read the steps
 * before from the groups that they are in. Undefined: there is no room.
 */
function reachTogether(
  { within, held, ends, byGroup }: Known,
  groups: Numbers,
  room: number,
): ReadonlyMap<number, readonly Reached[]> | undefined {
  const lists = new Map(groups.map((group) => [group, [] as Reached[]]))
  const listOf = (group: number) => lists.get(group) ?? byGroup.get(group)
  const found = new Map(groups.map((group) => [group, new Set<number>()]))
  // How far a group has read the lists of those that it is in.
  const read = new Map(groups.map((group) => [group, (within[group] as Numbers).map(() => 0)]))
  const members = new Map<number, number[]>()
  for (const group of groups) for (const outer of within[group] as Numbers) append(members, outer, group)
  if ([...members.keys()].some((outer) => !listOf(outer))) return undefined
  const due = new Map<number, Set<number>>([[0, new Set(groups)]])
  const wait = (length: number, group: number) => getOrInsert(due, length, () => new Set()).add(group)
  let left = room
  const goOn = (group: number, length: number): void => {
    const byIt = lists.get(group) as Reached[]
    const own = found.get(group) as Set<number>
    const before = byIt.length
    const take = (right: number, outer: Way | undefined): void => {
      if (!own.has(right)) add(byIt, right, group, outer, ends)
      own.add(right)
    }
    if (length === 0) for (const right of held[group] as Numbers) take(right, undefined)
    const places = read.get(group) as number[]
    for (const [at, outer] of (within[group] as Numbers).entries()) {
      const list = listOf(outer) as readonly Reached[]
      let place = places[at] as number
      for (; list[place]?.way?.length === length; place++) take(list[place]?.right as number, list[place]?.way)
      places[at] = place
      const later = list[place]?.way?.length
      if (!lists.has(outer) && later !== undefined) wait(later, group)
    }
    left -= byIt.length - before
    if (byIt.length > before) for (const member of members.get(group) ?? []) wait(length + 1, member)
  }
  for (let length = 0; due.size > 0; length = due.has(length + 1) ? length + 1 : Math.min(...due.keys())) {
    const now = due.get(length) ?? new Set()
    due.delete(length)
    for (const group of now) goOn(group, length)
    if (left < 0) return undefined
  }
  return lists
}

function longerBy(group: number, outer: Way | undefined, ends: number): Way {
  const length = lengthOf(outer) + 1
  const way = { group, outer, length, holder: outer === undefined ? group : outer.holder }
  return Object.assign(way, { end: outer === undefined || length <= ends ? (way as Way) : outer.end })
}
