// Finds the access of accounts through groups, each by its shortest way. All members of a group share the access of the
// group, so it is computed once for each group.
import { append, getOrInsert } from '../model/group-by.ts'
import { stronglyConnected } from '../model/strongly-connected.ts'
import type { Numbers } from './graph-model.ts'

/** From the first group on. Ways to one group share their ends. */
export interface Way {
  readonly group: number
  readonly outer: Way | undefined
  readonly length: number
  /** The group at the end of it. */
  readonly holder: number
  /** Rights of that group, without those that come by a shorter way. */
  readonly rights: Numbers
  /** So many groups at the end of it, or all. */
  readonly end: Way
}

type List = readonly Way[]

/** The accounts and rights of the current round. Walks share it. */
interface Marks {
  round: number
  readonly seen: Int32Array
  readonly foundIn: number[]
  /** The place of each right that was found. */
  readonly placeAt: number[]
}

interface Reached {
  /** Rights, in the order in which a walk upwards comes upon them. */
  readonly found: number[]
  /** By places. Undefined: the account itself. */
  readonly ways: readonly (Way | undefined)[]
}

/** A limit for all groups: thousands of groups nested in each other may reach very much. */
export const roomForRights = 2 ** 19

/** A limit for groups that are in each other. Beyond it, and an eighth of all there can be, walks are quicker. */
const alwaysTogether = 2 ** 12

interface Graph {
  readonly within: readonly Numbers[]
  readonly held: readonly Numbers[]
  /** How many rights there are. */
  readonly rights: number
  /** The number of groups in the known end of a way. */
  readonly ends: number
  /** A way to this group counts without a right. */
  readonly lends: (group: number) => boolean | undefined
  /** How many ways groups may remember. */
  room: number
}

interface Known extends Graph {
  readonly marks: Marks
  /** The ways of a member through the group. Null: there is no room. */
  readonly byGroup: Map<number, Way[] | null>
  steps: number
}

export function createReach(graph: Graph) {
  const byRight = () => Array.from({ length: graph.rights }, () => 0)
  const marks = { round: 0, seen: new Int32Array(graph.within.length), foundIn: byRight(), placeAt: byRight() }
  const known: Known = { ...graph, marks, byGroup: new Map(), steps: 0 }
  return {
    marks,
    /** The rights of an account, its own and those through groups, in a new round. Undefined: there is no room. */
    of(account: number): Reached | undefined {
      prepare(known, account)
      return gather(known, account)
    },
    /** The number of members, ways and rights that it visited. */
    steps: (): number => known.steps,
  }
}

/** From the outermost groups inwards. */
function prepare(known: Known, account: number): void {
  const { within, byGroup } = known
  const open = new Set<number>()
  const enter = (groups: Numbers) => {
    for (const group of groups) if (!byGroup.has(group)) open.add(group)
  }
  enter(within[account] as Numbers)
  if (open.size === 0) return
  // The set grows while it is walked through.
  for (const each of open) enter(within[each] as Numbers)
  for (const each of stronglyConnected([...open], (each) => within[each] as Numbers)) {
    if (each.length > 1) finishTogether(known, each)
    else finish(known, each[0] as number)
  }
}

/** Undefined: there is no room. */
function listsOf({ within, byGroup }: Known, account: number): List[] | undefined {
  const lists: List[] = []
  for (const group of within[account] as Numbers) {
    const list = byGroup.get(group)
    if (!list) return undefined
    lists.push(list)
  }
  return lists
}

function gather(known: Known, account: number): Reached | undefined {
  const { held, marks } = known
  const lists = listsOf(known, account)
  if (lists === undefined) return undefined
  const round = ++marks.round
  const { seen, foundIn, placeAt } = marks
  const ways: (Way | undefined)[] = [undefined]
  const found: number[] = []
  const takeAll = (rights: Numbers): void => {
    for (const right of rights) {
      if (foundIn[right] === round) continue
      foundIn[right] = round
      placeAt[right] = ways.length - 1
      found.push(right)
    }
  }
  seen[account] = round
  takeAll(held[account] as Numbers)
  const goOn = byLength(lists, (way) => {
    if (seen[way.holder] === round) return
    seen[way.holder] = round
    ways.push(way)
    takeAll(way.rights)
  })
  for (let length = 1; length < Number.POSITIVE_INFINITY; ) length = goOn(length)
  known.steps += 1 + lists.length + found.length
  for (const { length } of lists) known.steps += length
  return { found, ways }
}

