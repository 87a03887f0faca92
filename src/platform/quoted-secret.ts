// How a server may quote a secret back: as it is, or with its signs as an address, a form, JSON or a web page has them, in
// any mixture: which signs are escaped is up to each library.

// What is quoted may be a quotation: every escape may itself have been escaped.
const percent = '%(?:25)*'
const backslash = String.raw`\\+`
const ampersand = '&(?:amp;)*'

/** White space is folded by the ones, and escaped by the others. */
const space = `(?:[\\s+]|${percent}(?:20|2[bB]|0[9aAdD])|${backslash}(?:[nrt]|u0020|u000[9aAdD])|${ampersand}#(?:32|9|10|13);)+`

/** However many there are: taken one by one, doubled or not, a row of them would take time without end. */
const slashes = `(?:\\\\|${percent}5[cC]|u005[cC]|${ampersand}#0*92;|${ampersand}#[xX]0*5[cC];)+`

const named: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** Asked for again and again while a platform refuses. */
const known = new Map<string, RegExp>()

/** Finds the secret however it is written. It holds more than white space. */
export function patternOf(value: string): RegExp {
  let pattern = known.get(value)
  if (pattern === undefined) {
    const source = value
      .trim()
      .split(/(\s+|\\+)/)
      .map((part, index) =>
        index % 2 === 0 ? Array.from(part, formsOf).join('') : part.startsWith('\\') ? slashes : space,
      )
      .join('')
    pattern = new RegExp(source, 'g')
    known.set(value, pattern)
  }
  return pattern
}

/** Letters and digits are never escaped; every other sign may be. */
function formsOf(char: string): string {
  if (/^[A-Za-z0-9]$/.test(char)) return char
  const code = char.codePointAt(0) as number
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index))
  const forms = new Set([
    `\\\\*${literal(char)}`,
    units.map((unit) => `${backslash}u${hex(unit, 4)}`).join(''),
    [...Buffer.from(char)].map((byte) => `${percent}${hex(byte, 2)}`).join(''),
    `${ampersand}#0*${code};`,
    `${ampersand}#[xX]0*${hex(code, 1)};`,
    ...(named[char] === undefined ? [] : [`${ampersand}${named[char]};`]),
  ])
  return `(?:${[...forms].join('|')})`
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** In either case of letters. */
function hex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
