// Undocumented differences between installations: messages for manifests that cannot hold, and version 5.0.
// switch-matrix.test.ts proves that every kind converges on the others.
import { afterEach, describe, expect, it } from 'vitest'
import type { BehaviourChanges } from '../../src/emulator/index.ts'
import { renderReportText } from '../../src/render/report/report-blocks.ts'
import { untruths } from '../harness/report-truth.ts'
import { sampleManifest } from '../harness/sample-manifest.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

let workspace: Workspace
const open = async (behaviour: BehaviourChanges, options: WorkspaceOptions = {}) => {
  workspace = await openWorkspace({
    tenant: sampleTenant,
    behaviour,
    env: { SAMPLE_SECRET: 'a secret of the sample' },
    settings: 'settings: { retry: { maxDelay: 20ms } }',
    ...options,
  })
}
afterEach(() => workspace.close())

/** Applies, and holds the report against the platform's log and against a plan made afterwards. */
async function converge(manifest: string): Promise<void> {
  workspace.manifest(manifest)
  await workspace.control('DELETE', '/requests')
  const { planned, report } = await workspace.run()
  expect(report).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
  expect(untruths(report, planned.plan.steps, writesOf(workspace.emulator))).toEqual([])
  expect(await workspace.changes()).toEqual([])
}

const full = sampleManifest((samples) => samples.full)
const changed = sampleManifest((samples) => samples.changed)
describe('version 5.0', () => {
  it('has every kind but elements', async () => {
    await open({}, { target: '    apiVersion: "5.0"' })
    for (const sample of ['full', 'changed'] as const)
      await converge(sampleManifest((samples, { name }) => (name === 'element' ? undefined : samples[sample])))
  })
})

describe.each(['6.0', '5.0'])('11 levels of privileges are not told, in API %s', (version) => {
  const start = { svcId: 'ewa.lis@example.com', level: 'Start' }
  const form = { formTypes: ['Sample form'], privileges: { 'Sample form': [start] } }
  const process = { privileges: [start], formTypes: [{ name: 'Sample form' }] }
  const applications = [
    {
      name: 'Sample application',
      privileges: [{ svcId: 'jan.kos@example.com', level: 'ReadOnly' }],
      processes: [{ name: 'Sample process', ...process, workflows: [{ name: 'Sample workflow', ...form }] }],
    },
  ]
  const tenant = { ...sampleTenant, databases: [{ id: 1, applications }] } as never
  const openUntold = () => open({ privilegeLevel: 'omitted' }, { tenant, target: `    apiVersion: "${version}"` })
  const manifest = (manage: string) => `database: main
users: [{ svcId: new@example.com, name: New }]
applications: [{ application: Sample application, ${manage} privileges: { ReadOnly: [clerks@example.com] } }]
processes:
  - { process: Sample process, ${manage} privileges: { Start: [clerks@example.com] } }
  - process: Sample process
    workflows:
      - workflow: Sample workflow
        formTypes: [{ formType: Sample form, ${manage} privileges: { Start: [clerks@example.com] } }]
`

  it('adds who is missing to lists that are managed whole, and leaves who is nobody’s', async () => {
    await openUntold()
    workspace.manifest(manifest(''))
    const { planned, report } = await workspace.run()
    expect(planned.document.unreadable).toEqual([])
    expect(planned.plan.steps.map(({ verb }) => verb)).toEqual(['add', 'add', 'add', 'create'])
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
    expect(await workspace.changes()).toEqual([])
  })

  it('adds what is declared to additive lists, takes nothing, and says that it cannot compare', async () => {
    await openUntold()
    workspace.manifest(manifest('manage: { privileges: additive },'))
    const report = await workspace.apply()
    expect(report.verified).toMatchObject({ equal: 4, unverifiable: [{}, {}, { paths: ['privileges'] }] })
    expect(renderReportText(report, { colour: false, width: 200 })).toContain(
      '4 read back and found equal, 3 of them as far as they can be compared',
    )
    expect(await workspace.changes()).toEqual([])
    const { document } = await workspace.plan()
    expect(document.unverifiable.map(({ paths }) => paths)).toEqual([['privileges'], ['privileges'], ['privileges']])
    const [application] = workspace.emulator.state().databases?.[0]?.applications ?? []
    const [live] = application?.processes ?? []
    const told = [application?.privileges, live?.privileges, live?.workflows?.[0]?.privileges?.['Sample form']]
    expect(told.map((list) => list?.map(({ svcId, level }) => `${svcId} ${level}`))).toEqual([
      ['jan.kos@example.com ReadOnly', 'clerks@example.com ReadOnly'],
      ['ewa.lis@example.com Start', 'clerks@example.com Start'],
      ['ewa.lis@example.com Start', 'clerks@example.com Start'],
    ])
    const { files, leftOut } = await workspace.export({ extent: 'complete' })
    expect(leftOut.map(({ field }) => field)).toEqual(['privileges', 'privileges', 'privileges'])
    expect(JSON.stringify(files)).not.toContain('Start:')
  })

  it('refuses to delete the last who has any level where somebody has to administer', async () => {
    await openUntold()
    workspace.manifest(`database: main
users: [{ svcId: jan.kos@example.com, absent: true }]
applications: [{ application: Sample application, manage: { privileges: additive }, privileges: { ReadOnly: [] } }]
`)
    const { plan } = await workspace.plan()
    const refused = plan.guards.filter(({ verdict }) => verdict === 'refused').map(({ guard }) => guard)
    expect(refused).toContain('last-administrator')
    expect(await workspace.changes()).toEqual(['delete user/jan.kos@example.com'])
  })

  it('grants a second level to who has one, and cannot know whether one has another', async () => {
    await openUntold()
    const levels = (text: string) =>
      `database: main\nprocesses: [{ process: Sample process, manage: { privileges: additive }, privileges: ${text} }]`
    await converge(levels('{ Start: [ewa.lis@example.com], Modify: [ewa.lis@example.com] }'))
    workspace.manifest(levels('{ ReadOnly: [ewa.lis@example.com] }'))
    const { document } = await workspace.plan()
    expect(document).toMatchObject({ changes: [], unverifiable: [{ paths: ['privileges'] }] })
  })
})

