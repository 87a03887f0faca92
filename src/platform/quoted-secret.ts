// How a server may quote a secret back: as it is, or with its signs as an address, a form, JSON or a web page has them, in
// any mixture: which signs are escaped is up to each library. So the text and the secret are both taken out of their
// escapes, and compared then. Everything here takes time in proportion to the text, whatever stands in it.

/** What a text says without escapes, and where each sign of it was. */
interface Unescaped {
  readonly text: string
  /** For each unit of `text` the index in the original, and the original's length at the end. */
  readonly at: readonly number[]
}

/**
 * One escape. What is quoted may be a quotation: every escape may itself have been escaped. A row of backslashes is tried
 * from its beginning only: from each of them, it would take the square of its length.
 */
const escapes =
  /(?<!\\)\\+u([0-9a-f]{4})|((?:%(?:25)*[0-9a-f]{2})+)|&(?:amp;)*(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** An escape out of an escape out of an escape, each of another kind: beyond this, nobody quotes by accident. */
const mostRounds = 8

/** As above, backslashes are tried from the first of a row. */
const blanks = /(?:(?<!\\)\\+[nrt]|[\s+\\])+/g

/**
 * White space is folded by the ones and escaped by the others, a plus sign is a blank in a form, and backslashes are
 * doubled or not: a row of white space is one blank here, and backslashes are nothing.
 */
export function unescaped(original: string): Unescaped {
  let round: Unescaped = { text: original, at: Array.from({ length: original.length + 1 }, (_, index) => index) }
  for (let rounds = 0; rounds < mostRounds; rounds++) {
    const next = replaced(round, escapes, decoded)
    if (next === undefined) break
    round = next
  }
  return replaced(round, blanks, ([all]) => (/[\s+nrt]/.test(all) ? ' ' : '')) ?? round
}

/** Undefined: nothing was to be replaced. */
function replaced(
  { text, at }: Unescaped,
  pattern: RegExp,
  by: (match: RegExpMatchArray) => string,
): Unescaped | undefined {
  const parts: string[] = []
  const places: number[] = []
  let end = 0
  const keep = (until: number): void => {
    parts.push(text.slice(end, until))
    for (; end < until; end++) places.push(at[end] as number)
  }
  for (const match of text.matchAll(pattern)) {
    keep(match.index)
    const sign = by(match)
    parts.push(sign)
    for (let unit = 0; unit < sign.length; unit++) places.push(at[match.index] as number)
    end = match.index + match[0].length
  }
  if (end === 0) return undefined
  keep(text.length)
  places.push(at[text.length] as number)
  return { text: parts.join(''), at: places }
}

function decoded([all, unit, bytes, decimal, hexadecimal, name]: RegExpMatchArray): string {
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
  if (bytes !== undefined) return Buffer.from(bytes.replace(/%(?:25)*([0-9a-f]{2})/gi, '$1'), 'hex').toString()
  if (name !== undefined) return named[name.toLowerCase()] as string
  const code = decimal === undefined ? Number.parseInt(hexadecimal as string, 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : all
}

/**
 * The end of a text that was cut off: where an escape may have been cut through, it is left out. Only so much of the end is
 * looked at as an escape can take that somebody wrote by accident.
 */
export function withoutCutEscape(text: string): string {
  const tail = text.slice(-200)
  return text.slice(0, text.length - tail.length) + tail.replace(/(?:[\\%&](?:amp;|[#\w])*)+$/, '')
}
