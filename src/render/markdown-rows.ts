// Rows of a difference as lines of a `diff` block, which forges colour by their first character.
import { type Row, rowsOf, ungrouped } from './difference-rows.ts'
import { formatCount } from './format-count.ts'
import type { ReviewedChange } from './plan-groups.ts'
import { cutToWidth } from './text-width.ts'

export const valueLimit = 400

/** The lines, and no more than `limit` of them. */
export function diffBlockLines(change: Pick<ReviewedChange, 'action' | 'differences'>, limit: number): string[] {
  const creating = change.action === 'create'
  const lines = rowsOf(change.differences, { creating, limit: valueLimit }).flatMap((row) => rowLines(row, creating))
  const rest = lines.length - limit
  return rest > 0 ? [...lines.slice(0, limit), `# … ${formatCount(rest, 'more line')}`] : lines
}

function rowLines(row: Row, creating: boolean): string[] {
  if (row.form === 'value') {
    if (creating || row.before === undefined) return [`+ ${row.path}: ${row.after.text}`]
    return [`@@ ${row.path} @@`, `- ${row.before.text}`, `+ ${row.after.text}`]
  }
  if (row.form === 'lines') {
    return [
      `@@ ${row.path} @@`,
      ...row.diff.map(({ mark, text }) => `${mark === '@' ? '#' : mark} ${cutToWidth(text, valueLimit)}`),
    ]
  }
  const { plus, minus } = ungrouped(row)
  return [
    `@@ ${row.level ?? row.path} @@`,
    ...plus.map((text) => `+ ${text}`),
    ...minus.map((text) => `- ${text}`),
    ...(row.notIn.length > 0 ? [`# ${row.notIn.join(' ')}`] : []),
    ...row.groups.flatMap(({ sign, reason, entries }) => [
      `# ${reason.join(' ')}`,
      ...entries.map(({ text, at }) => `${sign} ${text}  # ${at}`),
    ]),
  ]
}
