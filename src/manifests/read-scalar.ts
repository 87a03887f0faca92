// Scalars, read by the type of their field: in a text field `0755` and `no` keep their text.
import type { Json } from '@svcsync/core/model/json.ts'
import { nearMisses } from '@svcsync/core/model/near-misses.ts'
import { plainText, Sensitive, type Text } from '@svcsync/core/model/sensitive.ts'
import { momentIn } from '@svcsync/core/model/time-bounds.ts'
import { isWireName } from '@svcsync/core/model/wire-name.ts'
import { concealPasswords } from '@svcsync/core/model/written-password.ts'
import { formatCount } from '@svcsync/errors/index.ts'
import { type MappingEvent, SCALAR_STYLE, type ScalarEvent, type SequenceEvent } from 'js-yaml'
import { isCredentialName } from './credentials.ts'
import { booleanOf, integerOf, isNullText, plainType, quoteCode } from './describe-value.ts'
import { spanOf } from './node-events.ts'
import type { Reading, Value } from './reading.ts'
import { emptyCredential, isText, type Unresolved } from './resolver.ts'
import { anyText, type Shape } from './shape.ts'
import { hasReference, isReference, joinParts, parseTemplate } from './template.ts'
import { readNull, subject, wrongType } from './wording.ts'

type TextShape = Extract<Shape, { type: 'text' }>
type IntegerShape = Extract<Shape, { type: 'integer' }>
type BooleanShape = Extract<Shape, { type: 'boolean' }>

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
  // Other documents have no references, and are not sent.
  if (walk.settings.resolver === undefined) return checkText(walk, shape, text, at)
  const isTemplate = walk.mayHoldReferences && hasReference(text)
  const value = isTemplate ? readTemplate(walk, shape, event, text, at) : checkText(walk, shape, text, at)
  return value === undefined || shape.inClear ? value : withoutPassword(walk, value, at)
}

