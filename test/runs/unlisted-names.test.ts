// A list of names that cannot be read (applications, processes, business entities) costs what names something in it,
// and nothing else: the objects are unreadable, whole, and with a base nothing of them passes for declared no more.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writeLines, writesOf } from '../harness/write-log.ts'

const holds = (...lines: string[]) => lines.map((line) => line.split(' ')).map(([svcId, level]) => ({ svcId, level }))
const tenant = {
  users: ['anna', 'ewa', 'jan'].map((svcId) => ({ svcId, name: svcId })),
  groups: [{ svcId: 'staff', name: 'staff', members: ['jan'] }],
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      applications: [
        { name: 'A', privileges: holds('jan ReadOnly'), processes: [{ name: 'P', privileges: holds('jan Start') }] },
        { name: 'B', processes: [{ name: 'Q', privileges: holds('ewa Start', 'ewa Modify', 'jan Modify') }] },
      ],
    },
  ],
} as unknown as Tenant

const staff = 'groups: [{ svcId: staff, name: staff, members: [jan, anna] }]\n'
const application = 'applications: [{ application: A, privileges: { ReadOnly: [jan, anna] } }]\n'
const declared = (processes: string, more = application) =>
  `database: main\n${staff}${more}processes:\n${processes.replaceAll(/^/gm, '  ')}\n`

let workspace: Workspace
const refuse = (path: string): void => {
  const effect = { kind: 'status', status: 403 }
  workspace.emulator.addFault({ match: { method: 'GET', path }, effect, count: null } as never)
}
const applications = '/db/1/applications'
const companies = '/admin/db/1/businessentities'
const written = (): string[] => writeLines(writesOf(workspace.emulator))
const held = () => {
  const [{ applications: all = [] } = {}] = workspace.emulator.state().databases ?? []
  const lists = all.flatMap(({ privileges, processes = [] }) => [
    privileges,
    ...processes.map((each) => each.privileges),
  ])
  return lists.flatMap((list) => (list ?? []).map(({ svcId, level }) => `${svcId} ${level}`)).sort()
}
const before = ['ewa Modify', 'ewa Start', 'jan Modify', 'jan ReadOnly', 'jan Start']

beforeAll(async () => {
  workspace = await openWorkspace({ tenant, settings: 'settings: { sync: { timeout: 100ms } }' })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.clearFaults()
  workspace.emulator.load(tenant)
  workspace.baseManifest('')
  await workspace.control('DELETE', '/requests')
})

const addresses = (listed: readonly { readonly address: string }[] = []) => listed.map(({ address }) => address)

it('is told once, under the addresses as they are written, and the rest is applied', async () => {
  workspace.manifest(declared('- { process: P, privileges: { Start: [] }, constants: [{ name: C, common: x }] }'))
  refuse(applications)
  const { document } = await workspace.plan()
  expect(addresses(document.unreadable)).toEqual([
    'application/main/A',
    'process/main/*/P',
    'process/main/*/P/constant/C',
  ])
  expect(
    new Set(document.unreadable.map(({ code, reason }) => `${code} ${reason.includes(`GET ${applications}`)}`)),
  ).toEqual(new Set(['SVC3041 true']))
  expect(await workspace.apply()).toMatchObject({ outcome: 'partial' })
  expect(written()).toEqual([expect.stringMatching(/members\/add\?svcId=staff/)])
  workspace.emulator.clearFaults()
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(await workspace.changes()).toEqual([])
})

describe('a process of which nobody knows whose it is', () => {
  it('is left alone with all that is said of it elsewhere', async () => {
    // Were the second one planned alone, all of the levels that the first one lists would be taken.
    workspace.manifest(
      declared(
        '- { process: Q, privileges: { Start: [ewa] } }\n' +
          '- { process: Q, application: B, manage: { privileges: whole }, privileges: { Modify: [ewa] } }',
      ),
    )
    const guid = workspace.emulator.state().databases?.[0]?.applications?.[0]?.guid
    refuse(`${applications}/${guid}/processes`)
    const { document } = await workspace.plan()
    expect(addresses(document.unreadable)).toEqual(['process/main/*/Q', 'process/main/B/Q'])
    expect(addresses(document.steps)).toEqual(['application/main/A', 'group/staff'])
  })
})

