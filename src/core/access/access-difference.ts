// Who can do more after a plan than before it, who less, and who the same through other groups. Accounts that are in the same
// groups are looked at once; chains are the shortest, and of equally short ones the first by the keys of the groups.
import { append, getOrInsert } from '../model/group-by.ts'
import { type Time, times } from './aftermath.ts'
import { givesAfter, passedDiffers } from './stand-ins.ts'
import {
  type AccessGraph,
  type Chain,
  createWalk,
  isPerson,
  type Numbers,
  type Right,
  substitutionsIn,
} from './walk.ts'

/** Accounts to which the same happens, with rights that come the same way. */
export interface AccessBlock {
  /** `mayGain`: it may be held already. `mayLose`: it is lost on the way that was seen, and may be kept. */
  readonly event: 'gained' | 'lost' | 'changed' | 'mayGain' | 'mayLose'
  readonly subjects: Numbers
  readonly rights: number[]
  /** What is lost was held through it. */
  readonly via: () => Chain
  /** Of `changed`: through which it was held before. */
  readonly before?: () => Chain
  /**
   * Of `mayGain` and `mayLose`: an account that may be a group, and whose members nobody knows: through it they may have had it,
   * or keep it. The subject itself: the platform does not tell the level, or the company.
   */
  readonly through?: number
}

/** Nobody is said to lose what another chain still gives: nor to gain what one may have given: what goes through a group that was not read is not certain. */
export function accessDifference(graph: AccessGraph): readonly AccessBlock[] {
  const affected = affectedBy(graph)
  if (affected.length === 0) return []
  const walks = { before: createWalk(graph, 'before'), after: createWalk(graph, 'after') }
  const heldAt = new Map<Time, ReadonlyMap<number, number>>()
  const behind = (at: Time) => getOrInsert(heldAt, at, () => heldBehind(graph, at))
  const blocks: AccessBlock[] = []
  for (const subjects of classesOf(graph, affected)) {
    for (const block of blocksOf(graph, walks, behind, subjects)) blocks.push(block)
  }
  return blocks
}

/** Accounts that are no groups, and of which the groups, what they hold, or either of a group that they are in differs. */
function affectedBy(graph: AccessGraph): number[] {
  const { svcIds, within, held, members, created, deleted } = graph
  const seeds: number[] = []
  for (let each = 0; each < svcIds.length; each++) {
    const isSame =
      sameNumbers(within.before[each], within.after[each]) && sameNumbers(held.before[each], held.after[each])
    const isMoved = created.has(each) || deleted.has(each)
    if (!isSame || isMoved || (graph.standIns !== undefined && passedDiffers(graph, each))) seeds.push(each)
  }
  const found = new Set(seeds)
  // The set grows while it is walked through.
  for (const each of found) {
    for (const time of times) for (const member of members[time][each] ?? []) found.add(member)
  }
  return [...found].filter((each) => isPerson(graph, each))
}

/** Those that are in the same groups and hold nothing by themselves have the same access. */
function classesOf({ within, held, created, deleted, standIns }: AccessGraph, accounts: Numbers): number[][] {
  const classes = new Map<string, number[]>()
  const alone: number[][] = []
  for (const each of accounts) {
    const { before, after } = { before: held.before[each] as Numbers, after: held.after[each] as Numbers }
    if (before.length + after.length > 0 || times.some((time) => standIns?.[time]?.passed.has(each))) {
      alone.push([each])
      continue
    }
    const key = `${within.before[each]}|${within.after[each]}|${created.has(each)}${deleted.has(each)}`
    append(classes, key, each)
  }
  return [...classes.values(), ...alone]
}

/** Accounts are numbered as they are met, which depends on where manifests list them. */
const bySvcId =
  ({ svcIds }: Pick<AccessGraph, 'svcIds'>) =>
  (a: number, b: number): number =>
    (svcIds[a] as string) < (svcIds[b] as string) ? -1 : 1

/** Rights that accounts have who may be groups: behind those there may be anybody. With the first such account of each, by its svcId. */
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

