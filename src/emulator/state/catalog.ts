// Objects that have an id, a guid and a name, found by any of them and listed in order of creation.
export interface CatalogItem {
  readonly id: number
  readonly guid: string
  name: string
}

export class Catalog<T extends CatalogItem> {
  readonly #byId = new Map<number, T>()
  readonly #byGuid = new Map<string, T>()
  /** Names need not be unique; writes ask for them often enough to count them. */
  readonly #names = new Map<string, number>()

  list(): readonly T[] {
    return [...this.#byId.values()]
  }

  /** By its part of a path: the number, or the guid in any case. */
  find(idOrGuid: string): T | undefined {
    return /^\d+$/.test(idOrGuid) ? this.#byId.get(Number(idOrGuid)) : this.#byGuid.get(idOrGuid.toLowerCase())
  }

  named(name: string): T | undefined {
    return this.hasName(name) ? this.list().find((item) => item.name === name) : undefined
  }

  hasName(name: string): boolean {
    return (this.#names.get(name) ?? 0) > 0
  }

  /** False, and nothing added, when the id or guid is taken. */
  add(item: T): boolean {
    if (this.#byId.has(item.id) || this.#byGuid.has(item.guid.toLowerCase())) return false
    this.#byId.set(item.id, item)
    this.#byGuid.set(item.guid.toLowerCase(), item)
    this.#countName(item.name, 1)
    return true
  }

  rename(item: T, name: string): void {
    this.#countName(item.name, -1)
    item.name = name
    this.#countName(name, 1)
  }

  delete(item: T): void {
    this.#byId.delete(item.id)
    this.#byGuid.delete(item.guid.toLowerCase())
    this.#countName(item.name, -1)
  }

  #countName(name: string, by: number): void {
    this.#names.set(name, (this.#names.get(name) ?? 0) + by)
  }
}
