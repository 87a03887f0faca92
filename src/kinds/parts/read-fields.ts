// Reading answers into manifest form.
import type { Json, JsonObject } from '../../core/json.ts'

/** The named properties of an answer; one that is missing reads as null. */
export function readFields(answer: JsonObject, fields: readonly string[]): Record<string, Json> {
  const spec: Record<string, Json> = {}
  for (const field of fields) spec[field] = answer[field] ?? null
  return spec
}
