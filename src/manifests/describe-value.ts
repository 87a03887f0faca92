// Describes the contents of a manifest in words, for messages.
import { inCode } from '@svcsync/errors/index.ts'

type ScalarType = 'null' | 'boolean' | 'integer' | 'float' | 'text'

const integer = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/
const float = /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

export function plainType(text: string): ScalarType {
  if (isNullText(text)) return 'null'
  if (booleanOf(text) !== undefined) return 'boolean'
  if (integer.test(text)) return 'integer'
  if (float.test(text)) return 'float'
  return 'text'
}

export function isNullText(text: string): boolean {
  // By length first, since this runs for every plain scalar.
  switch (text.length) {
    case 0:
      return true
    case 1:
      return text === '~'
    case 4:
      return text === 'null' || text === 'Null' || text === 'NULL'
    default:
      return false
  }
}

export function booleanOf(text: string): boolean | undefined {
  if (text === 'true' || text === 'True' || text === 'TRUE') return true
  if (text === 'false' || text === 'False' || text === 'FALSE') return false
  return undefined
}

/** An integer in one of the notations of the core schema. Undefined: it is none. */
export function integerOf(text: string): number | undefined {
  return integer.test(text) ? Number(text.startsWith('+') ? text.slice(1) : text) : undefined
}

/** `text \`abc\``, `the number 5`, `true`, `nothing`. */
export function describeScalar(text: string, type: ScalarType): string {
  switch (type) {
    case 'null':
      return 'nothing'
    case 'boolean':
      return quoteCode(text)
    case 'integer':
    case 'float':
      return `the number ${shorten(text)}`
    case 'text':
      return text === '' ? 'an empty text' : `the text ${quoteCode(text)}`
  }
}

/** A piece of a manifest inside backticks: short, on one line, without control characters. */
export function quoteCode(text: string): string {
  return inCode(shorten(text))
}

function shorten(text: string): string {
  const visible = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
  return visible.length > 40 ? `${visible.slice(0, 39)}…` : visible
}
