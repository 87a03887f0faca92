// Those who wait for something, found by what they wait for.

interface WaitingRoom<T> {
  readonly size: number
  add(one: T): void
  remove(one: T): void
  /** A copy: whoever goes through it may remove from it. */
  all(): readonly T[]
  of(key: string): Iterable<T>
}

export function createWaitingRoom<T extends { readonly key: string }>(): WaitingRoom<T> {
  const everybody = new Set<T>()
  const byKey = new Map<string, Set<T>>()
  return {
    get size() {
      return everybody.size
    },
    add(one) {
      everybody.add(one)
      const same = byKey.get(one.key)
      if (same === undefined) byKey.set(one.key, new Set([one]))
      else same.add(one)
    },
    remove(one) {
      everybody.delete(one)
      const same = byKey.get(one.key)
      same?.delete(one)
      if (same?.size === 0) byKey.delete(one.key)
    },
    all: () => [...everybody],
    of: (key) => byKey.get(key) ?? [],
  }
}
