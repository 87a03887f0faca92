// Makes text from a server safe to show: no secrets, no control characters, no endless paragraphs.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import { withoutPasswords } from '@svcsync/core/model/written-password.ts'

/** Terminal escapes, the marks that reorder text on screen, and white space, of which one blank is enough. */
const unprintable = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

const maxShownLength = 500

/** The length that it searches: enough for every shown excerpt, even if most of it is white space. */
const excerptLength = 20_000

/** Shorter ones are no secrets, and occur in many words. The step that sends one removes it from its own errors. */
const shortestConcealed = 4

interface Secret {
  readonly value: string
  readonly shown: string
}

export interface Scrub {
  /** Every known secret is replaced, also where it was encoded on its way. Bound to live secrets. */
  (text: string): string
  /** The same for a word that decides something, such as a kind of error: only credentials and tokens are replaced. */
  word(text: string): string
}

/** Asked anew on each use: tokens change. `credentials` are never shown; `values` a platform may quote. */
export function createScrub(credentials: () => readonly string[], values: () => readonly Secret[]): Scrub {
  const own = (): Secret[] => credentials().map((value) => ({ value, shown: '[secret]' }))
  const scrub = (text: string): string => {
    const others = values().filter(({ value }) => value.trim().length >= shortestConcealed)
    return shown(text, [...own(), ...others])
  }
  return Object.assign(scrub, { word: (text: string) => shown(text, own()) })
}

/** Scrubbed before it is shortened: a cut through the middle would leave a part that no longer matches. */
function shown(text: string, secrets: readonly Secret[]): string {
  const isCut = text.length > excerptLength
  const excerpt = isCut ? withoutCutEscape(text.slice(0, excerptLength)) : text
  // A password in an address is known to nobody here.
  const clean = withoutPasswords(withoutSecrets(excerpt, isCut, secrets))
    .replace(unprintable, ' ')
    .trim()
  return isCut || clean.length > maxShownLength ? `${clean.slice(0, maxShownLength)}…` : clean
}

interface Quotation {
  readonly start: number
  readonly end: number
  readonly shown: string
}

function withoutSecrets(text: string, isCut: boolean, secrets: readonly Secret[]): string {
  if (secrets.length === 0) return text
  const found: Quotation[] = []
  const plain = unescaped(text)
  // The longest first: one secret may be part of another.
  for (const { value, shown } of [...secrets].sort((a, b) => b.value.length - a.value.length)) {
    // As it stands as well: signs around it may make another escape of its ends.
    const forms = [
      { within: text, secret: value.trim(), placeOf: (index: number) => index },
      { within: plain.text, secret: plainOf(value), placeOf: (index: number) => plain.at[index] as number },
    ]
    for (const { within, secret, placeOf } of forms) {
      if (secret === '') continue
      const hide = (start: number, end: number) => found.push({ start: placeOf(start), end: placeOf(end), shown })
      occurrences(within, secret, hide)
      const cut = isCut ? cutLength(within, secret) : 0
      if (cut > 0) hide(within.length - cut, within.length)
    }
  }
  return replaceAll(text, found)
}

const plains = new Map<string, string>()

/** Asked for again and again while a platform refuses. */
function plainOf(value: string): string {
  return getOrInsert(plains, value, () => unescaped(value).text.trim())
}

function occurrences(text: string, part: string, on: (start: number, end: number) => void): void {
  for (let start = text.indexOf(part); start >= 0; start = text.indexOf(part, start + part.length)) {
    on(start, start + part.length)
  }
}

/** The possible beginning of a credential is held until the next piece, or the end, decides. */
export function createHiding(credentials: () => readonly string[], tell: (text: string) => void) {
  let held = ''
  return {
    more(text: string): void {
      const secrets = credentials().filter((value) => value.trim() !== '')
      const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), held + text)
      const open = Math.max(0, ...secrets.map((secret) => cutLength(clean, secret)))
      held = clean.slice(clean.length - open)
      if (clean.length > open) tell(clean.slice(0, clean.length - open))
    },
    end(): void {
      if (held !== '') tell(held)
    },
  }
}

/** The length of the secret's beginning at the end of a cut text. */
function cutLength(text: string, secret: string): number {
  let length = Math.min(secret.length - 1, text.length)
  while (!text.endsWith(secret.slice(0, length))) length--
  return length
}

/** Overlapping findings count as one, under the name of the first. */
function replaceAll(text: string, found: readonly Quotation[]): string {
  let clean = ''
  let end = 0
  const order = found.map((each, index) => ({ ...each, index }))
  for (const { start, end: until, shown } of order.sort((a, b) => a.start - b.start || a.index - b.index)) {
    if (start >= end) clean += text.slice(end, start) + shown
    end = Math.max(end, until)
  }
  return clean + text.slice(end)
}

// Libraries escape different characters, so text and secret are compared without escapes.

/** A text without escapes, with the place of each character. */
interface UnescapedText {
  readonly text: string
  /** For each unit of `text` the index in the original, and the original's length at the end. */
  readonly at: readonly number[]
}

/** A quotation may be quoted again. A row of backslashes is tried from its beginning only. */
const escapes =
  /(?<!\\)\\+u([0-9a-f]{4})|((?:%(?:25)*[0-9a-f]{2})+)|&(?:amp;)*(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** An escape out of an escape out of an escape, each of another kind: beyond this, nobody quotes by accident. */
const mostRounds = 8

const blanks = /(?:(?<!\\)\\+[nrt]|[\s+\\])+/g

/** A row of white space is one blank here, and backslashes are nothing. */
function unescaped(original: string): UnescapedText {
  let round: UnescapedText = { text: original, at: Array.from({ length: original.length + 1 }, (_, index) => index) }
  for (let rounds = 0; rounds < mostRounds; rounds++) {
    const next = replaced(round, escapes, decoded)
    if (next === undefined) break
    round = next
  }
  return replaced(round, blanks, ([all]) => (/[\s+nrt]/.test(all) ? ' ' : '')) ?? round
}

/** Undefined: nothing was to be replaced. */
function replaced(
  { text, at }: UnescapedText,
  pattern: RegExp,
  by: (match: RegExpMatchArray) => string,
): UnescapedText | undefined {
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

/** A possibly cut escape is left out. */
function withoutCutEscape(text: string): string {
  const tail = text.slice(-200)
  return text.slice(0, text.length - tail.length) + tail.replace(/(?:[\\%&](?:amp;|[#\w])*)+$/, '')
}
