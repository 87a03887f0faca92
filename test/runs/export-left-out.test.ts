// Gaps of an export: all other objects are exported, and each gap is reported.
import { afterEach, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { adopt } from '../harness/adopt.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const open = async (tenant: unknown, faults: readonly Fault[] = []): Promise<void> => {
  workspace = await openWorkspace({ tenant: tenant as Tenant, settings: 'settings: { retry: { attempts: 1 } }' })
  for (const fault of faults) workspace.emulator.addFault(fault)
}
const jan = { svcId: 'jan@example.com', name: 'Jan' }
const reads = { privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }] }
const refuse = (path: string, status = 403): Fault => ({
  match: { path },
  count: null,
  effect: { kind: 'status', status },
})
const answer = (path: string, body: unknown): Fault => ({
  match: { path },
  count: null,
  effect: { kind: 'status', status: 200, body: body as never },
})

const tenant = {
  users: [jan],
  groups: [
    { svcId: 'g1', name: 'One' },
    { svcId: 'g2', name: 'Two' },
  ],
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      constants: [{ name: 'C', common: 'x' }],
      connections: [
        { name: 'N', guid: '00000000-0000-4000-8000-000000000001', type: 'SQL', sql: { common: { server: 's' } } },
      ],
      applications: [
        {
          name: 'A',
          ...reads,
          processes: [{ name: 'P', privileges: [{ svcId: 'jan@example.com', level: 'Start', company: 'PL01' }] }],
        },
      ],
    },
  ],
}

it.each([
  ['a list', [refuse('/db/1/admin/connections')], ['connection/main']],
  [
    'a list that breaks off',
    [{ ...refuse('/db/1/admin/constants'), effect: { kind: 'truncate' } } as Fault],
    ['constant/main'],
  ],
  [
    'a group',
    [{ match: { path: '/admin/group', query: 'g1' }, count: null, effect: { kind: 'status', status: 403 } } as Fault],
    ['group/g1'],
  ],
  [
    'a group whose members are no list',
    [
      {
        ...answer('/admin/group', { svcId: 'g1', name: 'One', members: {}, owners: [] }),
        match: { path: '/admin/group', query: 'g1' },
      },
    ],
    ['group/g1'],
  ],
  ['privileges', [refuse('/db/1/applications/*/admin/privileges')], ['application/main/A']],
  ['applications', [refuse('/db/1/applications')], ['application/main']],
  ['processes of an application', [refuse('/db/1/applications/*/processes')], ['process/main/A']],
  ['workflows', [refuse('/db/1/processes/*/workflows')], ['process/main/A/P/workflow']],
  ['business entities', [refuse('/admin/db/1/businessentities')], ['process/main/A/P']],
  [
    'a level that is new',
    [answer('/db/1/applications/*/admin/privileges', { privileges: [{ svcId: 'jan@example.com', level: 'Owner' }] })],
    ['application/main/A'],
  ],
  [
    'a type of connection that is new',
    [
      answer('/db/1/admin/connections/*', {
        guid: '00000000-0000-4000-8000-000000000001',
        name: 'N',
        type: 'Carrier pigeon',
      }),
    ],
    ['connection/main/N'],
  ],
  ['users of another shape', [answer('/admin/users', { users: [{ id: 1 }, { id: 2 }] })], ['user']],
  ['one user of another shape', [answer('/admin/users', { users: [{ id: 1 }, jan] })], ['user']],
])('%s: the others are told, and a comment and the result say so', async (_what, faults, addresses) => {
  await open(tenant, faults)
  const exported = await workspace.export()
  expect(exported.leftOut.map(({ address }) => address)).toEqual(addresses)
  const all = exported.files.map(({ text }) => text).join('')
  expect(all).toContain(`# - ${addresses[0]}`)
  workspace.emulator.clearFaults()
  expect((await adopt(workspace)).changes).toEqual([])
  workspace.manifest(all)
})

it('a platform that does not answer, or a token that is refused, ends it', async () => {
  await open(tenant, [refuse('/admin/users', 401)])
  await expect(workspace.export()).rejects.toMatchObject({ code: 'SVC3040' })
})

it('a database that is not there ends it', async () => {
  await open({ databases: [{ id: 5 }] })
  await expect(workspace.export()).rejects.toMatchObject({
    code: 'SVC2041',
    message: 'The platform has no database 1',
  })
})

it('warns where the project prunes what is left out, and says no word where it does not', async () => {
  workspace = await openWorkspace({
    tenant: tenant as unknown as Tenant,
    settings: 'settings: { retry: { attempts: 1 } }\nprune: { groups: ["g*"] }\nprotect: [group/g2]',
  })
  workspace.emulator.addFault(refuse('/admin/group'))
  const { leftOut } = await workspace.export()
  const hints = leftOut.map(({ address, hint = '' }) => [address, hint.includes('prunes `g*`')])
  expect(hints).toEqual([
    ['group/g1', true],
    ['group/g2', false],
  ])
})
