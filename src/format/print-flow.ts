// Collections in brackets, as one line where that is possible.
import type { CollectionNode, Entry, LayoutNode } from './layout.ts'

/** The node as one line. Undefined: a comment or a text of several lines stands in it, or it is no such node. */
export function oneLine(node: LayoutNode): string | undefined {
  if (node.type === 'block-scalar') return undefined
  if (node.type === 'scalar') return node.lines.length > 1 ? undefined : [...node.props, ...node.lines].join(' ')
  const bare = bracketed(node)
  return bare === undefined ? undefined : [...node.props, bare].join(' ')
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
  const text = oneLine(value)
  if (text === undefined || key === undefined) return text
  const name = [...key.props, key.text].join(' ')
  return text === '' ? name : `${name}: ${text}`
}
