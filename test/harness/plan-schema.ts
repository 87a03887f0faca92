// The published schemas of documents: as they are, and closed, so that nothing in a document goes undescribed.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { isJsonObject, type Json } from '../../src/core/model/json.ts'

function published(name: string): Json {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as Json
}

export const planSchema = published('plan')
export const reportSchema = published('report')
export const journalSchema = published('journal')

/** Closes every object: readers must accept what they do not know, and we must describe all that we write. */
function closed(part: Json): Json {
  if (Array.isArray(part)) return part.map(closed)
  if (!isJsonObject(part)) return part
  const result = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value as Json)]))
  return isJsonObject(part.properties) && part.type === 'object' ? { ...result, additionalProperties: false } : result
}

/** `plan`: what the schema means by `plan.schema.json`. */
export function documentValidator(of: Json, plan: Json = planSchema) {
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true })
  addFormats.default(ajv)
  if (of !== plan) ajv.addSchema(plan as object, 'plan.schema.json')
  return ajv.compile(of as object)
}

export const closedPlanSchema = closed(planSchema)
let isReport: ReturnType<typeof documentValidator> | undefined

/** The parts of a report's JSON outside the published schema. */
export function undescribedInReport(report: object): object[] {
  isReport ??= documentValidator(closed(reportSchema), closedPlanSchema)
  isReport(JSON.parse(JSON.stringify(report)))
  return isReport.errors ?? []
}
