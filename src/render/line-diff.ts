// The difference of two texts of several lines, as in a unified diff.
import { structuredPatch } from 'diff'
import { formatCount } from './format-count.ts'

export interface DiffLine {
  /** ` ` context, `@` a heading or a remark of ours. */
  readonly mark: '+' | '-' | ' ' | '@'
  readonly text: string
}

// A limit on work and not on time: equal input gives equal output on every machine.
const maxEditLength = 1500
const shownWhenTooDifferent = 5

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, maxEditLength })
  if (patch === undefined) return bothSides(before, after)
  return patch.hunks.flatMap((hunk) => {
    const lines = hunk.lines.map(parseLine)
    return hunk.newStart <= 1 ? lines : [{ mark: '@', text: `@@ line ${hunk.newStart} @@` }, ...lines]
  })
}

function parseLine(line: string): DiffLine {
  const mark = line[0]
  if (mark === '+' || mark === '-' || mark === ' ') return { mark, text: showTabs(line.slice(1)) }
  return { mark: '@', text: '(no line break at the end)' }
}

/** Too much differs to find out what: the start of both. */
function bothSides(before: string, after: string): DiffLine[] {
  const side = (mark: '+' | '-', text: string): DiffLine[] => {
    const lines = text.split('\n')
    const rest = lines.length - shownWhenTooDifferent
    const shown: DiffLine[] = lines.slice(0, shownWhenTooDifferent).map((line) => ({ mark, text: showTabs(line) }))
    return rest > 0 ? [...shown, { mark: '@', text: `… ${formatCount(rest, 'more line')}` }] : shown
  }
  return [...side('-', before), ...side('+', after)]
}

/** Tabs stay in sight: a difference may consist of nothing else. */
function showTabs(text: string): string {
  return text.replaceAll('\t', '⇥   ')
}
