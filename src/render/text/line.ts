// Terminal text as data: only painting knows colours and width, and neutralises every piece.

import { cutToWidth, textWidth } from '@svcsync/core/model/text-width.ts'
import { formatNumber } from './counts.ts'
import { disarmLines, neutralise } from './neutralise.ts'

export type Tone = 'add' | 'remove' | 'change' | 'strong' | 'faint' | 'warning' | 'error' | 'good'

export interface TextForm {
  readonly colour: boolean
  readonly width: number
  /** Nothing is cut, and folds are open. */
  readonly verbose?: boolean | undefined
}

interface Piece {
  readonly text: string
  readonly style?: Tone
}

export type Line = readonly Piece[]

export type Flow = Line | ((width: number) => readonly Line[])

// The sixteen basic colours alone: those follow the theme of the terminal, and stay readable on light and dark.
const codes: Readonly<Record<Tone, string>> = {
  add: '32',
  remove: '31',
  change: '33',
  strong: '1',
  faint: '2',
  warning: '33',
  error: '1;31',
  good: '32',
}

export function piece(text: string, style?: Tone): Piece {
  const safe = neutralise(text)
  return style === undefined ? { text: safe } : { text: safe, style }
}

/** Behind a list that is cut; nothing where it is not. `way`: how the others are had. */
export const restLines = (rest: number, margin: number, way = ''): Line[] =>
  rest > 0 ? [[indent(margin), piece(`… and ${formatNumber(rest)} more${way}`, 'faint')]] : []

export const lineWidth = (line: Line): number => line.reduce((width, { text }) => width + textWidth(text), 0)

export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line
  let left = width
  return line.flatMap(({ text, ...rest }) => {
    const shown = left <= 0 ? '' : cutToWidth(text, left)
    left -= textWidth(text)
    return shown === '' ? [] : [{ ...rest, text: shown }]
  })
}

export const indent = (columns: number): Piece => ({ text: ' '.repeat(columns) })

export const codePieces = (code: string | undefined): readonly Piece[] =>
  code === undefined ? [] : [piece(code, 'faint'), indent(2)]

/** Each line ends with a break. */
export const paint = (flows: readonly Flow[], form: TextForm): string => [...paintParts(flows, form)].join('')

/** The lines between two parts. */
const linesAtOnce = 256

/** In parts of whole lines. A flow is painted before the next is laid out: there may be very many. */
export function* paintParts(flows: readonly Flow[], { colour, width }: TextForm): Generator<string> {
  const lines: string[] = []
  for (const flow of flows) {
    for (const line of layOut([flow], width)) lines.push(paintLine(line, colour), '\n')
    if (lines.length >= 2 * linesAtOnce) yield disarmLines(lines.splice(0).join(''))
  }
  if (lines.length > 0) yield disarmLines(lines.join(''))
}

/** In less room than 40 columns nothing can be laid out. */
export const layOut = (flows: readonly Flow[], width: number): Line[] =>
  flows.flatMap((flow) => (typeof flow === 'function' ? flow(Math.max(width, 40)) : [flow]))

export function paintLine(line: Line, colour: boolean): string {
  let result = ''
  for (const { text, style } of line) {
    const safe = neutralise(text)
    result += colour && style !== undefined && safe.trim() !== '' ? `\u001b[${codes[style]}m${safe}\u001b[0m` : safe
  }
  return result.trimEnd()
}

/**
 * Items behind a head, as many on a line as fit; further lines start below the first item. An item is never broken:
 * where one is too wide for what the head leaves, and not for a line of its own, or the head takes half of the line,
 * all of them stand below it. `hang`: the column of further lines.
 */
export function wrapItems(
  head: Line,
  items: readonly Line[],
  separator: Piece = { text: ' ' },
  hang = lineWidth(head),
) {
  const widths = items.map(lineWidth)
  const [behind, below] = [lineWidth(head), marginOf(head) + 2]
  const widest = widths.reduce((most, each) => Math.max(most, each), 0)
  const gap = textWidth(separator.text)
  return (width: number): Line[] => {
    const isBelow = widest > width - behind && (widest <= width - below || behind > width / 2)
    const [column, further] = isBelow ? [below, below] : [behind, hang]
    const lines: Line[] = isBelow ? [head] : []
    let line: Piece[] = isBelow ? [indent(column)] : [...head]
    let used = column
    let isEmpty = true
    for (const [index, item] of items.entries()) {
      const itemWidth = widths[index] as number
      if (!isEmpty && used + gap + itemWidth > width) {
        lines.push(line)
        used = further
        line = [indent(used)]
        isEmpty = true
      }
      if (!isEmpty) line.push(separator)
      line.push(...item)
      used += isEmpty ? itemWidth : gap + itemWidth
      isEmpty = false
    }
    return [...lines, line]
  }
}

/** The margin of a line behind its sign or bullet. */
function marginOf([first, second]: Line): number {
  if (first === undefined || first.text.trim() !== '') return 0
  return first.text.length + (second === undefined || second.text.trim().length > 1 ? 0 : second.text.length)
}

/** Prose or a value behind a head: broken at blanks, and inside a word only where it is wider than a whole line. */
export function wrapText(head: Line, text: string, style?: Tone): Flow {
  return (width) => {
    const room = Math.max(width - lineWidth(head), 20)
    // A number stays with its per cent sign.
    const words = piece(text).text.split(/ (?!%)/)
    const items = words
      .flatMap((word) => chunks(word, room))
      .map((text): Line => [style === undefined ? { text } : { text, style }])
    return wrapItems(head, items)(lineWidth(head) + room)
  }
}

export const textLines = (text: string, style?: Tone, margin = 0): Flow[] =>
  text === '' ? [] : [wrapText([indent(margin)], text, style)]

export function chunks(word: string, room: number): string[] {
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
