// Undo, where somebody has been at it since, where guards have a say, and of what only exact words take back.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { RefusedError } from '../../src/errors/index.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant = {
  users: ['anna', 'ewa', 'jan', 'nina'].map((name) => ({ svcId: `${name}@example.com`, name, jobTitle: 'Clerk' })),
  groups: [
    { svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com', 'jan@example.com'] },
    { svcId: 'old@example.com', name: 'Old', members: ['jan@example.com'], owners: ['anna@example.com'] },
  ],
  licenses: {
    available: { PowerUser: 5, DesignerDeskUser: 5 },
    assigned: [
      {
        svcId: 'anna@example.com',
        licenses: [
          {
            type: 'DesignerDeskUser',
            designerDeskSettings: { allowDesignerDeskProjectCreation: true, allowDesignerDeskProjectPublishing: false },
          },
        ],
      },
      { svcId: 'jan@example.com', licenses: ['PowerUser', 'User'] },
    ],
  },
  databases: [
    {
      id: 1,
      constants: [
        { name: 'Old name', common: 'a', test: 'b' },
        { name: 'Inherits', common: 'a' },
      ],
      applications: [
        {
          name: 'A',
          processes: [
            {
              name: 'P',
              privileges: [{ svcId: 'jan@example.com', level: 'Administrator' }],
              elements: [
                {
                  id: 7,
                  privileges: [
                    { svcId: 'nina@example.com', level: 'ReadOnlyWithoutAttachments' },
                    { svcId: 'jan@example.com', level: 'ModifyWithoutDeleting' },
                    { svcId: 'jan@example.com', level: 'ReadOnly' },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'guards: { deletions: { max: 1 } }' })
})
afterAll(() => workspace.close())
beforeEach(() => {
  workspace.emulator.load(tenant)
  for (const file of readdirSync(workspace.dir)) if (file.endsWith('.jsonl')) rmSync(join(workspace.dir, file))
})

/** Applies with a journal, `meanwhile`, and takes back. */
async function undone(manifest: string, meanwhile: () => void = () => undefined, options = {}) {
  workspace.manifest(manifest)
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  meanwhile()
  const { undone: run, report } = await undo(workspace, 'a.jsonl', 'b.jsonl', options)
  const said = run.document.warnings.map(({ code, address, message }) => `${code} ${address}: ${message}`).sort()
  return { run, report, said, changed: run.document.changes.map(({ action, address }) => `${action} ${address}`) }
}

const membersOf = (svcId: string) =>
  (workspace.emulator.state() as { groups: { svcId: string; members: string[] }[] }).groups
    .find((group) => group.svcId === svcId)
    ?.members.toSorted()

it('takes a constant back into its group, and fields that nobody knows to what they were', async () => {
  const constantGroups = [
    { id: 4, name: 'Addresses' },
    { id: 7, name: 'Limits' },
  ]
  const constants = [
    { name: 'Url', common: 'u', groupId: 4 },
    { name: 'Max', common: '1', groupId: 7 },
  ]
  const behaviour = { undocumentedFields: 'told' }
  workspace.emulator.load({ behaviour, databases: [{ id: 1, constantGroups, constants }] } as never)
  const says = (fields: string) => `database: main\nconstants: [{ name: Url, ${fields} }]\n`
  workspace.manifest(says('groupName: Addresses, common: v, extra: { tags: [a], region: North }'))
  await workspace.apply()
  const { said, report } = await undone(says('groupName: Limits, extra: { tags: [b], region: North }'))
  expect(said).toEqual([])
  expect(report).toMatchObject({ outcome: 'converged' })
  expect(workspace.emulator.state().databases?.[0]?.constants?.find(({ name }) => name === 'Url')?.groupId).toBe(4)
  workspace.manifest(says('groupName: Addresses, extra: { tags: [a] }'))
  expect(await workspace.changes()).toEqual([])
  workspace.emulator.setBehaviour({ undocumentedFields: 'refused' })
})

it('is left and named, and the rest is taken back', async () => {
  const { said, changed, report, run } = await undone(
    `users:
  - { svcId: anna@example.com, jobTitle: Controller, email: anna@example.com }
groups:
  - { svcId: clerks@example.com, members: [anna@example.com, ewa@example.com] }
processes: [{ process: P, privileges: { Administrator: [], Modify: [jan@example.com] } }]
`,
    () => {
      workspace.emulator.edit(
        { upsertUser: { svcId: 'anna@example.com', jobTitle: 'Chief' } },
        { addMembers: { group: 'clerks@example.com', members: ['nina@example.com'] } },
      )
    },
  )
  expect(report).toMatchObject({ outcome: 'different', left: [{ code: 'SVC2261' }], verified: { unequal: [] } })
  expect(said).toEqual(['SVC2261 user/anna@example.com: `jobTitle` is `"Chief"` now, and `"Controller"` was written'])
  // At the line of the journal that tells first of the object's step.
  const lines = readFileSync(join(workspace.dir, 'a.jsonl'), 'utf8').split('\n')
  const [begun] = lines.map((line) => (line === '' ? {} : JSON.parse(line)))
  const ids = begun.plan.steps.filter(({ address }: { address: string }) => address === 'user/anna@example.com')
  const told = lines.findIndex((line) => line.includes('"sending"') && line.includes(`"step":"${ids[0].id}"`))
  expect(run.document.warnings[0]?.place).toEqual({ file: 'a.jsonl', line: told + 1, column: 1 })
  expect(told).toBeGreaterThan(0)
  expect(changed).toEqual([
    'update group/clerks@example.com',
    'update process/main/A/P',
    'update user/anna@example.com',
  ])
  // A member added by hand stays.
  expect(membersOf('clerks@example.com')).toEqual(['anna@example.com', 'jan@example.com', 'nina@example.com'])
})

it('keeps an account that was created and has been given something', async () => {
  const manifest = `users: [{ svcId: new@example.com, name: New }, { svcId: other@example.com, name: Other }]
groups: [{ svcId: fresh@example.com, name: Fresh }, { svcId: clerks@example.com, members: [anna@example.com] }]
`
  const { said, changed } = await undone(manifest, () => {
    workspace.emulator.edit(
      { addMembers: { group: 'clerks@example.com', members: ['new@example.com'] } },
      { addMembers: { group: 'fresh@example.com', members: ['jan@example.com'] } },
    )
  })
  expect(changed).toEqual(['update group/clerks@example.com', 'delete user/other@example.com'])
  expect(said).toEqual([
    'SVC2261 group/fresh@example.com: Its members gained jan@example.com since it was created: it stays',
    'SVC2261 user/new@example.com: The group `clerks@example.com` uses it: it stays',
  ])
  expect(membersOf('clerks@example.com')).toEqual(['anna@example.com', 'jan@example.com', 'new@example.com'])
})

it('is not told where it is as it was before', async () => {
  const { said, changed, report } = await undone(
    'groups: [{ svcId: clerks@example.com, members: [anna@example.com, ewa@example.com] }]\n',
    () => {
      const group = 'clerks@example.com'
      workspace.emulator.edit(
        { removeMembers: { group, members: ['ewa@example.com'] } },
        { addMembers: { group, members: ['jan@example.com'] } },
      )
    },
  )
  expect([said, changed, report.outcome]).toEqual([[], [], 'nothing-to-do'])
})

it('is left in an environment that had inherited, and nowhere else', async () => {
  const sql = (server: string) => ({ server, database: 'd', integratedAuthentication: true })
  const loaded = (common: string, test?: string): void => {
    const connection = { name: 'ERP', type: 'SQL', sql: { common: sql(common), ...(test && { test: sql(test) }) } }
    workspace.emulator.load({ databases: [{ id: 1, connections: [connection] }] } as never)
  }
  const manifest = `database: main
connections: [{ name: ERP, type: SQL, sql: { common: { server: new }, test: { server: t, database: d } } }]
`
  loaded('old')
  const first = await undone(manifest, () => loaded('new', 'by hand'))
  expect(first.said).toEqual(['SVC2261 connection/main/ERP: `sql.test.server` is `"by hand"` now'])
  loaded('old')
  rmSync(join(workspace.dir, 'a.jsonl'))
  rmSync(join(workspace.dir, 'b.jsonl'))
  const second = await undone(manifest, () => loaded('by hand', 't'))
  expect(second.said).toEqual([
    'SVC2261 connection/main/ERP: `sql.common.server` is `"by hand"` now, and `"new"` was written',
  ])
  const [database] = workspace.emulator.state().databases ?? []
  expect(database?.connections?.[0]).toMatchObject({ sql: { common: { server: 'by hand' } } })
  expect(database?.connections?.[0]).not.toHaveProperty('sql.test')
})

it('brings an environment back without settings that only the platform knows, and names them before', async () => {
  const mailserver = (url: string) => ({ serverType: 'OnPremises', mailWebService: { url } })
  const [common, test] = [mailserver('https://m.example.com'), mailserver('https://t.example.com')]
  const connections = [{ name: 'Mail', type: 'MailServer', mailserver: { common, test } }]
  workspace.emulator.load({ behaviour: { newFields: 'told' }, databases: [{ id: 1, connections }] } as never)
  const { said, report } = await undone(
    'database: main\nconnections: [{ name: Mail, type: MailServer, mailserver: { test: null } }]\n',
  )
  const strangers = ['addedText', 'addedFlag', 'addedObject']
  const all = [...strangers.map((name) => `mailWebService.${name}`), ...strangers].map((name) => `\`${name}\``)
  const back = 'SVC2260 connection/main/Mail: `mailserver.test` comes back without'
  expect(said.filter((each) => each.startsWith(back))).toEqual([
    `${back} ${all.join(', ')}, which svcsync does not know`,
    `${back} its credentials, which svcsync does not know`,
  ])
  expect(report.steps).toMatchObject([{ outcome: 'done' }])
  expect(workspace.emulator.state().databases?.[0]?.connections?.[0]).toMatchObject({ mailserver: { common, test } })
  workspace.emulator.setBehaviour({ newFields: 'none' })
})

it('keeps an account whose creation failed, and that is there: whose it is nobody knows', async () => {
  const refusal = { kind: 'status', status: 400 } as const
  workspace.emulator.addFault({ match: { method: 'POST', path: '/admin/users' }, count: null, effect: refusal })
  const { said, changed } = await undone('users: [{ svcId: new@example.com, name: New }]\n', () => {
    workspace.emulator.clearFaults()
    workspace.emulator.edit({ upsertUser: { svcId: 'new@example.com', name: 'New' } })
  })
  expect(changed).toEqual([])
  expect(said).toEqual([
    'SVC2260 user/new@example.com: Its creation failed, but it exists: svcsync cannot tell who created it',
  ])
})

it('is not there any more, or is there again', async () => {
  const { said, changed } = await undone(
    `users: [{ svcId: anna@example.com, jobTitle: Controller }]
groups: [{ svcId: old@example.com, absent: true }]
`,
    () => {
      workspace.emulator.edit(
        { deleteUser: 'anna@example.com' },
        { upsertGroup: { svcId: 'old@example.com', name: 'Another' } },
      )
    },
  )
  expect(changed).toEqual([])
  expect(said).toEqual([
    'SVC2261 group/old@example.com: It was deleted, and is there again',
    'SVC2261 user/anna@example.com: It is not there any more',
  ])
})

it('gives back a licence for nothing, in the place of which one for a process came', async () => {
  const databases = [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P' }] }] }]
  const license = { type: 'SingleSolutionUser', singleSolutionSettings: { processes: [] } }
  const assigned = [{ svcId: 'anna@example.com', licenses: [license] }]
  workspace.emulator.load({ users: tenant.users, licenses: { assigned }, databases } as never)
  const before = workspace.emulator.state().licenses
  const { said, report } = await undone(`database: main
licenses:
  - { svcId: anna@example.com, licenses: [{ type: SingleSolutionUser, processes: [P] }], manage: { licenses: additive } }
`)
  expect([said, report.outcome]).toEqual([[], 'converged'])
  expect(workspace.emulator.state().licenses).toEqual(before)
})

it('names who had another level that is no part of the plan, if an earlier undo gave it back in vain', async () => {
  workspace.manifest(`elements:
  - { element: 7, privileges: { Administrator: [nina@example.com, ewa@example.com] }, manage: { privileges: additive } }
`)
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  workspace.emulator.addFault({
    match: { method: 'POST', path: '/db/1/elements/7/admin/privileges' },
    effect: { kind: 'status', status: 400 },
  })
  const broken = await undo(workspace, 'a.jsonl', 'b.jsonl')
  workspace.emulator.clearFaults()
  const { undone, report } = await undo(workspace, 'a.jsonl', 'c.jsonl')
  expect([broken.report.outcome, report.outcome]).toEqual(['partial', 'different'])
  expect(undone.document.warnings.map(({ code, address, message }) => `${code} ${address}: ${message}`)).toEqual([
    'SVC2261 element/main/7: `nina@example.com` is not in its privileges now',
  ])
})

it('names what else an installation took with a level, and somebody has to give back', async () => {
  const privileges = ['Modify', 'ReadOnly'].map((level) => ({ svcId: 'anna@example.com', level }))
  const databases = [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P', privileges }] }] }]
  workspace.emulator.load({ ...tenant, databases, behaviour: { privilegeRemoval: 'allLevels' } } as never)
  workspace.manifest('database: main\nprocesses: [{ process: P, privileges: { Modify: [] } }]\n')
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  const { undone } = await undo(workspace, 'a.jsonl', 'b.jsonl')
  expect(undone.document.warnings.map(({ message }) => message)).toEqual([
    '`anna@example.com` was in its privileges as anna@example.com (ReadOnly) too, but is not now',
  ])
})

it('names a licence for nothing that an undo before this one gave back in vain', async () => {
  const databases = [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P' }] }] }]
  const license = { type: 'SingleSolutionUser', singleSolutionSettings: { processes: [] } }
  const assigned = [{ svcId: 'anna@example.com', licenses: [license] }]
  workspace.emulator.load({ users: tenant.users, licenses: { assigned }, databases } as never)
  workspace.manifest(`database: main
licenses:
  - { svcId: anna@example.com, licenses: [{ type: SingleSolutionUser, processes: [P] }], manage: { licenses: additive } }
`)
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  const match = { method: 'POST', path: '/admin/*' }
  workspace.emulator.addFault({ match, nth: 2, effect: { kind: 'status', status: 400 } })
  const broken = await undo(workspace, 'a.jsonl', 'b.jsonl')
  workspace.emulator.clearFaults()
  const { undone } = await undo(workspace, 'a.jsonl', 'c.jsonl')
  expect(broken.report.outcome).toBe('partial')
  expect(undone.document.warnings.map(({ code, address, message }) => `${code} ${address}: ${message}`)).toEqual([
    'SVC2261 license/anna@example.com: `SingleSolutionUser` is not in its licenses now',
  ])
})

it('deletes who was created, whose own step after it was begun and may not have been carried out', async () => {
  workspace.emulator.setBehaviour({ managerMustExist: true })
  workspace.manifest('users: [{ svcId: own@example.com, name: Own, managerSvcId: own@example.com }]\n')
  for (const sent of [false, true]) {
    rmSync(join(workspace.dir, 'a.jsonl'), { force: true })
    await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 2, sent })
    expect(workspace.emulator.state().users?.some(({ svcId }) => svcId === 'own@example.com')).toBe(true)
    const { undone } = await undo(workspace, 'a.jsonl', `${sent}.jsonl`)
    expect(undone.document.warnings).toEqual([])
    expect(workspace.emulator.state().users?.some(({ svcId }) => svcId === 'own@example.com')).toBe(false)
  }
})

it('takes back names, environments, licences, privileges that went together, and deletions', async () => {
  const before = workspace.emulator.state()
  const { changed, said, report } = await undone(`users: [{ svcId: nina@example.com, jobTitle: null }]
groups: [{ svcId: old@example.com, absent: true }]
constants:
  - { name: New name, previously: Old name, common: c, test: null }
  - { name: Inherits, prod: own }
licenses:
  - { svcId: anna@example.com, licenses: [{ type: DesignerDeskUser }, { type: PowerUser }] }
  - { svcId: jan@example.com, licenses: [{ type: User }] }
elements:
  - { element: 7, privileges: { ReadOnly: [jan@example.com, ewa@example.com], ReadOnlyWithoutAttachments: [nina@example.com] } }
`)
  expect(report.outcome).toBe('different')
  expect(said).toEqual([
    'SVC2260 group/old@example.com: It is created again, without what it had in lists outside the plan',
  ])
  expect(changed).toEqual([
    'update constant/main/Inherits',
    'update constant/main/Old name',
    'update element/main/7',
    'create group/old@example.com',
    'update license/anna@example.com',
    'update license/jan@example.com',
    'update user/nina@example.com',
  ])
  const parts = ({ users, groups, licenses, databases }: Tenant & Record<string, unknown>) =>
    JSON.parse(
      JSON.stringify({ users, groups, licenses, databases }, (key, value) =>
        ['id', 'guid', 'createdAt'].includes(key) ? undefined : Array.isArray(value) ? [...value].sort(byText) : value,
      ),
    )
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  expect(parts(workspace.emulator.state() as never)).toEqual(parts(before as never))
})

it('asks the guards, and takes back what is selected alone', async () => {
  const manifest = `users: [{ svcId: one@example.com, name: A }, { svcId: two@example.com, name: B }]
constants: [{ name: New, common: a }]
`
  await expect(undone(manifest, undefined, { guarded: true })).rejects.toMatchObject({ code: 'SVC2070' })
  const { report, undone: run } = await undo(workspace, 'a.jsonl', 'c.jsonl', {
    guarded: true,
    only: ['user/one@example.com'],
  })
  expect(run.document.changes.map(({ address }) => address)).toEqual(['user/one@example.com'])
  expect(run.document.warnings).toEqual([])
  expect(report.outcome).toBe('converged')
})

it('refuses a journal that was edited, or is another target’s', async () => {
  workspace.manifest('users: [{ svcId: anna@example.com, jobTitle: Controller }]\n')
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  const path = join(workspace.dir, 'a.jsonl')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll('"before":"Clerk"', '"before":"Chief"'))
  await expect(undo(workspace, 'a.jsonl', 'b.jsonl')).rejects.toThrow(RefusedError)
  writeFileSync(path, text)
  const file = join(workspace.dir, 'svcsync.yaml')
  const project = readFileSync(file, 'utf8')
  writeFileSync(file, project.replace('databases: { main: 1 }', 'databases: { main: 2 }'))
  await expect(undo(workspace, 'a.jsonl', 'b.jsonl')).rejects.toMatchObject({ code: 'SVC2125' })
  writeFileSync(file, project)
  // A line cut off by a kill is ignored.
  appendFileSync(path, '{"event":"sen')
  expect((await undo(workspace, 'a.jsonl', 'b.jsonl')).report.outcome).toBe('converged')
  expect(existsSync(join(workspace.dir, 'b.jsonl'))).toBe(true)
})

it('names the licence that somebody has given to an account that goes again', async () => {
  workspace.emulator.load({ databases: [{ id: 1 }] } as never)
  const { run, report } = await undone('users: [{ svcId: new@example.com, name: New }]\n', () => {
    const state = structuredClone(workspace.emulator.state()) as object
    const assigned = [{ svcId: 'new@example.com', licenses: ['User'] }]
    workspace.emulator.load({ ...state, licenses: { assigned } } as never)
  })
  expect(run.document.warnings).toMatchObject([
    {
      code: 'SVC1354',
      message: expect.stringContaining('keeps 1 licence (User)'),
      hint: expect.stringMatching(/^Undo /),
    },
  ])
  expect(report.outcome).toBe('converged')
})

it('reads substitutions with `access: full` only if what it takes back has read them', async () => {
  const full = await openWorkspace({ settings: 'access: full', tenant })
  try {
    const period = 'type: TaskDelegation, from: 2100-07-01, to: 2100-07-15'
    const substitution = `substitutions: [{ person: nina@example.com, substitute: ewa@example.com, ${period} }]\n`
    for (const managed of ['', substitution]) {
      full.emulator.load(tenant)
      full.manifest(managed)
      await full.apply()
      full.manifest(`groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n${managed}`)
      const file = managed === '' ? 'without' : 'with'
      await applyUntilKilled(full, `${file}.jsonl`, { atWrite: 1000, sent: true })
      await full.control('DELETE', '/requests')
      const { undone, report } = await undo(full, `${file}.jsonl`, `${file}-back.jsonl`)
      expect(report.outcome).toBe('converged')
      const asked = JSON.stringify(full.emulator.requests()).includes('Admin.Substitutions.Read')
      expect([asked, undone.document.access?.unlooked]).toEqual(
        managed === '' ? [false, 'stand-ins'] : [true, undefined],
      )
    }
  } finally {
    await full.close()
  }
})
