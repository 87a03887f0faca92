// Those who wait for something, found by what they wait for.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'

export function createWaitingRoom<T extends { readonly key: string }>() {
  const everybody = new Set<T>()
  const byKey = new Map<string, Set<T>>()
  return {
    get size(): number {
      return everybody.size
    },
    add(one: T): void {
      everybody.add(one)
      getOrInsert(byKey, one.key, () => new Set()).add(one)
    },
    remove(one: T): void {
      everybody.delete(one)
      const same = byKey.get(one.key)
      same?.delete(one)
      if (same?.size === 0) byKey.delete(one.key)
    },
    /** A copy: whoever goes through it may remove from it. */
    all: (): readonly T[] => [...everybody],
    of: (key: string): Iterable<T> => byKey.get(key) ?? [],
  }
}
