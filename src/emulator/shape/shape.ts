// A small language for the shape of JSON: one declaration gives the check, the static type, and what the interface's
// document says of it. Used for tenant files, control requests and request bodies alike, so that all three refuse what they
// do not know.
import { isJsonObject, type JsonObject } from '../../core/model/json.ts'

/** `word`: a text that the documents do not list, where later releases may add some. */
type FailureCause = 'unknown' | 'missing' | 'type' | 'value' | 'word'

/** One thing that does not fit. `path` leads from the root to it: keys and list positions. */
export interface ShapeFailure {
  readonly cause: FailureCause
  readonly path: readonly (string | number)[]
  readonly message: string
}

export interface Shape<T> {
  /** Shown in messages: "a text", "one of SQL, REST". */
  readonly wants: string
  readonly optional?: true
  /** The same as a JSON Schema (2020-12). */
  readonly schema: JsonObject
  /** Never present at run time: carries the static type. */
  readonly value?: T
  check(value: unknown, path: readonly (string | number)[], failures: ShapeFailure[]): void
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never

interface OptionalShape<T> extends Shape<T> {
  readonly optional: true
}

type Fields = Readonly<Record<string, Shape<unknown>>>
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never }[keyof F]
type RecordOf<F extends Fields> = {
  -readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]>
} & { -readonly [K in OptionalKeys<F>]?: TypeOf<F[K]> | undefined }
/** Flattens the intersection, so that editors show one object. */
type Plain<T> = { [K in keyof T]: T[K] }

function simple<T>(
  wants: string,
  schema: JsonObject,
  fits: (value: unknown) => boolean,
  cause: FailureCause = 'type',
): Shape<T> {
  return {
    wants,
    schema,
    check(value, path, failures) {
      if (!fits(value)) failures.push({ cause, path, message: `must be ${wants}` })
    },
  }
}

export const text = simple<string>('a text', { type: 'string' }, (value) => typeof value === 'string')
export const filledText: Shape<string> = {
  wants: 'a text that is not empty',
  schema: { type: 'string', minLength: 1 },
  check(value, path, failures) {
    if (typeof value !== 'string') failures.push({ cause: 'type', path, message: 'must be a text' })
    else if (value.trim() === '') failures.push({ cause: 'value', path, message: 'must not be empty' })
  },
}
export const flag = simple<boolean>('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')
export const integer = simple<number>('a whole number', { type: 'integer' }, (value) => Number.isSafeInteger(value))
export const count = simple<number>(
  'a whole number, 0 or more',
  { type: 'integer', minimum: 0 },
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
)
export const anything = simple<unknown>('anything', {}, () => true)

export function oneOf<const T extends readonly (string | number)[]>(...values: T): Shape<T[number]> {
  const schema = values.every((value) => typeof value === 'string')
    ? { type: 'string', enum: values }
    : { enum: values }
  return simple<T[number]>(
    `one of ${values.join(', ')}`,
    schema,
    (value) => values.some((each) => each === value),
    'value',
  )
}

/** One of these, as the documents have it; an installation may have more. */
export function word(...values: readonly string[]): Shape<string> {
  return {
    wants: `one of ${values.join(', ')}`,
    schema: { type: 'string', enum: values },
    check(value, path, failures) {
      if (typeof value !== 'string') failures.push({ cause: 'type', path, message: 'must be a text' })
      else if (!values.includes(value)) failures.push({ cause: 'word', path, message: `must be ${this.wants}` })
    },
  }
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    wants: `${shape.wants} or null`,
    schema: orNull(shape.schema),
    check(value, path, failures) {
      if (value !== null) shape.check(value, path, failures)
    },
  }
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { wants: shape.wants, schema: shape.schema, optional: true, check: shape.check }
}

export const textOrNull = nullable(text)
export const optionalText = optional(textOrNull)

/** The schema, and `null`. */
export function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return schema
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) }
}

/** The same under a name of its own in the interface's document. */
export function named<T>(title: string, shape: Shape<T>): Shape<T> {
  return { ...shape, schema: { title, ...shape.schema } }
}

/** The field or route came with API 6.0: marked so in the schema. */
export function since6<S extends Shape<unknown>>(shape: S): S {
  return { ...shape, schema: { ...shape.schema, [sinceMark]: '6.0' } }
}
export const sinceMark = 'x-since'

/** The first alternative that fits wins; when none does, the last one's failures are reported. */
export function either<A, B>(first: Shape<A>, last: Shape<B>): Shape<A | B> {
  return {
    wants: `${first.wants} or ${last.wants}`,
    schema: { anyOf: [first.schema, last.schema] },
    check(value, path, failures) {
      const tried: ShapeFailure[] = []
      first.check(value, path, tried)
      if (tried.length > 0) last.check(value, path, failures)
    },
  }
}

export function listOf<T>(item: Shape<T>): Shape<T[]> {
  return {
    wants: 'a list',
    schema: { type: 'array', items: item.schema },
    check(value, path, failures) {
      if (!Array.isArray(value)) failures.push({ cause: 'type', path, message: 'must be a list' })
      else for (let at = 0; at < value.length; at++) item.check(value[at], [...path, at], failures)
    },
  }
}

export function mapOf<T>(item: Shape<T>): Shape<Record<string, T>> {
  return {
    wants: 'an object',
    schema: { type: 'object', additionalProperties: item.schema },
    check(value, path, failures) {
      if (!isJsonObject(value)) failures.push({ cause: 'type', path, message: 'must be an object' })
      else for (const key of Object.keys(value)) item.check(value[key], [...path, key], failures)
    },
  }
}

/** An object with these keys and no others. */
export function record<const F extends Fields>(fields: F): Shape<Plain<RecordOf<F>>> {
  const known = new Map(Object.entries(fields))
  const required = [...known].filter(([, shape]) => shape.optional !== true).map(([key]) => key)
  return {
    wants: 'an object',
    schema: {
      type: 'object',
      properties: Object.fromEntries([...known].map(([key, { schema }]) => [key, schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    check(value, path, failures) {
      if (!isJsonObject(value)) {
        failures.push({ cause: 'type', path, message: 'must be an object' })
        return
      }
      for (const key of Object.keys(value)) {
        const shape = known.get(key)
        // JSON has no such value: the key is not there.
        if (value[key] === undefined) continue
        if (shape !== undefined) shape.check(value[key], [...path, key], failures)
        else failures.push({ cause: 'unknown', path: [...path, key], message: `"${key}" is not known here` })
      }
      for (const key of required) {
        if (value[key] === undefined) {
          failures.push({ cause: 'missing', path: [...path, key], message: `"${key}" is missing` })
        }
      }
    },
  }
}

/** The same keys, none of them required. */
export function partial<const F extends Fields>(
  fields: F,
): Shape<{ -readonly [K in keyof F]?: TypeOf<F[K]> | undefined }> {
  const loose = Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, optional(shape)]))
  const { wants, schema, check } = record(loose)
  return { wants, schema, check }
}

export function failuresOf(shape: Shape<unknown>, value: unknown): ShapeFailure[] {
  const failures: ShapeFailure[] = []
  shape.check(value, [], failures)
  return failures
}

/** `users[3].name` */
export function showPath(path: readonly (string | number)[]): string {
  let shown = ''
  for (const step of path) shown += typeof step === 'number' ? `[${step}]` : shown === '' ? step : `.${step}`
  return shown
}
