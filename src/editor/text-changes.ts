// Changes of a text: which characters become which, in lines of their own or in brackets.
import { breakAt, indexOfNext, isFirstInLine, lineEnd, lineStart, nextLine, skipSpaces } from './scan.ts'

interface Splice {
  readonly start: number
  /** Exclusive; `start` where something is added. */
  readonly end: number
  readonly text: string
}

/** A change inside a removed part goes with that part. Undefined: two changes claim the same characters. */
export function applyChanges(text: string, changes: readonly Splice[]): string | undefined {
  const sorted = [...changes].sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let at = 0
  let removedTo = 0
  for (const { start, end, text: added } of sorted) {
    if (end <= removedTo && start < removedTo) continue
    if (start < at && (added !== '' || at !== removedTo)) return undefined
    result += text.slice(at, Math.max(at, start)) + added
    at = end
    if (added === '') removedTo = end
  }
  return result + text.slice(at)
}

interface Span {
  /** In a block: of its dash, or its key. */
  readonly start: number
  readonly end: number
}

/** The lines of a part, with the comment behind it; comments above stay. `isLonger`: with lines of its own. */
export function lineRemoval(text: string, { start, end }: Span): Splice {
  const from = lineStart(text, start)
  const to = nextLine(text, end)
  if (to === text.length && text[to - 1] !== '\n' && from > 0) {
    // The file still ends without a line break afterwards.
    const before = text[from - 2] === '\r' ? from - 2 : from - 1
    return { start: before, end: to, text: '' }
  }
  // One of two adjacent blank lines stays.
  const isLong = text.slice(start, end).includes('\n')
  const isBlankAbove = /(?:^|\n)[ \t]*\r?\n$/.test(text.slice(0, from))
  const isBlankBelow = /^[ \t]*\r?\n/.test(text.slice(to, to + 200))
  return { start: from, end: isLong && isBlankAbove && isBlankBelow ? nextLine(text, to) : to, text: '' }
}

/** `lines`: each with its indentation. */
export function lineAddition(text: string, behind: Span, lines: readonly string[], blankAbove: boolean): Splice {
  const lineBreak = breakAt(text, behind.end)
  const at = endWithComments(text, behind)
  const isOpen = at === text.length && text[at - 1] !== '\n'
  const all = blankAbove ? ['', ...lines] : lines
  const body = all.join(lineBreak)
  return { start: at, end: at, text: isOpen ? `${lineBreak}${body}` : `${body}${lineBreak}` }
}

/** Comments below a part that are indented further than it is are about it. */
function endWithComments(text: string, { start, end }: Span): number {
  const column = start - lineStart(text, start)
  let at = nextLine(text, end)
  while (at < text.length && text[at] !== '\n') {
    const [, indentation] = /^([ \t]*)#/.exec(text.slice(at, lineEnd(text, at))) ?? []
    if (indentation === undefined || indentation.length <= column) return at
    at = nextLine(text, at)
  }
  return at
}

/** Fields in the line of a dash or an anchor leave that in place: what comes next moves up if nothing is between. */
export function leadingRemoval(text: string, removed: readonly Span[], next: Span): Splice[] {
  const [first, ...others] = removed as readonly [Span, ...Span[]]
  const lines = others.map((part) => lineRemoval(text, part))
  let at = nextLine(text, first.end)
  for (const { start, end } of lines) if (start <= at) at = Math.max(at, end)
  if (lineStart(text, next.start) === at) return [{ start: first.start, end: next.start, text: '' }]
  let from = first.start
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from--
  return [{ start: from, end: lineEnd(text, first.end), text: '' }, ...lines]
}

/** The text before a part in its line, with blanks instead of dashes and anchors. */
export function indentationOf(text: string, { start }: Span): string {
  const before = text.slice(lineStart(text, start), start)
  return isFirstInLine(text, start) ? before : ' '.repeat(before.length)
}

interface FlowCollection {
  readonly parts: readonly Span[]
  /** The offset of the opening bracket. */
  readonly content: number
}

/** `removed`: indexes of parts. `added`: each in one line. */
export function flowChanges(
  text: string,
  { parts, content }: FlowCollection,
  removed: ReadonlySet<number>,
  added: readonly string[],
): Splice[] {
  const commas = parts.map(({ end }) => indexOfNext(text, end, ',', ']}'))
  const kept = parts.findLastIndex((_, index) => !removed.has(index))
  const changes = [...removed].map((index) => {
    return removal(text, parts[index] as Span, commas[index] as number, index > kept && kept >= 0)
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
  return [...changes, ...additions(text, parts[kept] as Span, comma, added, hasTrailing)]
}

/** `isBehind`: nothing that stays comes after it. */
function removal(text: string, { start, end }: Span, comma: number, isBehind: boolean): Splice {
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

function additions(text: string, last: Span, comma: number, added: readonly string[], hasTrailing: boolean): Splice[] {
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
