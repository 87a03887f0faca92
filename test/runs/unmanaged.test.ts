// Undeclared live objects are counted from lists, never taken for absent, and never block the plan.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { page } from '../../src/core/model/capabilities/page.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { documentValidator, planSchema } from '../harness/plan-schema.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const account = (svcId: string) => ({ svcId, name: svcId })
const tenant = {
  users: ['u1', 'u2', 'u3', 'u4'].map(account),
  groups: ['g1', 'g2', 'g3'].map(account),
  databases: [
    {
      id: 1,
      constants: ['C1', 'C2'].map((name) => ({ name, common: 'x' })),
      connections: [{ name: 'N', type: 'SQL', sql: { common: { server: 's' } } }],
      applications: [
        { name: 'A', processes: [{ name: 'P' }, { name: 'Q', constants: [{ name: 'T', common: '1' }] }] },
        { name: 'B', processes: [{ name: 'R' }] },
      ],
    },
  ],
} as unknown as Tenant

const manifest = `
database: main
users: [{ svcId: u1, name: u1 }]
groups: [{ svcId: g1, name: g1 }]
memberships: [{ group: G2, members: [] }]
constants: [{ name: C1, common: x }]
processes: [{ process: P, application: A, privileges: { Start: [] } }]
`
const counted = { everywhere: false }

async function open(options: WorkspaceOptions = {}): Promise<void> {
  workspace = await openWorkspace({ tenant, settings: 'settings: { retry: { attempts: 1 } }', ...options })
  workspace.manifest(manifest)
}

const refuse = (path: string): Fault => ({ match: { path }, count: null, effect: { kind: 'status', status: 403 } })

const pathsOf = async (options: Parameters<Workspace['plan']>[0]) => {
  const before = workspace.emulator.requests().length
  await workspace.plan(options)
  return workspace.emulator
    .requests()
    .slice(before)
    .map(({ method, path }) => `${method} ${path}`)
}

it('is counted by kind, with its addresses, and a plan of it fits the schema', async () => {
  await open()
  const { document } = await workspace.plan({ unmanaged: counted })
  const nothing = { live: 0, declared: 0, addresses: [] }
  const others = kinds
    .filter((kind) => kind.scope !== 'parent' && page.of(kind) === undefined)
    .map(({ name }) => [name, nothing])
  expect(document.unmanaged).toEqual({
    ...Object.fromEntries(others),
    user: { live: 4, declared: 1, percent: 25, addresses: ['user/u2', 'user/u3', 'user/u4'] },
    group: { live: 3, declared: 2, percent: 66, addresses: ['group/g3'] },
    constant: { live: 2, declared: 1, percent: 50, addresses: ['constant/main/C2'] },
    connection: { live: 1, declared: 0, percent: 0, addresses: ['connection/main/N'] },
    application: { live: 2, declared: 0, percent: 0, addresses: ['application/main/A', 'application/main/B'] },
    // The list of A was read for P; that of B would be one more.
    process: { live: 2, declared: 1, percent: 50, addresses: ['process/main/A/Q'], skippedLists: 1 },
  })
  const validate = documentValidator(planSchema)
  expect([validate(document), validate.errors]).toEqual([true, null])
  const all = (await workspace.plan({ unmanaged: { everywhere: true } })).document.unmanaged
  expect(all?.process).toEqual({
    live: 3,
    declared: 1,
    percent: 33,
    addresses: ['process/main/A/Q', 'process/main/B/R'],
  })
})

it('does not change the digest, and is null where nobody asked', async () => {
  await open()
  const without = (await workspace.plan()).document
  const before = (await workspace.plan({ unmanaged: counted })).document
  await workspace.control('POST', '/edits', { upsertUser: account('u5') })
  const after = (await workspace.plan({ unmanaged: counted })).document
  expect(without.unmanaged).toBeNull()
  expect(after.unmanaged?.user?.live).toBe(5)
  expect(new Set([without.digest, before.digest, after.digest]).size).toBe(1)
})

it('names the first fifty', async () => {
  await open({ tenant: { users: Array.from({ length: 230 }, (_, index) => account(`u${index}`)) } as Tenant })
  workspace.manifest('users: [{ svcId: u0, name: u0 }]')
  const { user } = (await workspace.plan({ unmanaged: counted })).document.unmanaged ?? {}
  expect(user).toMatchObject({ live: 230, declared: 1 })
  expect(user?.addresses).toHaveLength(50)
})

it('costs nothing for lists that the plan reads anyway', async () => {
  await open()
  workspace.manifest(`
users: [${['u1', 'u2', 'u3', 'u4'].map((svcId) => `{ svcId: ${svcId}, name: ${svcId} }`).join(', ')}]
database: main
constants: [{ name: C1, common: x }, { name: C2, common: x }]
processes:
  - { process: P, application: A, privileges: { Start: [] } }
  - { process: Q, application: A, constants: [{ name: T, common: "1" }] }`)
  const without = await pathsOf({})
  const extra = await pathsOf({ unmanaged: counted })
  for (const path of without) extra.splice(extra.indexOf(path), 1)
  // Undeclared objects: groups, connections and others; two pages, or one list, and access to them.
  const declared = ['user', 'constant', 'process-constant']
  const lists = kinds
    .filter(({ name }) => !declared.includes(name))
    .flatMap(({ requests }) => requests.list?.({ dbId: 1 }) ?? [])
  const reads = lists.flatMap(({ path, paged }) => Array(paged ? 2 : 1).fill(`GET /api/data/v6.0${path}`))
  expect(extra.map((path) => path.replace(/\?.*/, '')).sort()).toEqual([...reads, 'POST /api/oauth2/token'].sort())
  expect(extra).toContain('GET /api/data/v6.0/db/1/admin/connections')
})

