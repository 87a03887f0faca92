// Collections in brackets, as one line where that is possible.
import type { CollectionNode, Entry, LayoutNode } from './layout.ts'

/** The node as one line. Undefined: a comment or a text of several lines stands in it, or it is no such node. */
export function oneLine(node: LayoutNode): string | undefined {
  if (node.type === 'block-scalar') return undefined
  const { type, props } = node
  const bare = type !== 'scalar' ? bracketed(node) : node.lines.length > 1 ? undefined : (node.lines[0] ?? '')
  return bare === undefined || props.length === 0 ? bare : joined(...props, bare)
}

/** Parts of a line, with a blank between those that are there. */
export function joined(...parts: readonly (string | undefined)[]): string {
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
