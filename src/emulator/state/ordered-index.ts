// Objects by key, listed in order of creation. A page costs its own size: the list is made anew only after a change.

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
