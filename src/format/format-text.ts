// The canonical form of a manifest's text, or why it has none.
import { isParsed, parseYaml } from '@svcsync/manifests/parse-yaml.ts'
import type { MappingShape } from '@svcsync/manifests/shape.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import type { Event } from 'js-yaml'
import { type LayoutDocument, type Trivia, Unformattable } from './layout.ts'
import { printLayout } from './print-layout.ts'
import { NodeReader } from './read-node.ts'
import { meansTheSame } from './same-meaning.ts'
import { sortKeys } from './sort-keys.ts'
import { TriviaReader } from './trivia-reader.ts'

/** `refused`: the reason to leave the text, after the file's name. `foreign`: the file belongs to another tool. */
type Formatted =
  | { readonly text: string }
  | { readonly refused: string; readonly offset: number; readonly foreign?: true }

/**
 * Line breaks become all CRLF where the first one is, and all LF otherwise; a byte order mark stays. `shapes`: of what
 * the text may be; of several, the first that knows a key at its top.
 */
export function formatText(text: string, ...shapes: readonly [MappingShape, ...MappingShape[]]): Formatted {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const content = text.slice(mark.length).replaceAll('\r\n', '\n')
  if (content.includes('\r')) return { refused: 'has line breaks of an old kind', offset: text.indexOf('\r') }
  const events = parseYaml(new TextSource('', content))
  if (!isParsed(events)) return { refused: 'is not YAML', offset: 0 }
  try {
    const documents = readLayout(content, events)
    const shape = shapes.length === 1 ? shapes[0] : shapeOfText(documents, shapes)
    if (shape === undefined)
      return {
        refused: 'is neither a manifest nor a file of policies, nor of accepted access',
        offset: 0,
        foreign: true,
      }
    for (const { root } of documents) if (root !== undefined) sortKeys(root, shape)
    const formatted = printLayout(documents)
    if (formatted === content && lineBreak === '\n') return { text }
    const after = parseYaml(new TextSource('', formatted))
    if (!isParsed(after) || !meansTheSame({ text: content, events }, { text: formatted, events: after }))
      return { refused: 'would not mean the same afterwards: a defect in svcsync, please report it', offset: 0 }
    return { text: `${mark}${formatted.replaceAll('\n', lineBreak)}` }
  } catch (error) {
    if (!(error instanceof Unformattable)) throw error
    return { refused: error.reason, offset: offsetIn(text.slice(mark.length), error.offset) }
  }
}

/** The first shape for an empty text. Undefined: no shape knows any key of the text. */
function shapeOfText(documents: readonly LayoutDocument[], shapes: readonly MappingShape[]): MappingShape | undefined {
  const roots = documents.flatMap(({ root }) => root ?? [])
  if (roots.every(({ entries }) => entries.length === 0)) return shapes[0]
  const keys = roots.flatMap((root) =>
    root.type === 'mapping' ? root.entries.flatMap(({ key }) => key?.name ?? []) : [],
  )
  return shapes.find(({ fields }) => keys.some((key) => fields.has(key)))
}

/** Translates an offset in the text with plain line feeds to the original text. */
function offsetIn(written: string, offset: number): number {
  let at = offset
  for (let index = written.indexOf('\r\n'); index >= 0 && index < at; index = written.indexOf('\r\n', index + 2)) at++
  return at
}

/** The documents of a text whose line breaks are `\n`. Throws `Unformattable`. */
function readLayout(text: string, events: readonly Event[]): LayoutDocument[] {
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
