// One file that was read: its text, where its lines start, and what of it must not be shown.
import type { Source } from '../core/model/source.ts'
import type { Place } from '../errors/index.ts'
import { OffsetTable } from './offsets.ts'

/** Part of a text, in UTF-16 code units from its start; `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Keeps the text: the strings of the loaded values are slices of it and hold it in memory anyway. Line starts are worked
 * out when the first place is asked for, so a file without problems never pays for them.
 */
export class TextSource implements Source {
  readonly file: string
  readonly text: string
  /** Of what was read of it. */
  readonly offsets = new OffsetTable()
  /** False for a file outside the project: its lines are not shown to whoever reads the log of a pipeline. */
  isQuotable = true
  /** True once it has been parsed: what must be hidden is then known by its place, and need not be guessed. */
  parsed = false
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
