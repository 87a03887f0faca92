// Layout → text: two columns further in at each level, one blank line between sections, one blank before a comment.
import type { CollectionNode, Entry, LayoutDocument, LayoutNode, Trivia } from './layout.ts'

/** Columns that a collection in brackets may reach. */
const maxWidth = 100

export function printLayout(documents: readonly LayoutDocument[]): string {
  const out = new LineWriter()
  for (const document of documents) printDocument(out, document)
  return out.toString()
}

function printDocument(out: LineWriter, { before, marker, root, loose, closed }: LayoutDocument): void {
  printTrivia(out, before, 0)
  if (marker !== '') {
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
  // Only a whole document has come here that way, below its comments.
  if (node.entries.length === 0) out.line(indent, node.type === 'mapping' ? '{}' : '[]')
  printTrivia(out, node.trailing, indent)
}

function printEntry(out: LineWriter, entry: Entry, indent: number): void {
  const { key, value, afterKey, afterValue } = entry
  const head = key === undefined ? '-' : `${joined(...key.props, key.text)}:`
  const comment = afterKey ?? afterValue
  const inline = oneLine(value)
  const isScalar = value.type === 'scalar'
  if (inline !== undefined && (isScalar || isEmpty(value) || fits(`${head} ${inline}`, indent) || isWide(value))) {
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

function isWide(value: Entry['value']): boolean {
  return 'entries' in value && value.wide === true
}

function fits(text: string, indent: number): boolean {
  return indent + [...text].length <= maxWidth
}

/** The node as one line. Undefined: it contains a comment or a text of several lines, or is another kind of node. */
function oneLine(node: LayoutNode): string | undefined {
  if (node.type === 'block-scalar') return undefined
  const { type, props } = node
  const bare = type !== 'scalar' ? bracketed(node) : node.lines.length > 1 ? undefined : (node.lines[0] ?? '')
  return bare === undefined || props.length === 0 ? bare : joined(...props, bare)
}

function joined(...parts: readonly (string | undefined)[]): string {
  let line = ''
  for (const part of parts) if (part !== undefined && part !== '') line = line === '' ? part : `${line} ${part}`
  return line
}

function bracketed({ flow, type, header, trailing, entries }: CollectionNode): string | undefined {
  if (!flow || header.length > 0 || trailing.length > 0) return undefined
  const parts: string[] = []
  for (const entry of entries) {
    const part = entryInLine(entry)
    if (part === undefined) return undefined
    parts.push(part)
  }
  if (type === 'sequence') return `[${parts.join(', ')}]`
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function entryInLine({ leading, key, value, afterKey, afterValue }: Entry): string | undefined {
  if (leading.length > 0 || afterKey !== undefined || afterValue !== undefined) return undefined
  const text = ('inBrackets' in value ? value.inBrackets : undefined) ?? oneLine(value)
  if (text === undefined || key === undefined) return text
  const name = joined(...key.props, key.text)
  return text === '' ? name : `${name}: ${text}`
}

class LineWriter {
  readonly #lines: string[] = []
  /** A line that has begun with dashes, and waits for what comes behind them. */
  #open: string | undefined
  /** The last lines belong to a text, blank ones too, or to a dash: nothing may be added to them. */
  #closed = false

  line(indent: number, text: string): void {
    this.#lines.push(`${this.#open ?? ' '.repeat(indent)}${text}`)
    // Read again, a comment behind a dash belongs to it, and blank lines below that tell nothing.
    this.#closed = this.#open !== undefined && text.startsWith('#')
    this.#open = undefined
  }

  /** Begins a line with a dash; what is written next stands behind it. */
  dash(indent: number): void {
    this.#open = `${this.#open ?? ' '.repeat(indent)}- `
  }

  text(indent: number, lines: readonly string[], keepsEnd: boolean): void {
    for (const line of lines) this.#lines.push(line === '' ? '' : `${' '.repeat(indent)}${line}`)
    this.#closed = keepsEnd
  }

  /** One blank line, unless there is one, or none can be. */
  blank(): void {
    if (this.#closed || this.#open !== undefined || this.#lines.length === 0 || this.#lines.at(-1) === '') return
    this.#lines.push('')
  }

  /** Takes blank lines back: nothing follows that they would set apart. */
  trim(): void {
    while (!this.#closed && this.#lines.at(-1) === '') this.#lines.pop()
  }

  toString(): string {
    this.trim()
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`
  }
}