function withoutPassword(walk: Reading, value: Json, at: number): Json {
  const concealed = concealPasswords(value)
  if (concealed !== value) {
    const hint = 'Write `${env:NAME}` instead of the text, and replace the password: git keeps the old one.'
    walk.warn('SVC1324', `${subject(walk)} holds a password`, at, hint)
  }
  return concealed
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

/** In YAML, an entry with too much indentation continues the text before it, so that two names become one. */
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

/** The text of a scalar and its type; a whole `${var:…}` takes the type of its value. */
function typed(
  walk: Reading,
  event: ScalarEvent,
  at: number,
): { text: string; type: ReturnType<typeof plainType> } | undefined {
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

export function readInteger(walk: Reading, shape: IntegerShape, event: ScalarEvent, at: number): Value {
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

export function readBoolean(walk: Reading, shape: BooleanShape, event: ScalarEvent, at: number): Value {
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

/** In the place of a value that is missing here, and need not be there. */
const withheld: unique symbol = Symbol('withheld')
type Expanded<T> = T | typeof withheld | undefined

const inClearHint = 'svcsync compares and shows names, references and settings: use `${var:…}`, or write the value.'

function expandText(
  walk: Reading,
  shape: TextShape,
  event: ScalarEvent,
  text: string,
  at: number,
): Expanded<string | Sensitive> {
  const parts = parseTemplate(text)
  const sensitive = parts.some((part) => originOf(walk, part) !== undefined)
  if (shape.inClear && sensitive) return expandInClear(walk, event, text, at)
  const value = joinParts(parts, (part) => resolvePart(walk, event, text, part, at, shape.writeOnly))
  return typeof value === 'string' && sensitive ? new Sensitive(text, value) : value
}

/** Like `expandText` where only `${var:…}` is allowed. */
function expandInClear(walk: Reading, event: ScalarEvent, text: string, at: number): Expanded<string> {
  const parts = parseTemplate(text)
  let clear = true
  for (const part of parts) {
    const origin = originOf(walk, part)
    if (origin === undefined || !isReference(part)) continue
    clear = false
    const offset = offsetIn(walk, event, part.index, text, at)
    const hint =
      part.scheme === 'var'
        ? 'svcsync compares and shows them: ' +
          `write the value of \`${part.name}\` into the project file, or use \`--var\`.`
        : inClearHint
    walk.report('SVC1204', `${subject(walk)} cannot come from ${origin}`, offset, hint)
  }
  return clear ? joinParts(parts, (part) => resolvePart(walk, event, text, part, at)) : undefined
}

/** The origin of a value that must not be shown. Undefined: it may be shown. */
function originOf(walk: Reading, part: ReturnType<typeof parseTemplate>[number]): string | undefined {
  if (!isReference(part)) return undefined
  if (part.scheme !== 'var') return part.scheme === 'env' ? 'the environment' : 'a file'
  const value = walk.settings.resolver?.resolve(part, walk.path)
  return value instanceof Sensitive ? `\`${value.template}\`, the value of its variable` : undefined
}

function resolvePart(
  walk: Reading,
  event: ScalarEvent,
  text: string,
  part: Exclude<ReturnType<typeof parseTemplate>[number], string>,
  at: number,
  writeOnly = false,
): Expanded<string> {
  const result: Text | Unresolved = isReference(part) ? (walk.settings.resolver?.resolve(part, walk.path) ?? '') : part
  if (isText(result)) return plainText(result)
  const missing = walk.settings.withheld
  if (
    isReference(part) &&
    missing !== undefined &&
    (result.withheld === 'anywhere' || (result.withheld && writeOnly))
  ) {
    // The message about a variable of the target names the place in the target.
    if (part.scheme !== 'var') (writeOnly ? missing.needs : missing.notAsked).add(part.name)
    return withheld
  }
  return walk.report(result.code, result.message, offsetIn(walk, event, part.index, text, at), result.hint)
}

/** A credential: one whole reference to the environment or a file. Anything else is hidden, and not repeated. */
function readSecret(walk: Reading, event: ScalarEvent, text: string, at: number): Value {
  const parts = parseTemplate(text)
  const [only] = parts
  if (parts.length === 1 && only !== undefined && isReference(only) && only.scheme !== 'var') {
    if (walk.settings.resolver === undefined) return text
    const value = resolvePart(walk, event, text, only, at, true)
    if (value === undefined) return undefined
    if (value === withheld) return new Sensitive(text, '', true) as unknown as Json
    // Pipelines set what they have not got to the empty text.
    if (value === '' && only.scheme === 'env' && walk.settings.withheld !== undefined) {
      walk.settings.withheld.needs.add(only.name)
      return new Sensitive(text, '', true) as unknown as Json
    }
    if (value !== '') return new Sensitive(text, value) as unknown as Json
    const what = only.scheme === 'env' ? `The environment variable \`${only.name}\`` : `The file \`${only.name}\``
    return walk.report(
      only.scheme === 'env' ? 'SVC1201' : 'SVC1202',
      `${what} is empty, but ${subject(walk)} needs a credential`,
      at,
      emptyCredential,
    )
  }
  const { start, end } = spanOf(walk.events, walk.index - 1, walk.text)
  walk.source.hide(start, end)
  return walk.report(
    'SVC1106',
    `${subject(walk)} holds a credential, and accepts only a whole reference`,
    at,
    'Write `${env:NAME}` or `${file:path}`; if the value was real, rotate it: it is in a file.',
  )
}

/** Offset of a part of a string, if the text contains the string literally. */
function offsetIn(walk: Reading, event: ScalarEvent, index: number, text: string, at: number): number {
  if (event.fast) return event.valueStart + index
  const inText = walk.text.indexOf(text.slice(index, index + 12), event.valueStart)
  return inText >= 0 && inText < event.valueEnd ? inText : at
}

const scalarTags: Readonly<Record<string, ReturnType<typeof plainType>>> = {
  str: 'text',
  null: 'null',
  bool: 'boolean',
  int: 'integer',
  float: 'float',
}

/** True where a mapping or list has no tag, or the one it has anyway; else it is reported. */
export function hasOwnTag(walk: Reading, event: MappingEvent | SequenceEvent, own: 'map' | 'seq'): boolean {
  if (event.tagStart < 0) return true
  if (coreTag(walk, event) === own) return true
  reportTag(walk, event)
  return false
}

/** The type that a tag gives a scalar. Undefined: the tag means nothing here, or does not fit; reported. */
function taggedType(walk: Reading, event: ScalarEvent, text: string): ReturnType<typeof plainType> | undefined {
  const tag = coreTag(walk, event)
  const type = tag === '!' ? 'text' : tag === undefined ? undefined : scalarTags[tag]
  if (type === undefined) return reportTag(walk, event)
  const fits = type === 'text' || plainType(text) === type || (type === 'float' && plainType(text) === 'integer')
  return fits ? type : reportTag(walk, event)
}

/** `str`, `map`, … where the tag is one of the core schema's; `!` for the bare exclamation mark. */
function coreTag(walk: Reading, event: MappingEvent | SequenceEvent | ScalarEvent): string | undefined {
  const written = walk.text.slice(event.tagStart, event.tagEnd)
  if (written === '!') return '!'
  const standard = 'tag:yaml.org,2002:'
  if (written.startsWith('!<')) {
    const verbatim = written.slice(2, -1)
    return verbatim.startsWith(standard) ? verbatim.slice(standard.length) : undefined
  }
  const handle = /^!(?:[\w-]*!)?/.exec(written)?.[0] ?? '!'
  const directive = walk.document?.directives.find((each) => each.kind === 'tag' && each.handle === handle)
  const prefix = directive?.kind === 'tag' ? directive.prefix : handle === '!!' ? standard : undefined
  const whole = `${prefix ?? ''}${written.slice(handle.length)}`
  return whole.startsWith(standard) ? whole.slice(standard.length) : undefined
}

function reportTag(walk: Reading, event: MappingEvent | SequenceEvent | ScalarEvent): undefined {
  // A credential may begin like a tag.
  const written = quoteCode(walk.text.slice(event.tagStart, event.tagEnd))
  const what = isCredentialName(walk.field) ? 'A tag' : `The tag ${written}`
  return walk.report(
    'SVC1006',
    `${what} has no meaning here`,
    event.tagStart,
    'Remove it; a text that begins with `!` needs quotes.',
  )
}
