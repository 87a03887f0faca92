// The nodes of a YAML file with their exact extents, from the events of the parser that decides what manifests mean.
import { append } from '@svcsync/core/model/group-by.ts'
import { startOf } from '@svcsync/manifests/node-events.ts'
import { isParsed, parseYaml } from '@svcsync/manifests/parse-yaml.ts'
import { TextSource } from '@svcsync/manifests/text-source.ts'
import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { indexOfNext } from './scan.ts'

interface NodeBase {
  /** The start of its anchor or tag, or else of its content. */
  readonly start: number
  /** The start of its content in the parser's events; for an empty node, the place where content could begin. */
  readonly content: number
  /** Behind its last character; comments behind it are none of it. */
  readonly end: number
  readonly anchor: string | undefined
  /** Behind its anchor and tag. Undefined: it has none. */
  readonly marksEnd: number | undefined
  readonly parent: ListNode | MappingNode | undefined
}

/** It computes its value on demand, since an edit needs few of a hundred thousand. */
export class ScalarNode implements NodeBase {
  readonly type = 'scalar'
  readonly style: 'plain' | 'single' | 'double' | 'block' | 'empty'
  readonly start: number
  readonly content: number
  readonly end: number
  readonly anchor: string | undefined
  readonly marksEnd: number | undefined
  readonly parent: NodeBase['parent']
  readonly #text: string
  readonly #event: ScalarEvent

  constructor(base: NodeBase, style: ScalarNode['style'], end: number, text: string, event: ScalarEvent) {
    this.style = style
    this.start = base.start
    this.content = base.content
    this.end = end
    this.anchor = base.anchor
    this.marksEnd = base.marksEnd
    this.parent = base.parent
    this.#text = text
    this.#event = event
  }

  get value(): string {
    return this.style === 'empty' ? '' : getScalarValue(this.#text, this.#event)
  }
}

interface AliasNode extends NodeBase {
  readonly type: 'alias'
}

interface ListNode extends NodeBase {
  readonly type: 'list'
  readonly isFlow: boolean
  readonly items: readonly SyntaxNode[]
  /** The dash of each item of a block list. */
  readonly dashes: readonly number[]
}

interface Pair {
  readonly key: ScalarNode | AliasNode
  readonly afterColon: number
  readonly value: SyntaxNode
  readonly holder: MappingNode
}

interface MappingNode extends NodeBase {
  readonly type: 'mapping'
  readonly isFlow: boolean
  readonly pairs: readonly Pair[]
}

export type SyntaxNode = ScalarNode | AliasNode | ListNode | MappingNode

/** Undefined: it does not parse. `wanted`: where nodes that are looked for begin; absent: all are. */
export function readSyntax(text: string, wanted?: ReadonlySet<number>) {
  const events = parseYaml(new TextSource('', text))
  return isParsed(events) ? new TreeReader(text, events, wanted).read() : undefined
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

class TreeReader {
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #wanted: ReadonlySet<number> | undefined
  #index = 0
  /** By where the walk says that they begin. */
  readonly #byContent = new Map<number, SyntaxNode[]>()
  readonly #byKey = new Map<number, Pair>()

  constructor(text: string, events: readonly Event[], wanted: ReadonlySet<number> | undefined) {
    this.#text = text
    this.#events = events
    this.#wanted = wanted
  }

  read() {
    while (this.#index < this.#events.length) {
      this.#index++
      if (!this.#atEnd()) this.#node(0, undefined)
      this.#index++
    }
    return { text: this.#text, byContent: this.#byContent, byKey: this.#byKey }
  }

  #atEnd(): boolean {
    return (this.#events[this.#index] as Event).type === EVENT_ID.POP
  }

  /** `fallback`: where a value that is left empty could stand. */
  #node(fallback: number, parent: NodeBase['parent']): SyntaxNode {
    const index = this.#index++
    const event = this.#events[index] as Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>
    const content = startOf(event, index, this.#events, this.#text, fallback)
    const hasTag = event.type !== EVENT_ID.ALIAS && event.tagStart >= 0
    const tag = hasTag ? event.tagStart : Number.POSITIVE_INFINITY
    const mark = event.anchorStart >= 0 ? event.anchorStart - 1 : Number.POSITIVE_INFINITY
    const anchor = event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd)
    const marks = event.type === EVENT_ID.ALIAS ? -1 : Math.max(event.tagEnd, event.anchorEnd)
    const marksEnd = marks < 0 ? undefined : marks
    const base = { start: Math.min(content, tag, mark), content, end: content, anchor, marksEnd, parent }
    const node = this.#build(event, base)
    if (this.#wanted === undefined || this.#wanted.has(content)) append(this.#byContent, content, node)
    return node
  }

  #build(event: Event, base: Mutable<NodeBase>): SyntaxNode {
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event, base)
      case EVENT_ID.ALIAS:
        return { ...base, type: 'alias', anchor: undefined, end: event.anchorEnd }
      case EVENT_ID.SEQUENCE:
        return this.#list(event.style === COLLECTION_STYLE.FLOW, base)
      default:
        return this.#mapping(event.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.FLOW, base)
    }
  }

  #scalar(event: ScalarEvent, base: NodeBase): ScalarNode {
    const [style, end] = this.#extentOf(event, base)
    return new ScalarNode(base, style, end, this.#text, event)
  }

  #extentOf(event: ScalarEvent, { content, marksEnd }: NodeBase): readonly [ScalarNode['style'], number] {
    switch (event.style) {
      case SCALAR_STYLE.PLAIN:
        return event.valueStart < 0 ? ['empty', marksEnd ?? content] : ['plain', event.valueEnd]
      case SCALAR_STYLE.SINGLE_QUOTED:
        return ['single', event.valueEnd + 1]
      case SCALAR_STYLE.DOUBLE_QUOTED:
        return ['double', event.valueEnd + 1]
      default: {
        // The blank lines behind it are its own only where its header keeps them.
        const written = this.#text.slice(content, event.valueEnd)
        const keeps = /^[|>][^\n]*\+/.test(written)
        return ['block', content + (keeps ? written.replace(/\r?\n$/, '') : written.trimEnd()).length]
      }
    }
  }

