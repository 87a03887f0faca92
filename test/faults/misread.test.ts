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
  ['privileges without svcIds', privilege, privileges, { privileges: [{ login: 'jan@example.com', level: 'Start' }] }],
  [
    'privileges with another sort of level',
    privilege,
    privileges,
    { privileges: [{ svcId: 'jan@example.com', level: 1 }] },
  ],
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

const constants = 'database: main\nconstants: [{ name: Url, common: old }, { name: New, common: x }]'
const user = { svcId: 'anna@example.com', name: 'Anna', status: 'Synchronized' }

it.each([
  ['a null', [null]],
  ['a text', ['Url']],
  ['a list', [[]]],
  ['a number', [1]],
  ['an object without a name', [{ id: 1, guid: 'g-1' }]],
  ['an object without an id', [{ name: 'Url' }]],
  ['an object in place of the list', { id: 1, guid: 'g-1', name: 'Url' }],
  ['a text in place of the list', 'Url'],
  ['a null in place of the list', null],
])('a list of constants with %s is unreadable, and nothing is created', async (_what, list) => {
  workspace.emulator.setBehaviour({ duplicateNames: 'accepted' })
  workspace.manifest(constants)
  answer('/db/1/admin/constants', { constants: list })
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], steps: [] })
  expect(document.unreadable.map(({ address }) => address)).toEqual(['constant/main/New', 'constant/main/Url'])
  expect(document.unreadable[0]?.code).toMatch(/^SVC30(23|62)$/)
})

it('a list with an object whose name is null tells the others', async () => {
  const url = { id: 1, guid: 'c0000000-0000-4000-8000-000000000001', name: 'Url' }
  workspace.manifest('database: main\nconstants: [{ name: Url, common: new }]')
  answer('/db/1/admin/constants', {
    constants: [{ ...url, id: 2, guid: 'c0000000-0000-4000-8000-000000000002', name: null }, url],
  })
  answer('/db/1/admin/constants/*', { ...url, description: null, groupId: null, common: { value: 'new' } })
  expect((await workspace.plan()).document).toMatchObject({ changes: [], unreadable: [], counts: { none: 1 } })
})

it.each([
  ['users', 'user', [user, null]],
  ['users', 'user', [user, 'jan@example.com']],
  ['users', 'user', [user, { name: 'Jan' }]],
  ['groups', 'group', [{ svcId: 'g1', name: 'G' }, []]],
])('a list of %s with an item that is none is unreadable', async (section, kind, list) => {
  workspace.manifest(`${section}: [{ svcId: a, name: A }, { svcId: b, name: B }, { svcId: c, name: C }]`)
  answer(`/admin/${section}`, { [section]: list })
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], steps: [] })
  expect(document.unreadable.map(({ address }) => address)).toEqual(['a', 'b', 'c'].map((id) => `${kind}/${id}`))
})

it.each([
  ['processes', '/db/1/applications/*/processes', { processes: [null] }],
  ['processes', '/db/1/applications/*/processes', { processes: [{ name: 'Approval' }] }],
  ['business entities', '/admin/db/1/businessentities', { businessEntities: ['PL01'] }],
])('a list of %s with an item that is none costs what names something in it', async (_what, path, body) => {
  workspace.manifest(
    'database: main\nprocesses: [{ process: Approval, privileges: ' +
      '{ Start: [{ svcId: anna@example.com, company: PL01 }] } }]',
  )
  answer(path, body)
  expect((await workspace.plan()).document).toMatchObject({
    steps: [],
    unreadable: [{ reason: expect.stringContaining('does not say which object it is') }],
  })
})

const portal = { url: 'https://portal', environment: 'Local', breakInheritance: true }
const mail = { serverType: 'OnPremises', mailWebService: { url: 'https://mail' }, breakInheritance: true }
const rest = { baseUrl: 'https://api', authentication: 'Anonymous', skipHttpsCertificateValidation: true }

/** The one connection that there is, and what a manifest says of its settings. */
async function planConnection(type: string, node: string, common: object, declared: object) {
  const item = { id: 1, guid: 'c0000000-0000-4000-8000-000000000001', name: 'C', type }
  workspace.emulator.clearFaults()
  answer('/db/1/admin/connections', { connections: [item] })
  answer('/db/1/admin/connections/*', { ...item, [node]: { common } })
  const connection = { name: 'C', type, [node]: { common: declared } }
  workspace.manifest(`database: main\nconnections: [${JSON.stringify(connection)}]`)
  return (await workspace.plan()).document
}

it.each([
  ['DocPortal', 'docportal', portal, { url: 'https://portal' }],
  ['MailServer', 'mailserver', mail, { mailWebService: { url: 'https://mail' } }],
  ['REST', 'rest', rest, { baseUrl: 'https://api', authenticationUrl: '' }],
  ['SQL', 'sql', { server: 'sql01', integratedAuthentication: true }, { server: 'sql01' }],
])('what settings of %s leave out is not set, whatever else they tell', async (type, node, common, declared) => {
  expect(await planConnection(type, node, common, declared)).toMatchObject({ changes: [], unreadable: [] })
  const more = { ...common, addedLater: 'x' }
  expect(await planConnection(type, node, more, declared)).toMatchObject({ changes: [], unreadable: [], warnings: [] })
})

