// Looks over what stands between the nodes of a file: blanks, line breaks, comments, commas.

/** Outside of comments. -1: something of `stops` comes first, or nothing. */
export function indexOfNext(text: string, from: number, sign: string, stops = ''): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string
    if (char === sign) return at
    if (stops.includes(char)) return -1
    if (char === '#' && isBlank(text[at - 1] ?? '\n')) {
      const end = text.indexOf('\n', at)
      if (end < 0) return -1
      at = end
    }
  }
  return -1
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r'
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  if (end < 0) return text.length
  return text[end - 1] === '\r' && end > at ? end - 1 : end
}

export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at)
}

/** True if only blanks precede it in its line. */
export function isFirstInLine(text: string, at: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, at), at))
}

/** Behind blanks of the same line. */
export function skipSpaces(text: string, at: number): number {
  let next = at
  while (text[next] === ' ' || text[next] === '\t') next++
  return next
}

/** The line break that the file uses around a place. */
export function breakAt(text: string, at: number): '\n' | '\r\n' {
  const before = text.lastIndexOf('\n', at - 1)
  const near = before >= 0 ? before : text.indexOf('\n', at)
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n'
}
