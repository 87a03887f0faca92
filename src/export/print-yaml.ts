// YAML nodes → lines in the canonical layout of manifests, as `svcsync fmt` would have them.
import { inlineText, scalarText } from './scalar-text.ts'
import type { YamlItem, YamlList, YamlMapping, YamlNode } from './yaml-node.ts'

/** Columns that a list in brackets may reach, as in the formatter, and how many entries are still read at a glance. */
const maxWidth = 100
const maxInBrackets = 3

/** The content of a document, without `---`. Entries at its top stand apart by a blank line. */
export function printDocument(root: YamlMapping, header: readonly string[]): string {
  const lines = header.map(comment)
  for (const entry of root.entries) {
    if (lines.length > 0) lines.push('')
    const { value } = entry
    if (value.type === 'list' && value.items.some(isLong)) pushApart(lines, entry.key, value)
    else pushEntry(lines, entry, `${entry.key}:`, '')
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** Something with parts of its own is found more easily between blank lines. */
function isLong({ value }: YamlItem): boolean {
  return value.type === 'mapping' && value.entries.some((entry) => entry.value.type !== 'scalar')
}

function pushApart(lines: string[], key: string, { items }: YamlList): void {
  lines.push(`${key}:`)
  for (const [index, item] of items.entries()) {
    if (index > 0) lines.push('')
    pushEntry(lines, item, '-', '  ')
  }
}

function pushComments(lines: string[], comments: readonly string[] | undefined, indent: string): void {
  if (comments === undefined) return
  for (const text of comments) lines.push(indent + comment(text))
}

function comment(text: string): string {
  return text === '' ? '#' : `# ${text}`
}

function pushEntry(lines: string[], item: YamlItem, head: string, indent: string): void {
  const { value: written, beside } = item
  pushComments(lines, item.above, indent)
  // Comments alone would leave a key without a value, which means null.
  const isBare = written.type !== 'scalar' && isEmpty(written)
  const value = isBare ? { ...written, below: undefined } : written
  if (isBare) pushComments(lines, written.below, indent)
  const behind = beside === undefined ? '' : ` # ${beside}`
  const inline = oneLine(value, indent.length + head.length + 1)
  if (inline !== undefined) {
    lines.push(`${indent}${head} ${inline}${behind}`)
  } else if (value.type === 'scalar') {
    const text = scalarText(String(value.value)) as { readonly header: string; readonly lines: readonly string[] }
    lines.push(`${indent}${head} ${text.header}${behind}`)
    for (const line of text.lines) lines.push(line === '' ? '' : `${indent}  ${line}`)
  } else if (head === '-' && beside === undefined) {
    // The first line of what a dash holds stands behind it.
    const inner: string[] = []
    pushParts(inner, value, `${indent}  `)
    lines.push(`${indent}- ${(inner[0] as string).slice(indent.length + 2)}`, ...inner.slice(1))
  } else {
    lines.push(`${indent}${head}${behind}`)
    pushParts(lines, value, `${indent}  `)
  }
}

function isEmpty(node: YamlMapping | YamlList): boolean {
  return (node.type === 'mapping' ? node.entries : node.items).length === 0
}

function pushParts(lines: string[], node: YamlMapping | YamlList, indent: string): void {
  if (node.type === 'mapping') for (const entry of node.entries) pushEntry(lines, entry, `${entry.key}:`, indent)
  else for (const item of node.items) pushEntry(lines, item, '-', indent)
  pushComments(lines, node.below, indent)
}

/** The node behind its key. Undefined: it wants lines of its own. */
function oneLine(node: YamlNode, column: number): string | undefined {
  if (node.type === 'scalar') {
    if (typeof node.value !== 'string') return String(node.value)
    const text = scalarText(node.value)
    return 'inline' in text ? text.inline : undefined
  }
  if (node.below !== undefined && node.below.length > 0) return undefined
  if (node.type === 'mapping') return node.entries.length === 0 ? '{}' : braced(node, column)
  const parts = node.items.map(bracketed)
  if (parts.length > maxInBrackets || parts.includes(undefined)) return undefined
  const text = `[${parts.join(', ')}]`
  return column + [...text].length <= maxWidth ? text : undefined
}

function braced({ flow, entries }: YamlMapping, column: number): string | undefined {
  const parts = entries.map((entry) => [entry.key, bracketed(entry)])
  if (flow !== true || parts.some(([, text]) => text === undefined)) return undefined
  const text = `{ ${parts.map(([key, value]) => `${key}: ${value}`).join(', ')} }`
  return column + [...text].length <= maxWidth ? text : undefined
}

function bracketed({ value, above, beside }: YamlItem): string | undefined {
  if (value.type !== 'scalar' || (above !== undefined && above.length > 0) || beside !== undefined) return undefined
  return typeof value.value === 'string' ? inlineText(value.value) : String(value.value)
}
