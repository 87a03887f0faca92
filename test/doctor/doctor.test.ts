// The findings of `doctor` for a sound platform, a project and an application. It never writes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkDocument } from '../../src/cli/commands/platform/doctor.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { kindsRefused } from '../harness/granted-kinds.ts'
import { openRewording } from '../harness/rewording.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { wordyTenant } from '../harness/whole-tenant.ts'
import { application, manifest, pinned, useDoctor } from './doctor-fixture.ts'
import { checkOf, examine, unwell } from './examine.ts'

const lab = useDoctor()
const { open, run, everywhere } = lab

it('finds nothing wrong where everything is right, in few requests', async () => {
  await open({ target: pinned })
  const report = await run()
  expect(unwell(report)).toEqual([])
  expect(report.result).toBe('ok')
  expect(report.requests).toBeLessThan(30)
})

it('asks for no scope to write before everything is read, and for none at all for a plan', async () => {
  await open()
  await run()
  const asked = lab.workspace.emulator.requests()
  const last = asked.at(-1)
  expect(last?.path).toBe('/api/oauth2/token')
  expect(
    asked
      .slice(0, -1)
      .flatMap(({ scopes }) => scopes ?? [])
      .filter((scope) => String(scope).includes('Write')),
  ).toEqual([])
  await lab.workspace.control('DELETE', '/requests')
  expect(checkOf(await run({ purpose: 'plan' }), 'scopes-to-write').result).toBe('not-checked')
  expect(lab.workspace.emulator.requests().filter(({ path }) => String(path).endsWith('/token'))).toHaveLength(1)
})

it('warns of a client secret that is a word: what the platform says is shown without it', async () => {
  for (const [clientSecret, result] of [
    ['secret', 'warning'],
    ['x1-!', 'warning'],
    ['svcsync-secret', 'ok'],
  ] as const) {
    await open({ tenant: application({ clientSecret }), env: { SVCSYNC_CLIENT_SECRET: clientSecret } })
    const { found, ...token } = checkOf(await run(), 'token')
    expect(token.result).toBe(result)
    expect(found.includes('[secret]')).toBe(result === 'warning')
    if (clientSecret !== 'svcsync-secret') await lab.workspace.close()
  }
})

it('names what an apply needs and is not here', async () => {
  const login = 'user: u, password: "${env:ERP_PASSWORD}"'
  await open({}, `database: main\nconnections: [{ name: ERP, type: SQL, sql: { common: { ${login} } } }]\n`)
  const of = async (purpose?: 'plan' | 'apply') => {
    await lab.workspace.control('DELETE', '/requests')
    const report = await run(purpose && { purpose })
    expect(checkOf(report, 'scopes-to-write').result).toBe(purpose === 'plan' ? 'not-checked' : 'ok')
    return checkOf(report, 'manifests')
  }
  const told = expect.stringMatching(/ An apply needs ERP_PASSWORD, which is not here\.$/)
  expect(await of()).toMatchObject({ result: 'warning', found: told, todo: expect.any(String) })
  expect(await of('plan')).toMatchObject({ result: 'ok', found: told })
  expect(await of('apply')).toMatchObject({
    result: 'problem',
    found: told,
    todo: expect.not.stringContaining('validate'),
  })
  expect((await of('apply')).details).toEqual([expect.stringMatching(/main\.yaml:2:\d+ SVC1201 /)])
})

it('names the kinds whose scopes are missing, and reads the others', async () => {
  const scopes = ['Admin.Groups.Read', 'App.Metadata.Read', 'Admin.Constants.ReadWrite']
  await open({ tenant: application({ scopes }) })
  const report = await run()
  expect(checkOf(report, 'scopes-to-read')).toMatchObject({ result: 'problem', code: 'SVC3043' })
  const refused = kindsRefused(scopes).map(({ title }) => title.toLowerCase())
  expect(refused).toContain('users')
  expect(checkOf(report, 'scopes-to-read').found).toBe(
    `The application lacks scopes to read ${refused.join(', ')} and business entities.`,
  )
  expect(checkOf(report, 'scopes-to-read').details).toContainEqual(
    expect.stringMatching(/^Users: needs one of Admin\.Users\.Read, /),
  )
  expect(checkOf(report, 'scopes-to-read').details).toContainEqual('Groups: Admin.Groups.Read')
  expect(checkOf(report, 'scopes-to-write').result).toBe('warning')
  expect(checkOf(report, 'pages').details).toEqual([expect.stringMatching(/^Groups: /)])
})

