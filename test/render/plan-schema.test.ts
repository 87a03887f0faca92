// The published schema describes the plans that are made, and nothing in them is undescribed.
import { describe, expect, it } from 'vitest'
import { renderDriftJson, renderPlanJson } from '../../src/render/report/render-json.ts'
import { closedPlanSchema, documentValidator, planSchema } from '../harness/plan-schema.ts'
import { accessPlan, emptyPlan, fullPlan, hugePlan, pruningPlan, refusedPlan } from './plan-fixture.ts'
import { setsPlan } from './sets-plan.ts'

describe('plan.schema.json', () => {
  it('describes every property of a plan', () => {
    const validate = documentValidator(closedPlanSchema)
    for (const plan of [accessPlan, emptyPlan, fullPlan, hugePlan(3), pruningPlan, refusedPlan, setsPlan]) {
      validate(JSON.parse(renderPlanJson(plan)))
      expect(validate.errors ?? []).toEqual([])
      validate(JSON.parse(renderDriftJson(plan, {})))
      expect(validate.errors ?? []).toEqual([])
    }
  })

  it('accepts what a later minor version adds, and refuses another major version and a secret', () => {
    const validate = documentValidator(planSchema)
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