it('tells by its lists whether accounts that get something are there, and which to ask for', async () => {
  const given = (accounts: readonly string[]) =>
    workspace.manifest(`groups: [{ svcId: g1, name: g1, members: [${accounts.join(', ')}] }]`)
  await open()
  given(['u2', 'g3', 'nobody'])
  const singly = async (options: Parameters<Workspace['plan']>[0]) =>
    (await pathsOf(options)).filter((path) => /\/admin\/(user|group)$/.test(path)).length
  // Group g1 is declared; users and groups are asked for each of the others.
  expect(await singly({})).toBe(1 + 6)
  expect(await singly({ unmanaged: counted })).toBeLessThan(1 + 6)
  const { problems } = (await workspace.plan({ unmanaged: counted })).plan
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('nobody')])
  given(['u2', ...Array.from({ length: 30 }, (_, index) => `nobody${index}`)])
  const pages = (await pathsOf({ unmanaged: counted })).filter((path) => /\/admin\/(users|groups)$/.test(path))
  expect(pages).toHaveLength(4)
  workspace.emulator.addFault(refuse('/admin/users'))
  given(['u2'])
  expect((await workspace.plan({ unmanaged: counted })).plan.problems).toEqual([])
})

it('is counted once where its database has two names, and as declared where it is by either', async () => {
  await open()
  const file = join(workspace.dir, 'svcsync.yaml')
  workspace.write('svcsync.yaml', readFileSync(file, 'utf8').replace('{ main: 1 }', '{ main: 1, other: 1 }'))
  workspace.manifest('database: other\nconstants: [{ name: C1, common: x }]')
  const { constant } = (await workspace.plan({ unmanaged: counted })).document.unmanaged ?? {}
  expect(constant).toEqual({ live: 2, declared: 1, percent: 50, addresses: ['constant/main/C2'] })
})

it('is looked for in each list once, also where a base looks there at the same time', async () => {
  await open()
  workspace.baseManifest('database: main\nprocesses: [{ process: R, application: B, privileges: { Start: [u1] } }]')
  const paths = await pathsOf({ base: 'ledger', unmanaged: { everywhere: true } })
  expect(paths.filter((path, index) => path.endsWith('/processes') && paths.indexOf(path) < index)).toEqual([])
})

it('says what could not be listed, and never that there is none', async () => {
  await open()
  workspace.emulator.addFault(refuse('/db/1/admin/connections'))
  workspace.emulator.addFault(refuse('/admin/users'))
  const { plan, document } = await workspace.plan({ unmanaged: counted })
  const { connection, user, group } = document.unmanaged ?? {}
  expect(connection).toMatchObject({ live: null, unlisted: [{ address: 'connection/main' }] })
  expect(user).toMatchObject({ live: null, declared: 0, unlisted: [{ address: 'user' }] })
  expect(group?.live).toBe(3)
  // Declared objects were read by themselves.
  expect([plan.unreadable, document.changes]).toEqual([[], []])
})

it('says of every kind that its count may not be whole, where what ends a run came up meanwhile', async () => {
  await open()
  const effect = { kind: 'status', status: 401 } as const
  workspace.emulator.addFault({ match: { path: '/db/1/admin/connections' }, count: null, effect })
  const { document } = await workspace.plan({ unmanaged: counted })
  const counts = Object.values(document.unmanaged ?? {})
  const own = kinds.filter((kind) => kind.scope !== 'parent' && page.of(kind) === undefined).map(({ name }) => name)
  expect(Object.keys(document.unmanaged ?? {}).sort()).toEqual(own.sort())
  for (const { unlisted } of counts)
    expect(unlisted).toEqual([expect.objectContaining({ reason: expect.stringContaining('401') })])
  expect(document.unmanaged?.connection).toMatchObject({ live: null, unlisted: [{ address: 'connection' }] })
})

it('says which kinds the application may not list, and reads what is declared all the same', async () => {
  const scopes = ['Admin.Users.Read', 'Admin.Groups.Read', 'Admin.Constants.Read', 'App.Metadata.Read']
  const apiApplications = [{ name: 'svcsync', clientId: 'svcsync', clientSecret: 'svcsync-secret', scopes }]
  await open({ tenant: { ...(tenant as object), apiApplications } as unknown as Tenant })
  workspace.manifest('users: [{ svcId: u1, name: u1 }]')
  const { document } = await workspace.plan({ unmanaged: counted })
  expect(document.unmanaged?.user?.live).toBe(4)
  expect(document.unmanaged?.connection?.live).toBeNull()
  expect(document.unmanaged?.connection?.unlisted?.[0]?.reason).toContain('may not have these scopes')
  expect(document.unreadable).toEqual([])
})

it('leaves out what prune deletes: that is among the changes', async () => {
  await open({ settings: 'prune: { groups: ["g3"] }' })
  const { document } = await workspace.plan({ unmanaged: counted })
  expect(document.changes.map(({ address }) => address)).toEqual(['group/g3'])
  expect(document.unmanaged?.group).toEqual({ live: 2, declared: 2, percent: 100, addresses: [] })
})

it('leaves out what only the base declares, and a plan takes from', async () => {
  await open()
  workspace.baseManifest('groups: [{ svcId: g3, name: g3, members: [u1] }]')
  workspace.emulator.edit({ addMembers: { group: 'g3', members: ['u1'] } })
  const { document } = await workspace.plan({ base: 'ledger', unmanaged: counted })
  expect(document.changes.map(({ address }) => address)).toContain('group/g3')
  expect(document.unmanaged?.group).toEqual({ live: 2, declared: 2, percent: 100, addresses: [] })
})
