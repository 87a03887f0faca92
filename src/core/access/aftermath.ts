// The lists before and after a plan. Accounts that it deletes leave every list by themselves.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import { elementsOf } from '../model/desired.ts'
import { accountKeys, type KeyedElement, subjectKey } from '../model/elements.ts'
import { append, getOrInsert, remembered } from '../model/group-by.ts'
import type { Kind } from '../model/kind.ts'

export const times = ['before', 'after'] as const
export type Time = (typeof times)[number]

/** Accounts go by their keys. It looks at nothing but what was read: an account that was not counts as somebody. */
export class Aftermath {
  /** Groups that were read, or that are to come. */
  readonly groups: ReadonlyMap<string, Change>
  readonly #deleted: ReadonlySet<string>
  /** Guards ask for the same lists again and again, and lists may be long. */
  readonly #after = new Map<string, WeakMap<Change, readonly KeyedElement[]>>()
  /** The groups that each account is in. */
  readonly #holdersAt = remembered((time: Time) => {
    const holders = new Map<string, string[]>()
    for (const group of this.groups.keys())
      for (const inner of accountKeys(this.members(group, time) ?? [])) append(holders, inner, group)
    return holders
  })
  /** Groups are in each other in long chains: all are answered at once. */
  readonly #filledAt = remembered((time: Time) => {
    const held = [...this.#holdersAt(time).keys()]
    return this.#upwards(
      held.filter((each) => this.#isSomebody(each, time)),
      time,
    )
  })

  constructor(changes: readonly Change[]) {
    const deleted = new Set<string>()
    const groups = new Map<string, Change>()
    for (const change of changes) {
      const kind = kindOf(change)
      if (kind.provides === undefined) continue
      if (change.action === 'delete') deleted.add(keyOf(change))
      if (nestsOf(kind) !== undefined) groups.set(keyOf(change), change)
    }
    this.groups = groups
    this.#deleted = deleted
  }

  /** The elements of a collection of an object that exists, or will; none where it does not. */
  elements(change: Change, collection: string, time: Time): readonly KeyedElement[] {
    if (time === 'before') return change.live?.collections[collection] ?? []
    const known = getOrInsert(this.#after, collection, () => new WeakMap<Change, readonly KeyedElement[]>())
    return getOrInsert(known, change, () => remaining(change, collection, this.#deleted))
  }

  /** Its members; undefined: it is no group, or its members, who may be anybody, were not read. */
  members(account: string, time: Time): readonly KeyedElement[] | undefined {
    const change = this.groups.get(account)
    if (change === undefined) return undefined
    const nests = nestsOf(kindOf(change)) as string
    if (change.live !== undefined && change.live.collections[nests] === undefined) return undefined
    return this.elements(change, nests, time)
  }

  /** False for a deleted account, and for a group that was read and in which there is nobody, through groups in it. */
  standsForSomebody(account: string, time: Time): boolean {
    return this.#isSomebody(account, time) || this.#filledAt(time).has(account)
  }

  /** The account itself and every group that was read and that it is in, through other groups too. */
  groupsWith(account: string, time: Time): ReadonlySet<string> {
    return this.#upwards([account], time)
  }

  #upwards(accounts: Iterable<string>, time: Time): ReadonlySet<string> {
    const found = new Set(accounts)
    const holders = this.#holdersAt(time)
    // The set grows while it is walked through.
    for (const each of found) for (const group of holders.get(each) ?? []) found.add(group)
    return found
  }

  #isSomebody(account: string, time: Time): boolean {
    return this.members(account, time) === undefined && !(time === 'after' && this.#deleted.has(account))
  }
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
