// Markdown of a comment: foreign text stays text, without markup, mentions or references.
import { formatNumber } from './counts.ts'
import { disarmLines, neutralise } from './neutralise.ts'

/** As code, in paragraphs, lists and tables. A name inside code notifies nobody. */
export function code(text: string): string {
  const safe = neutralise(text)
  if (safe !== '' && !/[`|]|^\s|\s$/.test(safe)) return `\`${safe}\``
  return `<code>${safe.replace(/[^\p{L}\p{N} ]/gu, (char) => `&#${char.codePointAt(0)};`)}</code>`
}

/** Inside an HTML block, such as a summary, where Markdown has no effect. */
export const inHtml = (text: string): string =>
  neutralise(text).replace(/[&<>"'@]/g, (char) => `&#${char.charCodeAt(0)};`)

/** Text between backticks becomes code, and so does every word that a forge would link. */
export function prose(text: string, isStart = true): string {
  const marked = spansOf(neutralise(text))
    .map((part, index) => (index % 2 === 1 ? code(part) : words(part)))
    .join('')
    // Two spans of code that touch would be read as one.
    .replaceAll('``', '` `')
  // A list, or where a line begins a command to GitLab: `/close`.
  return isStart ? marked.replace(/^(\d*)([-+=.)/])/, '$1\\$2') : marked
}

/** Every other one is what stands between as many backticks as `inCode` puts around a name. */
export function spansOf(text: string): string[] {
  const pieces = text.split(/(`+)/)
  const last = new Map(pieces.map((piece, index) => [piece, index]))
  const result = ['']
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as string
    if (at % 2 === 0 || (last.get(piece) as number) <= at) {
      result.push(`${result.pop()}${piece}`)
      continue
    }
    const end = pieces.indexOf(piece, at + 1)
    const held = pieces.slice(at + 1, end).join('')
    result.push(/^ (?:`.*|.*`) $/s.test(held) ? held.slice(1, -1) : held, '')
    at = end
  }
  return result
}

/** By any forge: accounts, issues, requests, milestones and labels, alerts, addresses, commits and ranges of them. */
const linked =
  /@|#\d|!\d|[~%]["\w]|[$&]\d|\[\w+:|\{[-+]|:\/\/|www\.|^G[HL]-\d|^[\da-f]{7,40}(?:\.{2,3}[\da-f]{7,40})?$/i

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

const escaped = (text: string): string => text.replace(/[\\*_[\]<>|~&$#]/g, '\\$&').replaceAll('`', '&#96;')

/** A block of code whose fence is longer than any row of backticks inside. */
export function fence(language: string, lines: readonly string[]): string[] {
  const safe = lines.map(neutralise)
  const runs = safe.flatMap((line) => line.match(/`{3,}/g) ?? [])
  const mark = runs.reduce((longest, run) => (run.length >= longest.length ? `${run}\`` : longest), '```')
  return [`${mark}${language}`, ...safe, mark]
}

/** Two hyphens would end the comment. */
export function commentMarker(command: string, target: string): string {
  const encode = (text: string): string => encodeURIComponent(neutralise(text)).replaceAll('--', '%2D%2D')
  return `<!-- svcsync:${encode(command)}:${encode(target)} -->`
}

/** Even the shortest comment names some. */
export function cutList(items: readonly string[], limit: number): string[] {
  const rest = items.length - limit
  return [...items.slice(0, limit), ...(rest > 0 ? [`- … and ${formatNumber(rest)} more`] : [])]
}

export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const whole = blocks.filter((lines) => lines.length > 0).map((lines) => disarmLines(lines.join('\n')))
  return `${whole.join('\n\n')}\n`
}

/** Versions from the fullest to the shortest, made only as far as needed. */
export function shortenMarkdown<Stage>(
  stages: readonly Stage[],
  render: (stage: Stage) => string,
  maxLength: number,
): string {
  let text = ''
  for (const stage of stages) {
    text = render(stage)
    if (text.length <= maxLength) return text
  }
  // Not even the counts fit. A cut inside of markup might swallow what stands around it, so whole lines go.
  while ((text.length > maxLength || !isBalanced(text)) && text.includes('\n'))
    text = text.slice(0, text.lastIndexOf('\n'))
  return text.length <= maxLength ? text : ''
}

/** True if all brackets are closed: an open one would swallow the text behind it. */
function isBalanced(text: string): boolean {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  return count(/^<details/gm) === count(/^<\/details>/gm) && count(/^`{3,}/gm) % 2 === 0
}
