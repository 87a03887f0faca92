// From an offset in the text of a scalar to the offset in the file.

/**
 * The file holds the text as it is, but for blanks and escapes. If the two do not fit, the start of the scalar is
 * returned.
 */
export function offsetInScalar(source: string, start: number, text: string, index: number): number {
  const style = source[start]
  const quote = style === '"' || style === "'" ? style : undefined
  let at = beginOf(source, start, style)
  if (at === undefined) return start
  let end = at
  for (let position = 0; position < text.length; position++) {
    const character = text[position] as string
    if (isBlank(character)) {
      if (position === index) return end
      continue
    }
    const { from, width } = characterAt(source, at, character, quote)
    if (source[from + width - 1] !== character) return start
    if (position === index) return width === 2 && quote === "'" ? from : from + width - 1
    at = from + width
    end = at
  }
  return end
}

/** The start of the text: for a block, after the line of its header. */
function beginOf(source: string, start: number, style: string | undefined): number | undefined {
  if (style === '"' || style === "'") return start + 1
  if (style !== '|' && style !== '>') return start
  const lineEnd = source.slice(start).search(/[\r\n]/)
  return lineEnd < 0 ? undefined : start + lineEnd
}

/** The start and length of a character. In double quotes, only the escapes `\"`, `\\` and `\/` show their character. */
function characterAt(source: string, at: number, character: string, quote: string | undefined) {
  const from = afterBlanks(source, at, quote === '"')
  const isEscaped = quote === '"' && source[from] === '\\'
  const isDoubled = quote === "'" && character === "'" && source.startsWith("''", from)
  return { from, width: isEscaped || isDoubled ? 2 : 1 }
}

/** In double quotes, blanks may be escaped, and a line break that is escaped stands for nothing. */
function afterBlanks(source: string, from: number, escapes: boolean): number {
  let at = from
  for (;;) {
    if (isBlank(source[at] ?? '')) at++
    else if (escapes && source[at] === '\\' && /[nrt \r\n\t]/.test(source[at + 1] ?? '')) at += 2
    else return at
  }
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}
