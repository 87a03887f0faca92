// Gathers offsets of nested mappings and lists on one stack, so that those of each are put into the table of the file
// together, when it is done.
import type { OffsetTable } from './offset-table.ts'

export class OffsetStack {
  readonly #table: OffsetTable
  readonly #values: number[] = []
  #top = 0

  constructor(table: OffsetTable) {
    this.#table = table
  }

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

  /** Puts the pairs since `base` into another order: `order` has the index of each in the present one. */
  reorder(base: number, order: readonly number[]): void {
    const before = this.#values.slice(base, this.#top)
    for (const [index, from] of order.entries()) {
      this.#values[base + 1 + 2 * index] = before[1 + 2 * from] as number
      this.#values[base + 2 + 2 * index] = before[2 + 2 * from] as number
    }
  }

  /** The offsets since `base`, which are done: where the table has them. */
  take(base: number): number {
    const row = this.#table.add(this.#values, base, this.#top)
    this.#top = base
    return row
  }
}