it.each([
  ['REST', 'rest', { baseUrl: 'https://api' }, { skipHttpsCertificateValidation: false }],
  ['SQL', 'sql', { server: 'sql01' }, { integratedAuthentication: false }],
])('settings of %s that do not tell yes say no', async (type, node, common, no) => {
  const declared = { ...common, ...no }
  expect(await planConnection(type, node, common, declared)).toMatchObject({ changes: [], unreadable: [] })
  const [flag = ''] = Object.keys(no)
  const changes = [{ action: 'update', differences: [{ path: `${node}.common.${flag}`, after: true }] }]
  expect(await planConnection(type, node, common, { ...common, [flag]: true })).toMatchObject({ changes })
})

it('a word that nobody knows is text like any other, and is sent back as it is', async () => {
  const told = { ...rest, authentication: 'OAuth3' }
  const same = await planConnection('REST', 'rest', told, { baseUrl: 'https://api', authentication: 'Basic' })
  expect(same.changes[0]?.differences).toMatchObject([{ before: 'OAuth3', after: 'Basic' }])
  const { steps } = await planConnection('REST', 'rest', told, { baseUrl: 'https://new' })
  expect(steps).toMatchObject([{ spec: { rest: { common: { authentication: 'OAuth3', baseUrl: 'https://new' } } } }])
})

it('sends nothing of what was left out', async () => {
  const { steps } = await planConnection('REST', 'rest', rest, { baseUrl: 'https://new' })
  expect(steps).toMatchObject([{ verb: 'update', spec: { rest: { common: { ...rest, baseUrl: 'https://new' } } } }])
  expect(JSON.stringify(steps[0]?.spec)).not.toMatch(/null|authenticationUrl|connectAs/)
})

it.each([
  ['without description and group', {}],
  ['with a field that nobody knows', { about: 'x' }],
])('a constant %s is read', async (_what, more) => {
  const item = { id: 1, guid: 'c0000000-0000-4000-8000-000000000001', name: 'C' }
  answer('/db/1/admin/constants', { constants: [item] })
  answer('/db/1/admin/constants/*', { ...item, ...more, common: { value: 'x' } })
  workspace.manifest('database: main\nconstants: [{ name: C, description: null, groupId: null, common: x }]')
  expect((await workspace.plan()).document).toMatchObject({ changes: [], unreadable: [] })
})

it('a group that tells no members has none', async () => {
  answer('/admin/group', { ...group, owners: undefined })
  workspace.manifest('groups: [{ svcId: staff@example.com, members: [], owners: [] }]')
  expect((await workspace.plan()).document).toMatchObject({ changes: [], unreadable: [] })
})

const standIn = {
  ...{ id: 7, startDate: '2100-01-01T00:00:00', endDate: '2100-02-01T00:00:00', type: 'TaskDelegation' },
  ...{ originalPerson: { svcId: 'anna@example.com' }, substitutePerson: { svcId: 'jan@example.com' } },
  ...{ businessEntity: null, activeApplications: { allApplications: true, applications: [], processes: [] } },
}

const declaredStandIn =
  '{ person: anna@example.com, substitute: jan@example.com, type: TaskDelegation, from: 2100-01-01, to: 2100-03-01 }'

it.each([
  ['it is limited to is not told', { activeApplications: null }],
  ['it begins is not told', { startDate: null }],
  ['it is for is not told', { originalPerson: { name: 'Anna' } }],
])('a substitution of which what %s is not made a second time', async (_what, other) => {
  answer('/admin/substitutions', { substitutions: [{ ...standIn, ...other }] })
  workspace.manifest(`substitutions: [${declaredStandIn}]`)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], steps: [], unreadable: [{ code: 'SVC3025' }] })
})

it('a substitution of a type that nobody knows is another one than any that is declared', async () => {
  answer('/admin/substitutions', { substitutions: [{ ...standIn, type: 'Holiday' }] })
  workspace.manifest(`substitutions: [${declaredStandIn}]`)
  expect(await workspace.changes()).toHaveLength(1)
})

const licence = (dbId: unknown) => ({
  type: 'SingleSolutionUser',
  singleSolutionSettings: { processes: [{ guid: 'p', dbId }] },
})

it.each([
  [[licence('1')], 'under `licenses`, `dbId` is a text'],
  [[licence(null)], 'under `licenses`, `dbId` is null'],
  [[{ type: '' }], 'under `licenses`, `type` is empty'],
  [[{ type: [] }], 'under `licenses`, `type` is a list'],
  [[{}], 'under `licenses`, it has no `type`'],
])('a value of another sort is not said to be missing: %j', async (licenses, reason) => {
  answer('/admin/licenses', { assignedLicenses: [{ svcId: 'anna@example.com', licenses }] })
  workspace.manifest('licenses: [{ svcId: anna@example.com, licenses: [] }]')
  const { document } = await workspace.plan()
  expect(document.unreadable[0]?.reason).toContain(reason)
})

