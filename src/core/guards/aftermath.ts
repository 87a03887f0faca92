// Who is in which list before a plan and after it, accounts that it deletes included: they leave every list by themselves.
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import { accountKeys, type KeyedElement, subjectKey } from '../model/elements.ts'
import { append } from '../model/group-by.ts'

export type Time = 'before' | 'after'

/** Accounts go by their keys. */
export interface Aftermath {
  /** The elements of a collection of an object that exists, or will; none where it does not. */
  elements(change: Change, collection: string, time: Time): readonly KeyedElement[]
  /** False for a deleted account, and for a group that was read and in which there is nobody, through groups in it. */
  standsForSomebody(account: string, time: Time): boolean
  /** The account itself and every group that was read and that it is in, through other groups too. */
  groupsWith(account: string, time: Time): ReadonlySet<string>
}

/** Looks at nothing but what was read: an account that was not counts as somebody. */
export function aftermathOf(changes: readonly Change[]): Aftermath {
  const deleted = new Set<string>()
  /** With the collection by which each has others in it. */
  const groups = new Map<string, { readonly change: Change; readonly nests: string }>()
  for (const change of changes) {
    const kind = kindOf(change)
    if (kind.provides === undefined) continue
    if (change.action === 'delete') deleted.add(keyOf(change))
    const nests = Object.keys(kind.collections).find((each) => kind.collections[each]?.nests)
    if (nests !== undefined) groups.set(keyOf(change), { change, nests })
  }
  const elements: Aftermath['elements'] = (change, collection, time) =>
    time === 'before' ? (change.live?.collections[collection] ?? []) : elementsAfter(change, collection)

  // Guards ask for the same lists again and again, and lists may be long.
  const after = new WeakMap<Change, Map<string, readonly KeyedElement[]>>()
  const elementsAfter = (change: Change, collection: string): readonly KeyedElement[] => {
    let known = after.get(change)
    if (known === undefined) {
      known = new Map()
      after.set(change, known)
    }
    let result = known.get(collection)
    if (result === undefined) {
      result = remaining(change, collection, deleted)
      known.set(collection, result)
    }
    return result
  }

  /** Undefined: it is no group, or its members were not read, who may be anybody. */
  const members = (account: string, time: Time): readonly KeyedElement[] | undefined => {
    const group = groups.get(account)
    if (group === undefined) return undefined
    const { change, nests } = group
    if (change.live !== undefined && change.live.collections[nests] === undefined) return undefined
    return elements(change, nests, time)
  }

  const filled = { before: new Map<string, boolean>(), after: new Map<string, boolean>() }
  const standsForSomebody = (account: string, time: Time): boolean => {
    const known = filled[time].get(account)
    if (known !== undefined) return known
    const seen = new Set([account])
    let result = false
    for (const each of seen) {
      const inner = members(each, time)
      if (inner === undefined && !(time === 'after' && deleted.has(each))) {
        result = true
        break
      }
      for (const inside of accountKeys(inner ?? [])) seen.add(inside)
    }
    filled[time].set(account, result)
    return result
  }

  const groupsWith = (account: string, time: Time): ReadonlySet<string> => {
    const holders = new Map<string, string[]>()
    for (const group of groups.keys()) {
      for (const inner of accountKeys(members(group, time) ?? [])) append(holders, inner, group)
    }
    const found = new Set([account])
    for (const each of found) for (const group of holders.get(each) ?? []) found.add(group)
    return found
  }

  return { elements, standsForSomebody, groupsWith }
}

function remaining(change: Change, collection: string, deleted: ReadonlySet<string>): readonly KeyedElement[] {
  if (change.action === 'delete') return []
  if (change.action === 'create') {
    return [...(change.desired?.collections[collection]?.elements.values() ?? [])].map(({ element }) => element)
  }
  const live = change.live?.collections[collection] ?? []
  const difference = change.collections.find((each) => each.collection === collection)
  const removed = new Set(difference?.removed)
  const added = (difference?.added ?? []).map(({ element }) => element)
  const left = [...live.filter((element) => !removed.has(element)), ...added]
  return left.filter((element) => !deleted.has(subjectKey(element)))
}
