// The lists before and after a plan. Accounts that it deletes leave every list by themselves.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import { elementsOf } from '../model/desired.ts'
import { accountKeys, type KeyedElement, subjectKey } from '../model/elements.ts'
import { append, getOrInsert } from '../model/group-by.ts'
import type { Kind } from '../model/kind.ts'

export const times = ['before', 'after'] as const
export type Time = (typeof times)[number]

/** Accounts go by their keys. */
export interface Aftermath {
  /** The elements of a collection of an object that exists, or will; none where it does not. */
  elements(change: Change, collection: string, time: Time): readonly KeyedElement[]
  /** False for a deleted account, and for a group that was read and in which there is nobody, through groups in it. */
  standsForSomebody(account: string, time: Time): boolean
  /** The account itself and every group that was read and that it is in, through other groups too. */
  groupsWith(account: string, time: Time): ReadonlySet<string>
  /** Groups that were read, or that are to come. */
  readonly groups: ReadonlyMap<string, Change>
  /** Its members; undefined: it is no group, or its members, who may be anybody, were not read. */
  members(account: string, time: Time): readonly KeyedElement[] | undefined
}

/** Looks at nothing but what was read: an account that was not counts as somebody. */
export function aftermathOf(changes: readonly Change[]): Aftermath {
  const deleted = new Set<string>()
  const groups = new Map<string, Change>()
  for (const change of changes) {
    const kind = kindOf(change)
    if (kind.provides === undefined) continue
    if (change.action === 'delete') deleted.add(keyOf(change))
    if (nestsOf(kind) !== undefined) groups.set(keyOf(change), change)
  }
  const elements: Aftermath['elements'] = (change, collection, time) =>
    time === 'before' ? (change.live?.collections[collection] ?? []) : elementsAfter(change, collection)

  // Guards ask for the same lists again and again, and lists may be long.
  const after = new Map<string, WeakMap<Change, readonly KeyedElement[]>>()
  const elementsAfter = (change: Change, collection: string): readonly KeyedElement[] => {
    const known = getOrInsert(after, collection, () => new WeakMap<Change, readonly KeyedElement[]>())
    return getOrInsert(known, change, () => remaining(change, collection, deleted))
  }

  const members: Aftermath['members'] = (account, time) => {
    const change = groups.get(account)
    if (change === undefined) return undefined
    const nests = nestsOf(kindOf(change)) as string
    if (change.live !== undefined && change.live.collections[nests] === undefined) return undefined
    return elements(change, nests, time)
  }

  /** The groups that each account is in. */
  const holdersAt = atEach((time) => {
    const holders = new Map<string, string[]>()
    for (const group of groups.keys())
      for (const inner of accountKeys(members(group, time) ?? [])) append(holders, inner, group)
    return holders
  })
  /** The accounts, and every group that they are in, through other groups too. */
  const upwards = (accounts: Iterable<string>, time: Time): ReadonlySet<string> => {
    const found = new Set(accounts)
    // The set grows while it is walked through.
    for (const each of found) for (const group of holdersAt(time).get(each) ?? []) found.add(group)
    return found
  }
  const isSomebody = (account: string, time: Time): boolean =>
    members(account, time) === undefined && !(time === 'after' && deleted.has(account))
  /** Groups are in each other in long chains: all are answered at once. */
  const filledAt = atEach((time) =>
    upwards(
      [...holdersAt(time).keys()].filter((each) => isSomebody(each, time)),
      time,
    ),
  )
  const standsForSomebody = (account: string, time: Time): boolean =>
    isSomebody(account, time) || filledAt(time).has(account)
  const groupsWith = (account: string, time: Time): ReadonlySet<string> => upwards([account], time)

  return { elements, standsForSomebody, groupsWith, groups, members }
}

/** Computed on demand, once for each time. */
function atEach<Value>(make: (time: Time) => Value): (time: Time) => Value {
  const made = new Map<Time, Value>()
  return (time) => getOrInsert(made, time, () => make(time))
}

/** The collection by which an object of a kind has others in it. */
export function nestsOf({ collections }: Kind): string | undefined {
  for (const name in collections) if (collections[name]?.nests) return name
  return undefined
}

function remaining(change: Change, collection: string, deleted: ReadonlySet<string>): readonly KeyedElement[] {
  if (change.action === 'delete') return []
  if (change.action === 'create') return elementsOf(change.desired?.collections[collection])
  const live = change.live?.collections[collection] ?? []
  const difference = change.collections.find((each) => each.collection === collection)
  if (difference === undefined && deleted.size === 0) return live
  const removed = new Set(difference?.removed)
  const added = (difference?.added ?? []).map(({ element }) => element)
  const left = [...live.filter((element) => !removed.has(element)), ...added]
  return left.filter((element) => !deleted.has(subjectKey(element)))
}
