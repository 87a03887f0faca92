// The check of documents that come from files says what the published schemas say.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../../src/core/model/json.ts'
import { misfitOf } from '../../src/core/plan/misfit.ts'
import { renderPlanJson } from '../../src/render/report/render-json.ts'
import { documentValidator, journalSchema, planSchema, reportSchema } from '../harness/plan-schema.ts'
import { accessPlan, fullPlan, place, pruningPlan, refusedPlan } from '../render/plan-fixture.ts'
import { troubledReport } from '../render/report-fixture.ts'
import { setsPlan } from '../render/sets-plan.ts'

const plans = [accessPlan, fullPlan, pruningPlan, refusedPlan, setsPlan].map((plan) => JSON.parse(renderPlanJson(plan)))
const at = '2026-11-03T09:12:00.000Z'
const chain = `sha256:${'0'.repeat(64)}`
const lines: Json[] = [
  { event: 'begun', at, formatVersion: '2.0', plan: plans[1], chain },
  { event: 'sending', at, step: '1', attempt: 1, chain },
  { event: 'answered', at, step: '1', outcome: 'done', attempts: 1, chain },
  { event: 'resumed', at, version: '0.1.0', done: ['1'], notDone: [], chain },
  { event: 'finished', at, outcome: 'converged', counts: troubledReport.counts, chain },
]
const documents = {
  'plan.schema.json': { all: plans, isValid: documentValidator(planSchema) },
  'report.schema.json': { all: [JSON.parse(JSON.stringify(troubledReport))], isValid: documentValidator(reportSchema) },
  'journal.schema.json': { all: lines, isValid: documentValidator(journalSchema) },
}
const wrong: (Json | undefined)[] = ['', 'x', 0, -1, 1.5, null, true, [], {}, [1], undefined]

/** The document with another value, or none, where the numbers lead. */
function edited(document: Json, path: readonly number[], value: Json | undefined): Json {
  const copy = structuredClone(document)
  let part = copy as { [key: string]: Json | undefined }
  for (const [index, number] of path.entries()) {
    const keys = Object.keys(part)
    const key = keys[number % keys.length]
    if (key === undefined) break
    const next = part[key]
    if (index === path.length - 1 || !(Array.isArray(next) || isJsonObject(next))) {
      if (value === undefined && !Array.isArray(part)) delete part[key]
      else part[key] = value ?? null
      break
    }
    part = next as typeof part
  }
  return copy
}

describe.each(Object.entries(documents))('%s', (name, { all, isValid }) => {
  it('is what a document is held to, and what was edited as well', () => {
    for (const document of all) expect(misfitOf(document, name)).toBeUndefined()
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...wrong),
        (document, path, value) => {
          const found = edited(document, path, value)
          expect(misfitOf(found, name) === undefined).toBe(isValid(found))
        },
      ),
      { numRuns: 400 },
    )
  })
})

it('says where, as a dotted path, and what is missing', () => {
  const [, plan] = plans
  expect(misfitOf({ ...plan, steps: [{ ...plan.steps[0], verb: 'burn' }] }, 'plan.schema.json')).toBe('steps.0.verb')
  expect(misfitOf({ ...plan, guards: undefined }, 'plan.schema.json')).toBe('guards')
  expect(misfitOf({ ...plan, checksum: chain }, 'plan.schema.json')).toBe('saved')
  expect(misfitOf([], 'plan.schema.json')).toBe('')
  const reference = 'plan.schema.json#/definitions/reference'
  expect(misfitOf({ reference: '${env:A}', place: place('a.yaml', 1) }, reference)).toBeUndefined()
  expect(misfitOf({ reference: 1, place: place('a.yaml', 1) }, reference)).toBe('reference')
})
