// Finds the gains and losses of a plan, and rights that come through other groups now. Accounts in the same groups are
// searched once; chains are the shortest, and among those the first by the keys of the groups.
import { append, getOrInsert } from '../model/group-by.ts'
import { type AccessBlock, type ClassBlocks, tell, unseenWay } from './access-blocks.ts'
import { type Time, times } from './aftermath.ts'
import { findDownward } from './downward.ts'
import {
  type AccessGraph,
  bySvcId,
  type Chain,
  isPerson,
  type Numbers,
  type Right,
  sameNumbers,
  substitutionsIn,
} from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'
import type { Way } from './reach.ts'
import { givesAfter } from './stand-ins.ts'

/** So many steps upwards are soon made: nearly no plan takes more. */
const stepsInTurn = 2 ** 24

/**
 * Nobody loses access that another chain still gives, or gains access that one may have given: a chain through an
 * unread group makes it uncertain. `inTurn`: the steps in one direction before it tries the other; 0: only the other.
 * `room`: how many ways groups may remember.
 */
export function accessDifference(
  graph: AccessGraph,
  { inTurn = stepsInTurn, room }: { readonly inTurn?: number | undefined; readonly room?: number | undefined } = {},
): readonly AccessBlock[] {
  const heldAt = new Map<Time, ReadonlyMap<number, number>>()
  const behind = (at: Time) => getOrInsert(heldAt, at, () => heldBehind(graph, at))
  const classes = classesOf(graph, affectedBy(graph))
  const found = firstDone(
    findUpward(graph, classes, behind, room),
    graph.standIns === undefined ? findDownward(graph, classes, behind) : undefined,
    inTurn,
  )
  return found.flatMap((blocks) => [...blocks.values()])
}

/**
 * Runs two searches in turns, each turn twice as long as the one before, and takes the result of the first that ends.
 */
function firstDone<Found>(
  one: Generator<number, Found>,
  other: Generator<number, Found> | undefined,
  inTurn: number,
): Found {
  let [search, waiting] = [one, other]
  for (let turn = inTurn; ; turn = turn === 0 ? Number.POSITIVE_INFINITY : 2 * turn) {
    for (let steps = 0; waiting === undefined || steps < turn; ) {
      const { done, value } = search.next()
      if (done) return value
      steps += value
    }
    ;[search, waiting] = [waiting, search]
  }
}

/**
 * Accounts that are no groups, and of which the groups, what they hold, or either of a group that they are in differs;
 * and substitutes, since a way to what they pass on may differ.
 */
function affectedBy(graph: AccessGraph): number[] {
  const { svcIds, within, held, members, standIns } = graph
  const isSame = (each: number): boolean =>
    sameNumbers(within.before[each], within.after[each]) &&
    sameNumbers(held.before[each], held.after[each]) &&
    !times.some((time) => standIns?.[time]?.passed.has(each))
  const found = new Set([...svcIds.keys()].filter((each) => !isSame(each)))
  // The set grows while it is walked through.
  for (const each of found) {
    for (const time of times) for (const member of members[time][each] ?? []) found.add(member)
  }
  return [...found].filter((each) => isPerson(graph, each))
}

/** Accounts in the same groups without direct rights have the same access. */
function classesOf({ within, held, created, deleted, single, standIns }: AccessGraph, accounts: Numbers): Numbers[] {
  const classes = new Map<string, number[]>()
  const alone: number[][] = []
  for (const each of accounts) {
    const { before, after } = { before: held.before[each] as Numbers, after: held.after[each] as Numbers }
    if (before.length + after.length > 0 || times.some((time) => standIns?.[time]?.passed.has(each))) {
      alone.push([each])
      continue
    }
    const fate = `${created.has(each)}${deleted.has(each)}${single.has(each)}`
    const key = `${within.before[each]}|${within.after[each]}|${fate}`
    append(classes, key, each)
  }
  return [...classes.values(), ...alone]
}

/**
 * Rights that accounts have who may be groups: behind those there may be anybody. With the nearest such account of
 * each, and of those the first by its svcId.
 */
function heldBehind(
  { svcIds, within, held, members, single, standIns }: AccessGraph,
  time: Time,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const perhapsGroups = [...svcIds.keys()].filter((each) => members[time][each] === undefined && !single.has(each))
  const origin = new Map(perhapsGroups.sort(bySvcId({ svcIds })).map((each) => [each, each]))
  // The map grows while it is walked through.
  for (const [each, from] of origin) {
    for (const right of held[time][each] as Numbers) if (!found.has(right)) found.set(right, from)
    for (const [right] of standIns?.[time]?.passed.get(each) ?? []) if (!found.has(right)) found.set(right, from)
    for (const group of within[time][each] as Numbers) if (!origin.has(group)) origin.set(group, from)
  }
  return found
}

/**
 * The blocks of each class, in their order: from each account up through all groups that it is in. Yields the steps of
 * each.
 */
