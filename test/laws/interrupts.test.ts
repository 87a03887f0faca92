// The law of interrupts: wherever a run is stopped, it reports what was done, and a second run does the rest.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { unsharedSteps, unsharedWrites, writesOf } from '../harness/write-log.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, behaviour: { managerMustExist: true } })
})
afterAll(() => workspace.close())

it('stops anywhere without a lie, and is finished by a second run that repeats nothing', async () => {
  const stops = fc.record({ after: fc.integer({ min: 0, max: 12 }), concurrency: fc.integer({ min: 1, max: 4 }) })
  await tryLaw(
    fc.asyncProperty(situations, stops, fc.constantFrom(0, 0, 5), async ({ live, items }, stop, syncDelayMs) => {
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour({ managerMustExist: true })
      await workspace.control('PATCH', '/settings', { syncDelayMs })
      await workspace.control('DELETE', '/requests')
      writeManifests(workspace, [items])
      const interrupt = new AbortController()
      if (stop.after === 0) interrupt.abort()
      let events = 0
      const first = await workspace.run({
        stop: interrupt.signal,
        concurrency: stop.concurrency,
        onEvent: ({ type }) => {
          if ((type === 'step-started' || type === 'step-ended') && ++events === stop.after) interrupt.abort()
        },
      })
      const { steps } = first.planned.plan
      const writes = writesOf(workspace.emulator)
      expect(untruths(first.report, steps, writes)).toEqual([])
      expect(first.report.counts).toMatchObject({ failed: 0, unknown: 0 })
      if (first.report.counts.skipped > 0) expect(first.report.outcome).toBe('interrupted')
      const second = await workspace.run()
      expect(second.report.outcome).toMatch(/^(converged|nothing-to-do)$/)
      expect(await workspace.changes()).toEqual([])
      // Every write that the first run had planned happened once, in the one run or in the other.
      const more = writesOf(workspace.emulator).slice(writes.length)
      expect(unsharedWrites(more)).toHaveLength(unsharedSteps(second.planned.plan.steps).length)
      const done = unsharedSteps(first.report.steps).filter(({ outcome }) => outcome === 'done')
      expect(unsharedWrites(writes)).toHaveLength(done.length)
    }),
    0.75,
  )
})