it('takes an application that can only read for what it is', async () => {
  // The platform tells privileges on elements only to accounts that can change them.
  const scopes = ['Admin.Read.All', 'App.Metadata.Read', 'App.Elements.Admin.All']
  await open({ target: pinned, tenant: application({ scopes }) })
  expect(unwell(await run())).toEqual(['scopes-to-write: warning'])
  expect(unwell(await examine(lab.workspace, { purpose: 'plan' }))).toEqual(['scopes-to-write: not-checked'])
  const report = await examine(lab.workspace, { purpose: 'apply' })
  expect(unwell(report)).toEqual(['scopes-to-write: problem'])
  expect(report.result).toBe('problem')
})

it('says that the application acts for a person', async () => {
  await open({ tenant: application({ impersonates: 'jan.kos@example.com' }) })
  const report = await run()
  expect(checkOf(report, 'application')).toMatchObject({
    result: 'problem',
    found: 'The application svcsync acts in the name of Jan Kos (jan.kos@example.com).',
  })
})

it('tells wrong manifests and goes on', async () => {
  await open({}, `${manifest}\nusers2: []\n`)
  const report = await run()
  expect(checkOf(report, 'manifests')).toMatchObject({ result: 'problem' })
  expect(checkOf(report, 'manifests').details?.[0]).toMatch(/main\.yaml:\d+:\d+ SVC\d{4} /)
  expect(checkOf(report, 'connection').result).toBe('ok')
})

it('names databases that are not there', async () => {
  await open({ target: '    x: 1' }, 'users: []\nconstants: []\n')
  lab.workspace.write(
    'svcsync.yaml',
    `version: 1
manifests: [manifests]
targets:
  test:
    baseUrl: ${lab.workspace.emulator.url}
    clientId: svcsync
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
    databases: { main: 1, archive: 9 }
`,
  )
  lab.workspace.manifest('database: main\nconstants:\n  - { name: A, common: b }\n')
  expect(checkOf(await run(), 'databases')).toMatchObject({
    result: 'problem',
    code: 'SVC2041',
    found: 'The platform has no database archive = 9.',
    details: ['main = 1 is there'],
  })
})

const declared = 'database: main\napplications: [{ application: Sample application, privileges: { ReadOnly: [] } }]\n'
const project = (databases: string) => `version: 1
manifests: [manifests]
targets:
  test:
    baseUrl: ${lab.workspace.emulator.url}
    clientId: svcsync
    clientSecret: "\${env:SVCSYNC_CLIENT_SECRET}"
${databases}`

it.each([
  ['all of it', '', 'svcsync could understand no declared object: 1 manifest has errors.'],
  [
    'some of it',
    'users: [{ svcId: jan.kos@example.com, name: Jan Kos }]\n',
    'svcsync read only the 1 object that it understood: 1 manifest has errors.',
  ],
])('says of manifests with errors what it looked at: not %s', async (_, fine, because) => {
  await open({}, fine)
  lab.workspace.write('svcsync.yaml', project(''))
  lab.workspace.write('manifests/wrong.yaml', declared)
  const report = await run()
  expect(checkOf(report, 'manifests').result).toBe('problem')
  for (const name of ['names', 'databases', 'scopes-to-read', 'scopes-to-write', 'objects'] as const)
    expect(checkOf(report, name)).toEqual({ check: name, result: 'not-checked', found: because })
})

