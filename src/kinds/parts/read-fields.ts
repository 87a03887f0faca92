// Reading answers into manifest form: whole, or with the key and the word for which they cannot be read.
import { readIds } from '../../core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/model/json.ts'
import { isMisread, type LivePart, type Misread, type MisreadPart } from '../../core/model/kind.ts'
import { lacking, strangersIn, unknownWord } from '../../core/model/misread.ts'
import type { ObjectSchema, Schema } from '../../core/model/schema.ts'
import { isWriteOnly } from '../../core/model/schema-fields.ts'

type Properties = ObjectSchema['properties']
type Identity = LivePart<Record<never, never>>

/** The named properties of an answer: each is there, and is what its schema says. */
export function readFields(
  answer: JsonObject,
  properties: Properties,
  fields: readonly string[],
  otherKeys: readonly string[] = [],
): Record<string, Json> | Misread {
  const misread = misreadIn(answer, properties, fields, otherKeys)
  if (misread !== undefined) return misread
  const spec: Record<string, Json> = {}
  for (const field of fields) spec[field] = answer[field] as Json
  return spec
}

/** What is wrong with an answer that must have `needed`, and may have the other properties that are ever returned. */
export function misreadIn(
  answer: JsonObject,
  properties: Properties,
  needed: readonly string[],
  otherKeys: readonly string[] = [],
): Misread | undefined {
  for (const key of needed) {
    if (answer[key] === undefined) return lacking(answer, key, [...Object.keys(properties), ...otherKeys])
  }
  for (const key of Object.keys(answer)) {
    const schema = properties[key]
    const value = answer[key]
    if (schema === undefined || value == null || isWriteOnly(schema)) continue
    const wrong = wrongValue(key, value, schema)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/**
 * Fields that an answer must have where the platform leaves out what is not set. Beside a key that nobody knows, all of them:
 * one that is missing may be there under that name.
 */
export function neededFields(
  answer: JsonObject,
  properties: Properties,
  fields: readonly string[],
  otherKeys: readonly string[] = [],
): readonly string[] {
  if (strangersIn(answer, [...Object.keys(properties), ...otherKeys]).length > 0) return fields
  return fields.filter((field) => answer[field] !== undefined || properties[field]?.type === 'boolean')
}

/** The fields of a schema that the platform returns. */
export function returnedFields(properties: Properties): readonly string[] {
  return Object.keys(properties).filter((key) => !isWriteOnly(properties[key] as Schema))
}

function wrongValue(key: string, value: Json, schema: Schema): Misread | undefined {
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return { misread: `\`${key}\` is no text` }
      return schema.enum === undefined ||
        schema.enum.includes(value) ||
        schema.aliases?.[value] !== undefined ||
        value === ''
        ? undefined
        : unknownWord(key, value)
    case 'integer':
      return typeof value === 'number' ? undefined : { misread: `\`${key}\` is no number` }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { misread: `\`${key}\` is neither true nor false` }
    case 'object':
      if (!isJsonObject(value)) return { misread: `\`${key}\` is no object` }
      return within(
        key,
        misreadIn(value, schema.properties, neededFields(value, schema.properties, returnedFields(schema.properties))),
      )
    default:
      return undefined
  }
}

/** The same, told of what stands under a key. */
export function within<Read extends Misread | undefined>(key: string, misread: Read): Read {
  return misread && { ...misread, misread: `under \`${key}\`, ${misread.misread}` }
}

/** Identity of an object of a database: an item of its list, and where its detail begins. */
export function readNamed(item: Json): Identity | Misread {
  const ids = readIds(item)
  return isMisread(ids) ? ids : { spec: {}, collections: {}, ready: true, ...ids }
}

/** Identity of a user or group, and whether the platform has finished synchronising it. */
export function readAccount(item: Json, known: readonly string[]): Identity | Misread | MisreadPart {
  if (!isJsonObject(item)) return { misread: 'it is no object' }
  const { svcId, status } = item
  if (typeof svcId !== 'string') return lacking(item, 'svcId', known)
  const names = { name: svcId, self: svcId }
  if (status === undefined) return { ...names, ...lacking(item, 'status', known) }
  if (status !== 'Synchronized' && status !== 'WaitingForSynchronization')
    return { ...names, ...unknownWord('status', String(status)) }
  return { spec: {}, collections: {}, ready: status === 'Synchronized', ...names }
}

/** The object of this identity with what `read` gives; where that is misread, it is known at least which object it is. */
export function readWhole<Spec>(
  answer: Json,
  identity: Identity | Misread | MisreadPart,
  read: (answer: JsonObject) => Spec | Misread,
): LivePart<Spec> | Misread | MisreadPart {
  if (isMisread(identity) || !isJsonObject(answer)) return identity as Misread
  const spec = read(answer)
  if (!isMisread(spec as object)) return { ...identity, spec: spec as Spec }
  const { name, self } = identity
  return { name, self, ...(spec as Misread) }
}
