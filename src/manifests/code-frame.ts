// The lines around a problem, with a caret: no credentials, no control characters, no endless lines.
import { charWidth, textWidth } from '@svcsync/core/model/text-width.ts'
import type { Problem } from '@svcsync/errors/index.ts'
import { hiddenSpans } from './credentials.ts'
import type { Span, TextSource } from './text-source.ts'

const linesBefore = 2
const linesAfter = 1
/** Columns of a line of the file, at most and at least. */
const [mostWidth, leastWidth] = [110, 20]
const mask = '***'
/** Characters of a shown line: a line may have megabytes, and each of its thousands of problems a frame. */
const longestLine = 50_000

/** Undefined where there is no place, its file is outside the project, or its line is not meant for people. */
export function codeFrame(
  problem: Problem,
  sources: ReadonlyMap<string, TextSource>,
  columns = Number.POSITIVE_INFINITY,
): string | undefined {
  const { place } = problem
  const source = place && sources.get(place.file)
  const span = source?.lineSpan(place?.line ?? 0)
  if (source === undefined || place === undefined || span === undefined || isTooLong(span)) return undefined
  if (!source.isQuotable) return undefined
  const first = Math.max(1, place.line - linesBefore)
  const last = Math.min(source.lineCount, place.line + linesAfter)
  const gutter = String(last).length
  // Beside the number, what stands around it and a sign at either end for what is cut.
  const room = Math.max(leastWidth, Math.min(mostWidth, columns - gutter - 7))
  const shown = showLine(source, place.line, place.column)
  // All lines are cut at the same column, so that they stay in line with one another.
  const cut = Math.max(0, Math.min(shown.caret - Math.floor(room / 2), textWidth(shown.text) - room))
  const lines: string[] = []
  for (let line = first; line <= last; line++) {
    const isIt = line === place.line
    const { text } = isIt ? shown : showLine(source, line, 1)
    const isTrailing = line === source.lineCount && text === '' && !isIt
    if (isTrailing) continue
    lines.push(`${isIt ? '>' : ' '} ${String(line).padStart(gutter)} | ${slice(text, cut, room)}`.trimEnd())
    if (isIt) lines.push(`  ${' '.repeat(gutter)} | ${' '.repeat(shown.caret - cut + (cut > 0 ? 1 : 0))}^`)
  }
  return lines.join('\n')
}

function isTooLong({ start, end }: Span): boolean {
  return end - start > longestLine
}

/** `caret`: columns before it. */
function showLine(source: TextSource, line: number, column: number): { readonly text: string; readonly caret: number } {
  const span = source.lineSpan(line)
  if (span === undefined || isTooLong(span)) return { text: span === undefined ? '' : '…', caret: 0 }
  const target = span.start + column - 1
  const hidden = hiddenSpans(source, line)
  let text = ''
  let caret: number | undefined
  let at = span.start
  while (at < span.end) {
    const veil = hidden.find(({ start, end }) => start <= at && at < end)
    const char = String.fromCodePoint(source.text.codePointAt(at) as number)
    const next = veil === undefined ? at + char.length : veil.end
    if (caret === undefined && target < next) caret = textWidth(text)
    text += veil === undefined ? visible(char) : mask
    at = next
  }
  return { text, caret: caret ?? textWidth(text) }
}

/** A character as it may be printed: a tab takes two columns, what steers a terminal becomes a picture of itself. */
function visible(char: string): string {
  const code = char.codePointAt(0) as number
  if (code === 9) return '  '
  if (code < 32) return String.fromCharCode(0x2400 + code)
  if (code === 127) return '\u2421'
  const steers =
    (code >= 0x80 && code < 0xa0) ||
    code === 0xad ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0xfeff ||
    (code >= 0xd800 && code <= 0xdfff)
  return steers ? '\ufffd' : char
}

/** `room` columns from column `from` on; what is left out is shown by `…`. */
function slice(text: string, from: number, room: number): string {
  let result = from > 0 ? '…' : ''
  let column = 0
  for (const char of text) {
    if (column >= from + room) return `${result}…`
    if (column >= from) result += char
    column += charWidth(char)
  }
  return result
}
