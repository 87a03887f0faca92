// The published schema of plans: as it is, and closed, so that nothing in a plan goes undescribed.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { isJsonObject, type Json } from '../../src/core/model/json.ts'

export const planSchema = JSON.parse(
  readFileSync(new URL('../../schemas/plan.schema.json', import.meta.url), 'utf8'),
) as Json

/** Closes every object: readers must accept what they do not know, and we must describe all that we write. */
function closed(part: Json): Json {
  if (Array.isArray(part)) return part.map(closed)
  if (!isJsonObject(part)) return part
  const result = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value as Json)]))
  return isJsonObject(part.properties) && part.type === 'object' ? { ...result, additionalProperties: false } : result
}

export function planValidator(of: Json) {
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true })
  addFormats.default(ajv)
  return ajv.compile(of as object)
}

export const closedPlanSchema = closed(planSchema)
