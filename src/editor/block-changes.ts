// Entries of a list, or fields of a mapping, in lines of their own: taken out with their lines, and added below the last.
import type { Change } from './changes.ts'
import { breakAt, isFirstInLine, lineEnd, lineStart, nextLine } from './scan.ts'

export interface BlockPart {
  /** Of its dash, or its key. */
  readonly start: number
  readonly end: number
}

/** The lines of a part, with the comment behind it. Comments above it stay. `isLonger`: it has lines of its own, and blank ones beside it. */
export function lineRemoval(text: string, { start, end }: BlockPart): Change {
  const from = lineStart(text, start)
  const to = nextLine(text, end)
  if (to === text.length && text[to - 1] !== '\n' && from > 0) {
    // The file ends without a line break, and goes on to.
    const before = text[from - 2] === '\r' ? from - 2 : from - 1
    return { start: before, end: to, text: '' }
  }
  // Of two blank lines that would come together, one stays.
  const isLong = text.slice(start, end).includes('\n')
  const isBlankAbove = /(?:^|\n)[ \t]*\r?\n$/.test(text.slice(0, from))
  const isBlankBelow = /^[ \t]*\r?\n/.test(text.slice(to, to + 200))
  return { start: from, end: isLong && isBlankAbove && isBlankBelow ? nextLine(text, to) : to, text: '' }
}

/** `lines`: each with its indentation. */
export function lineAddition(text: string, behind: BlockPart, lines: readonly string[], blankAbove: boolean): Change {
  const lineBreak = breakAt(text, behind.end)
  const at = behindOwnComments(text, behind)
  const isOpen = at === text.length && text[at - 1] !== '\n'
  const all = blankAbove ? ['', ...lines] : lines
  const body = all.join(lineBreak)
  return { start: at, end: at, text: isOpen ? `${lineBreak}${body}` : `${body}${lineBreak}` }
}

/** Comments below a part that are indented further than it is are about it. */
function behindOwnComments(text: string, { start, end }: BlockPart): number {
  const column = start - lineStart(text, start)
  let at = nextLine(text, end)
  while (at < text.length && text[at] !== '\n') {
    const [, indentation] = /^([ \t]*)#/.exec(text.slice(at, lineEnd(text, at))) ?? []
    if (indentation === undefined || indentation.length <= column) return at
    at = nextLine(text, at)
  }
  return at
}

/** Fields in the line of a dash, or of an anchor, leave that in its place: what comes next moves up where nothing else is between. */
export function leadingRemoval(text: string, removed: readonly BlockPart[], next: BlockPart): Change[] {
  const [first, ...others] = removed as readonly [BlockPart, ...BlockPart[]]
  const lines = others.map((part) => lineRemoval(text, part))
  let at = nextLine(text, first.end)
  for (const { start, end } of lines) if (start <= at) at = Math.max(at, end)
  if (lineStart(text, next.start) === at) return [{ start: first.start, end: next.start, text: '' }]
  let from = first.start
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from--
  return [{ start: from, end: lineEnd(text, first.end), text: '' }, ...lines]
}

/** What stands before a part in its line, with blanks in the place of dashes and anchors. */
export function indentationOf(text: string, { start }: BlockPart): string {
  const before = text.slice(lineStart(text, start), start)
  return isFirstInLine(text, start) ? before : ' '.repeat(before.length)
}
