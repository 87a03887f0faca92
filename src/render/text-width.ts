// How many columns text takes in a terminal. Own code, since the platform-independent rest of the answer is small: marks
// that combine take none, East Asian wide characters and emoji take two.

const zero = /^(?:\p{Mn}|\p{Me}|\u200c|\u200d|[\ufe00-\ufe0f])$/u
const emoji = /^\p{Emoji_Presentation}$/u

function charWidth(char: string): number {
  const code = char.codePointAt(0) as number
  if (code < 0x300) return 1
  if (zero.test(char)) return 0
  if (code < 0x1100) return 1
  const wide =
    code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd)
  return wide || emoji.test(char) ? 2 : 1
}

/** Columns of one line of text. */
export function textWidth(text: string): number {
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
