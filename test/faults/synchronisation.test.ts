// Users and groups synchronise after each write: what depends on them waits, and what never synchronises is said so.
import { afterEach, describe, expect, it } from 'vitest'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
const open = async (options: WorkspaceOptions) => {
  workspace = await openWorkspace({ tenant: faultTenant, ...options })
}
afterEach(() => workspace.close())

const chain = `
database: main
users:
  - { svcId: new@example.com, name: New, managerSvcId: boss@example.com }
  - { svcId: boss@example.com, name: Boss }
groups:
  - { svcId: inner@example.com, name: Inner, members: [new@example.com] }
  - { svcId: outer@example.com, name: Outer, members: [inner@example.com], owners: [boss@example.com] }
processes:
  - { process: Approval, privileges: { Modify: [outer@example.com] } }
`

describe('slow synchronisation', () => {
  it.each([
    {},
    { afterCreate: 'visibleAfterSync', managerMustExist: true },
    { writeWhileWaiting: 'locked', afterDelete: 'goneAfterSync' },
  ] as const)('makes what depends on it wait, with %o', async (behaviour) => {
    await open({ syncDelayMs: 80, behaviour })
    workspace.manifest(chain)
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 5 } })
    const writes = writesOf(workspace.emulator)
    expect(untruths(report, planned.plan.steps, writes)).toEqual([])
    // Nothing was tried too early: the platform refused nothing.
    expect(writes.filter(({ carriedOut }) => !carriedOut)).toEqual([])
    expect(await workspace.changes()).toEqual([])
  })

  it('lets several writes to one object follow each other, where the platform locks what waits', async () => {
    await open({
      syncDelayMs: 60,
      behaviour: { writeWhileWaiting: 'locked' },
      settings: 'settings: { retry: { maxDelay: 20ms } }',
    })
    workspace.manifest(
      'groups: [{ svcId: staff@example.com, name: All, members: [anna@example.com], owners: [anna@example.com] }]',
    )
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 5 } })
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  })

  it('waits for the end of what somebody else has deleted', async () => {
    await open({ syncDelayMs: 200, behaviour: { afterDelete: 'goneAfterSync' } })
    workspace.manifest('users: [{ svcId: anna@example.com, absent: true }]')
    const body = { type: 'ResourceNotFound', description: 'No such user.' }
    workspace.emulator.addFault({
      match: { method: 'DELETE' },
      effect: { kind: 'status', status: 404, body, carriedOut: true },
    })
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { unchanged: 1 } })
  })
})

describe('slow synchronisation', () => {
  it('makes somebody their own manager only once they are there', async () => {
    await open({ syncDelayMs: 60, behaviour: { managerMustExist: true } })
    workspace.manifest('users: [{ svcId: solo@example.com, name: Solo, managerSvcId: Solo@example.com }]')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
  })

  it('ends the wait soon after the platform is ready', async () => {
    await open({ syncDelayMs: 100 })
    workspace.manifest('users: [{ svcId: new@example.com, name: New }]')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    // As many looks as fit into that time, and no pause of those that come while there is other work.
    const looks = workspace.emulator.requests().filter(({ path }) => /\/admin\/user$/.test(String(path)))
    expect(looks.length).toBeGreaterThan(1)
  })

  it('does not keep waiting somebody who has interrupted the run', async () => {
    await open({ syncDelayMs: 100 })
    const first = Date.now()
    workspace.manifest('users: [{ svcId: usual@example.com, name: Usual }]')
    await workspace.apply()
    const usualMs = Date.now() - first
    workspace.manifest('users: [{ svcId: new@example.com, name: New }, { svcId: more@example.com, name: More }]')
    const stop = new AbortController()
    const startedMs = Date.now()
    const report = await workspace.apply({ stop: stop.signal, concurrency: 1, onEvent: () => stop.abort() })
    expect(report).toMatchObject({ outcome: 'interrupted', counts: { done: 1, skipped: 1 } })
    // Without other work to do, the pause is no longer than usual: it would be 15 s.
    expect(Date.now() - startedMs).toBeLessThan(10_000 + 5 * usualMs)
  })

  it('takes nobody for late whom no look after the time limit has shown', async () => {
    await open({ settings: 'settings: { sync: { timeout: 30ms } }' })
    workspace.manifest('users: [{ svcId: one@example.com, name: One }, { svcId: two@example.com, name: Two }]')
    const delay = (method: string, nth: number, delayMs: number) =>
      workspace.emulator.addFault({ match: { method, path: '/admin/user*' }, nth, effect: { kind: 'delay', delayMs } })
    // The second is written while the first is being looked at, and its time is over before that look ends.
    delay('POST', 2, 60)
    delay('GET', 3, 300)
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
  })

  it('does not call a lost deletion failed that is refused afterwards, and shown until synchronised', async () => {
    await open({
      syncDelayMs: 600_000,
      behaviour: { afterDelete: 'goneAfterSync' },
      settings: 'settings: { retry: { maxDelay: 10ms } }',
    })
    workspace.manifest('groups: [{ svcId: empty@example.com, absent: true }]')
    const match = { method: 'DELETE' }
    workspace.emulator.addFault({ match, effect: { kind: 'reset', carriedOut: true } })
    workspace.emulator.addFault({ match, nth: 2, effect: { kind: 'status', status: 409 } })
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'partial', counts: { unknown: 1 } })
    expect(report.steps[0]?.reason).toMatch(
      /^svcsync does not know whether the platform carried it out: .* answered 409/,
    )
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  })

  it('sees a deletion through', async () => {
    await open({ syncDelayMs: 60, behaviour: { afterDelete: 'goneAfterSync' } })
    workspace.manifest('groups: [{ svcId: empty@example.com, absent: true }]')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
    expect(await workspace.changes()).toEqual([])
  })
})