function finish(known: Known, group: number): void {
  const list: Way[] = []
  // A group inside itself adds nothing.
  known.byGroup.set(group, list)
  const reached = known.room > 0 ? gather(known, group) : undefined
  if (reached === undefined) {
    known.byGroup.set(group, null)
    return
  }
  const { found, ways } = reached
  let next = 0
  for (const [place, outer] of ways.entries()) {
    const first = next
    while (known.marks.placeAt[found[next] as number] === place) next++
    lengthen(known, group, outer, found.slice(first, next))
  }
  known.room -= list.length
}

/** Adds a way of the members of a group. */
function lengthen(known: Known, group: number, outer: Way | undefined, fresh: Numbers): void {
  const { held, ends, lends, byGroup } = known
  const holder = outer?.holder ?? group
  if (fresh.length === 0 && !lends(holder)) return
  const all = outer?.rights ?? (held[group] as Numbers)
  const length = (outer?.length ?? 0) + 1
  const way = { group, outer, length, holder, rights: fresh.length === all.length ? all : fresh }
  const end = length <= ends ? (way as Way) : (outer as Way).end
  byGroup.get(group)?.push(Object.assign(way, { end }))
}

/** All go a step further at a time, and read the steps before from the groups that they are in. */
function finishTogether(known: Known, groups: Numbers): void {
  const { within, byGroup } = known
  let left = Math.min(known.room, Math.max(alwaysTogether, groups.length ** 2 / 8))
  for (const group of groups) byGroup.set(group, [])
  const readers = new Map<number, (length: number) => number>()
  const members = new Map<number, number[]>()
  for (const group of groups) {
    const lists = listsOf(known, group)
    if (lists === undefined) left = 0
    else readers.set(group, reading(known, group, lists))
    for (const outer of within[group] as Numbers) append(members, outer, group)
  }
  const due = new Map<number, Set<number>>([[1, new Set(groups)]])
  const wait = (length: number, group: number) => getOrInsert(due, length, () => new Set()).add(group)
  const goOn = (group: number, length: number): void => {
    const list = byGroup.get(group) as Way[]
    const before = list.length
    const next = readers.get(group)?.(length) ?? Number.POSITIVE_INFINITY
    if (next < Number.POSITIVE_INFINITY) wait(next, group)
    if (list.length > before) for (const member of members.get(group) ?? []) wait(length + 1, member)
    left -= list.length - before
  }
  for (let length = 1; due.size > 0 && left > 0; length = due.has(length + 1) ? length + 1 : Math.min(...due.keys())) {
    const now = due.get(length) as Set<number>
    due.delete(length)
    for (const group of now) goOn(group, length)
  }
  for (const group of groups) {
    if (left <= 0) byGroup.set(group, null)
    const { length } = byGroup.get(group) ?? []
    known.room -= length
    known.steps += 1 + (within[group] as Numbers).length + length
  }
}

/** Lets a group begin with its own rights. */
function reading(known: Known, group: number, lists: readonly List[]): (length: number) => number {
  const own = known.held[group] as Numbers
  const [met, found] = [new Set([group]), new Set(own)]
  lengthen(known, group, undefined, own)
  return byLength(lists, (way) => {
    if (met.has(way.holder)) return
    met.add(way.holder)
    const fresh = way.rights.filter((right) => !found.has(right))
    for (const right of fresh) found.add(right)
    lengthen(known, group, way, fresh)
  })
}

/** Each call takes the ways of one length, list by list, and returns the next existing length. */
function byLength(lists: readonly List[], take: (way: Way) => void): (length: number) => number {
  const places = lists.map(() => 0)
  return (length) => {
    let next = Number.POSITIVE_INFINITY
    for (let at = 0; at < lists.length; at++) {
      const list = lists[at] as List
      let place = places[at] as number
      for (; list[place]?.length === length; place++) take(list[place] as Way)
      places[at] = place
      next = Math.min(next, list[place]?.length ?? next)
    }
    return next
  }
}
