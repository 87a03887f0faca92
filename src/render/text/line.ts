// Lines of terminal text as data: pieces with a meaning. Layout counts their columns, and only painting knows colours;
// every piece is neutralised here, so no foreign character can reach the terminal unseen.

import { cutToWidth, textWidth } from '../../core/model/text-width.ts'
import { formatNumber } from './counts.ts'
import { disarmLines, neutralise } from './neutralise.ts'

export type Style = 'add' | 'remove' | 'change' | 'strong' | 'faint' | 'warning' | 'error' | 'good'

/** How text is laid out. */
export interface TextForm {
  readonly colour: boolean
  /** Columns. */
  readonly width: number
}

export interface Piece {
  readonly text: string
  readonly style?: Style
}

export type Line = readonly Piece[]

// The sixteen basic colours alone: those follow the theme of the terminal, and stay readable on light and dark.
const codes: Readonly<Record<Style, string>> = {
  add: '32',
  remove: '31',
  change: '33',
  strong: '1',
  faint: '2',
  warning: '33',
  error: '1;31',
  good: '32',
}

export function piece(text: string, style?: Style): Piece {
  const safe = neutralise(text)
  return style === undefined ? { text: safe } : { text: safe, style }
}

/** Behind a list that is cut; nothing where it is not. `way`: how the others are had. */
export function restLines(rest: number, margin: number, way = ''): Line[] {
  return rest > 0 ? [[indent(margin), piece(`… and ${formatNumber(rest)} more${way}`, 'faint')]] : []
}

/** Lines below their title; nothing where there are none. */
export function titled(title: string, style: Style, lines: readonly Line[]): Line[] {
  return lines.length === 0 ? [] : [[piece(title, style)], ...lines]
}

/** One section after the other, those that hold something, with an empty line between them. */
export function paintSections(sections: readonly (readonly Line[])[], colour: boolean): string {
  const held = sections.filter((lines) => lines.some((line) => line.some(({ text }) => text !== '')))
  return paint(
    held.flatMap((lines, index) => (index === 0 ? lines : [[], ...lines])),
    colour,
  )
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + textWidth(text), 0)
}

/** Ends with a sign where something is left out. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line
  let left = width
  return line.flatMap(({ text, ...rest }) => {
    const shown = left <= 0 ? '' : cutToWidth(text, left)
    left -= textWidth(text)
    return shown === '' ? [] : [{ ...rest, text: shown }]
  })
}

export function indent(columns: number): Piece {
  return { text: ' '.repeat(columns) }
}

/** The code of a problem in front of its sentence; nothing where it has none. */
export function codePieces(code: string | undefined): readonly Piece[] {
  return code === undefined ? [] : [piece(code, 'faint'), indent(2)]
}

/** Ends every line with a line break; without trailing blanks. */
export function paint(lines: readonly Line[], colour: boolean): string {
  return disarmLines(lines.map((line) => `${paintLine(line, colour)}\n`).join(''))
}

export function paintLine(line: Line, colour: boolean): string {
  let result = ''
  for (const { text, style } of line) {
    const safe = neutralise(text)
    result += colour && style !== undefined && safe.trim() !== '' ? `\u001b[${codes[style]}m${safe}\u001b[0m` : safe
  }
  return result.trimEnd()
}

/**
 * Items behind a head, as many on a line as fit; further lines start below the first item. An item is never broken: where one is
 * too wide for what the head leaves, and not for a line of its own, all of them stand below the head.
 */
export function wrapItems(head: Line, items: readonly Line[], width: number, separator: Piece = { text: ' ' }): Line[] {
  const widths = items.map(lineWidth)
  const [behind, below] = [lineWidth(head), marginOf(head) + 2]
  const widest = widths.reduce((most, each) => Math.max(most, each), 0)
  const isBelow = widest > width - behind && widest <= width - below
  const column = isBelow ? below : behind
  const gap = textWidth(separator.text)
  const lines: Line[] = isBelow ? [head] : []
  let line: Piece[] = isBelow ? [indent(column)] : [...head]
  let used = column
  let empty = true
  for (const [index, item] of items.entries()) {
    const itemWidth = widths[index] as number
    if (!empty && used + gap + itemWidth > width) {
      lines.push(line)
      line = [indent(column)]
      used = column
      empty = true
    }
    if (!empty) {
      line.push(separator)
      used += gap
    }
    line.push(...item)
    used += itemWidth
    empty = false
  }
  lines.push(line)
  return lines
}

/** Of what a sign or a bullet begins, behind that. */
function marginOf([first, second]: Line): number {
  if (first === undefined || first.text.trim() !== '') return 0
  return first.text.length + (second === undefined || second.text.trim().length > 1 ? 0 : second.text.length)
}

/** Prose or a value behind a head: broken at blanks, and inside a word only where it is wider than a whole line. */
export function wrapText(head: Line, text: string, width: number, style?: Style): Line[] {
  const room = Math.max(width - lineWidth(head), 20)
  const words: Line[] = []
  // A number stays with its per cent sign.
  for (const word of piece(text).text.split(/ (?!%)/)) {
    for (const chunk of chunks(word, room)) words.push([style === undefined ? { text: chunk } : { text: chunk, style }])
  }
  return wrapItems(head, words, lineWidth(head) + room)
}

function chunks(word: string, room: number): string[] {
  if (textWidth(word) <= room) return [word]
  const result: string[] = []
  let chunk = ''
  let used = 0
  for (const char of word) {
    const width = textWidth(char)
    if (used + width > room) {
      result.push(chunk)
      chunk = ''
      used = 0
    }
    chunk += char
    used += width
  }
  return [...result, chunk]
}
