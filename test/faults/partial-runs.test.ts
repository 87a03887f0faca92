// A run that ends before its time: only what depends on a failure is skipped, an interrupt lets running steps end, and
// a second run finishes what is left without doing anything twice.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: faultTenant,
    settings: 'settings: { retry: { attempts: 2, maxDelay: 10ms } }',
  })
  workspace.manifest(manifest)
})
afterEach(() => workspace.close())

const manifest = `
database: main
users:
  - { svcId: boss@example.com, name: Boss }
  - { svcId: clerk@example.com, name: Clerk, managerSvcId: boss@example.com }
  - { svcId: other@example.com, name: Other }
groups:
  - { svcId: a@example.com, name: A, members: [clerk@example.com] }
  - { svcId: b@example.com, name: B, members: [other@example.com] }
  - { svcId: staff@example.com, members: [boss@example.com, anna@example.com] }
applications:
  - { application: Purchasing, privileges: { Administrator: [a@example.com], ReadOnly: [b@example.com] } }
constants:
  - { name: Url, common: new }
`

/** Addresses of those that were created, as the platform saw them; each once, or the list is longer. */
const created = () =>
  writesOf(workspace.emulator)
    .filter(({ method, path, carriedOut }) => carriedOut && method === 'POST' && /\/(users|groups)$/.test(path))
    .map(({ body }) => (body as { svcId: string }).svcId)

const allNew = ['a@example.com', 'b@example.com', 'boss@example.com', 'clerk@example.com', 'other@example.com']

async function convergesNow(): Promise<void> {
  workspace.emulator.clearFaults()
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(await workspace.changes()).toEqual([])
  expect(created().sort()).toEqual(allNew)
}

it('skips what depends on a failed step, names it, and does the rest', async () => {
  const body = { type: 'ValidationError', description: 'Not this one.' }
  workspace.emulator.addFault({
    match: { method: 'POST', path: '/admin/users' },
    effect: { kind: 'status', status: 400, body },
  })
  const { planned, report } = await workspace.run({ concurrency: 1 })
  const [failed] = report.steps.filter(({ outcome }) => outcome === 'failed')
  expect(failed).toMatchObject({ address: 'user/boss@example.com', reason: expect.stringContaining('Not this one.') })
  const skipped = report.steps.filter(({ outcome }) => outcome === 'skipped')
  expect(skipped.map(({ address, verb }) => `${verb} ${address}`).sort()).toEqual([
    'add application/main/Purchasing',
    'add group/staff@example.com',
    'create group/a@example.com',
    'create user/clerk@example.com',
    'remove group/staff@example.com',
  ])
  expect(skipped.every(({ because }) => because !== undefined)).toBe(true)
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  await convergesNow()
})

describe('an interrupt', () => {
  it.each([1, 2, 4, 7])('after %i steps lets running steps end and starts no other', async (after) => {
    const stop = new AbortController()
    let started = 0
    const { planned, report } = await workspace.run({
      stop: stop.signal,
      concurrency: 2,
      onEvent: ({ type }) => {
        if (type === 'step-started' && ++started === after) stop.abort()
      },
    })
    expect(report).toMatchObject({ outcome: 'interrupted', counts: { failed: 0, unknown: 0 } })
    expect(report.counts.done).toBe(after)
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
    await convergesNow()
  })
})

it('takes up a run whose token stops working on the way', async () => {
  workspace.emulator.addFault({ match: { path: '/admin/groups' }, nth: 1, effect: { kind: 'expireTokens' } })
  workspace.emulator.addFault({ match: { path: '/admin/constants*' }, nth: 1, effect: { kind: 'expireTokens' } })
  await workspace.control('DELETE', '/requests')
  const { planned, report } = await workspace.run()
  expect(report).toMatchObject({ outcome: 'converged' })
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  expect(created().sort()).toEqual(allNew)
})

it('starts nothing more once the platform refuses every token', async () => {
  workspace.emulator.addFault({
    match: { method: 'POST', path: '/admin/users' },
    count: null,
    effect: { kind: 'status', status: 401 },
  })
  const { planned, report } = await workspace.run({ concurrency: 1 })
  expect(report).toMatchObject({ outcome: 'partial', counts: { failed: 1 } })
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  await convergesNow()
})

it('adds nobody when one account of a batch is unknown, and all once it is there', async () => {
  workspace.manifest(
    'groups: [{ svcId: empty@example.com, members: [anna@example.com, late@corp.example.com, jan@example.com] }]',
  )
  const { report } = await workspace.run()
  expect(report).toMatchObject({ outcome: 'partial', counts: { failed: 1 } })
  expect(report.steps[0]?.reason).toContain('late@corp.example.com')
  expect(workspace.emulator.state().groups?.find(({ svcId }) => svcId === 'empty@example.com')?.members ?? []).toEqual(
    [],
  )
  workspace.emulator.edit({ upsertAccount: { svcId: 'late@corp.example.com', name: 'Late', type: 'Other' } })
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
})
