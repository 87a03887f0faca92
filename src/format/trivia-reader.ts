// Finds for each comment what it is about: by the line it shares, or by its indentation.
import { type CollectionNode, type Trivia, Unformattable } from './layout.ts'

/** Takes the comment of a line, unless another node owns it. */
type Owner = (text: string) => boolean

export class TriviaReader {
  readonly #text: string
  /** The offset up to which the text has been read. */
  at = 0
  /** Comments and blank lines since the last content. */
  #pending: Trivia[] = []
  /** Block collections that ended with the last content, the deepest first. */
  #ended: CollectionNode[] = []
  #lineIsEmpty = true
  #owner: Owner | undefined

  constructor(text: string) {
    this.#text = text
  }

  columnOf(offset: number): number {
    return offset - (this.#text.lastIndexOf('\n', offset - 1) + 1)
  }

  /** Moves over spaces, line breaks and comments, up to `end`; returns the character there, or nothing. */
  skip(end = this.#text.length): string {
    for (; this.at < end; this.at++) {
      const char = this.#text[this.at] as string
      if (char === '#') this.#readComment()
      else if (char === '\n') {
        if (this.#lineIsEmpty) this.#pending.push({ text: '', column: 0 })
        this.atLineStart()
      } else if (char === '\ufeff') throw new Unformattable('has a byte order mark behind its start', this.at)
      else if (char !== ' ' && char !== '\t') return char
    }
    return ''
  }

  #readComment(): void {
    const end = this.#text.indexOf('\n', this.at)
    const line = this.#text.slice(this.at, end < 0 ? undefined : end)
    const text = line.trimEnd()
    const taken = !this.#lineIsEmpty && this.#owner?.(text) === true
    if (!taken) this.#pending.push({ text, column: this.columnOf(this.at) })
    this.#lineIsEmpty = false
    this.at += line.length - 1
  }

  /** Something else stands on the line, up to `end`; `owner` gets a comment behind it. */
  content(end: number, owner: Owner): void {
    this.at = end
    this.#lineIsEmpty = false
    this.#owner = owner
  }

  /** The last content ended with its line break, as block scalars do. */
  atLineStart(): void {
    this.#lineIsEmpty = true
    this.#owner = undefined
  }

  ended(collection: CollectionNode): void {
    this.#ended.push(collection)
  }

  /** The comments above an item in `column`: deeper indented ones belong to the part that ended before. */
  above(column: number): Trivia[] {
    const pending = this.#pending
    this.#pending = []
    let depth = 0
    let from = 0
    for (const [index, { text, column: at }] of pending.entries()) {
      if (text === '') continue
      // A comment that is written less far in ends the deeper collections.
      while (depth < this.#ended.length && !this.#isIn(depth, at, column)) depth++
      const collection = this.#ended[depth]
      if (collection === undefined) break
      collection.trailing.push(...pending.slice(from, index + 1))
      from = index + 1
    }
    this.#ended = []
    return pending.slice(from)
  }

  /** Everything that is left over inside brackets, or at an end. */
  rest(): Trivia[] {
    return this.above(Number.POSITIVE_INFINITY)
  }

  #isIn(depth: number, at: number, next: number): boolean {
    const collection = this.#ended[depth] as CollectionNode
    if (at <= next || at < collection.column) return false
    // A list that stands as far left as its key: what follows in that column is rather about the mapping.
    const outer = this.#ended[depth + 1]
    return outer === undefined || outer.column < collection.column || at > collection.column
  }
}
