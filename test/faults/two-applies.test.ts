// Two applies at once, without a lock: what one finds the other has done is not done twice, what both have done is
// told, and nobody is left without whom another run has just made the last.
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { PlatformRequest } from '../../src/core/model/platform-port.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import type { PlatformClient } from '../../src/platform/client.ts'
import { renderReportMarkdown, renderReportText } from '../../src/render/report/report-blocks.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { applyRun } from '../../src/runs/plan/apply-run.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({ tenant: faultTenant, behaviour: { duplicateNames: 'accepted' } })
})
afterEach(() => workspace.close())

interface Racer {
  apply(): Promise<ApplyReport>
}

type Send = PlatformClient['send']

/** A run that has planned. `around`: how each of its requests is sent while it applies. */
async function planned(
  manifest: string,
  around?: (request: PlatformRequest, send: Send) => ReturnType<Send>,
): Promise<Racer> {
  workspace.manifest(manifest)
  const opened = workspace.open()
  const client = connect(opened.project, { version: 'test', env: {} })
  const plan = await planRun(opened, client, { only: [], version: 'test', createdAt: '2026-01-01T00:00:00Z' })
  const port =
    around === undefined ? client : { ...client, send: (request: PlatformRequest) => around(request, client.send) }
  return {
    apply: () => applyRun(opened, port, plan, { stop: new AbortController().signal }).finally(client.close),
  }
}

/** A gate that opens when so many have come to it. */
function gate(count: number): () => Promise<void> {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let come = 0
  return () => {
    come++
    if (come >= count) open()
    return opened
  }
}

const things = `database: main
constants: [{ name: New, common: x }, { name: Newer, common: y }]
connections: [{ name: New, type: SQL, sql: { common: { server: s } } }]
processes: [{ process: Approval, constants: [{ name: New, common: x }] }]
`
const created = [
  'connection/main/New',
  'constant/main/New',
  'constant/main/Newer',
  'process/main/Purchasing/Approval/constant/New',
]

it('the second one creates nothing that the first one has created since its plan, and says so', async () => {
  const [first, second] = [await planned(things), await planned(things)]
  expect(await first.apply()).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
  const report = await second.apply()
  expect(report).toMatchObject({ outcome: 'converged', counts: { done: 0, unchanged: 4 }, verified: { equal: 4 } })
  expect(report.meanwhile?.map(({ address }) => address)).toEqual(created)
  expect(writesOf(workspace.emulator)).toHaveLength(4)
  const options = { colour: false, width: 100 }
  expect(renderReportText(report, options)).toContain(
    'Changed by another writer meanwhile\n  ! connection/main/New: another',
  )
  expect(renderReportMarkdown(report)).toContain('#### ⚠️ Changed by another writer meanwhile')
})

it('the second one writes what it wants otherwise to what the first one has created', async () => {
  const [first, second] = [await planned(things), await planned(things.replace('common: y', 'common: z'))]
  await first.apply()
  expect(await second.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1, unchanged: 3 } })
  expect(await workspace.changes()).toEqual([])
})

it('neither ends as declared where both have created, and both name the ids and who made which', async () => {
  // Both have read the lists again before either creates, and both have created before either reads what came of it.
  const [listed, written] = [gate(8), gate(8)]
  const answers: [string[], string[]] = [[], []]
  const raceAs = (own: string[]) => async (request: PlatformRequest, send: Send) => {
    if (request.method === 'GET') return send(request)
    await listed()
    const answer = await send(request)
    own.push(JSON.stringify(answer))
    await written()
    return answer
  }
  const racers = [await planned(things, raceAs(answers[0])), await planned(things, raceAs(answers[1]))]
  const reports = await Promise.all(racers.map((racer) => racer.apply()))
  for (const [index, report] of reports.entries()) {
    expect(report).toMatchObject({ outcome: 'different', counts: { done: 4 } })
    const doubled = report.verified.unequal.filter(({ reason }) => reason?.includes('2 objects have its name'))
    expect(doubled.map(({ address }) => address)).toEqual(created)
    for (const { reason } of doubled) {
      const own = reason?.match(/[0-9a-f-]{36}(?= \(made by this run\))/g) ?? []
      expect(own).toHaveLength(1)
      expect(answers[index]?.join()).toContain(own[0])
      expect(reason?.match(/[0-9a-f-]{36} \(made by another writer\)/g)).toHaveLength(1)
    }
  }
})

const both = ['anna@example.com', 'jan@example.com']
const administrators = (who: string) =>
  `processes: [{ process: Approval, privileges: { Administrator: [${who}] } }]\ndatabase: main\n`

it('two runs that each remove an Administrator do not remove both', async () => {
  workspace.emulator.edit({
    addPrivileges: { process: 'Approval', privileges: both.map((svcId) => ({ svcId, level: 'Administrator' })) },
  })
  const [first, second] = [
    await planned(administrators('jan@example.com')),
    await planned(administrators('anna@example.com')),
  ]
  expect(await first.apply()).toMatchObject({ outcome: 'converged' })
  const report = await second.apply()
  expect(report).toMatchObject({
    outcome: 'partial',
    counts: { done: 0, skipped: 1 },
    steps: [{ code: 'SVC2130', attempts: 0 }],
  })
  expect(report.steps[0]?.reason).toContain('nobody')
  const [process] = workspace.emulator.state().databases?.[0]?.applications?.[0]?.processes ?? []
  expect(process?.privileges?.filter(({ level }) => level === 'Administrator').map(({ svcId }) => svcId)).toEqual([
    'jan@example.com',
  ])
})

