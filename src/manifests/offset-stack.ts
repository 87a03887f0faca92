// Gathers offsets of nested mappings and lists on one stack, so that each array is made once, in its final size: with
// arrays that grow, a hundred thousand small objects take twice the memory.

export class OffsetStack {
  readonly #values: number[] = []
  #top = 0

  /** Begins the offsets of a node with its own; returns what `take` wants. */
  begin(start: number): number {
    const base = this.#top
    this.#values[this.#top++] = start
    return base
  }

  add(offset: number): void {
    this.#values[this.#top++] = offset
  }

  addPair(key: number, value: number): void {
    this.#values[this.#top++] = key
    this.#values[this.#top++] = value
  }

  at(base: number, index: number): number {
    return this.#values[base + index] as number
  }

  /** The offsets since `base`, which are done. */
  take(base: number): number[] {
    const taken = this.#values.slice(base, this.#top)
    this.#top = base
    return taken
  }
}
