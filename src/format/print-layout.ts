// Layout → text: two columns further in at each level, one blank line between sections, one blank before a comment.
import type { CollectionNode, Entry, LayoutDocument, Trivia } from './layout.ts'
import { LineWriter } from './line-writer.ts'
import { joined, oneLine } from './print-flow.ts'

/** Columns that a collection in brackets may reach. */
const maxWidth = 100

export function printLayout(documents: readonly LayoutDocument[]): string {
  const out = new LineWriter()
  for (const document of documents) printDocument(out, document)
  return out.toString()
}

function printDocument(out: LineWriter, { before, marker, root, loose, closed }: LayoutDocument): void {
  printTrivia(out, before, 0)
  if (marker !== undefined) {
    out.trim()
    out.line(0, marker)
  }
  if (root !== undefined) {
    const bracketed = oneLine(root)
    if (bracketed !== undefined && fits(bracketed, 0)) out.line(0, bracketed)
    else printBlock(out, root, 0, root.type === 'mapping')
  }
  printTrivia(out, loose, 0)
  if (closed) {
    out.trim()
    out.line(0, '...')
  }
}

/** `apart`: a blank line between the entries. Else they stay as people have grouped them. */
function printBlock(out: LineWriter, node: CollectionNode, indent: number, apart = false): void {
  const header = withoutBlanksAhead(node.header)
  printTrivia(out, header, indent)
  for (const [index, entry] of node.entries.entries()) {
    const comments = index === 0 ? withoutBlanksAhead(entry.leading) : entry.leading
    if (index > 0 ? apart : header.length > 0 && comments.length > 0) out.blank()
    printTrivia(out, comments, indent)
    printEntry(out, entry, indent)
  }
  printTrivia(out, node.trailing, indent)
}

function printEntry(out: LineWriter, entry: Entry, indent: number): void {
  const { key, value, afterKey, afterValue } = entry
  const head = key === undefined ? '-' : `${joined(...key.props, key.text)}:`
  const comment = afterKey ?? afterValue
  const inline = oneLine(value)
  const isScalar = value.type === 'scalar'
  if (inline !== undefined && (isScalar || isEmpty(value) || fits(`${head} ${inline}`, indent))) {
    out.line(indent, joined(head, inline, comment))
  } else if (isScalar) {
    printLongScalar(out, joined(head, ...value.props), value.lines, comment, indent)
  } else if (value.type === 'block-scalar') {
    out.line(indent, joined(head, ...value.props, value.header, comment))
    out.text(indent + 2, value.lines, value.keepsEnd)
  } else {
    // The first line of what a dash holds stands behind it, unless something else does.
    if (key === undefined && value.props.length === 0 && comment === undefined) out.dash(indent)
    else out.line(indent, joined(head, ...value.props, comment))
    printBlock(out, value, indent + 2)
  }
}

function printLongScalar(
  out: LineWriter,
  head: string,
  lines: readonly string[],
  comment: string | undefined,
  indent: number,
): void {
  out.line(indent, `${head} ${lines[0]}`)
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue
    const text = index === lines.length - 1 ? joined(line, comment) : line
    out.text(indent + 2, [text], false)
  }
}

function printTrivia(out: LineWriter, list: readonly Trivia[], indent: number): void {
  for (const { text } of list) {
    if (text === '') out.blank()
    else out.line(indent, text)
  }
}

function withoutBlanksAhead(list: readonly Trivia[]): readonly Trivia[] {
  const first = list.findIndex(({ text }) => text !== '')
  return first < 0 ? [] : list.slice(first)
}

function isEmpty(value: Entry['value']): boolean {
  return 'entries' in value && value.entries.length === 0
}

function fits(text: string, indent: number): boolean {
  return indent + [...text].length <= maxWidth
}
