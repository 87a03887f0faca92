// Accounts that gain access are checked for licences: the requests, and the verdict.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { verdictOf } from '../../src/render/changes/verdict.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const names = ['anna', 'jan', 'maria', 'piotr', ...Array.from({ length: 25 }, (_, index) => `clerk${index}`)]
const tenant: Tenant = {
  users: names.map((name) => ({ svcId: `${name}@example.com`, name })),
  accounts: [
    { svcId: 'robot', name: 'Robot', type: 'ApiApplication' },
    { svcId: 'auditors@corp', name: 'Auditors', type: 'AdGroup' },
  ],
  licenses: { available: { PowerUser: 30 }, assigned: [{ svcId: 'jan@example.com', licenses: ['PowerUser'] }] },
  groups: [{ svcId: 'clerks@example.com', name: 'Clerks', members: [] }],
  databases: [{ id: 1, applications: [{ name: 'Purchasing', processes: [{ name: 'Orders' }] }] }],
}
const clerks = (members: readonly string[], rest = ''): string => `database: main
groups:
  - { svcId: clerks@example.com, members: [${members.join(', ')}] }
processes:
  - process: Orders
    privileges: { Start: [clerks@example.com] }
${rest}`

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
afterAll(() => workspace.close())

async function look(manifest: string) {
  workspace.manifest(manifest)
  await workspace.control('DELETE', '/requests')
  const { document } = await workspace.plan({ licences: true })
  const log = (await workspace.control('GET', '/requests')) as { requests: { path: string; query?: object }[] }
  const asked = log.requests.filter(({ path }) => path.includes('/admin/license'))
  return { document, licences: document.access?.licences, asked: asked.map(({ path }) => path) }
}
const point = (document: Parameters<typeof verdictOf>[0]) =>
  verdictOf(document, false).points.find(({ kind }) => kind === 'licence-missing')

it('asks once for each user who gains something, and names who holds none', async () => {
  const { document, licences, asked } = await look(clerks(['anna@example.com', 'jan@example.com', 'robot']))
  expect(licences).toEqual({ missing: 1, accounts: ['anna@example.com'], requests: 2, unread: null })
  expect(asked).toEqual(['/admin/license', '/admin/license'].map((path) => expect.stringContaining(path)))
  expect(point(document)).toMatchObject({
    ...{ count: 1, accounts: ['anna@example.com'], sentence: '1 account holds no licence' },
  })
  const text = renderPlanText(document, { colour: false, width: 100, verbose: true })
  expect(text).toContain('  ! Hold no licence: anna@example.com')
  expect(text).toContain('To look at licences took 2 more requests.')
})

it('counts a user whom no manifest declares and a live list calls a user', async () => {
  workspace.emulator.load({
    ...tenant,
    groups: [
      { svcId: 'clerks@example.com', name: 'Clerks', members: [] },
      { svcId: 'everyone@example.com', name: 'Everyone', members: ['anna@example.com', 'robot'] },
    ],
  })
  const everyone = '  - { svcId: everyone@example.com, members: [anna@example.com, robot] }\n'
  const manifest = clerks(['anna@example.com', 'robot']).replace('processes:', `${everyone}processes:`)
  const { licences } = await look(manifest)
  expect(licences).toMatchObject({ missing: 1, accounts: ['anna@example.com'], unread: null })
  workspace.emulator.load(tenant)
})

it('asks nothing where the plan gives the licences, and takes what the plan takes', async () => {
  const given = 'licenses:\n  - { svcId: anna@example.com, licenses: [{ type: PowerUser }] }\n'
  const taken = '  - { svcId: jan@example.com, licenses: [] }\n'
  const both = ['anna@example.com', 'jan@example.com']
  const without = await look(clerks([], `${given}${taken}`))
  expect(without.licences).toBeUndefined()
  const { licences, asked } = await look(clerks(both, `${given}${taken}`))
  expect(licences).toEqual({ missing: 1, accounts: ['jan@example.com'], requests: 0, unread: null })
  expect(asked.sort()).toEqual(without.asked.sort())
})

it('takes one list for many, and for those alone who are to be created', async () => {
  const many = await look(clerks(names.map((name) => `${name}@example.com`)))
  expect(many.licences).toMatchObject({ missing: 28, requests: 1 })
  expect(many.asked).toHaveLength(1)
  const created = 'users: [{ svcId: eva@example.com, name: Eva }]\n'
  const one = await look(clerks(['eva@example.com'], created))
  expect(one.licences).toEqual({ missing: 1, accounts: ['eva@example.com'], requests: 1, unread: null })
  const beside = await look(clerks(['eva@example.com', 'jan@example.com'], created))
  expect(beside.licences).toEqual({ missing: 1, accounts: ['eva@example.com'], requests: 1, unread: null })
})

it.each([
  { status: 403, type: undefined },
  { status: 405, type: 'UnsupportedInstallationType' },
])('ends with one note where licences are refused with $status', async ({ status }) => {
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/license' },
    count: null,
    effect: { kind: 'status', status },
  })
  const { document, licences, asked } = await look(clerks(['anna@example.com', 'jan@example.com', 'maria@example.com']))
  workspace.emulator.clearFaults()
  expect(licences).toMatchObject({
    missing: 0,
    accounts: [],
    requests: 1,
    unread: expect.stringContaining(`${status}`),
  })
  expect(asked).toHaveLength(1)
  expect(point(document)).toBeUndefined()
  const text = renderPlanText(document, { colour: false, width: 400 })
  expect(text.match(/Not read: licences of accounts that gain access \(/g)).toHaveLength(1)
})

it('counts what could not be read as unknown, and never as no licence', async () => {
  workspace.emulator.addFault({
    match: { method: 'GET', path: '/admin/license', query: 'anna' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  const { licences } = await look(clerks(['jan@example.com', 'anna@example.com', 'maria@example.com']))
  workspace.emulator.clearFaults()
  expect(licences).toMatchObject({ unread: expect.stringContaining('403') })
  expect(licences?.accounts).not.toContain('anna@example.com')
})

it('asks nobody where nobody gains anything, and where the project looks at no access', async () => {
  expect((await look(clerks([]))).asked).toEqual([])
  const none = await openWorkspace({ tenant, settings: 'access: none' })
  none.manifest(clerks(['anna@example.com']))
  const { document } = await none.plan({ licences: true })
  expect(document.access?.licences).toBeUndefined()
  await none.close()
})

it('leaves the digest as it is', async () => {
  const manifest = clerks(['anna@example.com'])
  const { document } = await look(manifest)
  const { document: without } = await workspace.plan()
  expect(document.digest).toBe(without.digest)
})