  #list(isFlow: boolean, base: Mutable<NodeBase>): ListNode {
    const items: SyntaxNode[] = []
    const dashes: number[] = []
    const node: Mutable<ListNode> = { ...base, type: 'list', isFlow, items, dashes }
    // The parser gives the first dash, behind an anchor; the bracket where it is a flow.
    let end = isFlow ? base.content + 1 : base.content
    while (!this.#atEnd()) {
      if (!isFlow) {
        const dash = indexOfNext(this.#text, end, '-')
        dashes.push(dash)
        end = dash + 1
      }
      const item = this.#node(end, node)
      items.push(item)
      end = Math.max(end, item.end)
    }
    this.#index++
    node.end = isFlow ? indexOfNext(this.#text, end, ']') + 1 : end
    return node
  }

  #mapping(isFlow: boolean, base: Mutable<NodeBase>): MappingNode {
    const pairs: Pair[] = []
    const node: Mutable<MappingNode> = { ...base, type: 'mapping', isFlow, pairs }
    let end = isFlow ? base.content + 1 : base.content
    while (!this.#atEnd()) {
      const key = this.#node(end, node) as Pair['key']
      const colon = indexOfNext(this.#text, key.end, ':', isFlow ? ',}' : '')
      const afterColon = colon < 0 ? key.end : colon + 1
      const value = this.#node(afterColon, node)
      const pair = { key, afterColon, value, holder: node }
      pairs.push(pair)
      if (this.#wanted === undefined || this.#wanted.has(key.content)) this.#byKey.set(key.content, pair)
      end = Math.max(afterColon, value.end)
    }
    this.#index++
    node.end = isFlow ? indexOfNext(this.#text, end, '}') + 1 : end
    return node
  }
}

/** True if a node is in brackets, directly or through a parent: it then has one line, and its own signs. */
export function isInFlow(node: SyntaxNode | undefined): boolean {
  for (let each: SyntaxNode | undefined = node; each !== undefined; each = each.parent) {
    if (each.type !== 'scalar' && each.type !== 'alias' && each.isFlow) return true
  }
  return false
}
