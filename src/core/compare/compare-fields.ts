// Which declared fields differ from the live object. The only comparison in svcsync: plan, drift, the reading back after
// an apply and the settling of a lost answer all ask it.

import type { KeyedFields } from '../model/identity.ts'
import { canonicalJson, isJsonObject, isMapping, type Json, type JsonObject, putAt } from '../model/json.ts'
import type { LivePart, Section } from '../model/kind.ts'
import type { Doubt } from '../model/known-names.ts'
import type { ObjectSchema, Schema } from '../model/schema.ts'
import { fieldsOf, isWriteOnly } from '../model/schema-fields.ts'
import { revealed, Sensitive } from '../model/sensitive.ts'

export interface FieldDifference {
  /** Property names from the object down: `['sql', 'test', 'server']`. */
  readonly path: readonly string[]
  /** Undefined: there was no such part. */
  readonly before: Json | undefined
  /** May hold `Sensitive`. */
  readonly after: Json | undefined
  /** The path is that of a `rotation`: nothing need differ but that, and the credentials beside it are sent. */
  readonly rotates?: true | undefined
}

interface FieldComparison {
  readonly differences: readonly FieldDifference[]
  /** Declared fields that the platform never returns, or may tell under a name that nobody knows; dotted. */
  readonly unverifiable: readonly string[]
}

const nothing: FieldComparison = { differences: [], unverifiable: [] }

/**
 * Compares the declared fields with the live ones. A field that is not declared is not looked at. In ordinary fields
 * `null` and the empty string are the same, since installations return one for the other; where `null` restores
 * inheritance they are not. References to accounts are compared by their keys: they stand at the top.
 */
export function compareFields(
  section: Section,
  desired: KeyedFields,
  live: KeyedFields & Pick<LivePart, 'doubted'>,
): FieldComparison {
  let differences: FieldDifference[] | undefined
  let unverifiable: string[] | undefined

  const visit = (part: Schema, after: Json, before: Json | undefined, path: readonly string[]): void => {
    if (isWriteOnly(part) || live.doubted?.some((doubt) => concerns(doubt, path, after))) {
      unverifiable ??= []
      unverifiable.push(path.join('.'))
      return
    }
    if (part.type === 'open' && isJsonObject(after)) {
      visitOpen(after, before, path)
      return
    }
    if (part.type === 'object' && isMapping(after)) {
      if (isJsonObject(before)) {
        visitProperties(part, Object.keys(part.properties), after, before, path)
        return
      }
      for (const [key, inner] of Object.entries(part.properties)) {
        if (after[key] !== undefined && isWriteOnly(inner)) {
          unverifiable ??= []
          unverifiable.push([...path, key].join('.'))
        }
      }
    } else {
      const [field] = path as readonly [string]
      const isAccount = part.reference !== undefined
      const wanted = (isAccount ? desired.fieldKeys?.[field] : undefined) ?? after
      const found = (isAccount ? live.fieldKeys?.[field] : undefined) ?? before
      if (sameScalar(part, wanted, found)) return
    }
    differences ??= []
    differences.push({ path, before, after })
  }

  /** What the platform does not tell under a key cannot be compared; what it tells is all that is known of it. */
  const visitOpen = (after: JsonObject, before: Json | undefined, path: readonly string[]): void => {
    for (const [key, value] of Object.entries(after)) {
      if (value === undefined) continue
      const here = [...path, key]
      const found = isJsonObject(before) ? before[key] : undefined
      if (found === undefined) {
        unverifiable ??= []
        unverifiable.push(here.join('.'))
      } else if (isMapping(value) && isJsonObject(found)) {
        visitOpen(value, found, here)
      } else if (!sameJson(value, found)) {
        differences ??= []
        differences.push({ path: here, before: found, after: value })
      }
    }
  }

  const visitProperties = (
    object: ObjectSchema,
    keys: readonly string[],
    after: JsonObject,
    before: JsonObject,
    path: readonly string[],
  ): void => {
    for (const key of keys) {
      const value = after[key]
      const part = object.properties[key]
      if (value === undefined || part === undefined || part.rotation) continue
      // The common case of an equal string costs no path.
      if (typeof value === 'string' && value === before[key]) continue
      visit(part, value, before[key], [...path, key])
    }
  }

  visitProperties(section.schema, fieldsOf(section).fields, desired.spec, live.spec, [])
  if (differences === undefined && unverifiable === undefined) return nothing
  return { differences: differences ?? [], unverifiable: unverifiable ?? [] }
}

/** A word is in doubt only where it is declared. */
function concerns({ path, name, isWord }: Doubt, field: readonly string[], after: Json): boolean {
  const isHere = path.length === field.length && path.every((key, at) => key === field[at])
  return isHere && (!isWord || revealed(after) === name)
}

/** Whether a declared value and a live one are the same to the platform; of accounts, their keys. */
export function sameScalar(schema: Schema, after: Json, before: Json | undefined): boolean {
  const a = canonicalScalar(schema, after)
  const b = canonicalScalar(schema, before)
  if (a === b) return true
  // What is true or false is false where the platform leaves it out.
  if (schema.type === 'boolean') return (a ?? false) === (b ?? false)
  if (isEmptyScalar(a) && isEmptyScalar(b))
    return !(schema.inherited && (a === null) !== (b === null || b === undefined))
  return false
}

/** Of values without a schema. */
export function sameJson(after: Json, before: Json | undefined): boolean {
  const plain = revealed(after) as Json
  return (isEmptyScalar(plain) && isEmptyScalar(before)) || canonicalJson(plain) === canonicalJson(before)
}

export function isEmptyScalar(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}

/** The form in which values are compared. */
export function canonicalScalar(schema: Schema, value: Json | undefined): Json | undefined {
  const plain = value instanceof Sensitive ? value.reveal() : value
  if (typeof plain !== 'string') return plain
  return schema.aliases?.[plain] ?? plain
}

/** Builds the nested object that holds just these differences: what an update has to say at least. */
export function specOf(differences: readonly FieldDifference[]): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const { path, after } of differences) putAt(result, path, after)
  return result
}
