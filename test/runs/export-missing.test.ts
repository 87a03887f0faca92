// An export of the missing writes undeclared objects, so that the plan stays the same.
import { afterEach, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const reads = { privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }] }
const tenant = {
  users: ['jan', 'ewa', 'ola', 'proj-a', 'proj-b'].map((name) => ({ svcId: `${name}@example.com`, name })),
  groups: [
    { svcId: 'g@example.com', name: 'G', members: ['jan@example.com', 'ewa@example.com'] },
    { svcId: 'h@example.com', name: 'H', members: ['ola@example.com'] },
  ],
  databases: [
    {
      id: 1,
      constants: ['A', 'B', 'Old'].map((name) => ({ name, common: name })),
      connections: [{ name: 'ERP', type: 'SQL', sql: { common: { server: 's', user: 'u', password: 'hidden-word' } } }],
      applications: [
        {
          name: 'App',
          ...reads,
          processes: [
            { name: 'P', ...reads, constants: ['K', 'L'].map((name) => ({ name, common: name })) },
            { name: 'Q', ...reads },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

const open = async (manifest: string, options: WorkspaceOptions = {}) => {
  workspace = await openWorkspace({ tenant, ...options })
  workspace.manifest(manifest)
}

/** Exports into the folder of manifests, and gives what was written, and what the plan finds before and after. */
async function takeOver(only: readonly string[] = []) {
  const before = await workspace.changes()
  const exported = await workspace.export({ missing: true, only })
  for (const { file, text } of exported.files) workspace.write(`manifests/${file}`, text)
  const { document } = await workspace.plan()
  const after = document.changes.map(({ action, address }) => `${action} ${address}`)
  return {
    ...exported,
    before,
    after,
    warnings: document.warnings.map(({ code }) => code),
    texts: Object.fromEntries(exported.files.map(({ file, text }) => [file, text])),
    addresses: exported.passed.filter(({ why }) => why === 'declared').map(({ address }) => address),
  }
}

const manifest = `database: main
users:
  - svcId: JAN@example.com
    name: Jan Kos
memberships:
  - group: g@example.com
    members: [ola@example.com]
constants:
  - name: A
    common: other
  - name: New
    previously: Old
    common: Old
applications:
  - application: App
    privileges:
      ReadOnly: []
processes:
  - process: P
    constants:
      - name: K
        common: other
`

it('is all that is not declared, and leaves the plan as it was', async () => {
  await open(manifest)
  const found = await takeOver()
  expect(found.addresses).toEqual([
    'application/main/App',
    'constant/main/A',
    'constant/main/Old',
    'group/g@example.com',
    'process/main/App/P',
    'process/main/App/P/constant/K',
    'user/jan@example.com',
  ])
  expect(Object.keys(found.texts)).toEqual([
    'users.yaml',
    'groups.yaml',
    'constants.yaml',
    'connections.yaml',
    'applications/app.yaml',
  ])
  expect(found.texts['users.yaml']).not.toContain('jan@')
  expect(found.texts['connections.yaml']).not.toContain('hidden-word')
  expect(found.texts['applications/app.yaml']).toContain(`processes:
  - process: P
    application: App
    constants:
      - name: L
        common: L

  - process: Q
    application: App
    privileges:
      Administrator: []
      Modify: []
      ReadOnly: [jan@example.com]
      ReadOnlyWithoutAttachments: []
      Start: []
      ManageArchive: []
      DesignerDeskEditInPortal: []
`)
  expect(found.after).toEqual(found.before)
  expect(found.before).toEqual([
    'update application/main/App',
    'update constant/main/A',
    'update constant/main/New',
    'update group/g@example.com',
    'update process/main/App/P/constant/K',
    'update user/JAN@example.com',
  ])
  // Now everything is declared.
  expect(await workspace.export({ missing: true })).toMatchObject({ files: [], objects: 0, leftOut: [] })
})

it('takes other names where files are there', async () => {
  await open('')
  workspace.write('manifests/users.yaml', 'users:\n  - svcId: jan@example.com\n    name: jan\n')
  workspace.write('manifests/users-2.yaml', 'users: []\n')
  workspace.write('manifests/applications/app.yaml', 'applications: []\n')
  const found = await takeOver()
  expect(Object.keys(found.texts)).toEqual([
    'users-3.yaml',
    'groups.yaml',
    'constants.yaml',
    'connections.yaml',
    'applications/app-2.yaml',
  ])
  expect(found.after).toEqual([])
})

it('reads no more of what is declared than its place in a list', async () => {
  await open('groups:\n  - svcId: g@example.com\n    name: G\n')
  await workspace.export({ missing: true, only: ['group/*'] })
  const requests = workspace.emulator.requests().map((request) => JSON.stringify(request))
  const about = (svcId: string) => requests.filter((request) => request.includes(`"${svcId}"`)).length
  expect([about('h@example.com'), about('g@example.com')]).toEqual([1, 0])
})

it('takes a selection, of which all may be declared', async () => {
  await open(manifest)
  expect(await takeOver(['constant/main/A'])).toMatchObject({ objects: 0, files: [] })
  const { texts, before, after } = await takeOver(['constant/main/*', 'user/ewa*'])
  expect(Object.keys(texts)).toEqual(['users.yaml', 'constants.yaml'])
  expect(after).toEqual(before)
  await expect(workspace.export({ missing: true, only: ['user/nobody*'] })).rejects.toMatchObject({ code: 'SVC2004' })
})

it('leaves to prune what prune deletes', async () => {
  await open(
    'groups:\n  - svcId: g@example.com\n    members: [proj-b@example.com]\n    manage: { members: additive }\n',
    {
      settings: 'prune: { users: ["proj-*@example.com"] }',
    },
  )
  const found = await takeOver()
  expect(found.passed.filter(({ why }) => why === 'prune')).toEqual([
    { address: 'user/proj-a@example.com', why: 'prune' },
  ])
  expect(found.texts['users.yaml']).toContain('proj-b@')
  expect(found.after).toEqual(found.before)
  expect(found.after).toContain('delete user/proj-a@example.com')
})

it('leaves out what holds an account that is to be deleted, until it is', async () => {
  await open('users:\n  - svcId: OLA@example.com\n    absent: true\n', {
    settings: 'prune: { users: ["ewa@*"] }',
    tenant: {
      ...tenant,
      users: [...(tenant.users ?? []), { svcId: 'lea@example.com', name: 'Lea', managerSvcId: 'ewa@example.com' }],
    },
  })
  const found = await takeOver(['group/**', 'user/lea*', 'user/ewa*'])
  expect(found.leftOut.map(({ address, reason }) => `${address}: ${reason}`)).toEqual([
    'group/g@example.com: It uses `ewa@example.com`, and `prune` of the project file has a plan delete that',
    'group/h@example.com: It uses `ola@example.com`, and a manifest says that this is to be absent',
    'user/lea@example.com: It uses `ewa@example.com`, and `prune` of the project file has a plan delete that',
  ])
  expect(found.files).toEqual([])
  expect((await workspace.run({ guarded: false })).report.outcome).toBe('converged')
  expect(await takeOver(['group/**', 'user/lea*'])).toMatchObject({ leftOut: [], objects: 3, after: [] })
})

it('counts an account as declared of whichever kind it is', async () => {
  await open('users:\n  - svcId: g@example.com\n    absent: true\n')
  expect((await takeOver(['group/**'])).texts['groups.yaml']).not.toContain('g@')
})

it('tells apart what bears the same name by the guid that a manifest names', async () => {
  const process = (name: string, guid: string) => ({ name, guid, ...reads })
  const guids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  await open(`database: main\nprocesses:\n  - process: ${guids[0]}\n    privileges: { ReadOnly: [] }\n`, {
    tenant: {
      users: tenant.users,
      databases: [{ id: 1, applications: [{ name: 'App', processes: guids.map((guid) => process('P', guid)) }] }],
    } as unknown as Tenant,
  })
  const found = await takeOver()
  expect(found.texts['applications/app.yaml']).toContain(`process: "${guids[1]}" # P`)
  expect(found.texts['applications/app.yaml']).not.toContain(guids[0])
  expect(found.after).toEqual(found.before)
})

it('does not guess what a manifest means that names what is not there', async () => {
  await open('database: main\nprocesses:\n  - process: Nowhere\n    privileges: { ReadOnly: [] }\n')
  await expect(workspace.export({ missing: true })).rejects.toMatchObject({ problems: [{ code: 'SVC1401' }] })
})
