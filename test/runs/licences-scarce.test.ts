// Licences of many users in few requests, and of which there are not enough.
import { afterEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { applyUntilKilled, resume, undo } from '../harness/journals.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import type { Workspace, WorkspaceOptions } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { of, openLicences, summaryReads, tenant } from './licences-fixture.ts'

let workspace: Workspace
afterEach(() => workspace.close())
const open = async (...given: Parameters<typeof openLicences>) => {
  workspace = await openLicences(...given)
}

const crowd = Array.from({ length: 250 }, (_, at) => `u${at}`)
const openCrowd = (available: object, options: WorkspaceOptions = {}) =>
  open(
    crowd.map((svcId) => of(svcId, { type: 'PowerUser' })),
    {
      tenant: { users: crowd.map((svcId) => ({ svcId, name: svcId })), licenses: { available } } as unknown as Tenant,
      ...options,
    },
  )
const namesIn = ({ body }: { readonly body: unknown }) =>
  Object.values(body as Record<string, { svcId: string }[]>).flatMap((list) => list.map(({ svcId }) => svcId))
const sharing = () => writesOf(workspace.emulator).map((write) => namesIn(write).length)
const reads = () => workspace.emulator.requests().filter(({ method, path }) => method === 'GET' && path !== '/')

it('of many users go in few requests, and are read again in one', async () => {
  await openCrowd({ PowerUser: 250 })
  const { report, planned } = await workspace.run({ guarded: true })
  expect(renderPlanText(planned.document, { colour: false, width: 100 })).toContain('at most 250 requests')
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 250 }, verified: { equal: 250 } })
  expect(report.steps.every(({ attempts }) => attempts === 1)).toBe(true)
  expect(sharing()).toEqual([200, 50])
  const paths = ['/admin/licenses', '/admin/licenses/summary', '/admin/licenses']
  expect(reads().map(({ path }) => String(path).replace(/^.*v6.0/, ''))).toEqual(expect.arrayContaining(paths))
  expect(reads().filter(({ path }) => String(path).includes('/admin/license'))).toHaveLength(paths.length)
  workspace.manifest(stringify({ licenses: crowd.map((svcId) => of(svcId)) }))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 250 } })
  expect(sharing()).toEqual([200, 50, 200, 50])
})

it.each(['wholeOrNot', 'untilRefused'] as const)(
  'of many in one request, one of whom can have none, are given to all others, each once (%s)',
  async (licenseBatches) => {
    await open(['a', 'b', 'robot', 'y', 'z'].map((svcId) => of(svcId, { type: 'User' })))
    workspace.emulator.load({
      users: ['a', 'b', 'y', 'z'].map((svcId) => ({ svcId, name: svcId })),
      accounts: [{ svcId: 'robot', name: 'robot', type: 'ApiApplication' }],
    } as unknown as Tenant)
    workspace.emulator.setBehaviour({ licenseBatches })
    const report = await workspace.apply({ concurrency: 1 })
    expect(report.counts).toMatchObject({ done: 4, failed: 1 })
    expect(report.steps.find(({ outcome }) => outcome === 'failed')).toMatchObject({
      address: 'license/robot',
      attempts: 2,
      reason: expect.stringContaining('"robot" is no account that can hold a licence'),
    })
    const alone = licenseBatches === 'wholeOrNot' ? ['a', 'b', 'robot', 'y', 'z'] : ['robot', 'y', 'z']
    const [first, ...rest] = writesOf(workspace.emulator).map(namesIn)
    expect(first).toHaveLength(5)
    expect(rest.flat().sort()).toEqual(alone)
    expect(rest.every(({ length }) => length === 1)).toBe(true)
  },
)

