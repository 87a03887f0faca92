// Rows of a difference as lines of a `diff` block, which forges colour by their first character.
import { type Row, rowsOf, ungrouped } from './difference-rows.ts'
import { elementPhrases } from './drift-words.ts'
import { formatCount } from './format-count.ts'
import type { ReviewedChange } from './plan-groups.ts'
import { cutToWidth } from './text-width.ts'

export const valueLimit = 400

/** The lines, and no more than `limit` of them. `drift`: `+` is what is there, and `-` what is declared. */
export function diffBlockLines(
  change: Pick<ReviewedChange, 'action' | 'differences'>,
  limit: number,
  drift = false,
): string[] {
  const creating = change.action === 'create'
  const rows = rowsOf(change.differences, { creating, limit: valueLimit, fromDeclared: drift })
  const lines = rows.flatMap((row) => (drift ? driftLines(row, creating) : rowLines(row, creating)))
  const rest = lines.length - limit
  return rest > 0 ? [...lines.slice(0, limit), `# … ${formatCount(rest, 'more line')}`] : lines
}

function driftLines(row: Row, creating: boolean): string[] {
  if (row.form === 'elements') {
    const heading = `@@ ${row.level ?? row.path} @@`
    // Of an object that is gone, its sentence says what healing does.
    if (creating) return [heading, ...row.added.map((text) => `- ${text}`)]
    return [
      heading,
      ...elementPhrases(row).flatMap(({ what, healing, sign, names, placed }) => [
        `# ${what.join(' ')}; ${healing}`,
        ...names.map((text) => `${sign} ${text}`),
        ...placed.map(({ text, at }) => `${sign} ${text}  # ${at}`),
      ]),
    ]
  }
  if (row.form === 'lines') {
    const [heading = '', ...lines] = rowLines(row, creating)
    return [heading, '# changed by hand', ...lines]
  }
  if (creating) return [`- ${row.path}: ${row.after.text}`]
  const there = row.before?.text ?? '(hidden)'
  return [`@@ ${row.path} @@`, '# changed by hand', `- ${row.after.text}`, `+ ${there}`]
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