it('a privilege for a company that is not told is no privilege for all of them', async () => {
  workspace.manifest(privilege)
  answer(privileges, { privileges: [{ svcId: 'jan@example.com', level: 'Start', company: { name: 'Poland' } }] })
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [{ code: 'SVC3025' }] })
})

const gone = 'users: [{ svcId: anna@example.com, name: New }]'
it.each([
  ['a web page', { kind: 'text', status: 404, contentType: 'text/html', body: '<html>Not found</html>' }, 'SVC3020'],
  ['an empty body', { kind: 'text', status: 404, contentType: 'application/json', body: '' }, 'SVC3061'],
  ['bare text', { kind: 'text', status: 404, contentType: 'text/plain', body: '404 page not found' }, 'SVC3061'],
  ['bare JSON', { kind: 'status', status: 404, body: {} }, 'SVC3061'],
  ["a gateway's JSON", { kind: 'status', status: 404, body: { message: 'no Route matched' } }, 'SVC3061'],
  [
    'a problem document',
    { kind: 'status', status: 404, body: { type: 'https://tools.ietf.org/html/rfc9110', title: 'Not Found' } },
    'SVC3061',
  ],
  ['a type alone', { kind: 'status', status: 404, body: { type: 'NotFound', message: 'no such route' } }, 'SVC3061'],
] as const)('a 404 with %s tells nothing about an object', async (_what, effect, code) => {
  workspace.manifest(gone)
  workspace.emulator.addFault({ match: { method: 'GET', path: '/admin/user' }, count: null, effect })
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [{ address: 'user/anna@example.com', code }] })
})

const notFound = { type: 'ResourceNotFound', description: 'No.' }
const none = 'processes: [{ process: Approval, privileges: { Start: [anna@example.com] } }]'

it('a 404 on privileges is not that nobody has any: nothing is planned', async () => {
  workspace.manifest(`database: main\n${none}`)
  answer(privileges, notFound, 404)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], steps: [], unreadable: [{ code: 'SVC3031' }] })
})

it('a 404 on privileges proves no removal whose answer was lost', async () => {
  workspace.manifest('database: main\nprocesses: [{ process: Approval, privileges: { Start: [] } }]')
  workspace.emulator.addFault({
    match: { path: privileges },
    nth: 2,
    count: null,
    effect: { kind: 'status', status: 404, body: notFound },
  })
  workspace.emulator.addFault({
    match: { method: 'POST', path: '*/remove' },
    effect: { kind: 'reset', carriedOut: false },
  })
  const report = await workspace.apply()
  expect(report).toMatchObject({ outcome: 'partial', counts: { done: 0, unknown: 1 } })
})

it('a 404 on privileges is left out of an export with its reason', async () => {
  answer(privileges, notFound, 404)
  const { leftOut } = await workspace.export({ only: ['process/**'] })
  expect(leftOut).toMatchObject([{ address: 'process/main/Purchasing/Approval' }])
})

/** Page 0 is refused, as where pages are counted from 1, and what follows is empty. */
function cutOff(list: string): void {
  const body = { type: 'InvalidQueryParameterValue', description: 'There is no such page.' }
  workspace.emulator.addFault({
    match: { path: `/admin/${list}`, query: 'page=0' },
    count: null,
    effect: { kind: 'status', status: 400, body },
  })
  workspace.emulator.addFault({
    match: { path: `/admin/${list}` },
    count: null,
    effect: { kind: 'status', status: 200, body: { [list]: [] } },
  })
}

it.each([
  ['users', 'anna@example.com', 'jan@example.com'],
  ['groups', 'empty@example.com', 'staff@example.com'],
])('a list of %s that holds nothing is not believed where a declared one answers', async (list, first, second) => {
  workspace.manifest(`${list}: [{ svcId: ${first}, name: A }, { svcId: ${second}, name: B }, { svcId: z, name: Z }]`)
  cutOff(list)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], steps: [] })
  expect(document.unreadable.map(({ code }) => code)).toEqual(['SVC3063', 'SVC3063', 'SVC3063'])
})

it('a 404 for the first page is an empty list of substitutions alone', async () => {
  for (const list of ['groups', 'substitutions']) answer(`/admin/${list}`, notFound, 404)
  workspace.manifest(
    'groups: [{ svcId: a, name: A }, { svcId: b, name: B }, { svcId: c, name: C }]\n' +
      `substitutions: [${declaredStandIn}]`,
  )
  const { document } = await workspace.plan()
  expect(document.unreadable.map(({ address }) => address)).toEqual(['group/a', 'group/b', 'group/c'])
  expect(document.changes).toMatchObject([{ action: 'create' }])
})

it('an installation without users is believed after one look more', async () => {
  workspace.manifest('users: [{ svcId: x, name: X }, { svcId: y, name: Y }, { svcId: z, absent: true }]')
  expect(await workspace.changes()).toEqual(['create user/x', 'create user/y'])
  const reads = workspace.emulator.requests().filter(({ path }) => String(path).endsWith('/admin/user'))
  expect(reads).toHaveLength(1)
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
