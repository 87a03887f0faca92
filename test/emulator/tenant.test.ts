// Tenant files: both formats, what is refused and where, and state that survives a restart.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
import { startPlatform } from './start-platform.ts'

let folder: string
const folders: string[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'))
  folders.push(folder)
})
// At the very end: emulators that close after each test still write there.
afterAll(async () => {
  for (const each of folders) await rm(each, { recursive: true })
})

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

const complete = `
apiApplications:
  - { name: svcsync, clientId: svcsync, clientSecret: svcsync-secret, scopes: all, svcId: app@svcsync }
accounts:
  - { svcId: anna@corp.example.com, name: Anna, type: Other }
users:
  - { svcId: jan@x, name: Jan, email: jan@x, phoneNumber: "1", managerSvcId: anna@corp.example.com, jobTitle: Clerk }
groups:
  - { svcId: staff@x, name: Staff, email: s@x, members: [jan@x, anna@corp.example.com], owners: [jan@x] }
licenses: { installation: cloud, available: { User: 100 }, assigned: [ { svcId: jan@x, licenses: [User] } ] }
databases:
  - id: 3
    businessEntities: [ { code: PL01, name: Poland } ]
    constantGroups: [ { id: 4, name: ERP } ]
    constants: [ { name: C, description: d, groupId: 4, common: "text", test: "text" } ]
    connections: [ { name: ERP, type: SQL, sql: { common: { server: s, password: p }, test: { server: t } } } ]
    applications:
      - name: Purchasing
        privileges: [ { svcId: jan@x, level: ReadOnly } ]
        processes:
          - name: Invoice approval
            id: 77
            checkedOutBy: someone@example.com
            constants: [ { name: Limit, common: "1" } ]
            privileges: [ { svcId: staff@x, level: Start, company: PL01 } ]
            formTypes: [ { name: Invoice } ]
            workflows:
              - name: Main
                formTypes: [ Invoice ]
                privileges: { Invoice: [ { svcId: jan@x, level: Modify } ] }
behaviour: { emptyMembers: "null" }
`

test('a complete tenant file starts an installation', async () => {
  const { get, emulator } = await startPlatform({ tenantFile: await fileOf('tenant.yaml', complete) })
  expect((await get('/admin/groups/staff@x')).body.members).toHaveLength(2)
  expect((await get('/db/3/processes/77/admin/privileges')).body.privileges).toMatchObject([{ company: { id: 1 } }])
  expect(emulator.behaviour.emptyMembers).toBe('null')
})

test('the same as JSON, and as an object', async () => {
  const fromYaml = await startPlatform({ tenantFile: await fileOf('tenant.yaml', complete) })
  const state = fromYaml.emulator.state()
  const file = await fileOf('tenant.json', JSON.stringify(state))
  expect((await startPlatform({ tenantFile: file })).emulator.state()).toEqual(state)
  expect((await startPlatform({ tenant: state })).emulator.state()).toEqual(state)
})

test.each([
  ['users:\n  - { svcId: a@x }\n  - { svcId: b@x, surname: B }', '3:19: users[1].surname: "surname" is not known here'],
  ['users:\n  - name: A', '2:5: users[0].svcId: "svcId" is missing'],
  ['users: 5', '1:1: users: must be a list'],
  ['users: [ { svcId: a@x }, { svcId: A@x } ]', 'users[1].svcId: the svcId "A@x" is there twice'],
  ['groups:\n  - svcId: g\n    members:\n      - nobody', '4:9: groups[0].members[0]: nobody has the svcId "nobody"'],
  [
    'databases: [ { id: 1, constants: [ { name: C, common: 5 } ] } ]',
    'databases[0].constants[0].common: must be a text',
  ],
  [
    'databases: [ { id: 1, connections: [ { name: C, type: SQL, sql: { common: { host: h } } } ] } ]',
    'databases[0].connections[0].sql.common.host: "host" is not known here',
  ],
  [
    'databases: [ { id: 1, applications: [ { name: A, processes: ' +
      '[ { name: P, workflows: [ { name: W, formTypes: [ F ] } ] } ] } ] } ]',
    'the process has no form type "F"',
  ],
  ['behaviour: { svcIdCase: maybe }', 'behaviour.svcIdCase: must be one of sensitive, insensitive'],
  ['users: [', 'is not YAML'],
])('%j is refused with its place', async (text, message) => {
  const tenantFile = await fileOf('broken.yaml', text)
  const started = startEmulator({ tenantFile })
  await expect(started).rejects.toMatchObject({ actor: 'operator', message: expect.stringContaining('broken.yaml') })
  await expect(started).rejects.toThrow(message.split(' one of ')[0])
})

test('a tenant file that is not there is the operator’s business', async () => {
  await expect(startEmulator({ tenantFile: join(folder, 'none.yaml') })).rejects.toMatchObject({ code: 'SVC2811' })
})

test('a port that is taken is named', async () => {
  const { emulator } = await startPlatform()
  await expect(startEmulator({ port: emulator.port })).rejects.toThrow(String(emulator.port))
})

test('state survives a restart, and goes on counting', async () => {
  const stateFile = join(folder, 'state.json')
  const tenantFile = await fileOf('tenant.yaml', complete)
  const first = await startEmulator({ stateFile, tenantFile })
  first.setBehaviour({ privilegeName: 'name' })
  const before = first.state()
  await first.close()
  const second = await startPlatform({ stateFile, tenantFile })
  expect(second.emulator.state()).toEqual(before)
  const { body: created } = await second.post('/db/3/admin/constants', { name: 'New', common: { value: '' } })
  await second.emulator.close()
  const third = await startPlatform({ stateFile })
  expect((await third.get(`/db/3/admin/constants/${created.guid}`)).body.name).toBe('New')
  const { body: next } = await third.post('/db/3/admin/constants', { name: 'Newer', common: { value: '' } })
  expect(next.id).toBe(created.id + 1)
})

test('state is saved soon after a write, whole', async () => {
  const stateFile = join(folder, 'state.json')
  const { post } = await startPlatform({ stateFile })
  await post('/admin/users', { svcId: 'anna@x' })
  await expect.poll(() => readFile(stateFile, 'utf8').catch(() => '{}'), { timeout: 60_000 }).toContain('anna@x')
  expect(JSON.parse(await readFile(stateFile, 'utf8')).users).toHaveLength(1)
  expect(await readdir(folder)).toEqual(['state.json'])
})
