// Counts what changes give and free of limited items, such as licences, and what is missing.
import { type Address, byAddress } from '../model/address.ts'
import type { Supply } from '../model/capabilities/stock.ts'
import { getOrInsert } from '../model/group-by.ts'
import type { Kind } from '../model/kind.ts'
import { type Change, keyOf, kindOf } from './change.ts'

/** The platform's counts for the items of one collection, before a plan gives any. */
export interface Stock {
  readonly kind: Kind
  readonly collection: string
  readonly supplies: ReadonlyMap<string, Supply>
  /** Keys of deleted accounts that hold an item, by item. No document tells if a deletion frees the item. */
  readonly deletedHolders: ReadonlyMap<string, readonly string[]>
}

/** The accounts that gain and lose each item. An account whose settings alone change neither takes nor frees one. */
export function itemMovements(
  changes: readonly Change[],
  { kind, collection }: Pick<Stock, 'kind' | 'collection'>,
): ReadonlyMap<string, { readonly given: readonly Change[]; readonly freed: readonly Change[] }> {
  const result = new Map<string, { given: Change[]; freed: Change[] }>()
  const of = (item: string) => getOrInsert(result, item, () => ({ given: [], freed: [] }))
  for (const change of [...changes].sort(byAddress)) {
    if (kindOf(change) !== kind) continue
    const difference = change.collections.find((each) => each.collection === collection)
    if (difference === undefined) continue
    const removed = new Set(difference.removed)
    const before = change.live?.collections[collection] ?? []
    const held = new Set(before.map(({ item = '' }) => item))
    const left = new Set(before.filter((each) => !removed.has(each)).map(({ item = '' }) => item))
    for (const { element } of difference.added) left.add(element.item ?? '')
    for (const item of left) if (!held.has(item)) of(item).given.push(change)
    for (const item of held) if (!left.has(item)) of(item).freed.push(change)
  }
  return result
}

interface Shortage {
  readonly item: string
  readonly total: number
  readonly given: number
  /** Below 0: so many more are assigned than there are. */
  readonly free: number
  readonly freed: number
  /** Accounts that the plan deletes with theirs. */
  readonly deleted: number
  /** The accounts that would go without, as many as items are missing. */
  readonly without: readonly Address[]
}

/** The items of which the plan gives more than there are, including those that it frees. */
export function shortagesOf(changes: readonly Change[], stock: Stock): readonly Shortage[] {
  return [...itemMovements(changes, stock)].flatMap(([item, { given, freed }]): Shortage[] => {
    const supply = stock.supplies.get(item)
    if (supply === undefined) return []
    // Below none, where more are assigned than there are: what is freed then frees none to give.
    const free = supply.total - supply.assigned
    const missing = Math.min(given.length, given.length - free - freed.length)
    if (missing <= 0) return []
    const releasing = new Set(freed.map(keyOf))
    const deleted = (stock.deletedHolders.get(item) ?? []).filter((key) => !releasing.has(key)).length
    const without = given.slice(-missing).map(({ address }) => address)
    return [{ item, total: supply.total, given: given.length, free, freed: freed.length, deleted, without }]
  })
}

export function exceedsStock(changes: readonly Change[], stock: Stock): boolean {
  return [...itemMovements(changes, stock)].some(([item, { given }]) => {
    const supply = stock.supplies.get(item)
    return supply !== undefined && given.length > freeOf(supply)
  })
}

/** The number that can be given at once. More may be assigned than exist. */
export function freeOf({ total, assigned }: Supply): number {
  return Math.max(0, total - assigned)
}
