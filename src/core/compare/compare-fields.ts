// Compares declared fields with the live object: the only comparison in svcsync.
import type { KeyedFields } from '../model/identity.ts'
import { canonicalJson, isJsonObject, isMapping, type Json, type JsonObject, setAt } from '../model/json.ts'
import type { LivePart, Section } from '../model/kind.ts'
import type { DoubtedName } from '../model/known-names.ts'
import type { ObjectSchema, Schema } from '../model/schema.ts'
import { fieldsOf, isWriteOnly } from '../model/schema-fields.ts'
import { revealSecrets, Sensitive } from '../model/sensitive.ts'

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

/** In ordinary fields `null` and the empty string are the same: installations return one for the other. */
export function compareFields(
  section: Section,
  desired: KeyedFields,
  live: KeyedFields & Pick<LivePart, 'doubted'>,
): FieldComparison {
  const found = new Differences(desired, live)
  found.visitProperties(section.schema, fieldsOf(section).fields, desired.spec, live.spec, [])
  return found.result()
}

/** Nearly all objects are equal: nothing is made before something differs. */
class Differences {
  readonly #desired: KeyedFields
  readonly #live: Parameters<typeof compareFields>[2]
  #differences: FieldDifference[] | undefined
  #unverifiable: string[] | undefined

  constructor(desired: KeyedFields, live: Parameters<typeof compareFields>[2]) {
    this.#desired = desired
    this.#live = live
  }

  result(): FieldComparison {
    if (this.#differences === undefined && this.#unverifiable === undefined) return nothing
    return { differences: this.#differences ?? [], unverifiable: this.#unverifiable ?? [] }
  }

  visitProperties(
    object: ObjectSchema,
    keys: readonly string[],
    after: JsonObject,
    before: JsonObject,
    path: readonly string[],
  ): void {
    for (const key of keys) {
      const value = after[key]
      const part = object.properties[key]
      if (value === undefined || part === undefined || part.rotation) continue
      if (typeof value === 'string' && value === before[key]) continue
      this.#visit(part, value, before[key], [...path, key])
    }
  }

  #visit(part: Schema, after: Json, before: Json | undefined, path: readonly string[]): void {
    const isDoubted = this.#live.doubted?.some((doubt) => concerns(doubt, path, after)) === true
    if (isWriteOnly(part) || isDoubted) this.#cannotTell(path)
    else if (part.type === 'open' && isJsonObject(after)) this.#visitOpen(after, before, path)
    else if (part.type === 'object' && isMapping(after)) this.#visitObject(part, after, before, path)
    else if (!this.#isSame(part, after, before, path)) this.#differs({ path, before, after })
  }

  #visitObject(part: ObjectSchema, after: JsonObject, before: Json | undefined, path: readonly string[]): void {
    if (isJsonObject(before)) {
      this.visitProperties(part, Object.keys(part.properties), after, before, path)
      return
    }
    for (const [key, inner] of Object.entries(part.properties))
      if (after[key] !== undefined && isWriteOnly(inner)) this.#cannotTell([...path, key])
    this.#differs({ path, before, after })
  }

  #isSame(part: Schema, after: Json, before: Json | undefined, path: readonly string[]): boolean {
    if (part.reference === undefined) return sameScalar(part, after, before)
    const [field] = path as readonly [string]
    return sameScalar(part, this.#desired.fieldKeys?.[field] ?? after, this.#live.fieldKeys?.[field] ?? before)
  }

  /** The platform tells only a part of an open field; keys that it leaves out cannot be compared. */
  #visitOpen(after: JsonObject, before: Json | undefined, path: readonly string[]): void {
    for (const [key, value] of Object.entries(after)) {
      if (value === undefined) continue
      const here = [...path, key]
      const found = isJsonObject(before) ? before[key] : undefined
      if (found === undefined) this.#cannotTell(here)
      else if (isMapping(value) && isMapping(found)) this.#visitOpen(value, found, here)
      else if (!sameJson(value, found)) this.#differs({ path: here, before: found, after: value })
    }
  }

  #differs(difference: FieldDifference): void {
    this.#differences ??= []
    this.#differences.push(difference)
  }

  #cannotTell(path: readonly string[]): void {
    this.#unverifiable ??= []
    this.#unverifiable.push(path.join('.'))
  }
}

/** A word is in doubt only where it is declared. */
function concerns({ path, name, isWord }: DoubtedName, field: readonly string[], after: Json): boolean {
  const isHere = path.length === field.length && path.every((key, at) => key === field[at])
  return isHere && (!isWord || revealSecrets(after) === name)
}

/** True if a declared and a live value are equal to the platform; for accounts, their keys are compared. */
export function sameScalar(schema: Schema, after: Json, before: Json | undefined): boolean {
  const a = canonicalScalar(schema, after)
  const b = canonicalScalar(schema, before)
  if (a === b) return true
  // The platform leaves out a false value.
  if (schema.type === 'boolean') return (a ?? false) === (b ?? false)
  if (isEmptyScalar(a) && isEmptyScalar(b))
    return !(schema.inherited && (a === null) !== (b === null || b === undefined))
  return false
}

export function sameJson(after: Json, before: Json | undefined): boolean {
  const [wanted, found] = [after, before].map((value) => revealSecrets(value) as Json | undefined)
  return (isEmptyScalar(wanted) && isEmptyScalar(found)) || canonicalJson(wanted) === canonicalJson(found)
}

export function isEmptyScalar(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}

export function canonicalScalar(schema: Schema, value: Json | undefined): Json | undefined {
  const plain = value instanceof Sensitive ? value.reveal() : value
  if (typeof plain !== 'string') return plain
  return schema.aliases?.[plain] ?? plain
}

/** Builds the nested object that holds just these differences: what an update has to say at least. */
export function specOf(differences: readonly FieldDifference[]): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const { path, after } of differences) setAt(result, path, after)
  return result
}
