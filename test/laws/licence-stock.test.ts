// The law of licences that are short: a plan that the guard lets pass never runs out, in whatever order its steps end.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

const people = ['u0', 'u1', 'u2', 'u3', 'u4']
const types = ['User', 'PowerUser', 'ExternalUser'] as const
const holdings = fc.array(fc.subarray([...types]), { minLength: people.length, maxLength: people.length })
const spare = fc.record({ User: fc.nat(2), PowerUser: fc.nat(1), ExternalUser: fc.constant(0) })

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())

it('gives what there is and what it frees, and refuses what does not add up', async () => {
  const seen = { refused: 0, tight: 0 }
  await tryLaw(
    fc.asyncProperty(holdings, holdings, spare, fc.constantFrom(1, 4), async (before, after, left, concurrency) => {
      const count = (lists: readonly (readonly string[])[], type: string) =>
        lists.filter((list) => list.includes(type)).length
      const available = Object.fromEntries(types.map((type) => [type, count(before, type) + left[type]]))
      const assigned = people.map((svcId, at) => ({ svcId, licenses: before[at] ?? [] }))
      const users = people.map((svcId) => ({ svcId, name: svcId }))
      workspace.emulator.load({ users, licenses: { available, assigned } })
      const licenses = people.map((svcId, at) => ({ svcId, licenses: (after[at] ?? []).map((type) => ({ type })) }))
      workspace.manifest(stringify({ licenses }))
      const { planned, report } = await workspace.run({ concurrency })
      const missing = types.map((type) => Math.max(0, count(after, type) - (available[type] ?? 0)))
      const lacking = missing.reduce((sum, each) => sum + each, 0)
      const verdict = planned.plan.guards.find(({ guard, allow }) => guard === 'enough-licences' && allow !== undefined)
      expect(verdict?.allow).toBe(lacking === 0 ? undefined : `enough-licences=${lacking}`)
      if (lacking > 0) seen.refused++
      // Who is refused by the platform is one of those for whom there is none.
      expect(report.counts.failed <= lacking && (lacking > 0 || report.outcome === 'converged')).toBe(true)
      if (lacking > 0 || report.steps.length === 0) return
      if (planned.document.steps.some(({ verb, dependsOn }) => verb === 'add' && dependsOn.length > 0)) seen.tight++
      expect(await workspace.changes()).toEqual([])
    }),
  )
  expect(Math.min(seen.refused, seen.tight)).toBeGreaterThan(0)
})
