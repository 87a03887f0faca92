// Reading answers into manifest form.
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'

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

/** What an answer is known by: its guid, beside it the id, or the id alone. Undefined: it tells neither. */
function readIds({ guid, id }: JsonObject): { readonly self: string; readonly id?: string } | undefined {
  const [self, other] = [guid, id].filter(
    (value) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
  )
  if (self === undefined) return undefined
  return { self: String(self), ...(other !== undefined && { id: String(other) }) }
}
