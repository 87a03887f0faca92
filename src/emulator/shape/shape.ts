// A small language for the shape of JSON: one declaration gives the check, the static type, the schema in the
// interface's document, and the form of answers. Tenant files, control requests, bodies and answers are declared in it.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Path } from '@svcsync/core/model/source.ts'

/** `word`: a text that the documents do not list, where later releases may add some. */
type FailureCause = 'unknown' | 'missing' | 'type' | 'value' | 'word'

/** One thing that does not fit. `path` leads from the root to it: keys and list positions. */
export interface ShapeFailure {
  readonly cause: FailureCause
  readonly path: Path
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
  check(value: unknown, path: Path, failures: ShapeFailure[]): void
  /** The form in answers: `null`, false, 0, an empty text or list for an absent value, and no other keys. */
  tell(value: unknown): Json
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never
type OptionalShape<T> = Shape<T> & { readonly optional: true }
type Fields = Readonly<Record<string, Shape<unknown>>>
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never }[keyof F]
type RecordOf<F extends Fields> = {
  -readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]>
} & { -readonly [K in OptionalKeys<F>]?: TypeOf<F[K]> | undefined }
/** Flattens the intersection, so that editors show one object. */
type Plain<T> = { [K in keyof T]: T[K] }

function scalar<T extends Json>(
  wants: string,
  schema: JsonObject,
  blank: Json,
  fits: (value: unknown) => boolean,
  cause: FailureCause = 'type',
): Shape<T> {
  return {
    wants,
    schema,
    check(value, path, failures) {
      if (!fits(value)) failures.push({ cause, path, message: `must be ${wants}` })
    },
    // Told is what has passed a check when it came in.
    tell: (value) => (value as Json | undefined) ?? blank,
  }
}

/** A text with a further condition. */
function textThat<T extends string>(
  wants: string,
  schema: JsonObject,
  fits: (value: string) => boolean,
  [cause, message]: readonly [FailureCause, string],
): Shape<T> {
  return {
    ...scalar<T>(wants, { type: 'string', ...schema }, null, () => true),
    check(value, path, failures) {
      if (typeof value !== 'string') failures.push({ cause: 'type', path, message: 'must be a text' })
      else if (!fits(value)) failures.push({ cause, path, message })
    },
  }
}

export const text = scalar<string>('a text', { type: 'string' }, '', (value) => typeof value === 'string')
export const filledText = textThat<string>(
  ...(['a text that is not empty', { minLength: 1 }, (value: string) => value.trim() !== ''] as const),
  ['value', 'must not be empty'],
)
export const flag = scalar<boolean>('true or false', { type: 'boolean' }, false, (value) => typeof value === 'boolean')
export const integer = scalar<number>('a whole number', { type: 'integer' }, 0, Number.isSafeInteger)
const isCount = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
export const count = scalar<number>('a whole number, 0 or more', { type: 'integer', minimum: 0 }, 0, isCount)
export const anything: Shape<unknown> = scalar<Json>('anything', {}, null, () => true)

export function oneOf<const T extends readonly (string | number)[]>(...values: T): Shape<T[number]> {
  const type = values.every((value) => typeof value === 'string') ? { type: 'string' } : {}
  const fits = (value: unknown) => values.some((each) => each === value)
  return scalar<T[number]>(`one of ${values.join(', ')}`, { ...type, enum: values }, null, fits, 'value')
}

/** One of these, as the documents have it; an installation may have more. */
export function word(...values: readonly string[]): Shape<string> {
  const wants = `one of ${values.join(', ')}`
  return textThat(wants, { enum: values }, (value) => values.includes(value), ['word', `must be ${wants}`])
}

export function nullable<T>({ wants, schema, check, tell }: Shape<T>): Shape<T | null> {
  return {
    wants: `${wants} or null`,
    schema: orNull(schema),
    check: (value, path, failures) => value === null || check(value, path, failures),
    tell: (value) => (value === undefined || value === null ? null : tell(value)),
  }
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { ...shape, optional: true }
}

export const textOrNull = nullable(text)
export const optionalText = optional(textOrNull)

/** The schema, and `null`. */
function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return schema
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) }
}

/** `null` where an answer leaves it open; an unset value has the form of the shape itself. */
export function settable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    ...nullable(shape),
    schema: Array.isArray(shape.schema.type) ? shape.schema : orNull(shape.schema),
    tell: shape.tell,
  }
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
    tell: last.tell,
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
    tell: (value) => Array.from((value ?? []) as Iterable<unknown>, item.tell),
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
    tell: (value) => (value ?? {}) as JsonObject,
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
        if (value[key] === undefined)
          failures.push({ cause: 'missing', path: [...path, key], message: `"${key}" is missing` })
      }
    },
    tell(value) {
      const answer: Record<string, Json> = {}
      for (const [key, shape] of known) {
        const each = (value as JsonObject | undefined)?.[key]
        if (each !== undefined || shape.optional !== true) answer[key] = shape.tell(each)
      }
      return answer
    },
  }
}

/** The same keys, none of them required. */
export function partial<const F extends Fields>(
  fields: F,
): Shape<{ -readonly [K in keyof F]?: TypeOf<F[K]> | undefined }> {
  const loose = Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, optional(shape)]))
  const { value: _, ...shape } = record(loose)
  return shape
}

/** One shape under each of these keys. */
export function each<const K extends string, S>(keys: readonly K[], shape: S): { readonly [P in K]: S } {
  return Object.fromEntries(keys.map((key) => [key, shape])) as { readonly [P in K]: S }
}

export function failuresOf(shape: Shape<unknown>, value: unknown): ShapeFailure[] {
  const failures: ShapeFailure[] = []
  shape.check(value, [], failures)
  return failures
}

/** `users[3].name` */
export function showPath(path: Path): string {
  let shown = ''
  for (const step of path) shown += typeof step === 'number' ? `[${step}]` : shown === '' ? step : `.${step}`
  return shown
}
