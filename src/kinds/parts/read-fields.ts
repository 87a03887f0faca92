// Reading answers into manifest form: what is absent reads as null, words as they stand, and nothing of another sort.
import { readIds } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import {
  type Finding,
  isMisread,
  type LivePart,
  type MisreadAnswer,
  type MisreadPart,
} from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'
import { nearMisses, quoted } from '@svcsync/core/model/near-misses.ts'
import type { ObjectSchema, Schema } from '@svcsync/core/model/schema.ts'
import { isWriteOnly } from '@svcsync/core/model/schema-fields.ts'

type Properties = ObjectSchema['properties']
type Identity = LivePart<Record<never, never>>

export function readFields(
  answer: JsonObject,
  properties: Properties,
  fields: readonly string[],
): Record<string, Json> | MisreadAnswer {
  const misread = misreadIn(answer, properties)
  if (misread !== undefined) return misread
  const spec: Record<string, Json> = {}
  for (const field of fields) spec[field] = answer[field] ?? null
  return spec
}

/** The first returned property whose type differs from the schema. */
export function misreadIn(answer: JsonObject, properties: Properties): MisreadAnswer | undefined {
  for (const key of Object.keys(answer)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    const value = answer[key]
    if (schema === undefined || value == null || isWriteOnly(schema)) continue
    const wrong = wrongValue(key, value, schema)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function wrongValue(key: string, value: Json, schema: Schema): MisreadAnswer | undefined {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? undefined : { misread: `\`${key}\` is no text` }
    case 'integer':
      return typeof value === 'number' ? undefined : { misread: `\`${key}\` is no number` }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { misread: `\`${key}\` is neither true nor false` }
    case 'object':
      if (!isJsonObject(value)) return { misread: `\`${key}\` is no object` }
      return within(key, misreadIn(value, schema.properties))
    default:
      return undefined
  }
}

export function within<Read extends MisreadAnswer | undefined>(key: string, misread: Read): Read {
  return misread && { ...misread, misread: `under \`${key}\`, ${misread.misread}` }
}

/** Identity of an object of a database: an item of its list, and where its detail begins. */
export function readNamed(item: Json): Identity | MisreadAnswer {
  const ids = readIds(item)
  return isMisread(ids) ? ids : { spec: {}, collections: {}, ready: true, ...ids }
}

/** Identity of a user or group, and whether the platform has finished synchronising it. */
export function readAccount(item: Json, known: readonly string[]): Identity | MisreadAnswer {
  if (!isJsonObject(item)) return { misread: 'it is no object' }
  const { svcId, status } = item
  if (typeof svcId !== 'string') return missingKey(item, 'svcId', known)
  // Without a status there is nothing to wait for.
  const ready = status == null || status === 'Synchronized'
  return { spec: {}, collections: {}, ready, name: svcId, self: svcId }
}

/** The object of this identity with what `read` gives; if that is misread, its identity at least. */
export function readWhole<Spec>(
  answer: Json,
  identity: Identity | MisreadAnswer | MisreadPart,
  read: (answer: JsonObject) => Spec | MisreadAnswer,
): LivePart<Spec> | MisreadAnswer | MisreadPart {
  if (isMisread(identity) || !isJsonObject(answer)) return identity as MisreadAnswer
  const spec = read(answer)
  if (!isMisread(spec as object)) return { ...identity, spec: spec as Spec }
  const { name, self } = identity
  return { name, self, ...(spec as MisreadAnswer) }
}

/** A warning for each: only a plan can tell whether the installation has it. */
export function reviewWords(schema: Schema, value: Json | undefined, path: Finding['path'] = []): Finding[] {
  if (schema.type === 'object' && isJsonObject(value))
    return Object.entries(schema.properties).flatMap(([key, part]) => reviewWords(part, value[key], [...path, key]))
  if (schema.type === 'array' && Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => reviewWords(schema.items, item, [...path, index]))
  if (schema.type !== 'string' || !schema.grows || typeof value !== 'string') return []
  if (schema.enum?.includes(value) !== false || schema.aliases?.[value] !== undefined) return []
  const near = nearMisses(value, schema.enum)
  const meant = near.length > 0 ? `Did you mean ${quoted(near, ' or ')}? ` : ''
  return [
    {
      code: 'SVC1351',
      severity: 'warning',
      message: `svcsync does not know the word \`${value}\``,
      hint: `${meant}A plan takes it if the installation shows it. Known: ${quoted(schema.enum)}.`,
      path,
    },
  ]
}
