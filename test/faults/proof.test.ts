// A report proves its statements about the platform by reading back, or omits them.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BrokenApplyError } from '../../src/apply/apply-plan.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { applyRun } from '../../src/runs/plan/apply-run.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { untruths } from '../harness/report-truth.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant, writePaths } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: faultTenant,
    env: { SECRET: 'a secret that nobody may see' },
    settings: 'settings: { retry: { maxDelay: 10ms } }',
  })
})
afterEach(() => workspace.close())

it('says nothing of convergence when it is stopped at once while it reads back', async () => {
  workspace.manifest('database: main\nconstants: [{ name: New, common: c }]')
  const [stop, kill] = [new AbortController(), new AbortController()]
  const opened = workspace.open()
  const client = connect(opened.project, { version: 'test', env: {}, signal: kill.signal })
  const planned = await planRun(opened, client, { only: [], version: 'test', createdAt: '2026-01-01T00:00:00Z' })
  workspace.emulator.addFault({ match: { method: 'GET' }, nth: 2, count: null, effect: { kind: 'hang' } })
  const report = await applyRun(opened, client, planned, {
    stop: stop.signal,
    kill: kill.signal,
    onEvent: ({ type }) => {
      if (type !== 'step-ended') return
      stop.abort()
      kill.abort()
    },
  })
  await client.close()
  expect(report).toMatchObject({ outcome: 'interrupted', counts: { done: 1 }, verified: { equal: 0, unequal: [] } })
})

it.each(writePaths.filter(({ name }) => name.startsWith('create a')))(
  '$name: finds it again when the answer has an id of its own',
  async ({ method, path, manifest }) => {
    workspace.manifest(manifest)
    const account = /^.admin.(?:users|groups)/.test(path)
    const body = account ? '{"id":17,"guid":"6f1d2c3b-0000-4000-8000-000000000017"}' : '"done"'
    const effect = { kind: 'text', status: 201, contentType: 'application/json', body, carriedOut: true } as const
    workspace.emulator.addFault({ match: { method, path }, effect })
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 }, verified: { equal: 1 } })
  },
)

