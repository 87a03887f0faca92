// Everything that accounts can do at one time, as a list: for reviews, and for whoever asks about one of them.
import type { Address } from '../model/address.ts'
import type { Time } from './aftermath.ts'
import { type AccessEntry, heldEntry, listedAtEnds, namesOf } from './describe-access.ts'
import { type AccessGraph, groupsOf, holdersAmong, joinChains, type Numbers, perhapsGroupsIn } from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'
import type { Way } from './reach.ts'

/** Everything that these accounts can do at one time. */
export function listAccess(graph: AccessGraph, time: Time, accounts: readonly number[]): AccessEntry[] {
  return accounts.flatMap(accessLister(graph, time))
}

/** The same of one account after the other: whoever asks holds no more than they want. */
export function accessLister(graph: AccessGraph, time: Time): (account: number) => AccessEntry[] {
  const { rightsOf, entryOf } = accessReader(graph, time)
  return (account) => rightsOf(account).map(entryOf)
}

/** Whose names are held at once: of long ways there may be very many. */
const mostWays = 2 ** 16

/**
 * Rights of one account after the other, and entries about those of the last one: few may be wanted of many.
 * `tellsUntold`: an entry says that the platform does not tell its company.
 */
export function accessReader(graph: AccessGraph, time: Time, tellsUntold = true) {
  const walk = new GroupWalk(graph, time)
  const known = new Map<Way, readonly string[]>()
  let account = -1
  return {
    rightsOf(asked: number): readonly number[] {
      account = asked
      return walk.from(asked)
    },
    entryOf(right: number): AccessEntry {
      const place = walk.placeOf(right) as number
      const long = walk.endsOf(place)
      const entry = long === undefined ? ofWay(place, right) : ofLongWay(long, right)
      return tellsUntold && graph.rights[right]?.company === undefined ? { ...entry, untold: 'company' } : entry
    },
  }

  function ofWay(place: number, right: number): AccessEntry {
    const way = walk.reachedBy(place)
    if (way === undefined) return shortened(heldEntry(graph, account, right, walk.wayTo(place)))
    return heldEntry(graph, account, right, undefined, known.get(way) ?? namesOn(way, place))
  }

  /** All members of a group go on by the same ways. */
  function namesOn(way: Way, place: number): readonly string[] {
    if (known.size === mostWays) known.clear()
    const via = namesOf(graph, walk.wayTo(place))
    known.set(way, via)
    return via
  }

  function ofLongWay({ groups, skipped }: NonNullable<ReturnType<GroupWalk['endsOf']>>, right: number): AccessEntry {
    const via = groups.map((each) => graph.svcIds[each] as string)
    return { ...heldEntry(graph, account, right, undefined, via), skipped }
  }
}

/** The access of an account, by the shortest way through each of its other groups. */
export function otherWays(graph: AccessGraph, account: number): AccessEntry[] {
  const walk = new GroupWalk(graph, 'before')
  const best = walk
    .from(account)
    .map((right) => [right, groupsOf(walk.wayTo(walk.placeOf(right) as number))[0]] as const)
  const firsts = new Map(best)
  return (graph.within.before[account] as Numbers).flatMap((group) =>
    walk.from(group).flatMap((right) => {
      if (!firsts.has(right) || firsts.get(right) === group) return []
      const way = joinChains({ group, inner: undefined }, walk.wayTo(walk.placeOf(right) as number))
      return [shortened(heldEntry(graph, account, right, way))]
    }),
  )
}

function shortened(entry: AccessEntry): AccessEntry {
  const { via } = entry
  const skipped = via.length - 2 * listedAtEnds
  return skipped < 2 ? entry : { ...entry, via: [...via.slice(0, listedAtEnds), ...via.slice(-listedAtEnds)], skipped }
}

/** Accounts with access before the plan that may be groups with unknown members. */
export function heldBy(graph: AccessGraph): string[] {
  return holdersAmong(graph, 'before', perhapsGroupsIn(graph)).map((each) => graph.svcIds[each] as string)
}

/** Groups and accounts that hold something by themselves now. */
export function directHolders(graph: AccessGraph, matches: (address: Address) => boolean): AccessEntry[] {
  return graph.held.before
    .flatMap((rights, account) => rights.map((right) => heldEntry(graph, account, right, undefined)))
    .filter(({ address }) => matches(address))
}
