// Edits of one file by meaning → new text: each changes the characters that it means, and no others.
import { getOrInsert, groupBy } from '@svcsync/core/model/group-by.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { inlineText } from '@svcsync/core/model/yaml-text.ts'
import { namesReference } from '@svcsync/manifests/template.ts'
import { breakAt, columnOf, isFirstInLine, lineEnd, skipSpaces } from './scan.ts'
import { isInFlow, readSyntax, type SyntaxNode } from './syntax-tree.ts'
import { applyChanges, flowChanges, indentationOf, leadingRemoval, lineAddition, lineRemoval } from './text-changes.ts'
import { blockValue, fieldValue, inlineValue } from './written-value.ts'

type SyntaxTree = NonNullable<ReturnType<typeof readSyntax>>
type ListNode = Extract<SyntaxNode, { type: 'list' }>
type MappingNode = Extract<SyntaxNode, { type: 'mapping' }>
type Pair = MappingNode['pairs'][number]

type BlockPart = Parameters<typeof lineRemoval>[1]

type Splice = ReturnType<typeof lineRemoval>

/** `at`: an offset that a loaded value carries: of the entry, or of the list or mapping that the edit is in. */
export type TextEdit =
  | { readonly edit: 'remove-entry'; readonly at: number }
  | { readonly edit: 'set-entry'; readonly at: number; readonly value: Json }
  /** `at`: of the list; of its key if it is empty. `wide`: in lines of its own, unless its neighbours are not. */
  | { readonly edit: 'add-entry'; readonly at: number; readonly value: Json; readonly wide?: true }
  | { readonly edit: 'add-beside'; readonly at: number; readonly value: Json; readonly wide?: true }
  /** A field that the mapping merges in gets one of its own. */
  | { readonly edit: 'set-field'; readonly at: number; readonly key: string; readonly value: Json }
  | { readonly edit: 'remove-field'; readonly at: number; readonly key: string }
  /** To the list in a field, or below a part of it, which may be there or not. */
  | {
      readonly edit: 'add-to-field'
      readonly at: number
      readonly path: readonly [string, string?]
      readonly value: Json
    }
  /** All others go, merged ones among them. */
  | { readonly edit: 'keep-fields'; readonly at: number; readonly keys: readonly string[] }

interface RejectedEdit {
  readonly at: number
  /** `reference`: the manifest has a reference, which a value would replace. */
  readonly why: 'reference' | 'shape'
  /** Absent: it is not of one alone. */
  readonly edit?: TextEdit
}

/** `text`: without a byte order mark. */
export function editText(
  text: string,
  edits: readonly TextEdit[],
): { readonly text: string } | { readonly unfit: readonly RejectedEdit[] } {
  const tree = readSyntax(text, new Set(edits.map(({ at }) => at)))
  if (tree === undefined) return { unfit: [{ at: 0, why: 'shape' }] }
  const gathered = new EditCollector(tree)
  for (const edit of edits) gathered.add(edit)
  if (gathered.unfit.length > 0) return { unfit: gathered.unfit }
  const changes = gathered.changes()
  const edited = applyChanges(text, changes)
  if (edited === undefined) return { unfit: [{ at: changes[0]?.start ?? 0, why: 'shape' }] }
  return { text: edited }
}

interface ListEdit {
  readonly removed: Set<number>
  readonly added: AddedEntry[]
}

type AddedEntry = Pick<Extract<TextEdit, { edit: 'add-entry' }>, 'value' | 'wide'>

interface MappingEdit {
  readonly removed: Set<number>
  readonly added: { readonly key: string; readonly value: Json }[]
}

type FieldEdit = Extract<TextEdit, { readonly key: string } | { readonly keys: unknown } | { readonly path: unknown }>

interface FilledField {
  readonly part: string | undefined
  readonly value: Json
}

function filledValue(filled: readonly FilledField[]): Json {
  if (filled.every(({ part }) => part === undefined)) return filled.map(({ value }) => value)
  const parts = groupBy(filled, ({ part }) => part ?? '')
  return Object.fromEntries([...parts].map(([part, own]) => [part, own.map(({ value }) => value)]))
}

