// Makes foreign text harmless and honest: what would steer a terminal or hide from the eye is shown as an escape.

// Controls, lone surrogates, private use, and all without width. Joiners stay: scripts and emoji need them.
const unprintable =
  /(?!\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

// Runners of pipelines take `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere in a log for a command to them.
const command = /#(?=#+[a-z]*\[)/gi

// And `::error …` where a line begins, whatever white space stands before it.
const lineCommand = /^((?:\s|\u001b\[[\d;]*m)*):(?=:)/gm

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

// Letters that look like Latin ones, and wide and mathematical forms: by them an account passes for another.
const alike = '[аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅοναιρυκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡɩօոսհ\\u{ff10}-\\u{ff5a}\\u{1d400}-\\u{1d7ff}]'
const anyAlike = new RegExp(alike, 'u')
const allAlike = new RegExp(alike, 'gu')

/** Nearly all text has only these characters, and is checked very often. */
const plain = /^[ -~]*$/

/** One line of text without any control character, and with no letter in disguise. Doing it twice changes nothing. */
export const neutralise = (text: string): string => withoutCommands(plain.test(text) ? text : escapeHidden(text))

/** The same of whole lines. */
export const neutraliseLines = (text: string): string => text.split('\n').map(neutralise).join('\n')

function escapeHidden(text: string): string {
  const printable = text.replace(unprintable, escaped)
  const composed = printable.normalize('NFC') === printable ? printable : printable.replace(/\S+/gu, decompose)
  return anyAlike.test(composed) ? composed.replace(/\S+/gu, unmask) : composed
}

/** Marks that make a letter look like the one in another account. */
const decompose = (token: string): string =>
  token.includes('@') ? token.replace(/\P{M}\p{M}+/gu, (letter) => letter.replace(/\p{M}/gu, escaped)) : token

const withoutCommands = (text: string): string => (text.includes('##') ? text.replace(command, '# ') : text)

const escaped = (char: string): string => named[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`

/** A text wholly in another script is no disguise, but an account that looks just like a Latin one is. */
function unmask(token: string): string {
  const isAccount = token.includes('@')
  return token.replace(/[\p{L}\p{N}]+/gu, (word) => {
    const others = word.replace(allAlike, '')
    const isDisguise = others === '' ? isAccount : /\p{Script=Latin}/u.test(others)
    return isDisguise ? word.replace(allAlike, escaped) : word
  })
}

export const holdsUnprintable = (text: string): boolean =>
  text.search(unprintable) >= 0 || (anyAlike.test(text) && neutralise(text) !== text)

/** Whole lines of output, of which each may begin with foreign text. Doing it twice changes nothing. */
export const disarmLines = (text: string): string => (text.includes('::') ? text.replace(lineCommand, '$1: ') : text)

/**
 * Escapes the characters that `JSON.stringify` keeps and `neutralise` does not: the data stays the same. A `#` before
 * another one is escaped, too, since runners take `##[…]` and `##vso[…]` anywhere in a log for a command.
 */
export const safeJson = (value: unknown): string => `${asEscapes(JSON.stringify(value, undefined, 2))}\n`

function asEscapes(text: string): string {
  return text.replace(/#(?=#)|[^\n -~]/gu, (char) => {
    return char !== '#' && neutralise(char) === char ? char : escapeUnits(char)
  })
}

function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, index) => {
    return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}

/**
 * The same for an object with one more list after its first fields: one document in parts, as the items come, since the
 * whole may be longer than a string can be. `others`: called after the last item.
 */
export function* safeJsonParts(
  first: Readonly<Record<string, string>>,
  [name, items]: readonly [string, Iterable<unknown>],
  others: () => object,
): Generator<string> {
  const head = safeJson({ ...first, [name]: [] })
  yield head.slice(0, head.lastIndexOf(']'))
  let isFirst = true
  for (const part of inParts(items, itemsAtOnce)) {
    const texts = part.map((item) => safeJson(item).trimEnd().replace(/^/gm, '    '))
    yield `${isFirst ? '' : ','}\n${texts.join(',\n')}`
    isFirst = false
  }
  const tail = safeJson({ [name]: [], ...others() })
  yield `${isFirst ? '' : '\n  '}${tail.slice(tail.indexOf(']'))}`
}

/** Each item on a line of its own. */
export function* safeJsonLines(items: Iterable<unknown>): Generator<string> {
  for (const part of inParts(items, itemsAtOnce))
    yield part.map((item) => `${asEscapes(JSON.stringify(item))}\n`).join('')
}

/** A list for so many items at a time, or for more of one `keyOf`. */
export function* inParts<Item>(items: Iterable<Item>, size: number, keyOf = (item: Item): unknown => item) {
  const part: Item[] = []
  for (const item of items) {
    if (part.length >= size && keyOf(item) !== keyOf(part.at(-1) as Item)) yield part.splice(0)
    part.push(item)
  }
  if (part.length > 0) yield part
}

const itemsAtOnce = 256