it('12 an update of a user loses nothing that no manifest says, also where what is left out is cleared', async () => {
  const jan = { svcId: 'jan@example.com', name: 'Jan', email: 'j@example.com', phoneNumber: '1', jobTitle: 'Clerk' }
  const users = [{ ...jan, managerSvcId: 'boss@example.com' }, { svcId: 'boss@example.com' }]
  await open({ absentUserFields: 'cleared', managerMustExist: true }, { tenant: { users } as never })
  await converge('users: [{ svcId: jan@example.com, jobTitle: Controller }]')
  const janNow = () => workspace.emulator.state().users?.find(({ svcId }) => svcId === 'jan@example.com')
  expect(janNow()).toEqual({ ...jan, managerSvcId: 'boss@example.com', jobTitle: 'Controller' })
  // The manager of a sent user is deleted afterwards.
  await converge('users: [{ svcId: jan@example.com, jobTitle: "" }, { svcId: boss@example.com, absent: true }]')
  // Two new users who manage each other: one is told of its manager by an update.
  await converge(`users:
  - { svcId: a@example.com, name: A, managerSvcId: b@example.com }
  - { svcId: b@example.com, name: B, managerSvcId: a@example.com }`)
  expect(workspace.emulator.state().users?.map(({ name }) => name)).toEqual(['Jan', 'A', 'B'])
})

it('13 an API application that cannot be a member: its batch fails with the reason, and nobody leaves', async () => {
  const tenant = {
    users: [{ svcId: 'jan@example.com' }],
    groups: [{ svcId: 'staff@example.com', name: 'Staff', members: ['jan@example.com'] }],
  }
  const members = () => workspace.emulator.state().groups?.[0]?.members
  await open({ apiApplicationMembers: 'refused' }, { tenant })
  workspace.manifest('groups: [{ svcId: staff@example.com, members: [app@svcsync] }]')
  const report = await workspace.apply()
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 0, failed: 1, skipped: 1 } })
  expect(report.steps[0]).toMatchObject({ code: 'SVC3033', reason: expect.stringContaining('API application') })
  expect(members()).toEqual(['jan@example.com'])
  await workspace.control('PATCH', '/behaviour', { apiApplicationMembers: 'accepted' })
  await converge('groups: [{ svcId: staff@example.com, members: [app@svcsync] }]')
  expect(members()).toEqual(['app@svcsync'])
})

it('14 new users that an import would refuse get a warning, unless turned off, or are refused', async () => {
  await open({ newUsers: 'asImported' })
  const manifest = (users: string) => `users: [${users}]`
  workspace.manifest(manifest('{ svcId: "a#1", name: A }, { svcId: b@example.com, name: B, email: b@example.com }'))
  const { planned, report } = await workspace.run()
  expect(planned.document.warnings).toMatchObject([
    {
      code: 'SVC1322',
      message:
        'New user `a#1`: not of the form name@domain, and with `#` in the svcId, ' +
        'and without email: some installations refuse it',
    },
  ])
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 1, failed: 1 } })
  const [failed] = report.steps.filter(({ outcome }) => outcome === 'failed')
  expect(failed).toMatchObject({ address: 'user/a#1', reason: expect.stringContaining('cannot be imported') })
  await workspace.close()
  await open({}, { settings: 'settings: { identifiers: ignore }' })
  workspace.manifest(manifest('{ svcId: "a#1" }'))
  expect((await workspace.plan()).document.warnings).toEqual([])
  await converge(manifest('{ svcId: "a#1" }'))
})