describe('synchronisation that never ends', () => {
  const settings = 'settings: { sync: { timeout: 300ms }, retry: { maxDelay: 20ms } }'

  it('says why nobody could see it, where the looks themselves failed', async () => {
    await open({ settings })
    workspace.manifest('users: [{ svcId: new@example.com, name: New }]')
    const match = { method: 'GET', path: '/admin/user', query: 'new' }
    const effect = { kind: 'text', body: '', contentType: 'application/json' } as const
    workspace.emulator.addFault({ match, nth: 2, count: null, effect })
    const { steps } = await workspace.apply()
    workspace.emulator.clearFaults()
    expect(steps).toMatchObject([
      {
        address: 'user/new@example.com',
        outcome: 'failed',
        reason: expect.stringMatching(
          /, and the last look at it failed: SVC3020 The answer to GET \/admin\/user is empty$/,
        ),
      },
    ])
  })

  it('fails the step, which was written, and skips what depends on it', async () => {
    await open({ syncDelayMs: 600_000, settings })
    workspace.manifest(chain)
    const { planned, report } = await workspace.run()
    const writes = writesOf(workspace.emulator)
    expect(report).toMatchObject({ outcome: 'partial', counts: { done: 0, failed: 1, skipped: 4 } })
    expect(report.steps.find(({ outcome }) => outcome === 'failed')).toMatchObject({
      address: 'user/boss@example.com',
      reason: expect.stringContaining('had not synchronised it within 0.3 s'),
    })
    expect(untruths(report, planned.plan.steps, writes)).toEqual([])
  })

  it('does not call a later write to the same object skipped, when it was carried out', async () => {
    await open({ syncDelayMs: 600_000, settings })
    workspace.manifest('groups: [{ svcId: staff@example.com, name: All, members: [anna@example.com] }]')
    const { planned, report } = await workspace.run()
    expect(report).toMatchObject({ outcome: 'partial' })
    expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  })

  it('is no reason to write again: a second run waits for nothing', async () => {
    await open({ syncDelayMs: 600_000, settings })
    workspace.manifest('users: [{ svcId: new@example.com, name: New }]')
    expect(await workspace.apply()).toMatchObject({ outcome: 'partial' })
    expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
    expect(writesOf(workspace.emulator)).toHaveLength(1)
  })
})

it('waits as long as it should, and no longer, while somebody sets the clock of the machine', async () => {
  await open({ syncDelayMs: 80, behaviour: { tokenLifetimeMs: 3_600_000 } })
  workspace.manifest(chain)
  const dayMs = 86_400_000
  let looks = 0
  // A day ahead, and back, and two days ahead.
  const clock = () => Date.now() + [0, dayMs, -dayMs, 2 * dayMs][looks++ % 4]!
  const { planned, report } = await workspace.run({ clock })
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 5 } })
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  for (const elapsedMs of [report.elapsedMs, ...report.steps.map((step) => step.elapsedMs)]) {
    expect(elapsedMs).toBeGreaterThanOrEqual(0)
    expect(elapsedMs).toBeLessThan(60_000)
  }
  // One for reading and one for writing: none is renewed for its age.
  expect(workspace.emulator.requests().filter(({ path }) => String(path).includes('oauth2'))).toHaveLength(2)
})