class EditCollector {
  readonly unfit: RejectedEdit[] = []
  readonly #tree: SyntaxTree
  readonly #lists = new Map<ListNode, ListEdit>()
  readonly #mappings = new Map<MappingNode, MappingEdit>()
  readonly #fields = new Map<MappingNode, Map<string, FilledField[]>>()
  readonly #changes: Splice[] = []
  #edit: TextEdit | undefined

  constructor(tree: SyntaxTree) {
    this.#tree = tree
  }

  add(edit: TextEdit): void {
    this.#edit = edit
    if (!this.#take(edit)) this.unfit.push({ at: edit.at, why: 'shape', edit })
  }

  /** False: what it means is not there, or has another shape. */
  #take(edit: TextEdit): boolean {
    switch (edit.edit) {
      case 'remove-entry': {
        const entry = this.#entryAt(edit.at)
        if (entry === undefined) return false
        this.#keepReferences(entry.item)
        this.#listEdit(entry.list).removed.add(entry.list.items.indexOf(entry.item))
        return true
      }
      case 'set-entry': {
        const entry = this.#entryAt(edit.at)
        if (entry === undefined) return false
        this.#set(entry.item, edit.value)
        return true
      }
      case 'add-entry':
        return this.#addEntry(edit)
      case 'add-beside': {
        const entry = this.#entryAt(edit.at)
        if (entry !== undefined) this.#listEdit(entry.list).added.push(edit)
        return entry !== undefined
      }
      default: {
        const mapping = this.#mappingAt(edit.at)
        if (mapping !== undefined) this.#editMapping(mapping, edit)
        return mapping !== undefined
      }
    }
  }

