// Puts foreign text into Markdown so that it stays text: no markup, no links, no mentions, no references to issues.
import { neutralise } from './neutralise.ts'

/** As code, in paragraphs, lists and tables. Nobody is notified by what stands in code. */
export function code(text: string): string {
  const safe = neutralise(text)
  if (safe !== '' && !/[`|]|^\s|\s$/.test(safe)) return `\`${safe}\``
  return `<code>${safe.replace(/[^\p{L}\p{N} ]/gu, (char) => `&#${char.codePointAt(0)};`)}</code>`
}

/** As code inside an HTML block, e.g. a summary, where Markdown is not looked at. */
export function codeInHtml(text: string): string {
  return `<code>${neutralise(text).replace(/[&<>"'@]/g, (char) => `&#${char.charCodeAt(0)};`)}</code>`
}

/**
 * A sentence. What stands between backticks in it becomes code, and so does every word that a forge would turn into a
 * mention, a link or a reference.
 */
export function prose(text: string): string {
  return (
    neutralise(text)
      .split(/(`[^`]+`)/)
      .map((part, index) => (index % 2 === 1 ? code(part.slice(1, -1)) : words(part)))
      .join('')
      // Two spans of code that touch would be read as one.
      .replaceAll('``', '` `')
      .replace(/^(\d*)([-+=.)])/, '$1\\$2')
  )
}

const linked = /@|#\d|!\d|:\/\/|www\.|^GH-\d|^[\da-f]{7,40}$/i

// Longer words are not taken apart: the pattern below would take time that grows with the square of their length.
const longWord = 300

function words(text: string): string {
  return text
    .split(/(\s+)/)
    .map((word) => {
      if (word.length > longWord) return linked.test(word) ? code(word) : escaped(word)
      const [, opening = '', core = '', closing = ''] = /^(["'(]*)(.*?)([.,;:!?)"']*)$/.exec(word) ?? []
      return linked.test(core) ? escaped(opening) + code(core) + escaped(closing) : escaped(word)
    })
    .join('')
}

function escaped(text: string): string {
  return text.replace(/[\\*_[\]<>|~&$#]/g, '\\$&').replaceAll('`', '&#96;')
}

/** A block of code whose fence is longer than any row of backticks inside. */
export function fence(language: string, lines: readonly string[]): string[] {
  const safe = lines.map(neutralise)
  const runs = safe.flatMap((line) => line.match(/`{3,}/g) ?? [])
  const mark = runs.reduce((longest, run) => (run.length >= longest.length ? `${run}\`` : longest), '```')
  return [`${mark}${language}`, ...safe, mark]
}
