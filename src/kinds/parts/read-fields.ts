// Reading answers into manifest form.
import { readIds } from '../../core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/model/json.ts'

/** The named properties of an answer; one that is missing reads as null. */
export function readFields(answer: JsonObject, fields: readonly string[]): Record<string, Json> {
  const spec: Record<string, Json> = {}
  for (const field of fields) spec[field] = answer[field] ?? null
  return spec
}

/** Identity of an object of a database: an item of its list, and where its detail begins. Undefined: it does not say which it is. */
export function readNamed(item: Json) {
  const ids = isJsonObject(item) ? readIds(item) : undefined
  if (ids === undefined || !isJsonObject(item) || typeof item.name !== 'string') return undefined
  return { ...ids, name: item.name, spec: {}, collections: {}, ready: true }
}
