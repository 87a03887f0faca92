// The layout of a manifest: each scalar as written, each comment beside its node.

/** A line of its own between items: a comment with its `#`, or the empty string for a blank line. */
export interface Trivia {
  readonly text: string
  readonly column: number
}

interface NodeBase {
  readonly props: readonly string[]
}

interface TextBase extends NodeBase {
  /** As it is to be written inside brackets, where it can stand outside of them in another way. */
  readonly inBrackets?: string | undefined
}

/** A plain or quoted scalar or an alias, in the lines in which it is written; nothing: it is left empty. */
interface ScalarNode extends TextBase {
  readonly type: 'scalar'
  /** Lines after the first one are without their indentation. */
  readonly lines: readonly string[]
  /** The name that an alias refers to. */
  readonly alias: string | undefined
}

interface BlockScalarNode extends TextBase {
  readonly type: 'block-scalar'
  /** `|`, `>-`, `|2+`. */
  readonly header: string
  readonly lines: readonly string[]
  /** Blank lines at its end are part of the text. */
  readonly keepsEnd: boolean
}

export interface CollectionNode extends NodeBase {
  readonly type: 'mapping' | 'sequence'
  readonly flow: boolean
  /** The column of its items' first character; in brackets, 0. */
  readonly column: number
  /** Stays above the first item, whichever that becomes: the comments that open a document. */
  header: Trivia[]
  entries: Entry[]
  /** Behind the last item. */
  trailing: Trivia[]
  /** In brackets it stays in its line, however long that is. */
  wide?: true
}

export type LayoutNode = ScalarNode | BlockScalarNode | CollectionNode

/** An entry of a mapping, or an item of a sequence. */
export interface Entry {
  leading: Trivia[]
  readonly key: KeyText | undefined
  value: LayoutNode
  /** The comment behind the colon or dash of a value that begins on a later line. */
  afterKey: string | undefined
  /** The comment behind the value, on the same line; of a block scalar behind its header. */
  afterValue: string | undefined
}

interface KeyText {
  readonly props: readonly string[]
  readonly text: string
  readonly name: string
  readonly plain: boolean
}

export interface LayoutDocument {
  /** Directives, and comments before `---`. */
  readonly before: readonly Trivia[]
  /** `---` with what stands on its line, or nothing. */
  readonly marker: string
  readonly root: CollectionNode | undefined
  /** Comments of an empty document, and after one in brackets. */
  readonly loose: readonly Trivia[]
  /** `...` closes it. */
  closed: boolean
}

/** A construction that the formatter cannot lay out, so the file stays unchanged. */
export class Unformattable {
  readonly reason: string
  readonly offset: number
  constructor(reason: string, offset: number) {
    this.reason = reason
    this.offset = offset
  }
}

export function isCollection(node: LayoutNode): node is CollectionNode {
  return node.type === 'mapping' || node.type === 'sequence'
}