  #editMapping(mapping: MappingNode, edit: FieldEdit): void {
    if (edit.edit === 'add-to-field') {
      this.#addToField(mapping, edit.path, edit.value)
      return
    }
    const { removed, added } = this.#mappingEdit(mapping)
    if (edit.edit === 'keep-fields') {
      for (const [index, { key }] of mapping.pairs.entries()) if (!edit.keys.includes(nameOf(key))) removed.add(index)
      return
    }
    const index = mapping.pairs.findIndex(({ key }) => nameOf(key) === edit.key)
    const pair = mapping.pairs[index]
    if (edit.edit === 'set-field') {
      if (pair === undefined || removed.has(index)) added.push({ key: edit.key, value: edit.value })
      else this.#set(pair.value, edit.value)
    } else if (pair === undefined) this.unfit.push({ at: edit.at, why: 'shape' })
    else removed.add(index)
  }

  #addToField(mapping: MappingNode, [key, part]: readonly [string, string?], value: Json): void {
    const there = mapping.pairs.find((each) => nameOf(each.key) === key)?.value
    if (part !== undefined && there?.type === 'mapping') this.#addToField(there, [part], value)
    else if (part === undefined && there?.type === 'list') this.#listEdit(there).added.push({ value })
    else {
      const own = getOrInsert(this.#fields, mapping, () => new Map())
      getOrInsert(own, key, (): FilledField[] => []).push({ part, value })
    }
  }

  changes(): Splice[] {
    const { text } = this.#tree
    for (const [mapping, fields] of this.#fields) {
      for (const [key, filled] of fields)
        this.#editMapping(mapping, { edit: 'set-field', at: mapping.content, key, value: filledValue(filled) })
    }
    const nested = [
      ...[...this.#lists].map(([list, edit]) => ({ node: list, changes: listChanges(text, list, edit) })),
      ...[...this.#mappings].map(([mapping, edit]) => ({
        node: mapping,
        changes: mappingChanges(text, mapping, edit),
      })),
    ]
    // At one place, the addition to the inner node comes first.
    const depths = new Map(nested.map(({ node }) => [node, depthOf(node)]))
    nested.sort((a, b) => (depths.get(b.node) ?? 0) - (depths.get(a.node) ?? 0))
    return [...this.#changes, ...nested.flatMap(({ changes }) => changes)]
  }

  #entryAt(at: number): { readonly list: ListNode; readonly item: SyntaxNode } | undefined {
    for (const item of this.#tree.byContent.get(at) ?? []) {
      if (item.parent?.type === 'list') return { list: item.parent, item }
    }
    return undefined
  }

  #mappingAt(at: number): MappingNode | undefined {
    return this.#tree.byContent.get(at)?.find((node) => node.type === 'mapping')
  }

  #addEntry({ at, ...entry }: AddedEntry & { readonly at: number }): boolean {
    const pair = this.#tree.byKey.get(at)
    const there = this.#tree.byContent.get(at) ?? []
    const list = [...there, ...(pair === undefined ? [] : [pair.value])].find((node) => node.type === 'list')
    if (list !== undefined) this.#listEdit(list).added.push(entry)
    else if (pair !== undefined) this.#fill(pair, entry)
    return list !== undefined || pair !== undefined
  }

  /** A key behind which nothing stands, or `null`. */
  #fill({ value, afterColon }: Pair, entry: AddedEntry): void {
    const isWide = entry.wide && !isInFlow(value)
    if (!isWide) this.#set(value, [entry.value])
    else {
      const lines = blockEntries(this.#tree.text, value, [entry], undefined)
      this.#changes.push({ start: value.marksEnd ?? afterColon, end: value.end, text: lines })
    }
  }

  #listEdit(list: ListNode): ListEdit {
    return getOrInsert(this.#lists, list, () => ({ removed: new Set(), added: [] }))
  }

  #mappingEdit(mapping: MappingNode): MappingEdit {
    return getOrInsert(this.#mappings, mapping, () => ({ removed: new Set(), added: [] }))
  }

  /** Its anchor and tag stay. */
  #set(node: SyntaxNode, value: Json): void {
    const { text } = this.#tree
    this.#keepReferences(node)
    const style = node.type === 'scalar' ? node.style : 'plain'
    // A comment behind it would become part of a block.
    const hasMore = skipSpaces(text, node.end) < lineEnd(text, node.end)
    const written =
      hasMore || isInFlow(node)
        ? inlineValue(value, style)
        : fieldValue(value, style, indentBelow(text, node), breakAt(text, node.start))
    const isEmpty = node.type === 'scalar' && style === 'empty'
    const isBelow = node.type === 'list' || (node.type === 'mapping' && !node.isFlow)
    const start = isEmpty || (isBelow && !node.isFlow) ? (node.marksEnd ?? valueStart(node)) : node.content
    this.#changes.push({ start, end: node.end, text: start === node.content && !isEmpty ? written : ` ${written}` })
  }

  /** Replacing a reference is left to the author who chose where the value comes from. */
  #keepReferences(node: SyntaxNode): void {
    const texts = node.type === 'mapping' ? node.pairs.map(({ value }) => value) : [node]
    if (texts.some((each) => each.type === 'scalar' && namesReference(each.value)))
      this.unfit.push({ at: node.content, why: 'reference', ...(this.#edit && { edit: this.#edit }) })
  }
}

function depthOf({ parent }: SyntaxNode): number {
  let depth = 0
  for (let each = parent; each !== undefined; each = each.parent) depth++
  return depth
}

function nameOf(key: Pair['key']): string {
  return key.type === 'scalar' ? key.value : ''
}

function valueStart(node: SyntaxNode): number {
  const { parent } = node
  if (parent?.type === 'mapping') return parent.pairs.find(({ value }) => value === node)?.afterColon ?? node.content
  if (parent?.type === 'list' && !parent.isFlow) return (parent.dashes[parent.items.indexOf(node)] ?? node.content) + 1
  return node.content
}

/** The indentation of a block below the key, or the dash, of a node. */
function indentBelow(text: string, node: SyntaxNode): number {
  const { parent } = node
  if (parent?.type === 'mapping') {
    const pair = parent.pairs.find(({ value }) => value === node) as Pair
    return columnOf(text, pair.key.start) + 2
  }
  return parent?.type === 'list' ? columnOf(text, parent.dashes[parent.items.indexOf(node)] ?? node.start) + 2 : 2
}

function listChanges(text: string, list: ListNode, { removed, added }: ListEdit): Splice[] {
  const style = styleOf(list)
  if (list.isFlow) {
    if (list.items.length === 0 && added.some(({ wide }) => wide) && !isInFlow(list.parent)) {
      const start = text.slice(0, list.content).trimEnd().length
      return [{ start, end: list.end, text: blockEntries(text, list, added, style) }]
    }
    const inline = added.map(({ value }) => inlineValue(value, style))
    return flowChanges(text, { parts: list.items, content: list.content }, removed, inline)
  }
  const parts = list.dashes.map((start, index) => ({ start, end: Math.max(start + 1, list.items[index]?.end ?? 0) }))
  const changes = [...removed].map((index) => lineRemoval(text, parts[index] as BlockPart))
  const last = parts.at(-1) as BlockPart
  if (added.length > 0) {
    const before = indentationOf(text, last)
    const gap = gapBehindDash(text, list)
    const [one, two] = parts.slice(-2)
    // If a text keeps the blank lines behind it, one more would belong to it.
    const isApart =
      one !== undefined &&
      two !== undefined &&
      /\n[ \t]*\r?\n/.test(text.slice(one.end, two.start)) &&
      !/\n[ \t]*$/.test(text.slice(0, two.end))
    const allInline = list.items.every((item) => item.type !== 'mapping' || item.isFlow)
    for (const { value, wide } of added) {
      const lines = linesOf(value, wide && !allInline, before.length + 1 + gap.length, style)
      changes.push(lineAddition(text, last, [`${before}-${gap}${lines[0]}`, ...lines.slice(1)], isApart))
    }
  } else if (removed.size === parts.length) {
    const at = list.marksEnd ?? valueStart(list)
    changes.push({ start: at, end: at, text: ' []' })
  }
  return changes
}

function gapBehindDash(text: string, list: ListNode): string {
  const dash = list.dashes.at(-1) as number
  const gap = /^[ \t]+(?=[^ \t\r\n#])/.exec(text.slice(dash + 1, dash + 40))?.[0]
  return gap ?? ' '
}

type ListStyle = 'single' | 'double' | undefined

/** The style of texts in a list, if all have the same one. */
function styleOf({ items }: ListNode): ListStyle {
  const styles = new Set(items.map((item) => (item.type === 'scalar' ? item.style : undefined)))
  const [only] = styles
  return styles.size === 1 && (only === 'single' || only === 'double') ? only : undefined
}

/** The first without what stands before it, the others with their indentation. */
function linesOf(value: Json, isWide: boolean | undefined, indent: number, style: ListStyle): string[] {
  if (!isWide || !isJsonObject(value)) return [inlineValue(value, style)]
  const pad = ' '.repeat(indent)
  return blockValue(value).map((line, index) => (index === 0 || line === '' ? line : `${pad}${line}`))
}

/** A list in lines below its key, from the break in the line of the key on. */
function blockEntries(text: string, node: SyntaxNode, added: readonly AddedEntry[], style: ListStyle): string {
  const lineBreak = breakAt(text, node.start)
  const indent = indentBelow(text, node)
  const lines = added.flatMap(({ value, wide }) => {
    const [first, ...more] = linesOf(value, wide, indent + 2, style)
    return [`${' '.repeat(indent)}- ${first}`, ...more]
  })
  return `${lineBreak}${lines.join(lineBreak)}`
}

function mappingChanges(text: string, mapping: MappingNode, { removed, added }: MappingEdit): Splice[] {
  const parts = mapping.pairs.map(({ key, afterColon, value }) => ({
    start: key.start,
    end: Math.max(afterColon, value.end),
  }))
  if (mapping.isFlow) {
    const inline = added.map(({ key, value }) => `${inlineText(key)}: ${inlineValue(value)}`)
    return flowChanges(text, { parts, content: mapping.content }, removed, inline)
  }
  const changes: Splice[] = []
  const firstKept = parts.findIndex((_, index) => !removed.has(index))
  const [first] = parts as [BlockPart]
  const isLed = !isFirstInLine(text, first.start)
  const leading = isLed && firstKept > 0 ? parts.slice(0, firstKept) : []
  if (leading.length > 0) changes.push(...leadingRemoval(text, leading, parts[firstKept] as BlockPart))
  for (const index of removed) {
    if (index >= leading.length) changes.push(lineRemoval(text, parts[index] as BlockPart))
  }
  const last = parts.at(-1) as BlockPart
  const before = indentationOf(text, parts[1] ?? first)
  for (const { key, value } of added) {
    const written = fieldValue(value, 'plain', before.length + 2, breakAt(text, last.end))
    changes.push(lineAddition(text, last, [`${before}${inlineText(key)}: ${written}`], false))
  }
  return changes
}