it('shows no secret that the platform quotes when it is read back', async () => {
  workspace.manifest('database: main\nconstants: [{ name: Url, common: "${env:SECRET}" }]')
  const body = { type: 'InvalidData', description: 'It holds a secret that nobody may see.' }
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/db/1/admin/constants/*' },
    nth: 2,
    count: null,
    effect: { kind: 'status', status: 400, body },
  })
  const { verified } = await workspace.apply()
  expect(verified.unequal[0]?.reason).toContain('It holds ${env:SECRET}.')
})

it('lets the steps under way end before it fails for a defect of its own', async () => {
  workspace.manifest('database: main\nconstants: [{ name: A, common: x }, { name: B, common: x }]')
  const opened = workspace.open()
  const client = connect(opened.project, { version: 'test', env: {} })
  const planned = await planRun(opened, client, { only: [], version: 'test', createdAt: '2026-01-01T00:00:00Z' })
  workspace.emulator.addFault({ match: { path: '/db/*' }, nth: 3, effect: { kind: 'delay', delayMs: 100 } })
  const port: typeof client = {
    ...client,
    send: (request) =>
      request.method === 'GET' && /constants\/./.test(request.path)
        ? Promise.reject(new TypeError('a defect'))
        : client.send(request),
  }
  // An unhandled rejection would fail the test run.
  const broken = await applyRun(opened, port, planned, { stop: new AbortController().signal }).catch(
    (error: unknown) => error,
  )
  await client.close()
  expect(broken).toBeInstanceOf(BrokenApplyError)
  expect(broken).toMatchObject({ message: expect.stringContaining('a defect'), report: { counts: { done: 2 } } })
  const constants = workspace.emulator.state().databases?.[0]?.constants ?? []
  expect(constants.map(({ name }) => name)).toEqual(expect.arrayContaining(['A', 'B']))
})

it('tells what was written before a defect of its own, and starts nothing more', async () => {
  workspace.manifest(
    `database: main\nconstants: [${['A', 'B', 'C', 'D'].map((name) => `{ name: ${name}, common: x }`)}]`,
  )
  const opened = workspace.open({ concurrency: 1 })
  const client = connect(opened.project, { version: 'test', env: {} })
  const planned = await planRun(opened, client, { only: [], version: 'test', createdAt: '2026-01-01T00:00:00Z' })
  let writes = 0
  const port: typeof client = {
    ...client,
    send: (request) =>
      request.method !== 'GET' && ++writes === 3 ? Promise.reject(new TypeError('a defect')) : client.send(request),
  }
  const broken = await applyRun(opened, port, planned, { stop: new AbortController().signal }).catch(
    (error: unknown) => error,
  )
  await client.close()
  const { report } = broken as BrokenApplyError
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 2, unknown: 1, skipped: 1 } })
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
})

it('does not break off for a listener that fails', async () => {
  workspace.manifest('database: main\nconstants: [{ name: A, common: x }, { name: B, common: x }]')
  const onEvent = ({ type }: { type: string }): void => {
    if (type === 'step-written') JSON.parse('{')
  }
  const broken = await workspace.run({ concurrency: 1, onEvent }).catch((error: unknown) => error)
  expect((broken as BrokenApplyError).report.counts).toMatchObject({ done: 1, skipped: 1 })
})

it.each([
  [2, 'converged'],
  [3, 'different'],
])('a write that %i looks do not show yet: %s', async (count, outcome) => {
  workspace.manifest('database: main\nconstants: [{ name: Url, common: new }]')
  const guid = workspace.emulator.state().databases?.[0]?.constants?.[0]?.guid ?? ''
  const old = { id: 1, guid, name: 'Url', description: null, groupId: null, common: { value: 'old' } }
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/db/1/admin/constants/*' },
    nth: 2,
    count,
    effect: { kind: 'status', status: 200, body: old },
  })
  expect(await workspace.apply()).toMatchObject({ outcome, counts: { done: 1 } })
})

it('sends a write whose answers are lost as often as `retry.attempts` says, and no more', async () => {
  const own = await openWorkspace({
    tenant: faultTenant,
    settings: 'settings: { retry: { attempts: 3, maxDelay: 10ms } }',
  })
  own.manifest('database: main\nconstants: [{ name: Url, common: new }]')
  own.emulator.addFault({ match: { method: 'PATCH' }, count: null, effect: { kind: 'reset', carriedOut: false } })
  const report = await own.apply().finally(() => own.close())
  expect(report).toMatchObject({ counts: { unknown: 1 }, steps: [{ attempts: 3 }] })
})

it('knows a business entity by its guid in capitals', async () => {
  workspace.emulator.load({
    ...faultTenant,
    databases: [{ ...faultTenant.databases?.[0], businessEntities: [{ code: 'PL01', name: 'Poland' }] }],
  } as typeof faultTenant)
  workspace.manifest(
    'database: main\nprocesses: [{ process: Approval, privileges: ' +
      '{ Start: [{ svcId: jan@example.com, company: PL01 }] } }]',
  )
  const guid = workspace.emulator.state().databases?.[0]?.businessEntities?.[0]?.guid ?? ''
  expect(guid).toMatch(/[a-f]/)
  const answer = (shown: string) => {
    const privilege = { svcId: 'jan@example.com', level: 'Start', company: { id: 1, guid: shown } }
    workspace.emulator.clearFaults()
    const effect = { kind: 'status', status: 200, body: { privileges: [privilege] } } as const
    workspace.emulator.addFault({ match: { path: '*/processes/*/admin/privileges' }, count: null, effect })
  }
  answer(guid.toUpperCase())
  expect(await workspace.changes()).toEqual([])
  const process = (start: string) =>
    workspace.manifest(`database: main\nprocesses: [{ process: Approval, privileges: { Start: [${start}] } }]`)
  process(`{ svcId: jan@example.com, company: ${guid.toUpperCase()} }`)
  expect(await workspace.changes()).toEqual([])
  const entity = { id: 1, guid: guid.toUpperCase(), code: 'PL01', name: 'Poland' }
  const list = { kind: 'status', status: 200, body: { businessEntities: [entity] } } as const
  workspace.emulator.addFault({ match: { path: '*/businessentities' }, count: null, effect: list })
  process(`{ svcId: jan@example.com, company: ${guid} }`)
  expect(await workspace.changes()).toEqual([])
  // It is the same plan in either case, and shows the company as people know it.
  process('')
  const inCapitals = (await workspace.plan()).document
  answer(guid)
  const asItIs = (await workspace.plan()).document
  expect(JSON.stringify(inCapitals.changes)).toContain('"PL01"')
  expect(inCapitals.digest).toBe(asItIs.digest)
})
