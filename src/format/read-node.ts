// One node of the parser's events → layout, with the comments that belong to it.
import { CHOMPING_MODE, COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { type CollectionNode, type Entry, isCollection, type LayoutNode, type Trivia, Unformattable } from './layout.ts'
import type { TriviaReader } from './trivia-reader.ts'

type Of<T extends Event['type']> = Extract<Event, { readonly type: T }>
type CollectionEvent = Of<typeof EVENT_ID.MAPPING> | Of<typeof EVENT_ID.SEQUENCE>
type ScalarEvent = Of<typeof EVENT_ID.SCALAR>

export class NodeReader {
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #trivia: TriviaReader
  #index = 0

  constructor(text: string, events: readonly Event[], trivia: TriviaReader) {
    this.#text = text
    this.#events = events
    this.#trivia = trivia
  }

  /** Moves into the next document; tells whether `---` begins it. */
  openDocument(): boolean {
    if (this.#next?.type !== EVENT_ID.DOCUMENT) throw this.#unreadable()
    const { explicitStart } = this.#next
    this.#index++
    return explicitStart
  }

  /** The root of the document, which begins at `start`. Undefined: the document is empty. */
  readRoot(start: number): CollectionNode | undefined {
    if (this.#readProps().length > 0) throw new Unformattable('has an anchor or a tag on a whole document', start)
    const { at } = this.#trivia
    const next = this.#next
    const entry = emptyEntry(isBlock(next) || isEmpty(next) ? [] : this.#trivia.rest())
    const root = this.#readValue([], entry)
    this.#trivia.skip()
    if (!this.#isEnd()) throw this.#unreadable()
    this.#index++
    if (isEmpty(next)) return undefined
    if (!isCollection(root)) throw new Unformattable('holds a single value', at)
    root.header.push(...entry.leading)
    if (entry.afterValue !== undefined) root.header.push({ text: entry.afterValue, column: 0 })
    return root
  }

  /** The event of the next node, or of the end of what contains it. */
  get #next(): Event | undefined {
    return this.#events[this.#index]
  }

  /** Reads the node whose first character is next. */
  #readValue(props: readonly string[], entry: Entry): LayoutNode {
    const event = this.#next
    this.#index++
    switch (event?.type) {
      case EVENT_ID.ALIAS: {
        const name = this.#text.slice(event.anchorStart, event.anchorEnd)
        return this.#readText(event.anchorStart - 1, event.anchorEnd, props, entry, name)
      }
      case EVENT_ID.SCALAR:
        if (event.valueStart < 0) return { type: 'scalar', props, lines: [], alias: undefined }
        if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK) {
          return this.#readBlockScalar(event, props, entry)
        }
        return this.#readText(...extentOf(event), props, entry)
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        return this.#readCollection(event, props, entry)
      default:
        throw this.#unreadable()
    }
  }

  #unreadable(): Unformattable {
    return new Unformattable('cannot be read by the formatter', this.#trivia.at)
  }

  #readText(start: number, end: number, props: readonly string[], entry: Entry, alias?: string): LayoutNode {
    if (this.#trivia.at !== start) throw this.#unreadable()
    this.#trivia.content(end, commentOf(entry, 'afterValue'))
    this.#trivia.skip()
    const [first = '', ...more] = this.#text.slice(start, end).split('\n')
    return { type: 'scalar', props, lines: [first, ...more.map((line) => line.replace(/^[ \t]+/, ''))], alias }
  }

  #readBlockScalar(event: ScalarEvent, props: readonly string[], entry: Entry): LayoutNode {
    const { valueStart, indent } = event
    const header = /^[|>][-+\d]*/.exec(this.#text.slice(this.#trivia.at, valueStart))?.[0]
    if (header === undefined) throw this.#unreadable()
    this.#trivia.content(this.#trivia.at + header.length, commentOf(entry, 'afterValue'))
    this.#trivia.skip(valueStart)
    const keepsEnd = event.chomping === CHOMPING_MODE.KEEP
    this.#trivia.at = keepsEnd ? event.valueEnd : endOfText(this.#text, event)
    this.#trivia.atLineStart()
    const written = this.#text.slice(valueStart, this.#trivia.at).split('\n')
    // The text ends with the break of its last line, which does not begin another one.
    if (written.at(-1) === '') written.pop()
    const lines = written.map((line) => (indent < 0 ? '' : line.slice(indent)))
    while (!keepsEnd && lines.at(-1) === '') lines.pop()
    // The lines always stand two columns further in than their parent.
    return { type: 'block-scalar', props, header: header.replace(/\d/, '2'), lines, keepsEnd }
  }

  #readCollection({ type, start, style }: CollectionEvent, props: readonly string[], entry: Entry): CollectionNode {
    const name = type === EVENT_ID.MAPPING ? 'mapping' : 'sequence'
    const flow = style === COLLECTION_STYLE.FLOW
    // Inside brackets indentation tells nothing.
    const column = flow ? 0 : this.#trivia.columnOf(start)
    const node: CollectionNode = { type: name, props, flow, column, header: [], entries: [], trailing: [] }
    if (this.#trivia.at !== start) throw this.#unreadable()
    if (flow) this.#readFlow(node, entry)
    else this.#readBlock(node)
    return node
  }

  #readBlock(node: CollectionNode): void {
    for (this.#trivia.skip(); !this.#isEnd(); this.#trivia.skip()) {
      node.entries.push(this.#readEntry(node, this.#trivia.columnOf(this.#trivia.at)))
    }
    this.#index++
    this.#trivia.ended(node)
  }

  #readFlow(node: CollectionNode, entry: Entry): void {
    const trivia = this.#trivia
    if (this.#text[trivia.at] !== (node.type === 'mapping' ? '{' : '[')) {
      throw new Unformattable('holds a pair in a list', trivia.at)
    }
    trivia.content(trivia.at + 1, () => false)
    for (;;) {
      while (trivia.skip() === ',') trivia.at++
      if (this.#isEnd()) break
      // Blank lines inside brackets are no order that somebody made, either.
      node.entries.push(this.#readEntry(node, Number.POSITIVE_INFINITY))
    }
    this.#index++
    node.trailing.push(...withoutBlanks(trivia.rest()))
    trivia.content(trivia.at + 1, commentOf(entry, 'afterValue'))
    trivia.skip()
    for (const entry of node.entries) entry.leading = withoutBlanks(entry.leading)
    if (node.entries.length === 0) entry.leading.push(...node.trailing.splice(0))
  }

  #isEnd(): boolean {
    return this.#next?.type === EVENT_ID.POP
  }

  /** Reads an entry from its dash, key or first anchor or tag, which stands in `column`. */
  #readEntry({ type, flow }: CollectionNode, column: number): Entry {
    const trivia = this.#trivia
    const start = trivia.at
    if (this.#text[start] === '?' && !(this.#next?.type === EVENT_ID.SCALAR && this.#next.valueStart === start)) {
      throw new Unformattable('holds a key behind a question mark', start)
    }
    const isItem = type === 'sequence'
    let props = isItem && !flow ? [] : this.#readProps()
    const above = trivia.above(column)
    const entry = emptyEntry(above, isItem ? undefined : this.#readKey(props, start))
    const owner = commentOf(entry, 'afterKey')
    if (!isItem || !flow) {
      trivia.content(isItem ? start + 1 : trivia.at, owner)
      if (!isItem && trivia.skip() === ':') trivia.content(trivia.at + 1, owner)
      props = this.#readProps(owner)
    }
    const next = this.#next
    const hasBlock = isBlock(next)
    const place = entry.leading.length
    // Between a key and a value that is no block there is no line for comments: they go above the key.
    if (!hasBlock && !isEmpty(next)) entry.leading.push(...withoutBlanks(trivia.rest()))
    entry.value = this.#readValue(props, entry)
    if (!hasBlock) settleComments(entry, place)
    return entry
  }

  /** Moves to the next node's content; returns its anchor and tag. `owner` gets the comments behind these. */
  #readProps(owner?: (text: string) => boolean): string[] {
    const props: string[] = []
    const trivia = this.#trivia
    const next = this.#next
    for (trivia.skip(); next !== undefined && 'tagStart' in next; trivia.skip()) {
      const start = trivia.at
      const end = next.tagStart === start ? next.tagEnd : next.anchorStart - 1 === start ? next.anchorEnd : undefined
      if (end === undefined) break
      props.push(this.#text.slice(start, end))
      if (owner === undefined) trivia.at = end
      else trivia.content(end, owner)
    }
    return props
  }

  #readKey(props: readonly string[], start: number): Entry['key'] {
    const next = this.#next
    if (next?.type !== EVENT_ID.SCALAR || next.valueStart < 0) {
      throw new Unformattable('holds a key that is no text', start)
    }
    this.#index++
    const [from, to] = extentOf(next)
    if (this.#trivia.at !== from) throw this.#unreadable()
    const text = this.#text.slice(from, to)
    if (text.includes('\n')) throw new Unformattable('holds a key of several lines', start)
    this.#trivia.at = to
    return { props, text, name: getScalarValue(this.#text, next), plain: next.style === SCALAR_STYLE.PLAIN }
  }
}

function isBlock(event: Event | undefined): boolean {
  return event !== undefined && 'start' in event && event.style === COLLECTION_STYLE.BLOCK
}

function isEmpty(event: Event | undefined): boolean {
  return event?.type === EVENT_ID.SCALAR && event.valueStart < 0
}

/** With its quotes. */
function extentOf({ style, valueStart, valueEnd }: ScalarEvent): readonly [number, number] {
  return style === SCALAR_STYLE.PLAIN ? [valueStart, valueEnd] : [valueStart - 1, valueEnd + 1]
}

/** The end without the blank lines that do not belong to the text. */
function endOfText(text: string, { valueStart, valueEnd, indent }: ScalarEvent): number {
  // As if the last line of a file always had its break.
  let end = text[valueEnd - 1] === '\n' ? valueEnd : valueEnd + 1
  for (;;) {
    const start = text.lastIndexOf('\n', end - 2) + 1
    const isBlank = end - 1 - start <= Math.max(indent, 0) && text.slice(start, end - 1).trim() === ''
    if (start < valueStart || !isBlank) return Math.min(end, text.length)
    end = start
  }
}

export function emptyEntry(leading: Trivia[], key?: Entry['key']): Entry {
  const value: LayoutNode = { type: 'scalar', props: [], lines: [], alias: undefined }
  return { leading, key, value, afterKey: undefined, afterValue: undefined }
}

/** The first comment behind it is its own; behind an empty value, there may have been one before. */
function commentOf(entry: Entry, where: 'afterKey' | 'afterValue'): (text: string) => boolean {
  return (text) => {
    if (entry[where] !== undefined || entry.afterValue !== undefined) return false
    entry[where] = text
    return true
  }
}

/** A value of one line has room for one comment behind it. `place`: of another one, in their order, above the key. */
function settleComments(entry: Entry, place: number): void {
  if (entry.afterKey === undefined) return
  if (entry.afterValue === undefined) entry.afterValue = entry.afterKey
  else entry.leading.splice(place, 0, { text: entry.afterKey, column: 0 })
  entry.afterKey = undefined
}

function withoutBlanks(list: readonly Trivia[]): Trivia[] {
  return list.filter(({ text }) => text !== '')
}
