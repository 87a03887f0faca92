// Rows of a difference as terminal lines.
import { type ElementsRow, type LinesRow, type Row, ungrouped, type ValueRow } from './difference-rows.ts'
import { formatCount } from './format-count.ts'
import type { Shown } from './format-value.ts'
import { indent, type Line, lineWidth, type Piece, piece, type Style } from './line.ts'
import { cutToWidth, textWidth } from './text-width.ts'
import { wrapItems, wrapText } from './wrap.ts'

export interface RowLineOptions {
  readonly width: number
  /** Lines of a unified diff that are shown. */
  readonly diffLimit: number
  /** Columns before the labels. */
  readonly margin: number
}

const labelLimit = 28
/** Columns of a line of a long text, unless everything is asked for. */
const lineLimit = 300
const signStyles = { '+': 'add', '-': 'remove' } as const
const diffStyles: Readonly<Record<string, Style>> = { '+': 'add', '-': 'remove', '@': 'faint' }

export function rowLines(rows: readonly Row[], options: RowLineOptions): Line[] {
  return labelled(rows, options, (row, head, label) => {
    if (row.form === 'value') return valueLines(row, head, options.width)
    if (row.form === 'elements') return elementLines(row, head, options.width)
    return [[indent(options.margin), label], ...unifiedLines(row, options)]
  })
}

/** Labels in one column, values in the next. */
export function labelled(
  rows: readonly Row[],
  options: RowLineOptions,
  linesOf: (row: Row, head: Line, label: Piece) => readonly Line[],
): Line[] {
  const labels = rows.map((row) => textWidth(piece(labelOf(row)).text)).filter((width) => width <= labelLimit)
  const column = labels.reduce((widest, width) => Math.max(widest, width), 0)
  return rows.flatMap((row) => {
    const label = piece(labelOf(row))
    const padding = indent(Math.max(column - textWidth(label.text), 0) + 2)
    return linesOf(row, [indent(options.margin), label, padding], label)
  })
}

function labelOf(row: Row): string {
  return row.form === 'elements' ? (row.level ?? row.path) : row.path
}

function valueLines({ before, after }: ValueRow, head: Line, width: number): Line[] {
  if (before === undefined) return wrapText(head, after.text, width, styleOf(after, 'add'))
  const line = [...head, shown(before, 'remove'), piece(' → ', 'faint'), shown(after, 'add')]
  if (lineWidth(line) <= width) return [line]
  const below = [indent(lineWidth(head))]
  return [
    ...wrapText([...head, piece('- ', 'remove')], before.text, width, styleOf(before, 'remove')),
    ...wrapText([...below, piece('+ ', 'add')], after.text, width, styleOf(after, 'add')),
  ]
}

function shown(value: Shown, style: Style): Piece {
  return piece(value.text, styleOf(value, style))
}

function styleOf(value: Shown, style: Style): Style {
  return value.remark ? 'faint' : style
}

/** Names first; then those that have a reason, below it, each with its line. */
export function elementLines(row: ElementsRow, head: Line, width: number): Line[] {
  const { plus, minus } = ungrouped(row)
  const items = [
    ...plus.map((text) => [piece(`+${text}`, 'add')]),
    ...minus.map((text) => [piece(`-${text}`, 'remove')]),
  ]
  const below: Line = [indent(lineWidth(head))]
  const faint = (texts: readonly string[]): Line[] => texts.map((text) => [piece(text, 'faint')])
  const notIn = row.notIn.length > 0 ? wrapItems(below, faint(row.notIn), width) : []
  const names = items.length > 0 || row.groups.length === 0 ? wrapItems(head, items, width) : []
  const groups = row.groups.flatMap(({ sign, reason, entries }, index) => {
    const start = names.length + notIn.length + index === 0 ? head : below
    const placed = entries.map(({ text, at }) => ({ name: piece(`${sign}${text}`, signStyles[sign]), at }))
    return [...wrapItems(start, faint(reason), width), ...placedLines(lineWidth(head), placed, width)]
  })
  return [...names, ...notIn, ...groups]
}

/** Names with their lines, as many as fit; one that does not fit beside its name stands below it. */
export function placedLines(
  column: number,
  entries: readonly { readonly name: Piece; readonly at: string }[],
  width: number,
): Line[] {
  const lines: Line[] = []
  let together: Line[] = []
  const flush = (): void => {
    if (together.length > 0) lines.push(...wrapItems([indent(column)], together, width))
    together = []
  }
  for (const { name, at } of entries) {
    const place = piece(at, 'faint')
    const item = [name, indent(1), place]
    if (column + lineWidth(item) <= width) together.push(item)
    else {
      flush()
      lines.push([indent(column), name], [indent(column + 2), place])
    }
  }
  flush()
  return lines
}

export function unifiedLines({ diff }: LinesRow, { diffLimit, margin }: RowLineOptions): Line[] {
  const rest = diff.length - diffLimit
  const lines: Line[] = diff.slice(0, diffLimit).map(({ mark, text }) => {
    const style = diffStyles[mark]
    const whole = Number.isFinite(diffLimit) ? cutToWidth(text, lineLimit) : text
    const line = mark === '@' ? whole : `${mark} ${whole}`
    return [indent(margin + 2), style === undefined ? piece(line) : piece(line, style)]
  })
  if (rest <= 0) return lines
  return [...lines, [indent(margin + 2), piece(`… ${formatCount(rest, 'more line')}, shown with --verbose`, 'faint')]]
}