function* findUpward(
  graph: AccessGraph,
  classes: readonly Numbers[],
  behind: (time: Time) => ReadonlyMap<number, number>,
  room: number | undefined,
): Generator<number, readonly ClassBlocks[]> {
  const walks = { before: new GroupWalk(graph, 'before', { room }), after: new GroupWalk(graph, 'after', { room }) }
  const found: ClassBlocks[] = []
  const staysOn = reachAfter(graph)
  for (const each of classes) {
    found.push(blocksOf(graph, walks, { behind, staysOn }, each))
    yield walks.before.steps() + walks.after.steps()
  }
  return found
}

function blocksOf(
  graph: AccessGraph,
  { before, after }: Readonly<Record<Time, GroupWalk>>,
  {
    behind,
    staysOn,
  }: Pick<Parameters<typeof unseenWay>[4], 'behind'> & {
    readonly staysOn: ReturnType<typeof reachAfter>
  },
  subjects: Numbers,
): ClassBlocks {
  const first = subjects[0] as number
  const had = before.from(first)
  const has = after.from(first)
  const blocks: ClassBlocks = new Map()
  const wayTo = (walk: GroupWalk, place: number) => ({
    place,
    wayLater: () => walk.wayLater(first, place),
  })
  const mayHave = (right: number, time: Time): number | undefined => {
    const walk = time === 'before' ? before : after
    const { vague } = graph.rights[right] as Right
    const seesVague = vague.some((each) => walk.placeOf(each) !== undefined)
    return unseenWay(graph, first, right, time, { behind, seesVague })
  }
  const holdsAfter = (account: number, right: number): boolean => {
    const own = graph.held.after[account] as Numbers
    return own.includes(right) || own.includes((graph.rights[right] as Right).covering)
  }
  /** True if the former way still leads to the right. */
  const stillHolds = (was: number, right: number): boolean => {
    const way = before.reachedBy(was)
    if (way !== undefined) return staysOn(first, way) && holdsAfter(way.holder, right)
    const chain = before.wayTo(was)
    if (graph.standIns !== undefined) return givesAfter(graph, first, chain, right)
    return isWhole(chain) && holdsAfter(chain?.group ?? first, right)
  }
  const isLent = (walk: GroupWalk, place: number): boolean =>
    walk.reachedBy(place) === undefined && standsIn(walk.wayTo(place))
  const isWhole = wholeAfter(graph, first)
  for (const right of has) {
    const place = after.placeOf(right) as number
    const was = before.placeOf(right)
    const isKept = was !== undefined && stillHolds(was, right)
    // Substitutes, present or future, now have a right of their own.
    const wasLent = isKept && isLent(before, was) && !isLent(after, place)
    if (was === undefined || wasLent) {
      const unseen = mayHave(right, 'before')
      // Passing a right on to a substitute who may be a group is no other way to it.
      const through = wasLent && unseen === first ? undefined : unseen
      tell(blocks, subjects, { effect: 'gain', right, via: wayTo(after, place), through })
    } else if (!isKept)
      tell(blocks, subjects, { effect: 'keep', right, via: wayTo(after, place), before: wayTo(before, was) })
  }
  for (const right of had) {
    if (after.placeOf(right) !== undefined) continue
    const place = before.placeOf(right) as number
    const through = mayHave(right, 'after')
    tell(blocks, subjects, { effect: 'lose', right, via: wayTo(before, place), through })
  }
  return blocks
}

const standsIn = (chain: Chain): boolean => substitutionsIn(chain).length > 0

/** True if each group of a former chain is still in the next. Chains share their beginnings, and may be long. */
function wholeAfter({ within }: AccessGraph, account: number): (chain: Chain) => boolean {
  const known = new Map<Chain, boolean>([[undefined, true]])
  return (chain) => {
    const open: NonNullable<Chain>[] = []
    let here = chain
    for (; here !== undefined && !known.has(here); here = here.inner) open.push(here)
    let result = known.get(here) as boolean
    for (const each of open.reverse()) {
      result &&= (within.after[each.inner?.group ?? account] as Numbers).includes(each.group)
      known.set(each, result)
    }
    return result
  }
}

/** The same of ways that many share, also of what lies behind their first groups. */
function reachAfter({ within }: AccessGraph): (account: number, way: Way) => boolean {
  const known = new Map<Way | undefined, boolean>([[undefined, true]])
  const stays = (account: number, way: Way): boolean => (within.after[account] as Numbers).includes(way.group)
  return (account, way) => {
    const open: Way[] = []
    let here: Way | undefined = way
    for (; here !== undefined && !known.has(here); here = here.outer) open.push(here)
    for (const each of open.reverse())
      known.set(each, (known.get(each.outer) as boolean) && (each.outer === undefined || stays(each.group, each.outer)))
    return stays(account, way) && (known.get(way) as boolean)
  }
}