it('says nothing of names in a database that is not there, and offers no lines to pin the installation', async () => {
  await open()
  lab.workspace.write('svcsync.yaml', project('    databases: { main: 3 }\n'))
  const report = await run()
  expect(checkOf(report, 'databases')).toMatchObject({ result: 'problem', code: 'SVC2041' })
  expect(checkOf(report, 'names')).toEqual({
    check: 'names',
    result: 'not-checked',
    found: 'They could not be looked up: the platform has no database main = 3.',
  })
  expect(checkOf(report, 'installation').copy).toBeUndefined()
  expect(checkOf(report, 'installation').todo).toMatch(/^Solve the other problems first/)
  lab.workspace.write('svcsync.yaml', project('    databases: { main: 1, archive: 3 }\n'))
  expect(checkOf(await examine(lab.workspace), 'names').found).toMatch(/^The platform has the declared .*\.$/)
  lab.workspace.write('manifests/more.yaml', declared.replace('main', 'archive'))
  expect(checkOf(await examine(lab.workspace), 'names').found).toMatch(
    /business entities, but for 1 not looked up: the platform has no database archive = 3\.$/,
  )
})

it('looks up what substitutions and licences name, in whichever database', async () => {
  const databases = [{ id: 1 }, { id: 2, applications: [{ name: 'Orders' }] }]
  const users = ['a', 'b'].map((name) => ({ svcId: `${name}@example.com`, name }))
  const between = 'person: a@example.com, substitute: b@example.com, type: TaskDelegation, from: 2100-07-01'
  const named = (application: string) =>
    `substitutions: [{ ${between}, to: 2100-07-15, applications: ` +
    `[{ application: ${application}, database: sales }] }]\n`
  await open({ tenant: { users, databases } as Tenant }, named('Orders'))
  const project = join(lab.workspace.dir, 'svcsync.yaml')
  lab.workspace.write('svcsync.yaml', readFileSync(project, 'utf8').replace('{ main: 1 }', '{ main: 1, sales: 2 }'))
  expect(checkOf(await examine(lab.workspace), 'names')).toMatchObject({ result: 'ok' })
  lab.workspace.manifest(named('Order'))
  expect(checkOf(await examine(lab.workspace), 'names')).toMatchObject({ result: 'problem' })
  lab.workspace.manifest('licenses: [{ svcId: a@example.com, licenses: [{ type: User }] }]\n')
  expect(checkOf(await examine(lab.workspace), 'names')).toMatchObject({ result: 'ok' })
  // Plans skip kinds that the installation lacks, too.
  lab.workspace.emulator.load({ users, databases, licenses: { installation: 'onPremises' } } as unknown as Tenant)
  const lacking = checkOf(await examine(lab.workspace), 'objects')
  expect(lacking).toMatchObject({
    result: 'warning',
    code: 'SVC1338',
    found: expect.stringContaining('no licences:'),
  })
})

it('doubts a document that calls otherwise what was read by the names of the target', async () => {
  await open({ target: '    wireNames: { svcId: crmId }' })
  const parameters = [{ name: 'loginId', in: 'query', required: true, schema: { type: 'string' } }]
  const paths = { '/api/data/v6.0/admin/user': { delete: { parameters, responses: {} } } }
  lab.workspace.write('openapi.json', JSON.stringify({ openapi: '3.0.3', paths }))
  const held = (understood: readonly string[]) =>
    checkDocument(join(lab.workspace.dir, 'openapi.json'), lab.workspace.open(), {}, new Set(understood))
  expect((await held([])).todo).toContain('--write')
  const doubted = await held(['svcId', 'name'])
  expect(doubted.found).toBe(
    'Reading worked with `wireNames` as they are, and the document has other names: ' +
      'is this the document of this platform?',
  )
  expect(doubted.todo).not.toContain('--write')
})

