// A value as YAML, in the style of the text around it.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import { escapeReferences, inlineText, scalarText } from '@svcsync/core/model/yaml-text.ts'
import { day, documentText, entry, item, list, mapping, scalar } from '@svcsync/export/yaml-node.ts'
import type { Entry, LayoutNode } from '@svcsync/format/layout.ts'
import type { ScalarNode } from './syntax-tree.ts'

type Style = ScalarNode['style']

/** In one line. `style`: how a text beside it is written. */
export function inlineValue(value: Json, style?: Style): string {
  if (typeof value === 'string') return quotedLike(escapeReferences(value), style)
  if (Array.isArray(value)) return `[${value.map((each) => inlineValue(each as Json, style)).join(', ')}]`
  if (!isJsonObject(value)) return String(value)
  const pairs = Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [`${inlineText(key)}: ${isBound(key) ? dateText(part) : inlineValue(part, style)}`],
  )
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

const isBound = (key: string): boolean => key === 'from' || key === 'until'
const isDate = (value: Json): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)

/** Dates stand as manifests have them: read as texts, without quotes. */
function dateText(value: Json): string {
  return isDate(value) ? value : inlineValue(value)
}

/** The value of a field, in the style of its predecessor: several lines as a block below the key, with `indent`. */
export function fieldValue(value: Json, style: Style, indent: number, lineBreak: string): string {
  if (typeof value !== 'string') return inlineValue(value)
  const text = escapeReferences(value)
  if (style === 'single' || style === 'double') return quotedLike(text, style)
  const written = scalarText(text)
  if ('inline' in written) return written.inline
  const pad = ' '.repeat(indent)
  const lines = written.lines.map((line) => (line === '' ? '' : `${pad}${line}`))
  return [written.header, ...lines].join(lineBreak)
}

/** An object in lines, as an export would lay it out. */
export function blockValue(value: JsonObject): string[] {
  // Below a key, since blank lines separate entries at the top of a document.
  const [, ...lines] = documentText([entry('object', mapping(entriesOf(value)))], [])
    .trimEnd()
    .split('\n')
  return lines.map((line) => line.slice(2))
}

function entriesOf(value: JsonObject): Entry[] {
  return Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [entry(key, isBound(key) && isDate(part) ? day(part) : nodeOf(part))],
  )
}

function nodeOf(value: Json): LayoutNode {
  if (Array.isArray(value)) return list(value.map((each) => item(entryOf(each as Json))))
  return isJsonObject(value) ? mapping(entriesOf(value)) : scalar(value as string | number | boolean | null)
}

/** An entry in a list is short: in braces. */
function entryOf(value: Json): LayoutNode {
  return isJsonObject(value) ? mapping(entriesOf(value), { flow: true }) : nodeOf(value)
}

function quotedLike(text: string, style: Style | undefined): string {
  const safe = inlineText(text)
  if (safe !== text) return style === 'single' && isPrintable(text) ? singleQuoted(text) : safe
  if (style === 'single') return singleQuoted(text)
  return style === 'double' ? JSON.stringify(text) : safe
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Single quotes know no escapes. */
function isPrintable(text: string): boolean {
  return !/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(text)
}
