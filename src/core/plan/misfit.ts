// The form of documents as they come from files: whoever can write a file can write anything into it, and what does not have the
// form that its published schema says is refused before anything looks into it.
import { isJsonObject, type Json } from '../model/json.ts'
import { documentSchemas } from './generated/document-schemas.ts'

/** What of JSON Schema (draft 7) the schemas of documents are written in. */
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

/** A schema with the file that its references are read in. */
type Placed = readonly [schema: Schema, file: string]

/** Where a value has another form than `reference` says, as a dotted path; empty: as a whole. Undefined: nowhere. */
export function misfitOf(value: Json | undefined, reference: string): string | undefined {
  return misfitIn(value, placed(reference, ''))
}

/** `plan.schema.json#/definitions/step`; without a file, of the one that it stands in. */
function placed(reference: string, from: string): Placed {
  const [file = '', pointer = ''] = reference.split('#') as [string, string?]
  const path = pointer.split('/').slice(1)
  const root = documentSchemas[file || from] as unknown as Schema
  return [path.reduce((part, key) => (part as Record<string, Schema>)[key] as Schema, root), file || from]
}

function misfitIn(value: Json | undefined, [schema, file]: Placed): string | undefined {
  const within = (part: Schema): string | undefined => misfitIn(value, [part, file])
  const fits = (part: Schema): boolean => within(part) === undefined
  if (schema.$ref !== undefined) {
    const misfit = misfitIn(value, placed(schema.$ref, file))
    if (misfit !== undefined) return misfit
  }
  for (const part of schema.allOf ?? []) {
    const misfit = within(part)
    if (misfit !== undefined) return misfit
  }
  const { if: condition, then, anyOf, oneOf, not } = schema
  const isOther =
    value === undefined ||
    (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) ||
    (schema.const !== undefined && value !== schema.const) ||
    (schema.enum !== undefined && !schema.enum.includes(value)) ||
    (anyOf !== undefined && !anyOf.some(fits)) ||
    (oneOf !== undefined && oneOf.filter(fits).length !== 1) ||
    (not !== undefined && fits(not)) ||
    (condition !== undefined && then !== undefined && fits(condition) && !fits(then))
  if (isOther) return ''
  if (typeof value === 'string') return isText(value, schema) ? undefined : ''
  if (typeof value === 'number') return value >= (schema.minimum ?? value) ? undefined : ''
  if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? value.length)) return ''
    const { items } = schema
    return (
      items &&
      firstOf(
        value.map((part: Json, index) => [String(index), part, items]),
        file,
      )
    )
  }
  return isJsonObject(value) ? misfitOfObject(value, schema, file) : undefined
}

function misfitOfObject(value: { readonly [key: string]: Json | undefined }, schema: Schema, file: string) {
  const { required = [], dependencies = {}, properties = {}, additionalProperties } = schema
  const asked = Object.entries(dependencies).flatMap(([key, keys]) => (value[key] === undefined ? [] : keys))
  const missing = [...required, ...asked].find((key) => value[key] === undefined)
  if (missing !== undefined) return missing
  const parts = Object.entries(value).flatMap(([key, part]): Part[] => {
    const schemaOfPart = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    return schemaOfPart === undefined ? [] : [[key, part, schemaOfPart]]
  })
  return firstOf(parts, file)
}

type Part = readonly [key: string, value: Json | undefined, schema: Schema]

function firstOf(parts: readonly Part[], file: string): string | undefined {
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
