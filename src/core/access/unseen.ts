// Accounts that may be groups: which of them are worth a look, and what people may have through those that nobody can
// see into.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import { compareBy } from '../model/group-by.ts'
import type { AccessBlock } from './access-blocks.ts'
import { accessDifference } from './access-difference.ts'
import { nestsOf, type Time, times } from './aftermath.ts'
import { baseOf } from './declared-side.ts'
import { type AccessEntry, heldEntry } from './describe-access.ts'
import { type AccessGraph, holdersAmong, perhapsGroupsIn } from './graph-model.ts'
import { GroupWalk } from './group-walk.ts'
import { listAccess } from './list-access.ts'
import { movesStandIns } from './stand-ins.ts'

/** True if a list changes that may contain groups: their rights then count. A new group is in no untold one. */
export function movesBetweenGroups(change: Change): boolean {
  const { action, collections, live } = change
  if (movesStandIns(change)) return true
  if (live === undefined || kindOf(change).provides === undefined) return false
  const nests = nestsOf(kindOf(change))
  return action === 'delete' || (nests !== undefined && collections.some(({ collection }) => collection === nests))
}

/**
 * Numbers of accounts that may be groups, and whose members would tell more of what a plan does. `moves`: see above;
 * then whoever holds something may have a group in it that the plan changes.
 */
export function worthALook(graph: AccessGraph, moves: boolean): readonly number[] {
  const open = perhapsGroupsIn(graph)
  if (open.length === 0) return []
  const holders = moves ? times.flatMap((time) => holdersAmong(graph, time, open)) : []
  const isOpen = new Set(open)
  const told = accessDifference(graph).flatMap((block) => involved(block).filter((each) => isOpen.has(each)))
  return [...new Set([...holders, ...told])]
}

const involved = ({ effect, subjects, through }: AccessBlock): readonly number[] => [
  ...(effect === 'keep' ? [] : subjects),
  ...(through === undefined ? [] : [through]),
]

/**
 * The rights, before and after the plan, of accounts behind whom there may be anybody: an entry names the account and
 * the object, and has no subject.
 */
export function heldUnseen(graph: AccessGraph): AccessEntry[] {
  const walks = { before: new GroupWalk(graph, 'before'), after: new GroupWalk(graph, 'after') }
  const entries = perhapsGroupsIn(graph).flatMap((account) => {
    const had = new Set(walks.before.from(account))
    const { after } = walks
    return after.from(account).flatMap((right): AccessEntry[] => {
      if (!had.has(right)) return []
      const entry = heldEntry(graph, account, right, after.wayTo(after.placeOf(right) as number))
      return [{ ...entry, subject: null, unseen: entry.subject as string }]
    })
  })
  return entries.sort(compareBy(entryKey))
}

const entryKey = ({ unseen, address, level, company }: AccessEntry): string =>
  JSON.stringify([unseen, address, level, company])

/**
 * Accounts that hold something, and may be groups whose members nobody knows. Through groups, too: an account of a
 * directory holds little by itself. `closed`: keys of groups that are known not to be seen into.
 */
export function unseenHolders(
  graph: AccessGraph,
  time: Time,
  matches: (entry: AccessEntry) => boolean,
  closed: readonly string[] = [],
): string[] {
  const more = closed.flatMap((key) => graph.numbers.get(key) ?? [])
  const entries = listAccess(graph, time, [...new Set([...perhapsGroupsIn(graph), ...more])])
  return entries.filter(matches).map(({ subject }) => subject as string)
}

/** Keys of groups of which the base lists no members. */
export function groupsWithoutMembers(changes: readonly Change[]): string[] {
  return changes.flatMap((change) => {
    const nests = nestsOf(kindOf(change))
    return nests === undefined || baseOf(change)?.collections[nests] !== undefined ? [] : [keyOf(change)]
  })
}
