// Entries of a list, or fields of a mapping, in brackets: taken out with their comma, and added behind the last.
import type { Change } from './changes.ts'
import { breakAt, indexOfNext, isFirstInLine, lineEnd, lineStart, nextLine, skipSpaces } from './scan.ts'

interface Part {
  readonly start: number
  readonly end: number
}

interface Flow {
  readonly parts: readonly Part[]
  /** Of the opening bracket. */
  readonly content: number
}

/** `removed`: indexes of parts. `added`: each in one line. */
export function flowChanges(
  text: string,
  { parts, content }: Flow,
  removed: ReadonlySet<number>,
  added: readonly string[],
): Change[] {
  const commas = parts.map(({ end }) => indexOfNext(text, end, ',', ']}'))
  const kept = parts.findLastIndex((_, index) => !removed.has(index))
  const changes = [...removed].map((index) => {
    return removal(text, parts[index] as Part, commas[index] as number, index > kept && kept >= 0)
  })
  const hasTrailing = (commas.at(-1) ?? -1) >= 0
  if (kept < 0) {
    const at = parts[0]?.start ?? content + 1
    if (added.length > 0) changes.push({ start: at, end: at, text: added.join(', ') })
    return changes
  }
  const comma = commas[kept] as number
  const isLast = kept === parts.length - 1
  if (added.length === 0) {
    if (!isLast && !hasTrailing) changes.push({ start: comma, end: comma + 1, text: '' })
    return changes
  }
  return [...changes, ...additions(text, parts[kept] as Part, comma, added, hasTrailing)]
}

/** `isBehind`: nothing that stays comes after it. */
function removal(text: string, { start, end }: Part, comma: number, isBehind: boolean): Change {
  const after = comma < 0 ? end : comma + 1
  const next = skipSpaces(text, after)
  const endsLine = next === lineEnd(text, after) || text[next] === '#'
  if (isFirstInLine(text, start)) {
    if (endsLine) return { start: lineStart(text, start), end: nextLine(text, next), text: '' }
    return { start, end: next, text: '' }
  }
  if (!endsLine && comma >= 0 && !isBehind) return { start, end: next, text: '' }
  let from = start
  while (text[from - 1] === ' ' && (text[from - 2] === ',' || text[from - 2] === ' ')) from--
  return { start: from, end: after, text: '' }
}

function additions(text: string, last: Part, comma: number, added: readonly string[], hasTrailing: boolean): Change[] {
  const onOwnLines = isFirstInLine(text, last.start)
  const at = comma < 0 ? last.end : comma + 1
  const between = onOwnLines
    ? `,${breakAt(text, last.start)}${text.slice(lineStart(text, last.start), last.start)}`
    : ', '
  const joined = added.join(between)
  const end = hasTrailing ? ',' : ''
  if (!onOwnLines) return [{ start: at, end: at, text: `${comma < 0 ? ', ' : ' '}${joined}${end}` }]
  const next = skipSpaces(text, at)
  const lineIsDone = text[next] === '#' || next === lineEnd(text, at)
  const place = lineIsDone ? lineEnd(text, at) : at
  const below = `${between.slice(1)}${joined}${end}`
  if (comma >= 0) return [{ start: place, end: place, text: below }]
  if (place === at) return [{ start: at, end: at, text: `,${below}` }]
  return [
    { start: at, end: at, text: ',' },
    { start: place, end: place, text: below },
  ]
}