function blocksOf(
  graph: AccessGraph,
  { before, after }: Readonly<Record<Time, ReturnType<typeof createWalk>>>,
  behind: (time: Time) => ReadonlyMap<number, number>,
  subjects: Numbers,
): Iterable<AccessBlock> {
  const [first] = subjects as [number]
  const had = before.from(first)
  const has = after.from(first)
  const blocks = new Map<string | number, AccessBlock>()
  const tell = (event: AccessBlock['event'], right: number, place: number, was?: number, through?: number): void => {
    // Nearly all of them are gained or lost, and for certain: a number is found sooner than a text.
    const isPlain = was === undefined && through === undefined
    const key = isPlain ? 2 * place + (event === 'gained' ? 1 : 0) : `${event} ${place} ${was ?? ''} ${through ?? ''}`
    const known = blocks.get(key)
    if (known !== undefined) {
      known.rights.push(right)
      return
    }
    const walk = event === 'lost' || event === 'mayLose' ? before : after
    blocks.set(key, {
      ...{ event, subjects, rights: [right], via: walk.wayLater(first, place) },
      ...(was !== undefined && { before: before.wayLater(first, was) }),
      ...(through !== undefined && { through }),
    })
  }
  /** Through whom somebody may have a right at a time, beside what is seen: an account, or the subject itself. */
  const mayHave = (right: number, time: Time): number | undefined => {
    if (time === 'before' ? graph.created.has(first) : graph.deleted.has(first)) return undefined
    const { covering, vague } = graph.rights[right] as Right
    const walk = time === 'before' ? before : after
    if (vague.some((each) => walk.placeOf(each) !== undefined)) return first
    const held = behind(time)
    const known = held.get(right) ?? held.get(covering)
    if (known !== undefined || vague.length === 0) return known
    return vague.flatMap((each) => held.get(each) ?? []).sort(bySvcId(graph))[0]
  }
  /** Whether a chain of before still leads to the right. */
  const stillHolds = (chain: Chain, right: number): boolean => {
    if (graph.standIns !== undefined) return givesAfter(graph, first, chain, right)
    const own = graph.held.after[chain?.group ?? first] as Numbers
    return isWhole(chain) && (own.includes(right) || own.includes((graph.rights[right] as Right).covering))
  }
  const isWhole = wholeAfter(graph, first)
  for (const right of has) {
    const place = after.placeOf(right) as number
    const was = before.placeOf(right)
    const isKept = was !== undefined && stillHolds(before.wayTo(was), right)
    // Who had it as a substitute alone, for a time and perhaps a later one, has it of their own now.
    const wasLent = isKept && standsIn(before.wayTo(was)) && !standsIn(after.wayTo(place))
    if (was === undefined || wasLent) {
      const unseen = mayHave(right, 'before')
      // What passes a right on to a substitute who may be a group is no other way to it.
      const through = wasLent && unseen === first ? undefined : unseen
      tell(through === undefined ? 'gained' : 'mayGain', right, place, undefined, through)
    } else if (!isKept) tell('changed', right, place, was)
  }
  for (const right of had) {
    if (after.placeOf(right) !== undefined) continue
    const place = before.placeOf(right) as number
    const through = mayHave(right, 'after')
    tell(through === undefined ? 'lost' : 'mayLose', right, place, undefined, through)
  }
  return blocks.values()
}

const standsIn = (chain: Chain): boolean => substitutionsIn(chain).length > 0

/** Whether each group of a chain of before is still in the next. Chains share their beginnings, and may be long. */
function wholeAfter({ within }: AccessGraph, account: number): (chain: Chain) => boolean {
  const known = new Map<Chain, boolean>([[undefined, true]])
  return (chain) => {
    const open: NonNullable<Chain>[] = []
    let here = chain
    for (; here !== undefined && !known.has(here); here = here.inner) open.push(here)
    let result = known.get(here) as boolean
    for (const each of open.reverse()) {
      result &&= within.after[each.inner?.group ?? account]?.includes(each.group) ?? false
      known.set(each, result)
    }
    return result
  }
}

function sameNumbers(a: Numbers = [], b: Numbers = []): boolean {
  return a === b || (a.length === b.length && a.every((each, index) => each === b[index]))
}