describe('business entities', () => {
  it('cost the whole list that names one: without the entry, its account would be taken from it', async () => {
    workspace.manifest(declared('- { process: P, privileges: { Start: [{ svcId: jan, company: PL01 }] } }'))
    refuse(companies)
    const { document } = await workspace.plan()
    expect(document.unreadable).toMatchObject([
      { address: 'process/main/*/P', reason: expect.stringContaining(companies) },
    ])
    expect(addresses(document.steps)).toEqual(['application/main/A', 'group/staff'])
  })
})

describe('with a base', () => {
  const base = 'folder'
  it('nothing passes for declared no more, and what is dropped is taken once it can be read', async () => {
    workspace.manifest(declared('- { process: Q, privileges: { Start: [ewa] } }', ''))
    workspace.baseManifest(
      declared(
        '- { process: P, privileges: { Start: [jan] } }\n- { process: Q, privileges: { Start: [ewa], Modify: [ewa] } }',
        'applications: [{ application: A, privileges: { ReadOnly: [jan] } }]\n',
      ),
    )
    refuse(applications)
    const { document } = await workspace.plan({ base })
    expect(document.noLongerDeclared?.filter(({ becomes }) => becomes === 'removed')).toEqual([])
    expect(addresses(document.unreadable)).toEqual(['application/main/A', 'process/main/*/P', 'process/main/*/Q'])
    expect(await workspace.apply({ base })).toMatchObject({ outcome: 'partial' })
    expect(held()).toEqual(before)
    workspace.emulator.clearFaults()
    expect(await workspace.apply({ base })).toMatchObject({ outcome: 'converged' })
    expect(held()).toEqual(['ewa Start', 'jan Modify'])
  })
})

describe('plans that are carried on with', () => {
  const manifest = declared('- { process: P, privileges: { Start: [ewa] } }')
  it('a plan in a file leaves alone what it could not look for', async () => {
    workspace.manifest(manifest)
    refuse(applications)
    const text = await savedText(workspace)
    expect(addresses(parsed(text).unreadable)).toEqual(['application/main/A', 'process/main/*/P'])
    workspace.emulator.clearFaults()
    expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'partial', counts: { done: 1, failed: 0 } })
    expect(held()).toEqual(before)
  })

  it('a plan in a file that can look for nothing any more writes nothing under it', async () => {
    workspace.manifest(manifest)
    const text = await savedText(workspace)
    refuse(applications)
    await applySaved(workspace, text).catch(() => undefined)
    expect(held()).toEqual(before)
  })

  it('an undo says that it could not look, and not that something is gone', async () => {
    workspace.manifest(manifest)
    await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
    refuse(applications)
    const { report } = await undo(workspace, 'a.jsonl', 'b.jsonl')
    expect(addresses(report.unreadable)).toEqual(['application/main/A', 'process/main/A/P'])
    expect(report.outcome).toBe('partial')
  })
})

describe('the deletion of an account', () => {
  const leaver = 'users: [{ svcId: ewa, absent: true }]\n'
  it.each([
    ['of what refers to nobody, such as a constant', 'constants: [{ name: C, common: x }]', '/db/1/admin/constants', 0],
    ['of what somebody else has, such as a licence', 'licenses: [{ svcId: jan, licenses: [] }]', '/admin/license', 0],
    ['of what it has itself', 'licenses: [{ svcId: ewa, licenses: [] }]', '/admin/license', 1],
    [
      'of what may hold anybody',
      'applications: [{ application: A, privileges: { ReadOnly: [jan] } }]',
      applications,
      1,
    ],
  ])('waits for the reading %s', async (_what, more, path, refusals) => {
    workspace.manifest(`database: main\n${leaver}${more}\n`)
    refuse(path)
    refuse(`${path}s`)
    const { document } = await workspace.plan()
    expect(document.unreadable).toHaveLength(1)
    const refused = document.guards.filter(({ guard, verdict }) => guard === 'unread' && verdict === 'refused')
    expect(refused.map((each) => each.addresses)).toEqual(Array(refusals).fill(addresses(document.unreadable)))
    const text = await savedText(workspace)
    const applied = applySaved(workspace, text, { guarded: true })
    if (refusals > 0) await expect(applied).rejects.toMatchObject({ code: 'SVC2070' })
    else expect(await applied).toMatchObject({ outcome: 'partial', counts: { done: 1 } })
  })
})