it('neither ends as declared where both have removed the last but one, and both say who went and stays', async () => {
  const start = [{ svcId: 'staff@example.com', level: 'Start' }]
  workspace.emulator.edit({
    addPrivileges: {
      process: 'Approval',
      privileges: [...start, ...both.map((svcId) => ({ svcId, level: 'Administrator' }))],
    },
  })
  // Both have looked who is left before either takes somebody, and both have before either reads what came of it.
  const [looked, taken] = [gate(2), gate(2)]
  const race = async (request: PlatformRequest, send: Send) => {
    if (request.method === 'GET') return send(request)
    await looked()
    const answer = await send(request)
    await taken()
    return answer
  }
  const racers = [
    await planned(administrators('jan@example.com'), race),
    await planned(administrators('anna@example.com'), race),
  ]
  const reports = await Promise.all(racers.map((racer) => racer.apply()))
  for (const [index, report] of reports.entries()) {
    expect(report).toMatchObject({ outcome: 'different', counts: { done: 1 } })
    const address = 'process/main/Purchasing/Approval'
    const gone = index === 0 ? 'jan@example.com' : 'anna@example.com'
    expect(report.meanwhile).toContainEqual({
      address,
      sentence: `another writer took ${gone} (Administrator) from privileges`,
    })
    const left = report.meanwhile?.find(({ sentence }) => sentence.startsWith('nobody is left'))
    expect(left?.sentence).toContain('nobody is left with the level Administrator; still there: ')
    expect(left?.sentence).toContain('staff@example.com (Start)')
  }
})

it('two runs that each remove an owner do not remove both', async () => {
  workspace.emulator.edit({ addOwners: { group: 'staff@example.com', owners: ['anna@example.com'] } })
  const owners = (who: string) => `groups: [{ svcId: staff@example.com, owners: [${who}] }]`
  const [first, second] = [await planned(owners('jan@example.com')), await planned(owners('anna@example.com'))]
  expect(await first.apply()).toMatchObject({ outcome: 'converged' })
  expect(await second.apply()).toMatchObject({ outcome: 'partial', steps: [{ code: 'SVC2130', outcome: 'skipped' }] })
})

it('a removal goes on where somebody else is left, and the report says who came meanwhile', async () => {
  workspace.emulator.edit({
    addPrivileges: { process: 'Approval', privileges: both.map((svcId) => ({ svcId, level: 'Administrator' })) },
  })
  const run = await planned(administrators('jan@example.com'))
  workspace.emulator.edit({
    addPrivileges: { process: 'Approval', privileges: [{ svcId: 'staff@example.com', level: 'Administrator' }] },
  })
  const report = await run.apply()
  expect(report.counts).toMatchObject({ done: 1 })
  expect(report.meanwhile).toEqual([
    {
      address: 'process/main/Purchasing/Approval',
      sentence: 'another writer added staff@example.com (Administrator) to privileges',
    },
  ])
})

it('an account that this run added is no other writer: a removal is sent if it is a group that empties', async () => {
  workspace.emulator.load({
    ...faultTenant,
    databases: faultTenant.databases?.map((database) => ({
      ...database,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
    })),
  })
  workspace.emulator.edit({
    addPrivileges: {
      process: 'Approval',
      privileges: [{ svcId: 'jan@example.com', level: 'Administrator', company: 'PL01' }],
    },
  })
  const run = await planned(`database: main
groups: [{ svcId: staff@example.com, members: null }]
processes:
  - process: Approval
    privileges: { Administrator: [staff@example.com, { svcId: anna@example.com, company: PL01 }] }
`)
  expect(await run.apply()).toMatchObject({ outcome: 'converged' })
})

it('a removal is not sent where who would be left cannot be read again', async () => {
  workspace.emulator.edit({
    addPrivileges: { process: 'Approval', privileges: both.map((svcId) => ({ svcId, level: 'Administrator' })) },
  })
  const run = await planned(administrators('jan@example.com'))
  workspace.emulator.addFault({
    match: { method: 'GET', path: '*/privileges' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  const report = await run.apply()
  expect(report).toMatchObject({ outcome: 'partial', counts: { skipped: 1, done: 0 } })
  expect(report.steps).toMatchObject([
    {
      outcome: 'skipped',
      code: 'SVC3041',
      reason: expect.stringMatching(/^it was not sent, because svcsync could not read again who would be left: .*403/),
      hint: expect.stringMatching(/./),
      attempts: 0,
    },
  ])
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('a removal is not sent, and the run breaks off, where reading who would be left shows our defect', async () => {
  workspace.emulator.edit({
    addPrivileges: { process: 'Approval', privileges: both.map((svcId) => ({ svcId, level: 'Administrator' })) },
  })
  const run = await planned(administrators('jan@example.com'), (request, send) => {
    if (request.method === 'GET' && request.path.endsWith('/privileges')) throw new TypeError('a defect')
    return send(request)
  })
  await expect(run.apply()).rejects.toMatchObject({
    cause: expect.objectContaining({ message: 'a defect' }),
    report: { outcome: 'partial', counts: { done: 0 } },
  })
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('what was allowed to leave nobody is not asked about again', async () => {
  workspace.emulator.edit({
    addPrivileges: { process: 'Approval', privileges: [{ svcId: 'jan@example.com', level: 'Administrator' }] },
  })
  workspace.manifest('database: main\nprocesses: [{ process: Approval, privileges: { Administrator: [] } }]')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
})
