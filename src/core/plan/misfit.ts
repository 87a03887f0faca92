// Refuses a document that its published schema does not allow, before anything reads it.
import { isJsonObject, type Json } from '../model/json.ts'
import { documentSchemas } from './generated/document-schemas.ts'

/** The part of JSON Schema (draft 7) that the schemas of documents use. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly pattern?: string
  readonly minLength?: number
  readonly format?: 'date-time'
  readonly minimum?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly dependencies?: { readonly [key: string]: readonly string[] }
  readonly properties?: { readonly [key: string]: Schema }
  readonly additionalProperties?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly if?: Schema
  readonly then?: Schema
}

type SchemaInFile = readonly [schema: Schema, file: string]

/** The dotted path at which a value differs from the form in `reference`; empty: as a whole. Undefined: nowhere. */
export function misfitOf(value: Json | undefined, reference: string): string | undefined {
  return misfitIn(value, placed(reference, ''))
}

/** `plan.schema.json#/definitions/step`; without a file, relative to its own. */
function placed(reference: string, from: string): SchemaInFile {
  const [file = '', pointer = ''] = reference.split('#') as [string, string?]
  const path = pointer.split('/').slice(1)
  const root = documentSchemas[file || from] as unknown as Schema
  return [path.reduce((part, key) => (part as Record<string, Schema>)[key] as Schema, root), file || from]
}

function misfitIn(value: Json | undefined, place: SchemaInFile): string | undefined {
  const [schema, file] = place
  const refers = schema.$ref === undefined ? [] : [placed(schema.$ref, file)]
  for (const part of [...refers, ...(schema.allOf ?? []).map((each): SchemaInFile => [each, file])]) {
    const misfit = misfitIn(value, part)
    if (misfit !== undefined) return misfit
  }
  if (value === undefined || isOther(value, place)) return ''
  if (typeof value === 'string') return isText(value, schema) ? undefined : ''
  if (typeof value === 'number') return value >= (schema.minimum ?? value) ? undefined : ''
  if (Array.isArray(value)) return misfitOfList(value, place)
  return isJsonObject(value) ? misfitOfObject(value, schema, file) : undefined
}

/** True if the schema allows no value of this sort, whatever its contents. */
function isOther(value: Json, [schema, file]: SchemaInFile): boolean {
  const fits = (part: Schema): boolean => misfitIn(value, [part, file]) === undefined
  const { type, if: condition, then, anyOf, oneOf, not } = schema
  return (
    (type !== undefined && ![type].flat().some((each) => isOfType(value, each))) ||
    (schema.const !== undefined && value !== schema.const) ||
    (schema.enum !== undefined && !schema.enum.includes(value)) ||
    (anyOf !== undefined && !anyOf.some(fits)) ||
    (oneOf !== undefined && oneOf.filter(fits).length !== 1) ||
    (not !== undefined && fits(not)) ||
    (condition !== undefined && then !== undefined && fits(condition) && !fits(then))
  )
}

function misfitOfList(
  value: readonly Json[],
  [{ items, maxItems = value.length }, file]: SchemaInFile,
): string | undefined {
  if (value.length > maxItems) return ''
  const parts = items && value.map((part, index): ValueWithSchema => [String(index), part, items])
  return parts && firstOf(parts, file)
}

function misfitOfObject(value: { readonly [key: string]: Json | undefined }, schema: Schema, file: string) {
  const { required = [], dependencies = {}, properties = {}, additionalProperties } = schema
  const asked = Object.entries(dependencies).flatMap(([key, keys]) => (value[key] === undefined ? [] : keys))
  const missing = [...required, ...asked].find((key) => value[key] === undefined)
  if (missing !== undefined) return missing
  const parts = Object.entries(value).flatMap(([key, part]): ValueWithSchema[] => {
    const schemaOfPart = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    return schemaOfPart === undefined ? [] : [[key, part, schemaOfPart]]
  })
  return firstOf(parts, file)
}

type ValueWithSchema = readonly [key: string, value: Json | undefined, schema: Schema]

function firstOf(parts: readonly ValueWithSchema[], file: string): string | undefined {
  for (const [key, value, schema] of parts) {
    const misfit = misfitIn(value, [schema, file])
    if (misfit !== undefined) return misfit === '' ? key : `${key}.${misfit}`
  }
  return undefined
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function isText(value: string, { pattern, minLength = 0, format }: Schema): boolean {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return false
  return value.length >= minLength && (format === undefined || Number.isFinite(Date.parse(value)))
}
