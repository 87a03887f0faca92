// Finds the gains and losses of a plan, and rights that come through other groups now. Accounts in the same groups are
// searched once; chains are the shortest, and among those the first by the keys of the groups.
import { append, remembered } from '../model/group-by.ts'
import type { AccessBlock } from './access-blocks.ts'
import { type Time, times } from './aftermath.ts'
import {
  type AccessGraph,
  bySvcId,
  type Chain,
  isPerson,
  type Numbers,
  type Right,
  reached,
  sameNumbers,
  substitutionsIn,
} from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'
import type { Way } from './reach.ts'
import { givesAfter } from './stand-ins.ts'

/**
 * Nobody loses access that another chain still gives, or gains access that one may have given: a chain through an
 * unread group makes it uncertain. `room`: how many ways groups may remember.
 */
export function accessDifference(graph: AccessGraph, room?: number): readonly AccessBlock[] {
  const behind = remembered((time: Time) => heldBehind(graph, time))
  const moved = movedBy(graph)
  const classes = classesOf(graph, affectedBy(graph, moved))
  if (classes.length === 0) return []
  const moving = graph.standIns === undefined ? movingRights(graph, moved, classes) : graph
  const walks = { before: new GroupWalk(moving, 'before', { room }), after: new GroupWalk(moving, 'after', { room }) }
  const staysOn = reachAfter(graph)
  return classes.flatMap((each) => [...blocksOf(moving, walks, behind, staysOn, each)])
}

const none = [] as const

/**
 * The graph with the rights on objects on which the plan may give or take any: in deep nestings, each group may hold
 * others, and everybody below would remember them.
 */
function movingRights(graph: AccessGraph, moved: Numbers, classes: readonly Numbers[]): AccessGraph {
  const { svcIds, within, held, rights } = graph
  const addressOf = (right: number): string => (rights[right] as Right).address
  const addresses = new Set<string>()
  const add = (list: Numbers, other: Numbers = none): void => {
    const others = new Set(other)
    for (const right of list) if (!others.has(right)) addresses.add(addressOf(right))
  }
  for (const each of moved) {
    const [had, has] = [held.before[each] as Numbers, held.after[each] as Numbers]
    add(had, has)
    add(has, had)
  }
  const inOthers = moved.filter((each) => !sameNumbers(within.before[each], within.after[each]))
  for (const time of times) for (const each of reached(within[time], inOthers)) add(held[time][each] as Numbers)
  const firsts = classes.map(([first]) => first as number)
  const heldAt = (time: Time): readonly Numbers[] => {
    const own = svcIds.map((): Numbers => none)
    for (const each of reached(within[time], firsts))
      own[each] = (held[time][each] as Numbers).filter((right) => addresses.has(addressOf(right)))
    return own
  }
  return { ...graph, held: { before: heldAt('before'), after: heldAt('after') } }
}

/** Accounts whose groups or rights differ; and substitutes, since a way to what they pass on may differ. */
function movedBy({ svcIds, within, held, standIns }: AccessGraph): number[] {
  const isSame = (each: number): boolean =>
    sameNumbers(within.before[each], within.after[each]) &&
    sameNumbers(held.before[each], held.after[each]) &&
    !times.some((time) => standIns?.[time]?.passed.has(each))
  return [...svcIds.keys()].filter((each) => !isSame(each))
}

/** These and all members of groups among them, without groups. */
function affectedBy(graph: AccessGraph, moved: Numbers): number[] {
  const found = new Set(moved)
  // The set grows while it is walked through.
  for (const each of found) {
    for (const time of times) for (const member of graph.members[time][each] ?? []) found.add(member)
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

/** The blocks of one class, accounts with the same access. */
function blocksOf(
  graph: AccessGraph,
  { before, after }: Readonly<Record<Time, GroupWalk>>,
  behind: (time: Time) => ReadonlyMap<number, number>,
  staysOn: ReturnType<typeof reachAfter>,
  subjects: Numbers,
): Iterable<AccessBlock> {
  const first = subjects[0] as number
  const had = before.from(first)
  const has = after.from(first)
  /** By what makes them one. */
  const blocks = new Map<string | number, AccessBlock>()
  const tell = (effect: AccessBlock['effect'], right: number, place: number, was?: number, through?: number): void => {
    const certain = through === undefined
    // Nearly all of them are gained or lost, and for certain: a number is found sooner than a text.
    const key =
      was === undefined && certain ? 2 * place + (effect === 'gain' ? 1 : 0) : `${effect} ${place} ${was} ${through}`
    const known = blocks.get(key)
    if (known !== undefined) {
      known.rights.push(right)
      return
    }
    blocks.set(key, {
      ...{ effect, certain, subjects, rights: [right] },
      via: (effect === 'lose' ? before : after).wayLater(first, place),
      ...(was !== undefined && { before: before.wayLater(first, was) }),
      ...(through !== undefined && { through }),
    })
  }
  /** Through whom the subject may have a right beside what is seen: an account, or the subject itself. */
  const mayHave = (right: number, time: Time): number | undefined => {
    if (time === 'before' ? graph.created.has(first) : graph.deleted.has(first)) return undefined
    const walk = time === 'before' ? before : after
    const { covering, vague } = graph.rights[right] as Right
    if (vague.some((each) => walk.placeOf(each) !== undefined)) return first
    const held = behind(time)
    const known = held.get(right) ?? held.get(covering)
    if (known !== undefined || vague.length === 0) return known
    return vague.flatMap((each) => held.get(each) ?? []).sort(bySvcId(graph))[0]
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
      tell('gain', right, place, undefined, wasLent && unseen === first ? undefined : unseen)
    } else if (!isKept) tell('keep', right, place, was)
  }
  for (const right of had)
    if (after.placeOf(right) === undefined)
      tell('lose', right, before.placeOf(right) as number, undefined, mayHave(right, 'after'))
  return blocks.values()
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
