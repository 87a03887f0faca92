// The published schemas of documents: as they are, and closed, so that nothing in a document goes undescribed.
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
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

const validators = new WeakMap<object, ValidateFunction>()

/**
 * `plan`: what the schema means by `plan.schema.json`. A worker compiles each once, and quickly: better code would take
 * longer to make than it saves.
 */
export function documentValidator(of: Json, plan: Json = planSchema): ValidateFunction {
  const made = validators.get(of as object)
  if (made !== undefined) return made
  const quickly = { inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true, ...quickly })
  addFormats.default(ajv)
  if (of !== plan) ajv.addSchema(plan as object, 'plan.schema.json')
  const compiled = ajv.compile(of as object)
  validators.set(of as object, compiled)
  return compiled
}

export const closedPlanSchema = closed(planSchema)
const closedReportSchema = closed(reportSchema)

/** The parts of a report's JSON outside the published schema. */
export function undescribedInReport(report: object): object[] {
  const isReport = documentValidator(closedReportSchema, closedPlanSchema)
  isReport(JSON.parse(JSON.stringify(report)))
  return isReport.errors ?? []
}
