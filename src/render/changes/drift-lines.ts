// Rows of a difference as terminal lines that say what somebody did on the platform.
import { foldNames } from '../text/counts.ts'
import { indent, type Line, lineWidth, piece, type Style, wrapItems, wrapText } from '../text/line.ts'
import type { ElementsRow, Row, ValueRow } from './difference-rows.ts'
import { causesAs, elementPhrases, healingOf } from './drift-words.ts'
import { labelled, placedLines, type RowLineOptions, unifiedLines } from './row-lines.ts'

const styles = { '+': 'add', '-': 'remove' } as const

export function driftRowLines(rows: readonly Row[], options: RowLineOptions): Line[] {
  return labelled(rows, options, (row, head) => {
    if (row.form === 'value') return valueLines(row, head, options.width)
    if (row.form === 'elements') return elementLines(row, head, options)
    const legend = wrapText(
      head,
      `${causesAs(row.isKnown === true).value}: - is declared, + is there`,
      options.width,
      'faint',
    )
    return [...legend, ...unifiedLines(row, options)]
  })
}

/** Who is in an object that nobody declared. */
export function heldLines(rows: readonly Row[], options: RowLineOptions): Line[] {
  return labelled(rows, options, (row, head) =>
    row.form === 'elements' ? wrapItems(head, listed(row.removed, '-', options), options.width) : [],
  )
}

function valueLines({ before, after, isKnown = false }: ValueRow, head: Line, width: number): Line[] {
  const { value } = causesAs(isKnown)
  const shown = (value: typeof after, style: Style) => piece(value.text, value.remark ? 'faint' : style)
  const there = before ?? { text: '(hidden)', remark: true }
  const line = [
    ...[...head, piece(`${value}: `, 'faint'), shown(there, 'add')],
    ...[piece(' (declared: ', 'faint'), shown(after, 'remove'), piece(')', 'faint')],
  ]
  if (lineWidth(line) <= width) return [line]
  const below: Line = [indent(lineWidth(head))]
  return [
    ...wrapText([...head, piece(`${value}: `, 'faint')], there.text, width, there.remark ? 'faint' : 'add'),
    ...wrapText([...below, piece('declared: ', 'faint')], after.text, width, after.remark ? 'faint' : 'remove'),
  ]
}

function elementLines(row: ElementsRow, head: Line, options: RowLineOptions): Line[] {
  const { width, verbose } = options
  const below: Line = [indent(lineWidth(head))]
  return elementPhrases(row).flatMap(({ what, cause, healing, sign, names, placed }, index) => {
    const start = index === 0 ? head : below
    const isList = names.length > 0
    const words: Line[] = what.map((word, at) => [piece(at === what.length - 1 && isList ? `${word}:` : word, 'faint')])
    const why: Line[] = cause === undefined ? [] : [[piece(`${cause};`, 'faint')]]
    const heals: Line[] = [...why, [piece(isList ? healing : `${healing}:`, 'faint')]]
    if (isList)
      return wrapItems(start, [...words, ...listed(names, healingOf[sign], options, styles[sign]), ...heals], width)
    const reason = [...words.slice(0, -1), [piece(`${what.at(-1)};`, 'faint')], ...heals]
    const { shown, note } = foldNames(placed, healingOf[sign], { whole: verbose })
    const entries = shown.map(({ text, at }) => ({ name: piece(text, styles[sign]), at }))
    return [
      ...wrapItems(start, reason, width),
      ...placedLines(lineWidth(head), entries, width),
      ...(note === '' ? [] : [[...below, piece(note, 'faint')]]),
    ]
  })
}

/** Names with commas between them; `ends` with a semicolon where something follows. */
function listed(
  names: readonly string[],
  sign: '+' | '-',
  { verbose }: Pick<RowLineOptions, 'verbose'>,
  style?: Style,
): Line[] {
  const end = style === undefined ? '' : ';'
  const { shown, note } = foldNames(names, sign, { whole: verbose })
  const items = shown.map((name, index): Line => {
    return [piece(name, style), piece(index < shown.length - 1 || note !== '' ? ',' : end, 'faint')]
  })
  return note === '' ? items : [...items, [piece(`${note}${end}`, 'faint')]]
}
