// Rows of a difference as terminal lines.
import { cutToWidth, textWidth } from '../../core/model/text-width.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import {
  type Flow,
  ifItFits,
  indent,
  type Line,
  layOut,
  lineWidth,
  type Piece,
  piece,
  type Style,
  wrapItems,
  wrapText,
} from '../text/line.ts'
import { labelOf, type Row, ungrouped } from './difference-rows.ts'
import type { Shown } from './format-value.ts'

interface RowLineOptions {
  readonly verbose: boolean
  /** Columns before the labels. */
  readonly margin: number
}

const labelLimit = 28
/** Lines of a unified diff that are shown, unless everything is asked for. */
const diffLimit = 40
/** Columns of a line of a long text, unless everything is asked for. */
const lineLimit = 300
const signStyles = { '+': 'add', '-': 'remove' } as const
const diffStyles: Readonly<Record<string, Style>> = { '+': 'add', '-': 'remove', '@': 'faint' }

export function rowLines(rows: readonly Row[], options: RowLineOptions): Flow[] {
  return labelled(rows, options.margin, (row, head, label) => {
    if (row.form === 'value') return [valueFlow(row, head)]
    if (row.form === 'elements') return elementLines(row, head, options.verbose)
    return [[indent(options.margin), label], ...unifiedLines(row, options)]
  })
}

/** Labels in one column, values in the next. */
export function labelled(
  rows: readonly Row[],
  margin: number,
  linesOf: (row: Row, head: Line, label: Piece) => readonly Flow[],
): Flow[] {
  const labels = rows.map((row) => textWidth(piece(labelOf(row)).text)).filter((width) => width <= labelLimit)
  const column = labels.reduce((widest, width) => Math.max(widest, width), 0)
  return rows.flatMap((row) => {
    const label = piece(labelOf(row))
    const padding = indent(Math.max(column - textWidth(label.text), 0) + 2)
    const head: Line = [indent(margin), label, padding]
    return withPlace(linesOf(row, head, label), row, head)
  })
}

function valueFlow({ before, after }: Row<'value'>, head: Line): Flow {
  if (before === undefined) return wrapText(head, after.text, styleOf(after, 'add'))
  const below = indent(lineWidth(head))
  return ifItFits(
    [...head, shown(before, 'remove'), piece(' → ', 'faint'), shown(after, 'add')],
    wrapText([...head, piece('- ', 'remove')], before.text, styleOf(before, 'remove')),
    wrapText([below, piece('+ ', 'add')], after.text, styleOf(after, 'add')),
  )
}

export function shown(value: Shown, style: Style): Piece {
  return piece(value.text, styleOf(value, style))
}

export function styleOf(value: Shown, style: Style): Style {
  return value.remark ? 'faint' : style
}

/** The place behind the only line, or below. */
function withPlace(flows: readonly Flow[], { at }: Row, head: Line): readonly Flow[] {
  if (at === undefined) return flows
  const place = piece(at, 'faint')
  return [
    (width) => {
      const lines = layOut(flows, width)
      const line = [...(lines[0] ?? []), indent(2), place]
      const isBehind = lines.length === 1 && lineWidth(line) <= width
      return isBehind ? [line] : [...lines, [indent(lineWidth(head)), place]]
    },
  ]
}

/** Names first; then those that have a reason, below it, each with its line. */
export function elementLines(row: Row<'elements'>, head: Line, verbose: boolean): Flow[] {
  const { plus, minus } = ungrouped(row)
  const named = (texts: readonly string[], sign: '+' | '-'): Line[] => {
    const { shown, note } = foldNames(texts, sign, { whole: verbose })
    const names = shown.map((text) => [piece(`${sign}${text}`, signStyles[sign])])
    return note === '' ? names : [...names, [piece(note, 'faint')]]
  }
  const items = [...named(plus, '+'), ...named(minus, '-')]
  const below: Line = [indent(lineWidth(head))]
  const faint = (texts: readonly string[]): Line[] => texts.map((text) => [piece(text, 'faint')])
  const notIn = row.notIn.length > 0 ? [wrapItems(below, faint(row.notIn))] : []
  const names = items.length > 0 || row.groups.length === 0 ? [wrapItems(head, items)] : []
  const groups = row.groups.flatMap(({ sign, reason, entries }, index) => {
    const start = names.length + notIn.length + index === 0 ? head : below
    const { shown, note } = foldNames(entries, sign, { whole: verbose })
    const placed = shown.map(({ text, at }) => ({ name: piece(`${sign}${text}`, signStyles[sign]), at }))
    return [
      wrapItems(start, faint(reason)),
      placedLines(lineWidth(head), placed),
      ...(note === '' ? [] : [[indent(lineWidth(head)), piece(note, 'faint')]]),
    ]
  })
  return [...names, ...notIn, ...groups]
}

/** Names with their lines, as many as fit; one that does not fit beside its name stands below it. */
export function placedLines(column: number, entries: readonly { readonly name: Piece; readonly at: string }[]): Flow {
  return (width) => {
    const lines: Line[] = []
    let together: Line[] = []
    const flush = (): void => {
      if (together.length > 0) lines.push(...wrapItems([indent(column)], together)(width))
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
}

export function unifiedLines({ diff }: Row<'lines'>, { verbose, margin }: RowLineOptions): Line[] {
  const rest = verbose ? 0 : diff.length - diffLimit
  const lines: Line[] = diff.slice(0, verbose ? diff.length : diffLimit).map(({ mark, text }) => {
    const style = diffStyles[mark]
    const whole = verbose ? text : cutToWidth(text, lineLimit)
    const line = mark === '@' ? whole : `${mark} ${whole}`
    return [indent(margin + 2), style === undefined ? piece(line) : piece(line, style)]
  })
  if (rest <= 0) return lines
  return [...lines, [indent(margin + 2), piece(`… ${formatCount(rest, 'more line')}, shown with --verbose`, 'faint')]]
}
