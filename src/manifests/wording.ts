// How a field, what it wants and what stands there are called in messages.
import { EVENT_ID, type Event, SCALAR_STYLE } from 'js-yaml'
import { describeScalar, plainType, quoteCode } from './describe-value.ts'
import type { Reading } from './reading.ts'
import type { Shape } from './shape.ts'

/** `\`members\``, `An entry of \`members\``, `A manifest`. */
export function subject(walk: Reading): string {
  if (walk.field === '') return startLarge(walk.settings.root)
  return walk.inList ? `An entry of ${quoteCode(walk.field)}` : quoteCode(walk.field)
}

export function wanted(shape: Shape): string {
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
  }
}

/** What a mapping would hold. */
export function keysHint(shape: Shape): string | undefined {
  if (shape.type === 'map') return 'Write `key: value` in it.'
  if (shape.type !== 'mapping') return undefined
  return `Its keys: ${[...shape.fields.keys()].map(quoteCode).join(', ')}.`
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

/** As the beginning of a sentence: `A manifest`. */
export function startLarge(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
