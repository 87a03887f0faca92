// Who is in which list before a plan and after it, accounts that it deletes included: they leave every list by themselves.
import type { FoldSvcId } from '../address.ts'
import type { Change } from '../change.ts'
import type { Element } from '../kind.ts'

export type Time = 'before' | 'after'

export interface Aftermath {
  /** The elements of a collection of an object that exists, or will; none where it does not. */
  elements(change: Change, collection: string, time: Time): readonly Element[]
  /** Whether the plan deletes the account. */
  isDeleted(svcId: string): boolean
  /** False for a deleted account, and for a group that was read and in which there is nobody, through groups in it. */
  standsForSomebody(svcId: string, time: Time): boolean
  /** Whether an account is another one, or is in it through the groups that were read. */
  includes(outer: string, inner: string, time: Time): boolean
  fold: FoldSvcId
}

/** Looks at nothing but what was read: an account that was not counts as somebody. */
export function aftermathOf(changes: readonly Change[], fold: FoldSvcId): Aftermath {
  const deleted = new Set<string>()
  const groups = new Map<string, Change>()
  for (const change of changes) {
    const kind = (change.desired ?? change.live)?.kind
    const name = change.live?.name ?? change.desired?.at.name
    if (kind?.provides === undefined || name === undefined) continue
    if (change.action === 'delete') deleted.add(fold(name))
    if (nestingOf(change) !== undefined) groups.set(fold(name), change)
  }
  const elements: Aftermath['elements'] = (change, collection, time) => {
    const live = change.live?.collections[collection] ?? []
    if (time === 'before') return live
    if (change.action === 'delete') return []
    const wanted = change.desired?.collections[collection]
    const difference = change.collections.find((each) => each.collection === collection)
    const removed = new Set(difference?.removed)
    const added =
      change.action === 'create'
        ? [...(wanted?.elements.values() ?? [])].map(({ element }) => element)
        : (difference?.added ?? []).map(({ element }) => element)
    return [...live.filter((element) => !removed.has(element)), ...added].filter(
      ({ svcId }) => !deleted.has(fold(svcId)),
    )
  }
  const members = (svcId: string, time: Time): readonly Element[] | undefined => {
    const group = groups.get(fold(svcId))
    const collection = group && nestingOf(group)
    // Members that were not read may be anybody.
    if (group === undefined || collection === undefined) return undefined
    if (group.live !== undefined && group.live.collections[collection] === undefined) return undefined
    return elements(group, collection, time)
  }
  const search = (svcId: string, time: Time, isFound: (svcId: string, isOpen: boolean) => boolean): boolean => {
    const seen = new Set([fold(svcId)])
    for (const each of seen) {
      const inner = members(each, time)
      if (isFound(each, inner === undefined)) return true
      for (const element of inner ?? []) seen.add(fold(element.svcId))
    }
    return false
  }
  return {
    elements,
    fold,
    isDeleted: (svcId) => deleted.has(fold(svcId)),
    standsForSomebody: (svcId, time) =>
      search(svcId, time, (each, isOpen) => isOpen && !(time === 'after' && deleted.has(each))),
    includes: (outer, inner, time) => search(outer, time, (each) => each === fold(inner)),
  }
}

/** The collection by which an account has others in it. */
function nestingOf(change: Change): string | undefined {
  const kind = (change.desired ?? change.live)?.kind
  return Object.entries(kind?.collections ?? {}).find(([, { nests }]) => nests)?.[0]
}
