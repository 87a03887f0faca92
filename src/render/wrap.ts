// Breaks what is too long for a line into several.

import { textWidth } from '../core/model/text-width.ts'
import { indent, type Line, lineWidth, type Piece, piece, type Style } from './line.ts'

/** Items behind a head, as many on a line as fit; further lines start below the first item. An item is never broken. */
export function wrapItems(head: Line, items: readonly Line[], width: number, separator: Piece = { text: ' ' }): Line[] {
  const column = lineWidth(head)
  const gap = textWidth(separator.text)
  const lines: Line[] = []
  let line: Piece[] = [...head]
  let used = column
  let empty = true
  for (const item of items) {
    const itemWidth = lineWidth(item)
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
