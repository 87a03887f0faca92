// Words of messages for a field, its expected value and its actual one, and the message for a mismatch.
import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { describeScalar, plainType, quoteCode } from './describe-value.ts'
import { spanOf } from './node-events.ts'
import type { Reading, Value } from './reading.ts'
import type { Shape } from './shape.ts'

/** `\`members\``, `An entry of \`members\``, `A manifest`. */
export function subject(walk: Reading): string {
  if (walk.field === '') return startLarge(walk.settings.root)
  return walk.inList ? `An entry of ${quoteCode(walk.field)}` : quoteCode(walk.field)
}

function wanted(shape: Shape): string {
  switch (shape.type) {
    case 'text':
      return shape.secret ? 'a reference' : 'a text'
    case 'integer':
      return 'a whole number'
    case 'boolean':
      return '`true` or `false`'
    case 'list':
      return 'a list'
    case 'mapping':
    case 'map':
      return 'a mapping'
    case 'shorthand':
      return 'a text or a mapping'
    case 'any':
      return 'a value'
  }
}

/** The keys that a mapping would hold. */
function keysHint(shape: Shape): string | undefined {
  if (shape.type === 'map') return 'Write `key: value` in it.'
  if (shape.type !== 'mapping') return undefined
  return `Its keys: ${[...shape.fields.keys()].map(quoteCode).join(', ')}.`
}

/** The correction of a text that should be a mapping: as its first key. */
export function asMapping(walk: Reading, shape: Shape, event: ScalarEvent): string | undefined {
  if (shape.type !== 'mapping' || !walk.inList) return undefined
  const [name] = shape.required.length > 0 ? shape.required : shape.fields.keys()
  const field = shape.fields.get(name ?? '')?.shape
  const text = walk.decode(event)
  if (field?.type !== 'text' || field.secret || plainType(text) !== 'text') return undefined
  if (field.allowed !== undefined && !field.allowed.has(text)) return undefined
  // It is there to be copied: whole, and as it needs no quotes.
  if (text.length > 100 || !/^[\p{L}\p{N}_][\p{L}\p{N}_.@+-]*(?: [\p{L}\p{N}_.@+-]+)*$/u.test(text)) return undefined
  return `Write it as a mapping: \`{ ${name}: ${text}${shape.required.length > 1 ? ', …' : ''} }\`.`
}

export function describeEvent(walk: Reading, event: Event, hidden: boolean): string {
  switch (event.type) {
    case EVENT_ID.SCALAR: {
      if (hidden) return 'another value'
      const text = walk.decode(event)
      const plain = event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0
      return describeScalar(text, plain ? plainType(text) : 'text')
    }
    case EVENT_ID.SEQUENCE:
      return 'a list'
    case EVENT_ID.MAPPING:
      return 'a mapping'
    default:
      return 'an alias'
  }
}

export function startLarge(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The value has the wrong type. The message never shows the contents of a credential field. */
export function wrongType(walk: Reading, shape: Shape, index: number, at: number, hint?: string): undefined {
  const event = walk.events[index] as Event
  if (shape.type === 'text' && shape.secret) {
    const span = spanOf(walk.events, index, walk.text)
    walk.source.hide(span.start, span.end)
  }
  const there = describeEvent(walk, event, shape.type === 'text' && shape.secret)
  const says = `${subject(walk)} must be ${wanted(shape)}, but is ${there}`
  return walk.report('SVC1102', says, at, hint ?? keysHint(shape))
}

/** Nothing stands where a value is wanted, or null where the field cannot be cleared. */
export function readNull(walk: Reading, shape: Shape, at: number): Value {
  if (shape.type === 'list' && shape.ofDeclarations) {
    walk.warn('SVC1107', `${subject(walk)} is empty`, at, `It declares nothing: fill it, or remove the key.`)
    return []
  }
  if (shape.nullable) return null
  return walk.report(
    'SVC1107',
    walk.inList ? `${subject(walk)} is empty` : `${subject(walk)} cannot be null`,
    at,
    walk.inList
      ? 'Fill it, or remove the dash.'
      : `Write ${wanted(shape)}, or remove the ` +
          `key${walk.settings.root === 'a manifest' ? ': a field that is absent is left as it is' : ''}.`,
  )
}
