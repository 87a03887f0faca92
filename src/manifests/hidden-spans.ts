// Which parts of a line must not be shown.
import { isCredentialName } from './credential-name.ts'
import { isWholeReference } from './hide-credentials.ts'
import { mergeSpans, type Span, type TextSource } from './text-source.ts'

/**
 * The hidden parts of a line, in order, as offsets into the text. What was read is known exactly; in comments, and in a
 * file that does not parse, the names of keys must do.
 */
export function hiddenSpans(source: TextSource, line: number): readonly Span[] {
  const extent = source.lineSpan(line)
  if (extent === undefined) return []
  const text = source.text.slice(extent.start, extent.end)
  const spans: Span[] = []
  for (const { start, end } of source.hiddenWithin(extent)) {
    spans.push({ start: Math.max(start, extent.start), end: Math.min(end, extent.end) })
  }
  const guessFrom = source.parsed ? commentStart(text) : 0
  for (const { start, end } of guess(text, guessFrom))
    spans.push({ start: extent.start + start, end: extent.start + end })
  if (!source.parsed && continuesCredential(source, line)) spans.push(extent)
  return mergeSpans(spans)
}

function commentStart(text: string): number {
  const match = /(?:^|\s)#/.exec(text)
  return match === null ? text.length : match.index
}

/** Credentials inside addresses, and everything behind a key that is called like a credential. */
function* guess(text: string, from: number): Generator<Span> {
  for (const match of text.matchAll(/\/\/([^/\s:@]*:[^@\s/]+)@/g)) {
    yield { start: match.index + 2, end: match.index + 2 + (match[1] as string).length }
  }
  for (const match of text.slice(from).matchAll(/(["']?)([\w.-]+)\1\s*[:=]\s*(.*)$/g)) {
    yield* guessBehindKeys(text, from + match.index)
    break
  }
}

function* guessBehindKeys(text: string, from: number): Generator<Span> {
  const key = /(["']?)([\w.-]+)\1\s*[:=]\s*/g
  key.lastIndex = from
  for (let match = key.exec(text); match !== null; match = key.exec(text)) {
    if (!isCredentialName(match[2] as string)) continue
    const start = key.lastIndex
    const quote = text[start]
    const close = quote === '"' || quote === "'" ? text.indexOf(quote, start + 1) : -1
    const reference = /^\$\{(?:env|file):[^}]*\}/.exec(text.slice(start))?.[0]
    const end = reference !== undefined ? start + reference.length : close < 0 ? text.length : close + 1
    const written = text.slice(start, end)
    if (written !== '' && !isWholeReference(written)) yield { start, end }
    key.lastIndex = end
  }
}

/** A line of a text that goes on over several lines below a key that is called like a credential. */
function continuesCredential(source: TextSource, line: number): boolean {
  let indent = indentOf(source, line)
  for (let above = line - 1; above > 0 && indent > 0 && above > line - 100; above--) {
    const span = source.lineSpan(above)
    const text = span === undefined ? '' : source.text.slice(span.start, span.end)
    const own = indentOf(source, above)
    if (text.trim() === '' || own >= indent) continue
    const key = /^[\s-]*(["']?)([\w.-]+)\1\s*:/.exec(text)?.[2]
    if (key !== undefined && isCredentialName(key)) return true
    indent = own
  }
  return false
}

function indentOf(source: TextSource, line: number): number {
  const span = source.lineSpan(line)
  return span === undefined ? 0 : (/^[ \t]*/.exec(source.text.slice(span.start, span.end))?.[0].length ?? 0)
}
