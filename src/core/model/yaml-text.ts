// Every text that svcsync writes as YAML: plain, a block, or in quotes. A `${` of a text stays a text.

/** Written in the line of its key, or as a block below it. */
type ScalarText = { readonly inline: string } | { readonly header: '|' | '|-'; readonly lines: readonly string[] }

// Words, addresses, paths. None of these means anything to YAML in this company, inside brackets either.
const plainWords =
  /^[\p{L}\p{N}_/\\](?:[\p{L}\p{N}\p{M}_.@/\\+()'&%=~-]|:(?=[\p{L}\p{N}_./\\])| (?=[\p{L}\p{N}_(/]))*$/u
/** Signs that mean something inside brackets alone. */
const outsideBrackets = /[,;!?"]/g
/** Texts that YAML 1.1 or 1.2 reads as another type. */
const otherTypes = /^(?:null|true|false|yes|no|on|off|y|n)$/i
/** Numbers, dates, times: of digits and signs alone, or by any notation of numbers. */
const onlyDigits = /^[\d_.:+-]*$/

// No width, bidirectional, controls. Joiners stay: scripts and emoji need them.
const unprintable = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\ufeff]/gu

/** In files that follow references, `$${` is a `${` without meaning. A writer of references uses `yamlReference`. */
export function escapeReferences(text: string): string {
  return text.replaceAll('${', () => '$${')
}

/** One that is meant. `name`: of an environment variable. */
export function yamlReference(name: string): string {
  return quoted(`\${env:${name}}`)
}

/** A text in one line, as inside brackets, for a file that follows references. Keys are an `inlineText`. */
export function yamlText(text: string): string {
  return inlineText(escapeReferences(text))
}

/** A text that reads back as it is, by every YAML parser. */
export function scalarText(text: string): ScalarText {
  if (isPlain(text.replace(outsideBrackets, '.')) && !/^[,;!?"]/.test(text)) return { inline: text }
  if (text.includes('\n') && isCleanBlock(text)) {
    const ends = text.endsWith('\n')
    return { header: ends ? '|' : '|-', lines: (ends ? text.slice(0, -1) : text).split('\n') }
  }
  return { inline: quoted(text) }
}

export function inlineText(text: string): string {
  return isPlain(text) ? text : quoted(text)
}

function isPlain(text: string): boolean {
  return plainWords.test(text) && !otherTypes.test(text) && !onlyDigits.test(text) && Number.isNaN(Number(text))
}

/** Texts that runners of pipelines would take for a command in a log. */
const command = /^\s*::|#(?=#+[a-z]*\[)/im

/** Nothing in it could get lost in an editor: no trailing blanks, no tabs, no lines that hold nothing at either end. */
function isCleanBlock(text: string): boolean {
  if (command.test(text)) return false
  return !/^[\s]|[ \t]\n|[ \t]$|\n\n$|[^\n]*\t/.test(text) && text.replaceAll('\n', '').search(unprintable) < 0
}

function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(unprintable, escapeOf)
    .replace(/#(?=#)/g, escapeOf)
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) as number
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** Text for a comment: one line without anything that steers or hides, shortened. */
export function commentText(text: string, maxLength = 300): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(unprintable, escapeOf)
    .replace(/#(?=#)/g, '# ')
  return line.length > maxLength ? `${[...line].slice(0, maxLength - 1).join('')}…` : line
}
