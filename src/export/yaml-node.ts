// Builds the layout of an export: the formatter's printer turns it into lines.
import { escapeReferences, inlineText, scalarText, yamlReference } from '@svcsync/core/model/yaml-text.ts'
import { type CollectionNode, type Entry, isCollection, type LayoutNode, type Trivia } from '@svcsync/format/layout.ts'
import { printLayout } from '@svcsync/format/print-layout.ts'

/** Each without `# `. */
interface Comments {
  /** Above the entry. */
  readonly above?: readonly string[] | undefined
  /** Behind it, on its line. */
  readonly beside?: string | undefined
}

interface CollectionOptions {
  /** In one line, in braces, where it has room there. */
  readonly flow?: boolean | undefined
  /** Comments behind the last entry, without `# `. */
  readonly below?: readonly string[] | undefined
}

/** The number of entries that a reader still takes in at a glance in brackets. */
const maxInBrackets = 3

/** A text stays one, and holds no reference; numbers, booleans and null are written as they are. */
export function scalar(value: string | number | boolean | null): LayoutNode {
  return typeof value === 'string' ? literal(escapeReferences(value)) : scalarNode(String(value))
}

/** `${env:NAME}` */
export function reference(name: string): LayoutNode {
  return scalarNode(yamlReference(name))
}

/** A day, which manifests read as a text without quotes. */
export function day(text: string): LayoutNode {
  return scalarNode(text)
}

/** A text of a file that follows no references. */
export function literal(value: string): LayoutNode {
  const inBrackets = inlineText(value)
  if (inBrackets === value) return scalarNode(value)
  const text = scalarText(value)
  if ('inline' in text) return scalarNode(text.inline, inBrackets)
  return { type: 'block-scalar', props: none, header: text.header, lines: text.lines, keepsEnd: false, inBrackets }
}

function scalarNode(text: string, inBrackets?: string): LayoutNode {
  return { type: 'scalar', props: none, lines: [text], alias: undefined, inBrackets }
}

/** In the order of its entries. One without any is `{}`. */
export function mapping(entries: Entry[], { flow = false, below = none }: CollectionOptions = {}): CollectionNode {
  return collection('mapping', entries, entries.length === 0 || (flow && entries.every(isShort)), below)
}

/** In brackets where it is short. */
export function list(items: Entry[]): CollectionNode {
  return collection('sequence', items, items.length <= maxInBrackets && items.every(isShort), none)
}

export function entry(key: string, value: LayoutNode, comments: Comments = {}): Entry {
  return item(value, comments, { props: none, text: inlineText(key), name: key, plain: true })
}

export function item(value: LayoutNode, { above = none, beside }: Comments = {}, key?: Entry['key']): Entry {
  // Comments alone would leave a key without a value, which means null.
  const isBare = isCollection(value) && value.entries.length === 0
  const afterValue = beside === undefined ? undefined : `# ${beside}`
  return {
    leading: isBare ? [...above.map(comment), ...value.trailing] : above === none ? none : above.map(comment),
    key,
    value: isBare ? { ...value, trailing: [] } : value,
    afterKey: undefined,
    afterValue,
  }
}

/** The content of a document, without `---`. `header`: comments at its top, without `# `. */
export function documentText(entries: Entry[], header: readonly string[]): string {
  if (entries.length === 0) return `${header.map((line) => comment(line).text).join('\n')}\n`
  const root = collection('mapping', entries, false, none)
  root.header = header.length === 0 ? none : [...header.map(comment), blank]
  for (const { value } of entries) {
    if (value.type !== 'sequence' || !value.entries.some(isLong)) continue
    for (const item of value.entries.slice(1)) item.leading = [blank, ...item.leading]
  }
  return printLayout([{ before: none, marker: '', root, loose: none, closed: false }])
}

/** Most have no comments: one for all of them, thousands of objects have many. Nothing is added to it. */
const none: never[] = []
const blank: Trivia = { text: '', column: 0 }

function comment(text: string): Trivia {
  return { text: text === '' ? '#' : `# ${text}`, column: 0 }
}

function collection(
  type: CollectionNode['type'],
  entries: Entry[],
  flow: boolean,
  below: readonly string[],
): CollectionNode {
  const trailing = below === none ? none : below.map(comment)
  return { type, props: none, flow, column: 0, header: none, entries, trailing }
}

function isShort({ value }: Entry): boolean {
  return !isCollection(value)
}

/** Something with parts of its own is found more easily between blank lines. */
function isLong({ value }: Entry): boolean {
  return value.type === 'mapping' && value.entries.some((each) => isCollection(each.value))
}