describe('installations on which a manifest cannot hold at once', () => {
  const process = (privileges: string) =>
    `database: main\nprocesses: [{ process: Sample process, privileges: ${privileges} }]`
  const levels = () => {
    const [database] = workspace.emulator.state().databases ?? []
    return (database?.applications?.[0]?.processes?.[0]?.privileges ?? []).map(
      ({ svcId, level }) => `${svcId} ${level}`,
    )
  }

  it('1 remove takes every level: the run says that it differs, and the next one puts it right', async () => {
    await open({ privilegeRemoval: 'allLevels' })
    workspace.manifest(process('{ Modify: [jan.kos@example.com], Start: [jan.kos@example.com] }'))
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    workspace.manifest(process('{ Modify: [], Start: [jan.kos@example.com] }'))
    const report = await workspace.apply()
    expect(report).toMatchObject({ outcome: 'different', counts: { done: 1, failed: 0 } })
    expect(report.verified.unequal).toMatchObject([{ address: 'process/main/Sample application/Sample process' }])
    await converge(process('{ Modify: [], Start: [jan.kos@example.com] }'))
    expect(levels()).toEqual(['jan.kos@example.com Start'])
  })

  it('1 remove takes every level: what nobody manages and is gone is said', async () => {
    await open({ privilegeRemoval: 'allLevels' })
    await converge(process('{ Modify: [jan.kos@example.com], Start: [jan.kos@example.com] }'))
    workspace.manifest(process('{ Modify: [] }'))
    const report = await workspace.apply()
    expect(report).toMatchObject({ outcome: 'different', counts: { done: 1 } })
    expect(report.verified.unequal).toMatchObject([
      { differences: [], reason: 'the platform removed more than svcsync sent: jan.kos@example.com Start' },
    ])
  })

  it('1 a subject changes its level at once, whatever a removal takes', async () => {
    await open({ privilegeRemoval: 'allLevels' })
    await converge(process('{ Modify: [jan.kos@example.com], Start: [] }'))
    await converge(process('{ Modify: [], Start: [jan.kos@example.com] }'))
    expect(levels()).toEqual(['jan.kos@example.com Start'])
  })

  it('1 one level for each subject: two are never said to hold', async () => {
    await open({ privilegeLevels: 'single' })
    workspace.manifest(process('{ Modify: [jan.kos@example.com], Start: [jan.kos@example.com] }'))
    for (let run = 0; run < 2; run++) {
      expect(await workspace.apply({ concurrency: 1 })).toMatchObject({ outcome: 'different' })
      expect(await workspace.changes()).toEqual(['update process/main/Sample application/Sample process'])
      expect(levels()).toHaveLength(1)
    }
  })

  it('1 one level for each subject: another level takes the place of the one that is there', async () => {
    await open({ privilegeLevels: 'single' })
    await converge(process('{ Modify: [jan.kos@example.com] }'))
    await converge(process('{ Modify: [], Start: [jan.kos@example.com] }'))
    expect(levels()).toEqual(['jan.kos@example.com Start'])
  })

  it('1 companies are not told: what was limited to one cannot be compared, and that is said', async () => {
    await open({ privilegeCompany: 'omitted' })
    await converge(process('{ Start: [{ svcId: jan.kos@example.com, company: PL01 }] }'))
    const { document } = await workspace.plan()
    expect(document.unverifiable).toEqual([
      { address: 'process/main/Sample application/Sample process', paths: ['privileges'] },
    ])
  })

  it('1 companies are not told: every kind converges, but for a removal that is limited to a company', async () => {
    await open({ privilegeCompany: 'omitted' })
    await converge(full)
    workspace.manifest(changed)
    const report = await workspace.apply()
    expect(report).toMatchObject({ outcome: 'different', counts: { failed: 0, unknown: 0, skipped: 0 } })
    expect(report.verified.unequal.map(({ address }) => address)).toEqual([
      'process/main/Sample application/Sample process',
      'process/main/Sample application/Sample process/workflow/Sample workflow/form-type/Sample form',
    ])
  })

  it('1 companies are not told: a privilege that a removal did not meet is said to be there still', async () => {
    await open({ privilegeCompany: 'omitted' })
    await converge(process('{ Start: [{ svcId: jan.kos@example.com, company: PL01 }] }'))
    workspace.manifest(process('{ Start: [] }'))
    expect(await workspace.apply()).toMatchObject({ outcome: 'different' })
    expect(levels()).toEqual(['jan.kos@example.com Start'])
  })
})
