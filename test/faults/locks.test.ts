// A process that somebody has checked out refuses writes to its constants: worth waiting for, but not for ever.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: faultTenant,
    settings: 'settings: { retry: { attempts: 4, maxDelay: 20ms } }',
  })
  workspace.manifest(`
database: main
processes:
  - process: Approval
    constants: [{ name: Limit, common: "2" }, { name: New, common: c }]
    privileges: { Modify: [anna@example.com] }
`)
})
afterEach(() => workspace.close())

it('waits for a checkout that ends', async () => {
  workspace.emulator.edit({ checkOut: { process: 'Approval', by: 'designer@example.com', endsAfterAttempts: 3 } })
  const locked: string[] = []
  const { planned, report } = await workspace.run({
    onEvent: (event) => {
      if (event.type === 'locked') locked.push(event.step.address)
    },
  })
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 3 } })
  expect(locked).toHaveLength(3)
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  expect(await workspace.changes()).toEqual([])
})

it('reports what stays locked, does the rest, and converges once the lock is gone', async () => {
  workspace.emulator.edit({ checkOut: { process: 'Approval', by: 'designer@example.com' } })
  const { planned, report } = await workspace.run()
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, failed: 2 } })
  for (const step of report.steps.filter(({ outcome }) => outcome === 'failed')) {
    expect(step).toMatchObject({ attempts: 4, reason: expect.stringMatching(/^locked: .*designer@example.com/) })
  }
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  workspace.emulator.edit({ endCheckout: { process: 'Approval' } })
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
})
