// Scalars, read by the type of their field: in a text field `0755` and `no` keep their text.

import type { Json } from '@svcsync/core/model/json.ts'
import { nearMisses } from '@svcsync/core/model/near-misses.ts'
import { Sensitive } from '@svcsync/core/model/sensitive.ts'
import { momentIn } from '@svcsync/core/model/time-bounds.ts'
import { isWireName } from '@svcsync/core/model/wire-name.ts'
import { formatCount } from '@svcsync/errors/index.ts'
import { SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { booleanOf, integerOf, isNullText, plainType, quoteCode, type ScalarType } from './describe-value.ts'
import { expandInClear, expandText, readSecret, withheld } from './expand.ts'
import type { Reading, Value } from './reading.ts'
import { anyText, type Shape, type TextShape } from './shape.ts'
import { taggedType } from './tags.ts'
import { hasReference } from './template.ts'
import { readNull, subject, wrongType } from './wording.ts'

export function readText(walk: Reading, shape: TextShape, event: ScalarEvent, at: number): Value {
  const text = walk.decode(event)
  if (event.tagStart >= 0) {
    const type = taggedType(walk, event, text)
    if (type === undefined) return undefined
    if (type === 'null') return readNull(walk, shape, at)
    if (type !== 'text') return wrongType(walk, shape, walk.index - 1, at, 'Remove the tag.')
  } else if (event.style === SCALAR_STYLE.PLAIN && isNullText(text)) {
    return readNull(walk, shape, at)
  }
  if (!event.fast && event.style === SCALAR_STYLE.PLAIN && swallowsEntry(walk, event)) return undefined
  if (shape.secret) return readSecret(walk, event, text, at)
  const isTemplate = walk.mayHoldReferences && walk.settings.resolver !== undefined && hasReference(text)
  return isTemplate ? readTemplate(walk, shape, event, text, at) : checkText(walk, shape, text, at)
}

function readTemplate(walk: Reading, shape: TextShape, event: ScalarEvent, text: string, at: number): Value {
  const value = expandText(walk, shape, event, text, at)
  if (value === undefined) return undefined
  if (value === withheld) return standIn(walk, shape, text)
  if (!(value instanceof Sensitive)) return checkText(walk, shape, value, at)
  return fits(walk, shape, value.reveal(), at) ? (value as unknown as Json) : undefined
}

/** For a value that is missing and need not be there: there is one, and nobody looks at it. */
function standIn(walk: Reading, shape: TextShape, template: string): Value {
  if (!shape.inClear) return new Sensitive(template, '', true) as unknown as Json
  // A name with one meaning suffices. Among several meanings, no answer is better than a wrong one.
  return shape.allowed === undefined ? template : leaveOut(walk)
}

function leaveOut(walk: Reading): undefined {
  if (walk.settings.withheld !== undefined) walk.settings.withheld.fields++
}

/** An entry that is indented too far goes on with the text before it, by the rules of YAML: two names become one. */
function swallowsEntry(walk: Reading, event: ScalarEvent): boolean {
  const match = /[\r\n][ \t]*-(?=[ \t])/.exec(walk.text.slice(event.valueStart, event.valueEnd))
  if (match === null) return false
  walk.report(
    'SVC1102',
    `${subject(walk)} continues in this line, which looks like an entry of a list`,
    event.valueStart + match.index + match[0].length - 1,
    'Indent it like the other entries; a text that contains such a line needs quotes.',
  )
  return true
}

function checkText(walk: Reading, shape: TextShape, text: string, at: number): Value {
  if (!fits(walk, shape, text, at)) return undefined
  if (shape.moment !== undefined) return readMoment(walk, shape.moment, text, at)
  if (shape.allowed === undefined) return text
  const allowed = shape.allowed.get(text)
  if (allowed !== undefined) return allowed
  if (shape.grows && isWireName(text) && plainType(text) === 'text') return text
  const options = [...shape.allowed.keys()]
  const near = nearMisses(text, options)
  const suggested = near.length > 0 ? `Did you mean ${near.map(quoteCode).join(' or ')}? ` : ''
  return walk.report(
    'SVC1104',
    `${subject(walk)} cannot be ${text === '' ? 'an empty text' : quoteCode(text)}`,
    at,
    `${suggested}${allowedText(options)}`,
  )
}

/** In the time zone of the project: what means the same is the same text from here on. */
function readMoment(walk: Reading, bound: 'from' | 'until', text: string, at: number): Value {
  const moment = momentIn(text, bound === 'until', walk.settings.timeZone ?? 'UTC')
  if (moment !== undefined) return moment
  const hint = 'Write it like `2026-11-01`, `2026-11-01T08:00` or `2026-11-01T08:00:00+01:00`.'
  return walk.report('SVC1310', `${subject(walk)} is neither a date nor a moment`, at, hint)
}

const maxListed = 20

function allowedText(options: readonly string[]): string {
  const whole = options.length > maxListed ? options.filter((option) => !option.includes('.')) : options
  return `Allowed: ${whole.map(quoteCode).join(', ')}${whole.length < options.length ? ', and parts of them' : ''}.`
}

/** Lengths are checked on the value behind a reference too; the message never holds it. */
function fits(walk: Reading, shape: TextShape, text: string, at: number): boolean {
  if (text.length >= shape.minLength && text.length <= shape.maxLength) return true
  walk.report(
    'SVC1105',
    text.length === 0
      ? `${subject(walk)} cannot be empty`
      : `${subject(walk)} has ${formatCount(text.length, 'character')}, and ${
          text.length < shape.minLength ? `${shape.minLength} are wanted` : `${shape.maxLength} are allowed`
        }`,
    at,
    text.length === 0 && !walk.inList ? 'Write a text, or remove the key.' : undefined,
  )
  return false
}

/** The text behind a scalar and its type; a whole `${var:…}` takes the type of what it stands for. */
function typed(walk: Reading, event: ScalarEvent, at: number): { text: string; type: ScalarType } | undefined {
  const text = walk.decode(event)
  if (event.tagStart >= 0) {
    const type = taggedType(walk, event, text)
    return type && { text, type }
  }
  if (walk.mayHoldReferences && hasReference(text) && walk.settings.resolver !== undefined) {
    const value = expandInClear(walk, event, text, at)
    if (value === withheld) return leaveOut(walk)
    return value === undefined ? undefined : { text: value, type: plainType(value) }
  }
  return { text, type: event.style === SCALAR_STYLE.PLAIN ? plainType(text) : 'text' }
}

export function readInteger(
  walk: Reading,
  shape: Extract<Shape, { type: 'integer' }>,
  event: ScalarEvent,
  at: number,
): Value {
  const scalar = typed(walk, event, at)
  if (scalar === undefined) return undefined
  if (scalar.type === 'null') return readNull(walk, shape, at)
  const value = scalar.type === 'integer' ? integerOf(scalar.text) : undefined
  if (value === undefined) {
    const quoted = scalar.type === 'text' && plainType(scalar.text) === 'integer'
    return wrongType(walk, shape, walk.index - 1, at, quoted ? 'Remove the quotes.' : undefined)
  }
  if (!Number.isSafeInteger(value)) {
    return walk.report('SVC1105', `${subject(walk)} is too large a number: ${quoteCode(scalar.text)}`, at)
  }
  if (value < shape.minimum) {
    return walk.report('SVC1105', `${subject(walk)} is ${value}, and must be at least ${shape.minimum}`, at)
  }
  return value
}

/** Reads a value of any type by YAML's core schema. A text with references stays a text. */
export function readAny(walk: Reading, event: ScalarEvent, at: number): Value {
  const text = walk.decode(event)
  const type =
    event.tagStart >= 0 ? taggedType(walk, event, text) : event.style === SCALAR_STYLE.PLAIN ? plainType(text) : 'text'
  switch (type) {
    case undefined:
      return undefined
    case 'text':
      return readText(walk, anyText, event, at)
    case 'null':
      return null
    case 'boolean':
      return booleanOf(text)
    default: {
      const value = type === 'integer' ? (integerOf(text) ?? Number.NaN) : Number(text)
      const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
      return fits ? value : walk.report('SVC1105', `${subject(walk)} is not a number in JSON: ${quoteCode(text)}`, at)
    }
  }
}

export function readBoolean(
  walk: Reading,
  shape: Extract<Shape, { type: 'boolean' }>,
  event: ScalarEvent,
  at: number,
): Value {
  const scalar = typed(walk, event, at)
  if (scalar === undefined) return undefined
  if (scalar.type === 'null') return readNull(walk, shape, at)
  const value = scalar.type === 'boolean' ? booleanOf(scalar.text) : undefined
  if (value !== undefined) return value
  const hint = /^(?:y|n|yes|no|on|off)$/i.test(scalar.text)
    ? 'In YAML 1.2 `yes`, `no`, `on` and `off` are texts: write `true` or `false`.'
    : booleanOf(scalar.text) === undefined
      ? undefined
      : 'Remove the quotes.'
  return wrongType(walk, shape, walk.index - 1, at, hint)
}
