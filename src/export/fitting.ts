// Reduces a live value to the part that the schema of its field allows in a manifest.
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { ObjectSchema, Schema } from '@svcsync/core/model/schema.ts'
import { isWriteOnly } from '@svcsync/core/model/schema-fields.ts'
import { Sensitive } from '@svcsync/core/model/sensitive.ts'

/** Empty values that are written: `lists`: empty lists and levels; `complete`: also empty fields; `sparse`: none. */
export type Extent = 'sparse' | 'lists' | 'complete'

interface FitOptions {
  readonly extent: Extent
  /** Called for a value that the schema does not allow; `path` leads to it. */
  onMisfit(path: readonly string[], reason: string): void
}

/** The value as a manifest may hold it. Undefined: there is nothing to write. */
export function fitValue(
  schema: Schema,
  value: Json | undefined,
  options: FitOptions,
  path: readonly string[],
): Json | undefined {
  // svcsync exports no value that it does not know: nobody has asked for it.
  if (isWriteOnly(schema) || schema.type === 'open' || value === undefined) return undefined
  // In ordinary fields empty and null are the same to the platform, and nothing is worth saying.
  const isEmpty = value === null || (value === '' && !isEmptyTextValue(schema))
  if (isEmpty) return options.extent === 'complete' && schema.nullable === true ? null : undefined
  if (value instanceof Sensitive) return misfit('it holds a password, so declare a reference, such as `${env:NAME}`')
  if (schema.type === 'object') {
    if (!isJsonObject(value)) return misfit('an object is expected')
    return fitObject(schema, value, options, path)
  }
  const plain = typeof value === 'string' ? (schema.aliases?.[value] ?? shortMoment(schema, value)) : value
  const reason = misfitOf(schema, plain)
  return reason === undefined ? plain : misfit(reason)

  function misfit(why: string): undefined {
    options.onMisfit(path, why)
    return undefined
  }
}

/** As a date, where it begins with a day or ends with one. */
function shortMoment({ moment }: Schema, value: string): string {
  const bound = moment === 'from' ? 'T00:00:00' : 'T23:59:59'
  return moment !== undefined && value.slice(10, 19) === bound ? value.slice(0, 10) : value
}

function fitObject(
  schema: ObjectSchema,
  value: JsonObject,
  options: FitOptions,
  path: readonly string[],
): JsonObject | undefined {
  const result: Record<string, Json> = {}
  for (const [key, part] of Object.entries(schema.properties)) {
    const fit = fitValue(part, value[key], options, [...path, key])
    if (fit !== undefined) result[key] = fit
  }
  // An environment with settings of its own has them, even where none can be told.
  return Object.keys(result).length > 0 || schema.inherited === true ? result : undefined
}

/** True if the empty text is a value: in an environment, where null inherits, and in fields without null. */
function isEmptyTextValue(schema: Schema): boolean {
  return schema.type === 'string' && !schema.minLength && (schema.inherited === true || schema.nullable !== true)
}

function textMisfit(schema: Schema & { readonly type: 'string' }, value: string): string | undefined {
  if (schema.enum !== undefined && !schema.grows && !schema.enum.includes(value))
    return `the value \`${value}\` is not known`
  if (value.length < (schema.minLength ?? 0)) return 'the text is too short'
  return value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY) ? 'the text is too long' : undefined
}

function misfitOf(schema: Schema, value: Json): string | undefined {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? textMisfit(schema, value) : 'a text is expected'
    case 'nameOrId':
      return typeof value === 'string' && value !== '' ? undefined : 'a name is expected'
    case 'integer':
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'a whole number is expected'
      return value < (schema.minimum ?? value) ? `the number ${value} is not allowed` : undefined
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false is expected'
    default:
      return 'it has another form than expected'
  }
}