it.each([
  ['an answer that is lost', { kind: 'reset', carriedOut: true }, [3]],
  ['a request that is lost', { kind: 'reset', carriedOut: false }, [3, 1, 1, 1]],
  ['an error of the server', { kind: 'status', status: 500, carriedOut: false }, [3, 1, 1, 1]],
  ['a request that is refused', { kind: 'status', status: 400, carriedOut: false }, [3, 1, 1, 1]],
  ['a lock', { kind: 'status', status: 423, carriedOut: false }, [3, 1, 1, 1]],
] satisfies [string, Fault['effect'], number[]][])(
  'of several in one request are given once each after %s',
  async (_, effect, requests) => {
    await open(['anna', 'jan', 'nina'].map((svcId) => of(svcId, { type: 'User' })))
    workspace.emulator.load({ ...tenant, licenses: {} } as unknown as Tenant)
    workspace.emulator.addFault({ match: { method: 'POST', path: '/admin/licenses/assign' }, effect })
    const { report } = await workspace.run()
    expect(report.counts).toMatchObject({ done: 3 })
    expect(sharing().slice(0, requests.length)).toEqual(requests)
    const given = writesOf(workspace.emulator).filter(({ body }) => 'assignLicenses' in (body as object))
    const carriedOut = given.filter((write) => write.carriedOut)
    expect(carriedOut.flatMap(namesIn).sort()).toEqual(['anna', 'jan', 'nina'])
  },
)

it.each([true, false])(
  'of several in one request, killed with it (sent: %s), are gone on with and taken back by user',
  async (sent) => {
    const people = ['anna', 'jan', 'nina'].map((svcId) => of(svcId, { type: 'ExternalUser' }))
    await open(people.map((each) => ({ ...each, manage: { licenses: 'additive' } })))
    const before = workspace.emulator.state().licenses
    await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1, sent })
    const { report } = await resume(workspace, 'a.jsonl')
    expect(report).toMatchObject({ outcome: 'converged', counts: { failed: 0, unknown: 0 } })
    const given = writesOf(workspace.emulator).filter(({ carriedOut }) => carriedOut)
    expect(given.map(namesIn)).toEqual([['anna', 'jan', 'nina']])
    expect((await undo(workspace, 'a.jsonl', 'b.jsonl')).report).toMatchObject({
      outcome: 'converged',
      counts: { done: 3 },
    })
    expect(workspace.emulator.state().licenses).toEqual(before)
  },
)

it('of which there are not enough are refused before the first write, with who would go without', async () => {
  await open([of('nina', { type: 'PowerUser' }), of('jan', { type: 'PowerUser' })])
  await expect(workspace.apply({ guarded: true })).rejects.toMatchObject({
    code: 'SVC2070',
    reasons: [
      'enough-licences: 2 licences of type PowerUser are missing: 2 would be given, ' +
        '0 of 1 are free, and the plan frees 0. Without one would be `license/jan`, `license/nina`.',
    ],
    options: '--allow enough-licences=2',
  })
  expect(writesOf(workspace.emulator)).toEqual([])
  // Licences that the plan itself frees are given: after their release, and no more than there are.
  const swap = [
    of('nina', { type: 'PowerUser' }),
    of('anna'),
    of('jan', { type: 'SingleSolutionUser', processes: ['2'] }),
  ]
  workspace.manifest(stringify({ database: 'main', licenses: swap }))
  const { planned, report } = await workspace.run({ allow: ['removals=9'], guarded: true, concurrency: 8 })
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
  const [gift, removal] = ['nina', 'anna'].map((name) =>
    planned.document.steps.find(({ address }) => address === `license/${name}`),
  )
  expect(gift?.dependsOn).toEqual([removal?.id])
  expect(summaryReads(workspace)).toHaveLength(2)
  expect(await workspace.changes()).toEqual([])
  expect(summaryReads(workspace)).toHaveLength(2)
})

it('are exchanged where there is one of each: one of two gives its own away first', async () => {
  const assigned = ['anna', 'jan'].map((svcId, at) => ({
    svcId,
    licenses: [at === 0 ? 'User' : 'PowerUser'] as const,
  }))
  await open([of('anna', { type: 'PowerUser' }), of('jan', { type: 'User' })], {
    tenant: { ...tenant, licenses: { available: { User: 1, PowerUser: 1 }, assigned } } as unknown as Tenant,
  })
  const text = await savedText(workspace)
  expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
  const shape = ({ body }: { body: unknown }) => Object.keys(body as object).join()
  expect(writesOf(workspace.emulator).map(shape)).toEqual([
    'removeLicenses',
    'assignLicenses',
    'removeLicenses',
    'assignLicenses',
  ])
})

