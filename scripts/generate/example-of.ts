// An example for each key: that of its schema, or one composed of the examples inside.
import type { ObjectSchema, Schema } from '../../src/core/model/schema.ts'

/** Keys that an example of a mapping shows: all that must be there, and others up to so many. */
const keysShown = 2

/** Undefined: the schema allows a list of values, which editors show anyway, or nothing is known to be a good one. */
export function exampleOf(name: string, schema: Schema): unknown {
  const [given] = schema.examples ?? []
  if (given !== undefined) return given
  switch (schema.type) {
    case 'string':
      if (schema.enum) return schema.enum[0]
      return schema.secret ? `\${env:${upperCased(name)}}` : undefined
    case 'boolean':
      return true
    case 'array': {
      const item = exampleOf(name, schema.items)
      return item === undefined ? undefined : [item]
    }
    case 'map': {
      const value = exampleOf(name, schema.values)
      return value === undefined ? undefined : { name: value }
    }
    case 'shorthand':
      return exampleOf(name, schema.short) ?? exampleOfObject(schema.long)
    case 'object':
      return exampleOfObject(schema)
    default:
      return undefined
  }
}

function exampleOfObject({ properties, required = [], exactlyOne }: ObjectSchema): unknown {
  const example: Record<string, unknown> = {}
  const needed = [...required, ...(exactlyOne?.slice(0, 1) ?? [])]
  // Properties of the object itself, such as flags, which nobody should copy without a thought.
  const further = Object.entries(properties)
    .filter(
      ([key, { type, directive, inherited }]) =>
        !exactlyOne?.includes(key) && type !== 'boolean' && !directive && !inherited,
    )
    .map(([key]) => key)
  const others = Object.keys(properties).filter((key) => !exactlyOne?.includes(key))
  for (const key of new Set([...needed, ...(needed.length + further.length > 0 ? further : others)])) {
    if (Object.keys(example).length >= Math.max(keysShown, required.length)) break
    const property = properties[key]
    const value = property && exampleOf(key, property)
    if (value !== undefined) example[key] = value
  }
  return Object.keys(example).length === 0 ? undefined : example
}

/** `CLIENT_SECRET` for `clientSecret`. */
function upperCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
