// Answers that cannot be understood: what they hold is neither there nor absent, and nothing is planned on them.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant } from './write-paths.ts'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({ tenant: faultTenant, settings: 'settings: { retry: { maxDelay: 10ms } }' })
})
afterEach(() => workspace.close())

const answer = (path: string, body: unknown, status = 200) =>
  workspace.emulator.addFault({
    match: { method: 'GET', path },
    count: null,
    effect: { kind: 'text', status, contentType: 'application/json', body: JSON.stringify(body) },
  })

const staff = 'groups: [{ svcId: staff@example.com, members: [], owners: [anna@example.com] }]'
const group = { svcId: 'staff@example.com', name: 'Staff', owners: [], status: 'Synchronized' }
const privilege = 'database: main\nprocesses: [{ process: Approval, privileges: { Start: [anna@example.com] } }]'
const privileges = '/db/1/processes/*/admin/privileges'

it.each([
  ['members without svcIds', staff, '/admin/group', { ...group, members: [{ login: 'jan@example.com' }] }],
  ['members without a list', staff, '/admin/group', { ...group, members: { items: [] } }],
  ['members that are not told', staff, '/admin/group', group],
  ['privileges without svcIds', privilege, privileges, { privileges: [{ login: 'jan@example.com', level: 'Start' }] }],
  ['privileges without levels', privilege, privileges, { privileges: [{ svcId: 'jan@example.com', right: 'Start' }] }],
  [
    'users under other keys',
    'users: [{ svcId: anna@example.com }, { svcId: jan@example.com }, { svcId: new@example.com }]',
    '/admin/users',
    { users: [{ login: 'anna@example.com' }, { login: 'jan@example.com' }] },
  ],
  [
    'constants under other keys',
    'database: main\nconstants: [{ name: Url, common: old }]',
    '/db/1/admin/constants',
    { constants: [{ id: 1, title: 'Url' }] },
  ],
])('%s are unreadable', async (_name, manifest, path, body) => {
  workspace.manifest(manifest)
  answer(path, body)
  const { document } = await workspace.plan()
  expect(document.changes).toEqual([])
  expect(document.unreadable.length).toBeGreaterThan(0)
})

it('a web page that says 404 tells nothing about an object', async () => {
  workspace.manifest('users: [{ svcId: anna@example.com, absent: true }]')
  const effect = { kind: 'text', status: 404, contentType: 'text/html', body: '<html>Not found</html>' } as const
  workspace.emulator.addFault({ match: { method: 'GET', path: '/admin/user' }, count: null, effect })
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [{ address: 'user/anna@example.com' }] })
})

it('does not create again what is listed and cannot be read', async () => {
  workspace.manifest('database: main\nconstants: [{ name: Url, common: new }]')
  answer('/db/1/admin/constants/*', { type: 'ResourceNotFound', description: 'No.' }, 404)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [{ address: 'constant/main/Url' }] })
})

it('does not repeat a lost create of what is listed and cannot be read', async () => {
  workspace.emulator.setBehaviour({ duplicateNames: 'accepted' })
  workspace.manifest('database: main\nconstants: [{ name: New, common: c }]')
  answer('/db/1/admin/constants/*', { type: 'ResourceNotFound', description: 'No.' }, 404)
  workspace.emulator.addFault({ match: { method: 'POST', path: '/db/*' }, effect: { kind: 'reset', carriedOut: true } })
  expect(await workspace.apply()).toMatchObject({ outcome: 'partial', counts: { unknown: 1 } })
  expect(writesOf(workspace.emulator)).toHaveLength(1)
})