it('of which more are assigned than there are become free when so many more are given back', async () => {
  const assigned = ['anna', 'jan', 'ewa'].map((svcId) => ({ svcId, licenses: ['User'] as const }))
  const licenses = { available: { User: 1, PowerUser: 9 }, assigned }
  const people = ['anna', 'jan', 'ewa', 'nina'].map((svcId) => ({ svcId, name: svcId }))
  const power = { type: 'PowerUser' }
  await open([of('nina', { type: 'User' }), of('jan', power), of('ewa', power)], {
    tenant: { users: people, licenses } as unknown as Tenant,
  })
  await expect(workspace.apply({ guarded: true, allow: ['removals=9'] })).rejects.toMatchObject({
    reasons: [expect.stringContaining('1 would be given, 3 of 1 are assigned, and the plan frees 2.')],
  })
  workspace.manifest(
    stringify({ licenses: [of('nina', { type: 'User' }), of('anna'), of('jan', power), of('ewa', power)] }),
  )
  const { planned, report } = await workspace.run({ guarded: true, allow: ['removals=9'], concurrency: 8 })
  expect(report.outcome).toBe('converged')
  const { steps } = planned.document
  const gift = steps.find(({ address }) => address === 'license/nina')
  expect(gift?.dependsOn).toEqual(steps.filter(({ verb }) => verb === 'remove').map(({ id }) => id))
})

it('of accounts that are deleted may be free then or not: the guard says so, and once allowed go first', async () => {
  await open([of('nina', { type: 'PowerUser' })])
  workspace.manifest(
    stringify({ users: [{ svcId: 'anna', absent: true }], licenses: [of('nina', { type: 'PowerUser' })] }),
  )
  const { document } = await workspace.plan()
  expect(document.guards.find(({ guard }) => guard === 'enough-licences')).toMatchObject({
    verdict: 'refused',
    sentence: expect.stringContaining('An account that is deleted would hold one, and the deletion may not free it.'),
    allow: 'enough-licences=1',
  })
  const id = (address: string) => document.steps.find((step) => step.address === address)?.id
  expect(document.steps.find(({ address }) => address === 'license/nina')?.dependsOn).toEqual([id('user/anna')])
  // The list read for the plan tells who loses one.
  const lists = workspace.emulator.requests().filter(({ path }) => path === '/api/data/v6.0/admin/licenses')
  expect(lists).toHaveLength(1)
})

it('of accounts that give theirs back before their deletion are free, and the guard speaks of no doubt', async () => {
  await open([of('nina', { type: 'PowerUser' })])
  const power = { type: 'PowerUser' }
  workspace.manifest(
    stringify({
      users: [{ svcId: 'anna', absent: true }],
      licenses: [of('anna'), of('nina', power), of('jan', power)],
    }),
  )
  const { document } = await workspace.plan()
  const guard = document.guards.find(({ guard }) => guard === 'enough-licences')
  expect(guard?.sentence).toContain('2 would be given, 0 of 1 are free, and the plan frees 1.')
  expect(guard?.sentence).not.toContain('deleted')
  expect(guard?.numbers).not.toHaveProperty('deleted')
})

it('are given where the platform gives no number for their type, with a warning', async () => {
  await open([of('nina', { type: 'User' })])
  const { planned, report } = await workspace.run({ guarded: true })
  expect(planned.plan.problems).toMatchObject([
    { code: 'SVC1339', message: expect.stringMatching(/does not know .*: the platform gives no number for `User`$/) },
  ])
  expect(report.outcome).toBe('converged')
})

it('are given where nobody tells how many there are, with a warning', async () => {
  await open([of('nina', { type: 'SingleSolutionUser', processes: ['1'] })])
  workspace.emulator.addFault({
    match: { path: '/admin/licenses/summary' },
    effect: { kind: 'status', status: 200, body: { licenses: [{}] } },
  })
  const { planned, report } = await workspace.run({ guarded: true })
  expect(planned.plan.problems).toMatchObject([{ code: 'SVC1339', severity: 'warning' }])
  expect(report.outcome).toBe('converged')
})
