// Offsets of the parts of one file: gathered on a stack while it is read, and kept in one table.

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

export class OffsetTable {
  /** Rows one after the other, each behind how many offsets it has. */
  #numbers = new Int32Array(64)
  #used = 0

  /** Adds `values` from `start` up to `end` as a row; returns its number. */
  add(values: readonly number[], start: number, end: number): number {
    const row = this.#used
    const after = row + 1 + end - start
    if (after > this.#numbers.length) {
      const larger = new Int32Array(2 * after)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const numbers = this.#numbers
    numbers[row] = end - start
    for (let index = start; index < end; index++) numbers[row + 1 + index - start] = values[index] as number
    this.#used = after
    return row
  }

  at(row: number, index: number): number | undefined {
    return index < (this.#numbers[row] as number) ? this.#numbers[row + 1 + index] : undefined
  }
}
