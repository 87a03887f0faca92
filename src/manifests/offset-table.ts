// All offsets of one file in one array of numbers: as arrays of their own, those of a hundred thousand small objects are
// several times as large, and are gone through whenever memory is collected.
import type { OffsetRows } from '../core/model/source.ts'

export class OffsetTable implements OffsetRows {
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
