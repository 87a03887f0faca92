// Rows of a difference as terminal lines that say what somebody did on the platform.
import type { ElementsRow, Row, ValueRow } from './difference-rows.ts'
import { elementPhrases } from './drift-words.ts'
import { indent, type Line, lineWidth, piece, type Style } from './line.ts'
import { labelled, placedLines, type RowLineOptions, unifiedLines } from './row-lines.ts'
import { wrapItems, wrapText } from './wrap.ts'

const styles = { '+': 'add', '-': 'remove' } as const

export function driftRowLines(rows: readonly Row[], options: RowLineOptions): Line[] {
  return labelled(rows, options, (row, head) => {
    if (row.form === 'value') return valueLines(row, head, options.width)
    if (row.form === 'elements') return elementLines(row, head, options.width)
    const legend = wrapText(head, 'changed by hand: - is declared, + is there', options.width, 'faint')
    return [...legend, ...unifiedLines(row, options)]
  })
}

/** Who is in an object that nobody declared. */
export function heldLines(rows: readonly Row[], options: RowLineOptions): Line[] {
  return labelled(rows, options, (row, head) =>
    row.form === 'elements' ? wrapItems(head, listed(row.removed), options.width) : [],
  )
}

function valueLines({ before, after }: ValueRow, head: Line, width: number): Line[] {
  const shown = (value: typeof after, style: Style) => piece(value.text, value.remark ? 'faint' : style)
  const there = before ?? { text: '(hidden)', remark: true }
  const line = [
    ...[...head, piece('changed by hand: ', 'faint'), shown(there, 'add')],
    ...[piece(' (declared: ', 'faint'), shown(after, 'remove'), piece(')', 'faint')],
  ]
  if (lineWidth(line) <= width) return [line]
  const below: Line = [indent(lineWidth(head))]
  return [
    ...wrapText([...head, piece('changed by hand: ', 'faint')], there.text, width, there.remark ? 'faint' : 'add'),
    ...wrapText([...below, piece('declared: ', 'faint')], after.text, width, after.remark ? 'faint' : 'remove'),
  ]
}

function elementLines(row: ElementsRow, head: Line, width: number): Line[] {
  const below: Line = [indent(lineWidth(head))]
  return elementPhrases(row).flatMap(({ what, healing, sign, names, placed }, index) => {
    const start = index === 0 ? head : below
    const isList = names.length > 0
    const words: Line[] = what.map((word, at) => [piece(at === what.length - 1 && isList ? `${word}:` : word, 'faint')])
    const heals: Line = [piece(isList ? healing : `${healing}:`, 'faint')]
    if (isList) return wrapItems(start, [...words, ...listed(names, styles[sign]), heals], width)
    const reason = [...words.slice(0, -1), [piece(`${what.at(-1)};`, 'faint')], heals]
    const entries = placed.map(({ text, at }) => ({ name: piece(text, styles[sign]), at }))
    return [...wrapItems(start, reason, width), ...placedLines(lineWidth(head), entries, width)]
  })
}

/** Names with commas between them; `ends` with a semicolon where something follows. */
function listed(names: readonly string[], style?: Style): Line[] {
  const end = style === undefined ? '' : ';'
  return names.map((name, index) => [piece(name, style), piece(index === names.length - 1 ? end : ',', 'faint')])
}
