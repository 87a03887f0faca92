// Shows a value on one line: bare where YAML reads the same string, quoted elsewhere.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Shown } from '../blocks/difference.ts'
import { formatNumber } from '../text/counts.ts'
import { holdsUnprintable } from '../text/neutralise.ts'

const environments: ReadonlySet<string> = new Set(['dev', 'test', 'prod'])

/** `null` in the fields of an environment means that it takes the common value again. */
function isEnvironment(path: string): boolean {
  return environments.has(path.slice(path.lastIndexOf('.') + 1))
}

/** `absent`: what is said where there is none, and none to take it from. */
export function showSide(value: Json | undefined, path: string, limit: number, absent = '(cleared)'): Shown {
  if (value !== undefined && value !== null) return { text: showValue(value, limit) }
  return { text: isEnvironment(path) ? '(inherits)' : absent, remark: true }
}

/** Both sides of a difference; where they are long, the part in which they differ is in sight. */
export function showPair(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  limit: number,
): [Shown, Shown] {
  if (typeof before === 'string' && typeof after === 'string' && Math.max(before.length, after.length) > limit) {
    const common = commonStart(before, after)
    const start = common > limit / 2 ? common - Math.floor(limit / 4) : 0
    return [{ text: showString(before, limit, start) }, { text: showString(after, limit, start) }]
  }
  return [showSide(before, path, limit, '(not set)'), showSide(after, path, limit)]
}

/** A plan holds a sensitive value as an object with nothing but its reference. */
export function referenceOf(value: Json | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined
  const { reference } = value
  return typeof reference === 'string' && Object.keys(value).length === 1 ? reference : undefined
}

function showValue(value: Exclude<Json, null>, limit: number): string {
  if (typeof value === 'string') return showString(value, limit)
  const reference = referenceOf(value)
  if (reference !== undefined) return reference
  return typeof value === 'object' ? cut(showObject(value), limit) : String(value)
}

/** As YAML writes it on one line, with blanks to wrap at: the settings of an environment that inherits again. */
function showObject(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(showObject).join(', ')}]`
  if (!isJsonObject(value))
    return typeof value === 'string' ? showString(value, Number.POSITIVE_INFINITY) : String(value)
  const entries = Object.entries(value).filter(([, part]) => part !== undefined && part !== null)
  return `{ ${entries.map(([key, part]) => `${key}: ${showObject(part as Json)}`).join(', ')} }`
}

export function showString(text: string, limit: number, start = 0): string {
  const shown = cut(text, limit, start)
  const written = isAmbiguous(text) ? quote(shown) : shown
  return written.replace(blankRuns, (run, blank: string) => `\\u{${blank.charCodeAt(0).toString(16)}}×${run.length}`)
}

/** Long runs of blanks push the text behind them out of sight. */
const blankRuns = /(\p{Zs})\1{7,}/gu

function isAmbiguous(text: string): boolean {
  return (
    text === '' ||
    text !== text.trim() ||
    /^(?:true|false|null|yes|no|~|[-+.]?\d[\d.,_eE+-]*|0x[\da-f]+)$/i.test(text) ||
    /^["'([{]|\$\{|→/.test(text) ||
    holdsUnprintable(text) ||
    text.search(blankRuns) >= 0
  )
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function cut(text: string, limit: number, start = 0): string {
  if (start === 0 && text.length <= limit) return text
  const from = wholeAt(text, start)
  const end = from + limit
  const length = ` (${formatNumber(text.length)} characters)`
  if (end >= text.length) return `…${text.slice(from)}${length}`
  // Its end is in sight, too: what counts may stand there, such as the host behind an `@`.
  const head = text.slice(from, wholeAt(text, end - ends))
  return `${from > 0 ? '…' : ''}${head}…${text.slice(wholeAt(text, text.length - ends))}${length}`
}

/** Characters shown of the end of a shortened value. */
const ends = 40

/** The index, or the one before it, where it would take a character apart. */
function wholeAt(text: string, index: number): number {
  const isInsidePair = index > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1))
  return isInsidePair ? index - 1 : index
}

function commonStart(a: string, b: string): number {
  let index = 0
  while (index < a.length && a[index] === b[index]) index++
  return index
}
