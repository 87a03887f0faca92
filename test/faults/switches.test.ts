// Installations differ, and no document says how: every kind's samples go through every known difference.
import { afterEach, describe, expect, it } from 'vitest'
import type { BehaviourChanges } from '../../src/emulator/index.ts'
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

const full = sampleManifest(({ samples }) => samples.full)
const changed = sampleManifest(({ samples }) => samples.changed)
/** The samples, with one level for each subject. */
const singly = (pick: 'full' | 'changed') =>
  sampleManifest(
    ({ name, samples }) => samples[name === 'application' ? 'full' : name === 'process' ? 'changed' : pick],
  )
const wait = { syncDelayMs: 30 }

const installations: readonly (readonly [string, BehaviourChanges, WorkspaceOptions])[] = [
  ['1 remove takes one level', { privilegeRemoval: 'oneLevel' }, {}],
  ['1 remove takes every level', { privilegeRemoval: 'allLevels' }, {}],
  ['1 a new level takes the place of the old', { privilegeLevels: 'single' }, {}],
  ['1 names come as `name`', { privilegeName: 'name' }, {}],
  ['2 svcIds compare with case', { svcIdCase: 'sensitive' }, { target: '    svcIdCase: exact' }],
  ['2 svcIds compare with case, and the target does not know', { svcIdCase: 'sensitive' }, {}],
  ['3 pages of one', { pageCap: 1 }, {}],
  ['3 pages without a limit', { pageCap: null }, {}],
  ['3 pages count from 0', { firstPage: 0, pageCap: 2 }, {}],
  ['3 pages count from 1', { firstPage: 1, pageCap: 2 }, {}],
  ['4 empty groups have no list', { emptyMembers: 'null' }, {}],
  ['5 deleted objects stay for a while', { afterDelete: 'goneAfterSync' }, wait],
  ['6 what waits is locked', { writeWhileWaiting: 'locked' }, wait],
  ['7 empty texts read back as null', { emptyText: 'asNull' }, {}],
  ['7 null reads back as an empty text', { emptyText: 'asEmptyText' }, {}],
  ['8 environments that inherit are shown', { inheritedEnvironments: 'shown' }, {}],
  ['9 tokens do not tell their end', { tokenExpiry: 'notReported' }, {}],
  ['9 tokens end early', { tokenRejectedAfterMs: 40 }, wait],
  ['10 lost writes were carried out', { lostWrites: 'carriedOut' }, {}],
  ['10 lost writes were not carried out', { lostWrites: 'notCarriedOut' }, {}],
  ['created objects show late', { afterCreate: 'visibleAfterSync' }, wait],
  ['new subjects can be used at once', { newSubjects: 'usableAtOnce' }, wait],
  ['process constants want their own scopes', { processConstantScopes: 'admin' }, {}],
  ['managers must exist', { managerMustExist: true }, wait],
  ['names may occur twice', { duplicateNames: 'accepted' }, {}],
]

describe.each(installations)('%s', (name, behaviour, options) => {
  const lose = () => {
    if (!name.startsWith('10')) return
    workspace.emulator.clearFaults()
    for (const nth of [1, 3, 5])
      workspace.emulator.addFault({ match: { method: 'POST' }, nth, effect: { kind: 'reset' } })
  }

  it('every kind converges, changes, and stays', async () => {
    await open(behaviour, options)
    const single = behaviour.privilegeLevels === 'single'
    lose()
    await converge(single ? singly('full') : full)
    lose()
    await converge(single ? singly('changed') : changed)
    expect(await workspace.apply()).toMatchObject({ outcome: 'nothing-to-do' })
  })
})

describe('version 5.0', () => {
  it('has all but workflows and form types', async () => {
    await open({}, { target: '    apiVersion: "5.0"' })
    const without = (pick: 'full' | 'changed') =>
      sampleManifest(({ samples, since }) => (since === undefined ? samples[pick] : undefined))
    await converge(without('full'))
    await converge(without('changed'))
  })
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
      { differences: [], reason: 'the platform took more than was asked for: jan.kos@example.com Start' },
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
