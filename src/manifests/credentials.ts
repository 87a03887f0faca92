// Finds text that looks like a credential, and must not be shown.
import { passwordsIn } from '@svcsync/core/model/written-password.ts'
import { EVENT_ID, type Event, getScalarValue } from 'js-yaml'
import { spanOf } from './node-events.ts'
import { isParsed, parseYaml } from './parse-yaml.ts'
import { mergeSpans, type Span, type TextSource } from './text-source.ts'

/** Covers the whole file, read or not: a credential may be below an unknown key, or in a file without problems. */
function hideCredentials(source: TextSource): void {
  source.isSearched = true
  const events = parseYaml(source)
  if (!isParsed(events)) return
  const { text } = source
  // One flag for each open mapping: true where its next node is a key; undefined for lists and documents.
  const keyNext: (boolean | undefined)[] = []
  for (const [index, event] of events.entries()) {
    if (event.type === EVENT_ID.POP) {
      keyNext.pop()
      continue
    }
    const top = keyNext.length - 1
    const isKey = keyNext[top] === true
    if (keyNext[top] !== undefined) keyNext[top] = !isKey
    if (isKey && event.type === EVENT_ID.SCALAR && isCredentialName(getScalarValue(text, event))) {
      const { start, end } = spanOf(events, index + 1, text)
      const value = events[index + 1] as Event
      // An empty value counts, too: a credential may begin like a tag, an anchor or a comment.
      if (value.type === EVENT_ID.SCALAR && value.valueStart < 0) hideRestOfLine(source, event.valueEnd)
      else if (!isWholeReference(text.slice(start, end))) source.hide(behindKey(text, event.valueEnd, start), end)
    }
    if (event.type === EVENT_ID.MAPPING) keyNext.push(true)
    else if (opens(event)) keyNext.push(undefined)
  }
}

/** The offset at which the text behind a key begins, with its tag or anchor. */
function behindKey(text: string, keyEnd: number, valueStart: number): number {
  const between = text.slice(keyEnd, valueStart)
  const found = /:\s+(?=[!&])/.exec(between)
  return found === null ? valueStart : keyEnd + found.index + found[0].length
}

function hideRestOfLine(source: TextSource, keyEnd: number): void {
  const [, before = '', rest = ''] = /^([^\r\n]*?:[ \t]*)([^\r\n]*)/.exec(source.text.slice(keyEnd)) ?? []
  if (rest !== '') source.hide(keyEnd + before.length, keyEnd + before.length + rest.length)
}

function opens({ type }: Event): boolean {
  return type === EVENT_ID.SEQUENCE || type === EVENT_ID.DOCUMENT
}

/** True for `${…}`, with or without quotes: it may be shown. */
function isWholeReference(written: string): boolean {
  return /^(["']?)\$\{(?:env|file):[^}"']*\}\1$/.test(written.trim())
}

/** Values that were read are known exactly; in comments and broken files, the names of keys decide. */
export function hiddenSpans(source: TextSource, line: number): readonly Span[] {
  const extent = source.lineSpan(line)
  if (extent === undefined) return []
  // Few files have a line that is shown.
  if (source.parsed && !source.isSearched) hideCredentials(source)
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
  for (const [start, end] of passwordsIn(text)) yield { start, end }
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

/** A line of a multi-line text whose key has the name of a credential. */
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

/** True for `password`, `clientSecret`, `api-key`, and slips like `pasword`. */
export function isCredentialName(name: string): boolean {
  return /pass?w|ssword|passphrase|secr|secert|scret|token|credential(?!s$)|api[-_ ]?key|private[-_ ]?key|^pwd$/i.test(
    name,
  )
}
