// Runs every scenario beside this file: plan, compare, apply, compare, and plan again. UPDATE_SCENARIOS=1 rewrites what
// is expected; read the difference before it is committed.
import { describe, expect, it } from 'vitest'
import {
  applyOf,
  expectedFile,
  hasBase,
  onceApplied,
  openScenario,
  planOf,
  readScenario,
  scenarioNames,
} from '../harness/scenario.ts'

/** As it stands in a file: without what is undefined. */
const asJson = (value: object): object => JSON.parse(JSON.stringify(value))

describe.each(scenarioNames())('%s', (name) => {
  const scenario = readScenario(name)

  it(scenario.about, async () => {
    const workspace = await openScenario(name, scenario)
    try {
      const plan = await planOf(workspace, scenario)
      expect(asJson(plan)).toEqual(expectedFile(name, 'expected.plan.json', plan))
      if ('refused' in plan) return
      const outcome = await applyOf(workspace, scenario)
      expect(asJson(outcome)).toEqual(expectedFile(name, 'expected.outcome.json', outcome))
      expect(await workspace.changes()).toEqual(scenario.again ?? [])
      if (hasBase(name) && scenario.again === undefined)
        expect(await onceApplied(workspace)).toEqual({ changes: [], noLongerDeclared: [] })
      for (const secret of Object.values(scenario.env ?? {})) {
        expect(JSON.stringify([plan, outcome, workspace.emulator.requests()])).not.toContain(secret)
      }
    } finally {
      await workspace.close()
    }
  })
})
