// Objects that have an id, a guid and a name, found by any of them.

/** By key, listed in order of creation. A page costs its own size: the list is made anew only after a change. */
export class OrderedIndex<T> {
  readonly #byKey = new Map<string, T>()
  #list: readonly T[] | undefined

  get(key: string): T | undefined {
    return this.#byKey.get(key)
  }

  set(key: string, item: T): void {
    this.#byKey.set(key, item)
    this.#list = undefined
  }

  delete(key: string): void {
    if (this.#byKey.delete(key)) this.#list = undefined
  }

  list(): readonly T[] {
    this.#list ??= [...this.#byKey.values()]
    return this.#list
  }

  /** Keys change when the rule for comparing them does; the order stays. */
  rekey(keyOf: (item: T) => string): void {
    const items = this.list()
    this.#byKey.clear()
    for (const item of items) this.#byKey.set(keyOf(item), item)
    this.#list = undefined
  }
}

export interface Catalogued {
  readonly id: number
  readonly guid: string
  name: string
}

export class Catalog<T extends Catalogued> {
  readonly #byId = new OrderedIndex<T>()
  readonly #byGuid = new Map<string, T>()
  /** Names need not be unique; writes ask for them often enough to count them. */
  readonly #names = new Map<string, number>()

  list(): readonly T[] {
    return this.#byId.list()
  }

  /** By what stands in a path: the number, or the guid in any case. */
  find(idOrGuid: string): T | undefined {
    if (/^\d+$/.test(idOrGuid)) return this.#byId.get(String(Number(idOrGuid)))
    return this.#byGuid.get(idOrGuid.toLowerCase())
  }

  named(name: string): T | undefined {
    return this.hasName(name) ? this.list().find((item) => item.name === name) : undefined
  }

  hasName(name: string): boolean {
    return this.#names.has(name)
  }

  /** False, and nothing added, when the id or guid is taken. */
  add(item: T): boolean {
    const guid = item.guid.toLowerCase()
    if (this.#byId.get(String(item.id)) !== undefined || this.#byGuid.has(guid)) return false
    this.#byId.set(String(item.id), item)
    this.#byGuid.set(guid, item)
    this.#countName(item.name, 1)
    return true
  }

  rename(item: T, name: string): void {
    this.#countName(item.name, -1)
    item.name = name
    this.#countName(name, 1)
  }

  delete(item: T): void {
    this.#byId.delete(String(item.id))
    this.#byGuid.delete(item.guid.toLowerCase())
    this.#countName(item.name, -1)
  }

  #countName(name: string, by: number): void {
    const times = (this.#names.get(name) ?? 0) + by
    if (times > 0) this.#names.set(name, times)
    else this.#names.delete(name)
  }
}
