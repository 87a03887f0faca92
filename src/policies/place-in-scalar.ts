// From an offset in the text of a scalar to the offset in the file, so that what is wrong inside an expression is shown
// where it stands.

/**
 * The offset in `source` of the character `index` of `text`, which is the value of the scalar that starts at `start`.
 * Blanks and line breaks are what folding and indentation change: all other characters stand in the file as they are,
 * but for escapes. Where the two cannot be laid side by side, the start of the scalar.
 */
export function offsetInScalar(source: string, start: number, text: string, index: number): number {
  const style = source[start]
  const isBlock = style === '|' || style === '>'
  const quote = style === '"' || style === "'" ? style : undefined
  let at = start
  if (isBlock) {
    const lineEnd = source.slice(start).search(/[\r\n]/)
    if (lineEnd < 0) return start
    at = start + lineEnd
  } else if (quote !== undefined) at++
  let end = at
  for (let position = 0; position < text.length; position++) {
    const character = text[position] as string
    if (isBlank(character)) {
      if (position === index) return end
      continue
    }
    at = afterBlanks(source, at, quote === '"')
    if (quote === '"' && source[at] === '\\') {
      // Of the other escapes only `\"`, `\\` and `\/` show what they are.
      at++
    } else if (quote === "'" && character === "'" && source.startsWith("''", at)) {
      if (position === index) return at
      at++
    }
    if (source[at] !== character) return start
    if (position === index) return at
    at++
    end = at
  }
  return end
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
