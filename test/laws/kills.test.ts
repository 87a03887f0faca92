// The law of kills: an apply that is killed at any write can be gone on with, and nothing is done twice.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyUntilKilled, keepLines, resume } from '../harness/journals.ts'
import { tooEarly, untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { unsharedSteps, unsharedWrites, writesOf } from '../harness/write-log.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets, settings: 'settings: { retry: { attempts: 3, maxDelay: 5ms } }' })
})
afterAll(() => workspace.close())

it('is gone on with wherever it was killed, from a late journal, too, under one plan, without a lie', async () => {
  const kills = fc.record({
    atWrite: fc.integer({ min: 1, max: 10 }),
    sent: fc.boolean(),
    kept: fc.oneof(fc.constant(null), fc.constant(null), fc.nat({ max: 20 })),
  })
  const runs = fc.record({ concurrency: fc.integer({ min: 1, max: 4 }), syncDelayMs: fc.constantFrom(0, 0, 5) })
  const behaviours = fc.record({
    afterCreate: fc.constantFrom('visibleAtOnce', 'visibleAfterSync'),
    afterDelete: fc.constantFrom('goneAtOnce', 'goneAfterSync'),
    writeWhileWaiting: fc.constantFrom('accepted', 'locked'),
    duplicateNames: fc.constant('accepted'),
    managerMustExist: fc.constant(true),
  } as const)
  await tryLaw(
    fc.asyncProperty(situations, kills, runs, behaviours, async ({ live, items }, kill, run, behaviour) => {
      workspace.emulator.load(tenantOf(live))
      workspace.emulator.setBehaviour(behaviour)
      await workspace.control('PATCH', '/settings', { syncDelayMs: run.syncDelayMs })
      await workspace.control('DELETE', '/requests')
      writeManifests(workspace, [items])
      rmSync(join(workspace.dir, 'law.jsonl'), { force: true })
      const { plan } = await applyUntilKilled(workspace, 'law.jsonl', kill, run)
      if (plan.steps.length === 0) return
      if (kill.kept !== null) keepLines(join(workspace.dir, 'law.jsonl'), 1 + kill.kept)
      const { report } = await resume(workspace, 'law.jsonl', { ...run, isCopy: kill.kept !== null })
      expect(report).toMatchObject({ outcome: 'converged', counts: { failed: 0, skipped: 0, unknown: 0 } })
      expect(report.steps.map(({ id }) => id)).toEqual(plan.steps.map(({ id }) => id))
      const writes = writesOf(workspace.emulator)
      expect(untruths(report, plan.steps, writes)).toEqual([])
      expect(tooEarly(report, plan.steps, writes)).toEqual([])
      const carriedOut = unsharedWrites(writes).filter(({ carriedOut }) => carriedOut)
      expect(carriedOut).toHaveLength(unsharedSteps(plan.steps).length)
      expect(await workspace.changes()).toEqual([])
    }),
    0.75,
  )
})
