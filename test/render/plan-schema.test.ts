// The published schema describes the plans that are made, and nothing in them is undescribed.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../../src/core/json.ts'
import { renderPlanJson } from '../../src/render/index.ts'
import { emptyPlan, fullPlan, hugePlan, pruningPlan, refusedPlan } from './plan-fixture.ts'

const schema = JSON.parse(readFileSync(new URL('../../schemas/plan.schema.json', import.meta.url), 'utf8')) as Json

/** Closes every object: readers must accept what they do not know, and we must describe all that we write. */
function closed(part: Json): Json {
  if (Array.isArray(part)) return part.map(closed)
  if (!isJsonObject(part)) return part
  const result = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value as Json)]))
  return isJsonObject(part.properties) && part.type === 'object' ? { ...result, additionalProperties: false } : result
}

function validator(of: Json) {
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true })
  addFormats.default(ajv)
  return ajv.compile(of as object)
}

describe('plan.schema.json', () => {
  it('describes every property of a plan', () => {
    const validate = validator(closed(schema))
    for (const plan of [emptyPlan, fullPlan, hugePlan(3), pruningPlan, refusedPlan]) {
      validate(JSON.parse(renderPlanJson(plan)))
      expect(validate.errors ?? []).toEqual([])
    }
  })

  it('accepts what a later minor version adds, and refuses another major version and a secret', () => {
    const validate = validator(schema)
    expect(validate({ ...emptyPlan, formatVersion: '1.7', added: 'x' })).toBe(true)
    expect(validate({ ...emptyPlan, formatVersion: '2.0' })).toBe(false)
    const masked = { path: 'common', masked: true, before: 'hunter2', after: '${env:A}' }
    const change = { address: 'constant/main/A', kind: 'constant', action: 'update', differences: [masked] }
    expect(validate({ ...emptyPlan, changes: [change] })).toBe(false)
  })

  it('is written with two blanks and a line break at the end', () => {
    expect(renderPlanJson(emptyPlan)).toMatch(/^\{\n {2}"formatVersion": "1.1",\n[\s\S]*\}\n$/)
  })
})
