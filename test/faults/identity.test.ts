// An answer is believed to be about what was asked for only where it says so: of another object's answer nothing is
// planned, and nothing is proven by it.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writeLine, writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: faultTenant,
    settings: 'settings: { retry: { maxDelay: 10ms }, sync: { timeout: 200ms } }\nprotect: ["user/jan@example.com"]',
  })
})
afterEach(() => workspace.close())

/** Reads of `path` are answered as if `as` had been asked for, from the nth on. */
const misroute = (path: string, as: string, nth = 1) =>
  workspace.emulator.addFault({ match: { method: 'GET', path }, nth, count: null, effect: { kind: 'misroute', as } })
const jan = '/admin/user?svcId=jan%40example.com'
const staff = '/admin/group?svcId=staff%40example.com'

it.each([
  ['user/anna@example.com', 'users: [{ svcId: anna@example.com, absent: true }]', '/admin/user', jan],
  ['user/anna@example.com', 'users: [{ svcId: anna@example.com, name: Other }]', '/admin/user', jan],
  ['group/empty@example.com', 'groups: [{ svcId: empty@example.com, absent: true }]', '/admin/group', staff],
  ['group/empty@example.com', 'groups: [{ svcId: empty@example.com, members: [] }]', '/admin/group', staff],
  [
    'constant/main/Url',
    'database: main\nconstants: [{ name: Url, common: new }]',
    '/db/1/admin/constants/*',
    '/db/1/admin/constants/3',
  ],
  [
    'connection/main/ERP',
    'database: main\nconnections: [{ name: ERP, type: SQL, sql: { common: { server: new } } }]',
    '/db/1/admin/connections/*',
    '/db/1/admin/connections/2',
  ],
])('%s: another answer is unreadable, and nothing is sent', async (address, manifest, path, as) => {
  workspace.emulator.edit(
    { upsertConstant: { constant: { name: 'Other', common: 'x' } } },
    { upsertConnection: { connection: { name: 'Other', type: 'SQL', sql: { common: { server: 's' } } } } },
  )
  workspace.manifest(manifest)
  misroute(path, as)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], steps: [], unreadable: [{ address, code: 'SVC3060' }] })
  expect(await workspace.apply()).toMatchObject({ outcome: 'partial', steps: [], unreadable: [{ address }] })
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('takes the platform at its word where case makes no difference', async () => {
  workspace.manifest('users: [{ svcId: JAN@example.com, name: Jan Kos }]')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(writesOf(workspace.emulator).map(writeLine)).toEqual([expect.stringContaining('svcId=jan@example.com')])
})

it('prunes nothing because of what another group answered', async () => {
  workspace.write(
    'svcsync.yaml',
    `version: 1
manifests: [manifests]
target: test
targets: { test: { baseUrl: "${workspace.emulator.url}", clientId: svcsync, clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}" } }
prune: { groups: ["empty*"] }
`,
  )
  workspace.manifest('users: [{ svcId: jan@example.com, name: Jan }]')
  misroute('/admin/group', staff)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [{ address: 'group/empty@example.com', code: 'SVC3060' }] })
})

it('exports no object under the name of another', async () => {
  misroute('/admin/group', staff)
  const { leftOut, files } = await workspace.export({ only: ['group/*'] })
  expect(leftOut.map(({ address }) => address)).toEqual(['group/empty@example.com'])
  expect(
    files
      .map(({ text }) => text)
      .join('')
      .match(/svcId: staff/g),
  ).toHaveLength(1)
})

it('knows nobody by what somebody else answered', async () => {
  workspace.manifest('groups: [{ svcId: staff@example.com, members: [jan@example.com, nobody@example.com] }]')
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/user', query: 'nobody' },
    effect: { kind: 'misroute', as: jan },
  })
  const { document } = await workspace.plan()
  expect(document.warnings.map(({ message }) => message)).toEqual([expect.stringContaining('nobody@example.com')])
})

it('proves no lost write by another answer', async () => {
  workspace.manifest('users: [{ svcId: new@example.com, name: Jan }]')
  workspace.emulator.addFault({
    match: { method: 'POST', path: '/admin/users' },
    effect: { kind: 'reset', carriedOut: false },
  })
  misroute('/admin/user', jan, 2)
  expect(await workspace.apply()).toMatchObject({ outcome: 'partial', counts: { done: 0, unknown: 1 } })
})

it('waits for no synchronisation that another object has ended, and verifies nothing by it', async () => {
  workspace.manifest('users: [{ svcId: new@example.com, name: Jan }]')
  misroute('/admin/user', jan, 2)
  const report = await workspace.apply()
  expect(report).toMatchObject({ outcome: 'partial', counts: { failed: 1 }, verified: { equal: 0 } })
})

it('verifies nothing by the answer of another constant', async () => {
  workspace.emulator.edit({ upsertConstant: { constant: { name: 'Same', common: 'new' } } })
  workspace.manifest('database: main\nconstants: [{ name: Url, common: new }]')
  misroute('/db/1/admin/constants/*', '/db/1/admin/constants/3', 2)
  const { outcome, verified } = await workspace.apply()
  expect({ outcome, verified }).toMatchObject({
    outcome: 'different',
    verified: { equal: 0, unequal: [{ reason: expect.stringContaining('`Same`') }] },
  })
})

it('does not take the id of another constant for that of the one it created', async () => {
  workspace.manifest('database: main\nconstants: [{ name: New, common: old }]')
  const guid = workspace.emulator.state().databases?.[0]?.constants?.[0]?.guid
  const body = JSON.stringify({ id: 1, guid })
  const effect = { kind: 'text', status: 200, contentType: 'application/json', body, carriedOut: true } as const
  workspace.emulator.addFault({ match: { method: 'POST', path: '/db/1/admin/constants' }, effect })
  const { outcome, verified } = await workspace.apply()
  expect({ outcome, verified }).toMatchObject({ outcome: 'different', verified: { equal: 0 } })
})

it('takes no lost update of a manager for done, in whatever case the manager before is written', async () => {
  workspace.emulator.edit({ upsertUser: { svcId: 'boss@example.com', name: 'Boss' } })
  workspace.emulator.edit({ upsertUser: { svcId: 'jan@example.com', name: 'Jan', managerSvcId: 'Anna@Example.com' } })
  workspace.manifest('users: [{ svcId: jan@example.com, managerSvcId: boss@example.com }]')
  const match = { method: 'PATCH', path: '/admin/user' }
  workspace.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 502, carriedOut: false } })
  expect(await workspace.apply()).toMatchObject({ counts: { done: 0 } })
})
