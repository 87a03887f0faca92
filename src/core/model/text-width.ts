// The columns of text in a terminal: combining marks take none, East Asian wide characters and emoji two.
import { eastAsianWidth } from 'get-east-asian-width'

const zero = /^(?:\p{Mn}|\p{Me}|\u200c|\u200d|[\ufe00-\ufe0f])$/u

export function charWidth(char: string): number {
  const code = char.codePointAt(0) as number
  if (code < 0x300) return 1
  return zero.test(char) ? 0 : eastAsianWidth(code)
}

/** Nearly all text is plain, and measured very often. */
const plain = /^[ -~]*$/

export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

/** The text, cut to at most `width` columns with an ellipsis at the end. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let result = ''
  let used = 1
  for (const char of text) {
    used += charWidth(char)
    if (used > width) break
    result += char
  }
  return width > 0 ? `${result.trimEnd()}…` : ''
}
