// One node of the concrete syntax → layout, with the comments that belong to it.

import { CST } from 'yaml'
import { type CollectionNode, type Entry, type LayoutNode, type Trivia, Unformattable } from './layout.ts'
import type { TriviaReader } from './trivia-reader.ts'

type Item = CST.CollectionItem
type Props = { readonly props: string[]; readonly offset: number }

export class NodeReader {
  readonly #trivia: TriviaReader

  constructor(trivia: TriviaReader) {
    this.#trivia = trivia
  }

  /** `parentColumn`: of the collection that contains the value. */
  readValue(token: CST.Token | null | undefined, { props }: Props, entry: Entry, parentColumn: number): LayoutNode {
    switch (token?.type) {
      case undefined:
        return { type: 'scalar', props, lines: [], alias: undefined }
      case 'alias':
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
        return this.#readScalar(token, props, entry)
      case 'block-scalar':
        return this.#readBlockScalar(token, props, entry, parentColumn)
      case 'block-map':
      case 'block-seq':
        return this.#readBlock(token, props)
      case 'flow-collection':
        return this.#readFlow(token, props, entry)
      default:
        throw new Unformattable('cannot be read by the formatter', token?.offset ?? 0)
    }
  }

  #readScalar(token: CST.FlowScalar, props: string[], entry: Entry): LayoutNode {
    if (token.source !== '') this.#trivia.content(commentOf(entry, 'afterValue'))
    for (const each of token.end ?? []) this.#trivia.take(each)
    const [first = '', ...more] = token.source.split('\n')
    const lines = token.source === '' ? [] : [first, ...more.map((line) => line.replace(/^[ \t]+/, ''))]
    return { type: 'scalar', props, lines, alias: token.type === 'alias' ? token.source.slice(1) : undefined }
  }

  #readBlockScalar(token: CST.BlockScalar, props: string[], entry: Entry, parentColumn: number): LayoutNode {
    const own = [...props]
    let header = ''
    for (const each of token.props) {
      if (each.type === 'block-scalar-header') {
        header = each.source
        this.#trivia.content(commentOf(entry, 'afterValue'))
      } else if (each.type === 'anchor' || each.type === 'tag') {
        own.push(each.source)
        this.#trivia.content()
      } else {
        this.#trivia.take(each as CST.SourceToken)
      }
    }
    const node = readBlockScalar(token.source, header, own, parentColumn)
    this.#trivia.atLineStart()
    return node
  }

  #readBlock(token: CST.BlockMap | CST.BlockSequence, props: string[]): CollectionNode {
    const type = token.type === 'block-map' ? 'mapping' : 'sequence'
    let node: CollectionNode | undefined
    for (const item of token.items) {
      const before = this.#readStart(item)
      if (before === undefined) continue
      const column = this.#trivia.columnOf(before.offset)
      node ??= { type, props, flow: false, column, header: [], entries: [], trailing: [] }
      node.entries.push(this.#readEntry(item, before, type, column))
    }
    if (node === undefined) throw new Unformattable('cannot be read by the formatter', token.offset)
    this.#trivia.ended(node)
    return node
  }

  /** Reads up to the dash or key. Undefined: there is none, only what stands behind the last item. */
  #readStart(item: Item): (Props & { readonly rest: readonly CST.SourceToken[] }) | undefined {
    const props: string[] = []
    let offset: number | undefined
    for (const [index, token] of item.start.entries()) {
      if (token.type === 'comma' || this.#trivia.take(token)) continue
      if (token.type === 'explicit-key-ind') throw new Unformattable('holds a key behind a question mark', token.offset)
      offset ??= token.offset
      if (token.type === 'seq-item-ind') return { props, offset, rest: item.start.slice(index + 1) }
      if (token.type === 'anchor' || token.type === 'tag') props.push(token.source)
    }
    offset ??= item.key?.offset ?? item.sep?.[0]?.offset ?? item.value?.offset
    return offset === undefined ? undefined : { props, offset, rest: [] }
  }

  #readEntry(
    item: Item,
    before: Props & { readonly rest: readonly CST.SourceToken[] },
    type: CollectionNode['type'],
    column: number,
  ): Entry {
    const entry = emptyEntry(this.#trivia.above(column), this.#readKey(item, before, type))
    this.#trivia.content(commentOf(entry, 'afterKey'))
    const props: string[] =
      type === 'sequence' && item.sep === undefined && before.rest.length === 0 ? before.props : []
    for (const each of [...before.rest, ...(item.sep ?? [])]) {
      if (this.#trivia.take(each)) continue
      if (each.type === 'anchor' || each.type === 'tag') props.push(each.source)
      this.#trivia.content(commentOf(entry, 'afterKey'))
    }
    const isBlock = item.value?.type === 'block-map' || item.value?.type === 'block-seq'
    // Between a key and a value that is no block there is no line for comments: they go above the key.
    if (!isBlock && item.value != null) entry.leading.push(...withoutBlanks(this.#trivia.rest()))
    entry.value = this.readValue(item.value, { props, offset: before.offset }, entry, column)
    if (!isBlock) settleComments(entry)
    return entry
  }

  #readKey(item: Item, { props, offset }: Props, type: CollectionNode['type']): Entry['key'] {
    if (type === 'sequence') {
      if (item.key != null || item.sep !== undefined) throw new Unformattable('holds a pair in a list', offset)
      return undefined
    }
    const token = item.key
    if (token == null || !CST.isScalar(token) || token.type === 'block-scalar' || token.type === 'alias') {
      throw new Unformattable('holds a key that is no text', offset)
    }
    for (const each of token.end ?? []) this.#trivia.take(each)
    if (token.source.includes('\n')) throw new Unformattable('holds a key of several lines', offset)
    const name = CST.resolveAsScalar(token)?.value ?? token.source
    return { props, text: token.source, name, plain: token.type === 'scalar' }
  }

  #readFlow(token: CST.FlowCollection, props: string[], entry: Entry): CollectionNode {
    const type = token.start.source === '{' ? 'mapping' : 'sequence'
    const column = this.#trivia.columnOf(token.offset)
    const node: CollectionNode = { type, props, flow: true, column, header: [], entries: [], trailing: [] }
    this.#trivia.content(() => false)
    for (const item of token.items) {
      const before = this.#readStart(item)
      if (before === undefined) continue
      // Inside brackets indentation tells nothing, and blank lines are no order that somebody made.
      node.entries.push(this.#readEntry(item, before, type, Number.POSITIVE_INFINITY))
    }
    for (const each of token.end) {
      if (this.#trivia.take(each)) continue
      node.trailing.push(...this.#trivia.rest())
      this.#trivia.content(commentOf(entry, 'afterValue'))
    }
    for (const entry of node.entries) entry.leading = withoutBlanks(entry.leading)
    node.trailing = withoutBlanks(node.trailing)
    if (node.entries.length === 0) entry.leading.push(...node.trailing.splice(0))
    return node
  }
}

/** `parentColumn`: of the collection that contains the scalar; an explicit indentation counts from there. */
function readBlockScalar(source: string, header: string, props: readonly string[], parentColumn: number): LayoutNode {
  const written = source.split('\n')
  // The text ends with the break of its last line, which does not begin another one.
  if (written.at(-1) === '') written.pop()
  const digit = /\d/.exec(header)?.[0]
  const indent = digit === undefined ? indentOf(written) : parentColumn + Number(digit)
  const lines = written.map((line) => line.slice(indent))
  const keepsEnd = header.includes('+')
  while (!keepsEnd && lines.length > 0 && lines.at(-1) === '') lines.pop()
  // The lines always stand two columns further in than their parent.
  return { type: 'block-scalar', props, header: header.replace(/\d/, '2'), lines, keepsEnd }
}

function indentOf(lines: readonly string[]): number {
  const first = lines.find((line) => /[^ ]/.test(line))
  if (first !== undefined) return first.search(/[^ ]/)
  return Math.max(0, ...lines.map((line) => line.length))
}

export function emptyEntry(leading: Trivia[], key?: Entry['key']): Entry {
  const value: LayoutNode = { type: 'scalar', props: [], lines: [], alias: undefined }
  return { leading, key, value, afterKey: undefined, afterValue: undefined }
}

/** The first comment behind it is its own. */
function commentOf(entry: Entry, where: 'afterKey' | 'afterValue'): (text: string) => boolean {
  return (text) => {
    if (entry[where] !== undefined) return false
    entry[where] = text
    return true
  }
}

/** A value of one line has room for one comment behind it. */
function settleComments(entry: Entry): void {
  if (entry.afterKey === undefined) return
  if (entry.afterValue === undefined) entry.afterValue = entry.afterKey
  else entry.leading.push({ text: entry.afterKey, column: 0 })
  entry.afterKey = undefined
}

function withoutBlanks(list: readonly Trivia[]): Trivia[] {
  return list.filter(({ text }) => text !== '')
}