it('names `wireNames`, and no permission, where the platform refuses one of its names, as plan does', async () => {
  await open({ target: '    wireNames: { svcId: crmId }' })
  const report = await run()
  expect(checkOf(report, 'objects')).toMatchObject({ result: 'problem', code: 'SVC3030' })
  const todo =
    'The target renames `svcId` in `wireNames`: check it there. ' +
    "`svcsync doctor --openapi DOCUMENT` compares it with the installation's document."
  expect(checkOf(report, 'objects').todo).toBe(todo)
  const { unreadable } = (await lab.workspace.plan()).document
  expect(unreadable[0]).toMatchObject({ code: 'SVC3030', hint: todo })
})

it('says of another refusal what a name could have to do with it', async () => {
  await open()
  const body = { type: 'InvalidInput', description: 'Unknown parameter `svcId`.' }
  everywhere('*/admin/group', { kind: 'status', status: 400, body })
  expect(checkOf(await run(), 'objects').todo).toMatch(/^Read what the platform says\. If it does not know a name/)
})

it('lists names that lead nowhere', async () => {
  await open({}, 'applications:\n  - application: Sample applicatoin\n    privileges: { ReadOnly: [] }\n')
  const { code, details } = checkOf(await run(), 'names')
  expect(code).toBe('SVC1401')
  expect(details?.[0]).toContain('Sample applicatoin')
})

it.each([
  {},
  { inheritedEnvironments: 'omitted' },
  { inheritedEnvironments: 'shown', sqlConnections: 'connectionType' },
])('knows every key of the objects of every kind (%o)', async (behaviour) => {
  await open({ tenant: wordyTenant as never, behaviour: behaviour as never })
  const report = await run()
  expect(report.variants.find((each) => each.switch === 'inheritedEnvironments')?.found).toMatch('was read')
  expect(checkOf(report, 'answers').found).toBe('Answers have the documented keys.')
})

it('names what a later installation tells beside the documented keys, each once', async () => {
  const [database] = sampleTenant.databases ?? []
  const connections = [{ name: 'ERP', type: 'SQL', sql: { common: { server: 's' } } }]
  const privileges = [{ svcId: 'jan.kos@example.com', level: 'ReadOnly' }]
  const applications = database?.applications?.map((each) => ({ ...each, privileges }))
  const tenant = { ...sampleTenant, databases: [{ ...database, connections, applications }] } as Tenant
  await open({ target: pinned, tenant })
  const wire = await openRewording(lab.workspace.emulator.url)
  try {
    const file = join(lab.workspace.dir, 'svcsync.yaml')
    lab.workspace.write('svcsync.yaml', readFileSync(file, 'utf8').replace(lab.workspace.emulator.url, wire.url))
    expect(checkOf(await examine(lab.workspace), 'answers').found).toBe('Answers have the documented keys.')
    const beside = [
      ['"jobTitle":', '"costCentre":7,"jobTitle":'],
      ['"server":', '"isolationLevel":"Snapshot","server":'],
      ['"level":', '"since":"2026-01-01","level":'],
      ['"applications":[{', '"applications":[{"icon":"x",'],
    ] as const
    wire.reword = (_, answer) =>
      JSON.parse(beside.reduce((text, [key, both]) => text.replaceAll(key, both), JSON.stringify(answer)))
    const report = await examine(lab.workspace)
    expect(unwell(report)).toEqual([])
    expect(checkOf(report, 'answers').found).toBe(
      'Answers have the documented keys. ' +
        'They also tell what svcsync does not know, and compares and sends nowhere but under `extra`: ' +
        '`costCentre` of users, `icon` of applications, `privileges[].since` of application privileges, ' +
        '`sql.common.isolationLevel` of data connections.',
    )
  } finally {
    await wire.close()
  }
})

it('names what the application may not read, with what was answered', async () => {
  await open()
  everywhere('*/admin/privileges', {
    kind: 'status',
    status: 403,
    body: { type: 'InsufficientAccountPermissions', description: 'Not yours.' },
  })
  const report = await run()
  expect(checkOf(report, 'objects')).toMatchObject({ result: 'problem', code: 'SVC3041' })
  expect(checkOf(report, 'objects').details).toContainEqual(
    expect.stringMatching(/^application\/main\/Sample application: .*403.*Not yours\./),
  )
})
