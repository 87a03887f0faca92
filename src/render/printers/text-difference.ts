// Rows of a difference as terminal lines.
import { cutToWidth, textWidth } from '@svcsync/core/model/text-width.ts'
import type { DifferenceRow, DisplayedValue } from '../blocks/difference.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import type { Flow, Line, Tone } from '../text/line.ts'
import { indent, layOut, lineWidth, piece, wrapItems, wrapText } from '../text/line.ts'

const labelLimit = 28
const diffLimit = 40
const lineLimit = 300
export const valueLimit = 160
const signStyles = { '+': 'add', '-': 'remove' } as const
const diffStyles: Readonly<Record<string, Tone>> = { '+': 'add', '-': 'remove', '@': 'faint' }

/** Labels in one column, values in the next; values of what is new on one line together. */
export function differenceLines(rows: readonly DifferenceRow[], margin: number, whole: boolean): Flow[] {
  const isNew = (row: DifferenceRow): row is DifferenceRow<'value'> =>
    row.form === 'value' && row.before === undefined && !row.after.remark
  const fields = rows.filter(isNew)
  const together = fields.length > 1 ? fields : []
  const others = together.length > 0 ? rows.filter((row) => !isNew(row)) : rows
  const items = together.map(({ label, after, at }) => [
    piece(`${label}: `, 'faint'),
    piece(after.text, 'add'),
    ...(at === undefined ? [] : [piece(` ${at}`, 'faint')]),
  ])
  const labels = others.map((row) => textWidth(piece(row.label).text)).filter((width) => width <= labelLimit)
  const column = labels.reduce((widest, width) => Math.max(widest, width), 0)
  return [
    ...(items.length > 0 ? [wrapItems([indent(margin)], items, piece(' · ', 'faint'))] : []),
    ...others.flatMap((row) => {
      const label = piece(row.label)
      const head: Line = [indent(margin), label, indent(Math.max(column - textWidth(label.text), 0) + 2)]
      return withPlace(rowLines(row, head, margin, whole), row, head)
    }),
  ]
}

export function inOneLine(rows: readonly DifferenceRow[], whole: boolean): readonly Line[] | undefined {
  const [row, ...others] = rows
  if (row === undefined || others.length > 0 || row.at !== undefined || row.form === 'lines') return undefined
  const label: Line = [piece(row.label), indent(1)]
  if (row.form === 'value') return [label, ...valueItems(row)]
  if (row.groups.length + row.notIn.length > 0) return undefined
  return [label, ...entryItems(row, whole)]
}

function rowLines(row: DifferenceRow, head: Line, margin: number, whole: boolean): readonly Flow[] {
  if (row.form === 'value') return [valueFlow(row, head)]
  if (row.form === 'entries') return entryLines(row, head, whole)
  return [head.slice(0, 2), ...unifiedLines(row, margin, whole)]
}

function valueItems({ before, after }: DifferenceRow<'value'>): Line[] {
  if (before === undefined) return [[shown(after, 'add')]]
  return [[shown(before, 'remove'), piece(' → ', 'faint'), shown(after, 'add')]]
}

function valueFlow(row: DifferenceRow<'value'>, head: Line): Flow {
  const { before, after } = row
  if (before === undefined) return wrapText(head, after.text, styleOf(after, 'add'))
  const below = indent(lineWidth(head))
  return firstFitting(
    [...head, ...valueItems(row).flat()],
    wrapText([...head, piece('- ', 'remove')], before.text, styleOf(before, 'remove')),
    wrapText([below, piece('+ ', 'add')], after.text, styleOf(after, 'add')),
  )
}

const shown = (value: DisplayedValue, style: Tone): Line[number] => piece(value.text, styleOf(value, style))
const styleOf = (value: DisplayedValue, style: Tone): Tone => (value.remark ? 'faint' : style)

function withPlace(flows: readonly Flow[], { at }: DifferenceRow, head: Line): readonly Flow[] {
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

function entryItems({ added, removed }: DifferenceRow<'entries'>, whole: boolean): Line[] {
  const named = (texts: readonly string[], sign: '+' | '-'): Line[] => {
    const { shown: first, note } = foldNames(texts, sign, { whole })
    const names = first.map((text) => [piece(`${sign}${text}`, signStyles[sign])])
    return note === '' ? names : [...names, [piece(note, 'faint')]]
  }
  return [...named(removed, '-'), ...named(added, '+')]
}

function entryLines(row: DifferenceRow<'entries'>, head: Line, whole: boolean): Flow[] {
  const items = entryItems(row, whole)
  const column = lineWidth(head)
  const below: Line = [indent(column)]
  const faint = (texts: readonly string[]): Line[] => texts.map((text) => [piece(text, 'faint')])
  const notIn = row.notIn.length > 0 ? [wrapItems(below, faint(row.notIn))] : []
  const names = items.length > 0 || row.groups.length === 0 ? [wrapItems(head, items)] : []
  const groups = row.groups.flatMap(({ sign, reason, entries }, index) => {
    const start = names.length + notIn.length + index === 0 ? head : below
    const { shown: first, note } = foldNames(entries, sign, { whole })
    const placed = first.map(({ text, at }) => ({ name: piece(`${sign}${text}`, signStyles[sign]), at }))
    const rest = note === '' ? [] : [[indent(column), piece(note, 'faint')]]
    return [wrapItems(start, faint(reason)), placedLines(column, placed), ...rest]
  })
  return [...names, ...notIn, ...groups]
}

/** Names with their lines, as many as fit; one that does not fit beside its name stands below it. */
function placedLines(column: number, entries: readonly { readonly name: Line[number]; readonly at: string }[]): Flow {
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

function unifiedLines({ diff }: DifferenceRow<'lines'>, margin: number, whole: boolean): Line[] {
  const lines: Line[] = diff.slice(0, whole ? diff.length : diffLimit).map(({ mark, text }) => {
    const style = diffStyles[mark]
    const line = `${mark === '@' ? '' : `${mark} `}${whole ? text : cutToWidth(text, lineLimit)}`
    return [indent(margin + 2), style === undefined ? piece(line) : piece(line, style)]
  })
  const rest = diff.length - lines.length
  if (rest <= 0) return lines
  return [...lines, [indent(margin + 2), piece(`… ${formatCount(rest, 'more line')}, shown with --verbose`, 'faint')]]
}

const firstFitting =
  (line: Line, ...otherwise: Flow[]): Flow =>
  (width) =>
    lineWidth(line) <= width ? [line] : layOut(otherwise, width)
