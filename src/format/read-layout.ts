// Text and the parser's events → layout. The events say where nodes are; what stands between them is read here.
import type { Event } from 'js-yaml'
import type { LayoutDocument, Trivia } from './layout.ts'
import { NodeReader } from './read-node.ts'
import { TriviaReader } from './trivia-reader.ts'

/** The documents of a text whose line breaks are `\n`. Throws `Unformattable`. */
export function readLayout(text: string, events: readonly Event[]): LayoutDocument[] {
  const trivia = new TriviaReader(text)
  const nodes = new NodeReader(text, events, trivia)
  const documents: LayoutDocument[] = []
  let before: Trivia[] = []
  for (let next = trivia.skip(); next !== ''; next = trivia.skip()) {
    const { at } = trivia
    const [line = ''] = text.slice(at).split('\n', 1)
    if (next === '%') {
      const directive = line.replace(/[ \t]+#.*$/, '').trimEnd()
      before.push(...trivia.rest(), { text: directive, column: 0 })
      trivia.content(at + directive.length, () => false)
    } else if (/^\.{3}(?:\s|$)/.test(line) && trivia.columnOf(at) === 0) {
      const last = documents.at(-1)
      if (last === undefined || last.closed) documents.push({ ...emptyDocument, before: trivia.rest(), closed: true })
      else last.closed = true
      trivia.content(at + 3, () => false)
    } else {
      documents.push(readDocument(nodes, trivia, before))
      before = []
    }
  }
  const rest = trivia.rest()
  if (rest.length > 0 || before.length > 0) documents.push({ ...emptyDocument, before: [...before, ...rest] })
  return documents
}

const emptyDocument = { marker: '', root: undefined, loose: [], closed: false }

function readDocument(nodes: NodeReader, trivia: TriviaReader, directives: readonly Trivia[]): LayoutDocument {
  const start = trivia.at
  const document = { before: directives, marker: '', closed: false }
  if (nodes.openDocument()) {
    document.before = [...directives, ...trivia.rest()]
    document.marker = '---'
    trivia.content(start + 3, (text) => {
      const free = document.marker === '---'
      if (free) document.marker = `--- ${text}`
      return free
    })
  }
  const root = nodes.readRoot(start)
  const left = trivia.above(-1)
  if (root === undefined || root.flow) return { ...document, root, loose: left }
  root.trailing.push(...left)
  const first = root.entries[0]?.leading ?? []
  root.header = first.splice(0, headerLength(first))
  return { ...document, root, loose: [] }
}

/** The number of comments that stay on top: those above the last blank line, or up to the schema's line. */
function headerLength(leading: readonly Trivia[]): number {
  const blank = leading.findLastIndex(({ text }) => text === '')
  const modeline = leading.findLastIndex(({ text }) => /^#\s*yaml-language-server\s*:/.test(text))
  return Math.max(blank, modeline) + 1
}
