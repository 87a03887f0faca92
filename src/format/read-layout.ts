// Text → layout, through the concrete syntax of the yaml package: it alone knows where everything is written.
import { type CST, Parser } from 'yaml'
import { type CollectionNode, isCollection, type LayoutDocument, type Trivia, Unformattable } from './layout.ts'
import { emptyEntry, NodeReader } from './read-node.ts'
import { TriviaReader } from './trivia-reader.ts'

/** The documents of a text whose line breaks are `\n`. Throws `Unformattable`. */
export function readLayout(text: string): LayoutDocument[] {
  return new LayoutReader(text).readStream()
}

class LayoutReader {
  readonly #text: string
  readonly #trivia: TriviaReader
  readonly #nodes: NodeReader

  constructor(text: string) {
    this.#text = text
    this.#trivia = new TriviaReader(text)
    this.#nodes = new NodeReader(this.#trivia)
  }

  readStream(): LayoutDocument[] {
    const documents: LayoutDocument[] = []
    let before: Trivia[] = []
    for (const token of new Parser().parse(this.#text)) {
      if (token.type === 'document') {
        documents.push(this.#readDocument(token, before))
        before = []
      } else if (token.type === 'directive') {
        before.push(...this.#trivia.rest(), { text: token.source.trimEnd(), column: 0 })
        this.#trivia.content(() => false)
      } else if (token.type === 'doc-end') {
        this.#close(documents)
        this.#trivia.content(() => false)
        for (const each of token.end ?? []) this.#trivia.take(each)
      } else if (!this.#trivia.take(token as CST.SourceToken)) {
        throw new Unformattable('cannot be read by the formatter', token.offset)
      }
    }
    const rest = this.#trivia.rest()
    if (rest.length > 0 || before.length > 0) {
      documents.push({ before: [...before, ...rest], marker: undefined, root: undefined, loose: [], closed: false })
    }
    return documents
  }

  #close(documents: LayoutDocument[]): void {
    const last = documents.pop()
    if (last === undefined || last.closed) {
      if (last !== undefined) documents.push(last)
      documents.push({ before: this.#trivia.rest(), marker: undefined, root: undefined, loose: [], closed: true })
    } else {
      documents.push({ ...last, closed: true })
    }
  }

  #readDocument(token: CST.Document, directives: readonly Trivia[]): LayoutDocument {
    let before = directives
    let marker: string | undefined
    const props: string[] = []
    for (const each of token.start) {
      if (this.#trivia.take(each)) continue
      if (each.type === 'doc-start') {
        before = [...before, ...this.#trivia.rest()]
        marker = '---'
        this.#trivia.content((text) => {
          const free = marker === '---'
          if (free) marker = `--- ${text}`
          return free
        })
      } else {
        props.push(each.source)
        this.#trivia.content()
      }
    }
    if (props.length > 0) throw new Unformattable('has an anchor or a tag on a whole document', token.offset)
    const root = token.value && this.#readRoot(token.value)
    for (const each of token.end ?? []) this.#trivia.take(each)
    const left = this.#trivia.above(-1)
    if (root === undefined) return { before, marker, root, loose: left, closed: false }
    if (root.flow) return { before, marker, root, loose: left, closed: false }
    root.trailing.push(...left)
    const first = root.entries[0]?.leading ?? []
    root.header = first.splice(0, headerLength(first))
    return { before, marker, root, loose: [], closed: false }
  }

  #readRoot(token: CST.Token): CollectionNode | undefined {
    if (token.type === 'scalar' && token.source === '') {
      for (const each of token.end ?? []) this.#trivia.take(each)
      return undefined
    }
    const above = token.type === 'flow-collection' ? this.#trivia.rest() : []
    const entry = emptyEntry(above)
    const root = this.#nodes.readValue(token, { props: [], offset: token.offset }, entry, 0)
    if (!isCollection(root)) throw new Unformattable('holds a single value', token.offset)
    root.header.push(...entry.leading)
    if (entry.afterValue !== undefined) root.header.push({ text: entry.afterValue, column: 0 })
    return root
  }
}

/** The number of comments that stay on top: those above the last blank line, or up to the schema's line. */
function headerLength(leading: readonly Trivia[]): number {
  const blank = leading.findLastIndex(({ text }) => text === '')
  const modeline = leading.findLastIndex(({ text }) => /^#\s*yaml-language-server\s*:/.test(text))
  return Math.max(blank, modeline) + 1
}
