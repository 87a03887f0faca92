// One file that was read: its text, its lines, what must not be shown, and the offsets of its parts.
import type { Source } from '@svcsync/core/model/source.ts'
import type { Place } from '@svcsync/errors/index.ts'

/** Part of a text, in UTF-16 code units from its start; `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Computes line starts when the first place is requested. */
export class TextSource implements Source {
  readonly file: string
  readonly text: string
  /** The offsets of everything that was read. */
  readonly offsets = new OffsetTable()
  /** False for a file outside the project: its lines are not shown to whoever reads the log of a pipeline. */
  isQuotable = true
  /** True once it has been parsed: what must be hidden is then known by its place, and need not be guessed. */
  parsed = false
  /** True once the values of keys that are called like credentials are hidden. */
  isSearched = false
  #lineStarts: readonly number[] | undefined
  readonly #hidden: Span[] = []
  #merged: readonly Span[] | undefined

  constructor(file: string, text: string) {
    this.file = file
    this.text = text
  }

  placeAt(offset: number): Place {
    const starts = this.#starts()
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle - 1
    }
    return { file: this.file, line: low + 1, column: offset - (starts[low] as number) + 1 }
  }

  get lineCount(): number {
    return this.#starts().length
  }

  /** The extent of a line (1-based) without its line break. Undefined: there is no such line. */
  lineSpan(line: number): Span | undefined {
    const starts = this.#starts()
    const start = starts[line - 1]
    if (start === undefined) return undefined
    let end = starts[line] ?? this.text.length
    while (end > start && isBreak(this.text.charCodeAt(end - 1))) end--
    return { start, end }
  }

  /** Marks a part that must not be shown: a literal in a field that holds a credential. */
  hide(start: number, end: number): void {
    this.#hidden.push({ start, end })
    this.#merged = undefined
  }

  /** The marked parts that touch `within`, in order. A file may have very many, and each of its frames asks. */
  hiddenWithin(within: Span): readonly Span[] {
    this.#merged ??= mergeSpans(this.#hidden)
    const spans = this.#merged
    let first = 0
    let after = spans.length
    while (first < after) {
      const middle = (first + after) >> 1
      if ((spans[middle] as Span).end <= within.start) first = middle + 1
      else after = middle
    }
    let last = first
    while (last < spans.length && (spans[last] as Span).start <= within.end) last++
    return spans.slice(first, last)
  }

  #starts(): readonly number[] {
    this.#lineStarts ??= findLineStarts(this.text)
    return this.#lineStarts
  }
}

/** In order, and those that touch made one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = []
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else if (end > start) result.push({ start, end })
  }
  return result
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  if (text.includes('\r')) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code === 10 || (code === 13 && text.charCodeAt(index + 1) !== 10)) starts.push(index + 1)
    }
    return starts
  }
  // Faster, and nearly every file has no other line breaks.
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1)
  return starts
}

function isBreak(code: number): boolean {
  return code === 10 || code === 13
}

export class OffsetStack {
  readonly #table: OffsetTable
  readonly #values: number[] = []
  #top = 0

  constructor(table: OffsetTable) {
    this.#table = table
  }

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

class OffsetTable {
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
