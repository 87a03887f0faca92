// Who is in which list before a plan and after it, accounts that it deletes included: they leave every list by themselves.

import type { Change } from '../compare/change.ts'
import type { FoldSvcId } from '../model/address.ts'
import { accountsIn } from '../model/elements.ts'
import type { Element } from '../model/kind.ts'

export type Time = 'before' | 'after'

export interface Aftermath {
  /** The elements of a collection of an object that exists, or will; none where it does not. */
  elements(change: Change, collection: string, time: Time): readonly Element[]
  /** False for a deleted account, and for a group that was read and in which there is nobody, through groups in it. */
  standsForSomebody(svcId: string, time: Time): boolean
  /** The account itself and every group that was read and that it is in, through other groups too. Folded. */
  groupsWith(svcId: string, time: Time): ReadonlySet<string>
  fold: FoldSvcId
}

/** Looks at nothing but what was read: an account that was not counts as somebody. */
export function aftermathOf(changes: readonly Change[], fold: FoldSvcId): Aftermath {
  const deleted = new Set<string>()
  /** With the collection by which each has others in it. */
  const groups = new Map<string, { readonly change: Change; readonly nests: string }>()
  for (const change of changes) {
    const kind = (change.desired ?? change.live)?.kind
    const name = change.live?.name ?? change.desired?.at.name
    if (kind?.provides === undefined || name === undefined) continue
    if (change.action === 'delete') deleted.add(fold(name))
    const nests = Object.keys(kind.collections).find((each) => kind.collections[each]?.nests)
    if (nests !== undefined) groups.set(fold(name), { change, nests })
  }
  const elements: Aftermath['elements'] = (change, collection, time) =>
    time === 'before' ? (change.live?.collections[collection] ?? []) : elementsAfter(change, collection)

  // Guards ask for the same lists again and again, and lists may be long.
  const after = new WeakMap<Change, Map<string, readonly Element[]>>()
  const elementsAfter = (change: Change, collection: string): readonly Element[] => {
    let known = after.get(change)
    if (known === undefined) {
      known = new Map()
      after.set(change, known)
    }
    let result = known.get(collection)
    if (result === undefined) {
      result = remaining(change, collection, (svcId) => deleted.size > 0 && deleted.has(fold(svcId)))
      known.set(collection, result)
    }
    return result
  }

  /** Undefined: it is no group, or its members were not read, who may be anybody. */
  const members = (svcId: string, time: Time): readonly Element[] | undefined => {
    const group = groups.get(svcId)
    if (group === undefined) return undefined
    const { change, nests } = group
    if (change.live !== undefined && change.live.collections[nests] === undefined) return undefined
    return elements(change, nests, time)
  }

  const filled = { before: new Map<string, boolean>(), after: new Map<string, boolean>() }
  const standsForSomebody = (svcId: string, time: Time): boolean => {
    const start = fold(svcId)
    const known = filled[time].get(start)
    if (known !== undefined) return known
    const seen = new Set([start])
    let result = false
    for (const each of seen) {
      const inner = members(each, time)
      if (inner === undefined && !(time === 'after' && deleted.has(each))) {
        result = true
        break
      }
      for (const inside of accountsIn(inner ?? [])) seen.add(fold(inside))
    }
    filled[time].set(start, result)
    return result
  }

  const groupsWith = (svcId: string, time: Time): ReadonlySet<string> => {
    const holders = new Map<string, string[]>()
    for (const group of groups.keys()) {
      for (const member of accountsIn(members(group, time) ?? [])) {
        const inner = fold(member)
        const list = holders.get(inner)
        if (list === undefined) holders.set(inner, [group])
        else list.push(group)
      }
    }
    const found = new Set([fold(svcId)])
    for (const each of found) for (const group of holders.get(each) ?? []) found.add(group)
    return found
  }

  return { elements, fold, standsForSomebody, groupsWith }
}

function remaining(change: Change, collection: string, isGone: (svcId: string) => boolean): readonly Element[] {
  if (change.action === 'delete') return []
  if (change.action === 'create') {
    return [...(change.desired?.collections[collection]?.elements.values() ?? [])].map(({ element }) => element)
  }
  const live = change.live?.collections[collection] ?? []
  const difference = change.collections.find((each) => each.collection === collection)
  const removed = new Set(difference?.removed)
  const added = (difference?.added ?? []).map(({ element }) => element)
  return [...live.filter((element) => !removed.has(element)), ...added].filter(
    ({ svcId }) => svcId === undefined || !isGone(svcId),
  )
}
