// Groups, orders and maps that several rooms need.
/** Groups in the order of their first items, items in theirs. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) append(groups, keyOf(item), item)
  return groups
}

export function append<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

/** The value of a key, made if the map has none. */
export function getOrInsert<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make(key)
    map.set(key, value)
  }
  return value
}

export function compareBy<Item>(textOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => {
    const left = textOf(a)
    const right = textOf(b)
    return left < right ? -1 : left > right ? 1 : 0
  }
}

/** The result depends on the key alone, so nobody can tell that it is kept. */
export function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => getOrInsert(made, key, make)
}
