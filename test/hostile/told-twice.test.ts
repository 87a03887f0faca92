// A platform that tells each item of each list twice: nothing is counted, compared or taken away twice, and no object
// is taken for two.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { json, startRawServer } from './raw-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const app = { id: 1, guid: 'a0000000-0000-4000-8000-000000000001', name: 'Purchasing' }
const processOf = { id: 2, guid: 'a0000000-0000-4000-8000-000000000002', name: 'Invoice approval', isRelation: false }
const entity = { id: 3, guid: 'a0000000-0000-4000-8000-000000000003', name: 'Poland Ltd', code: 'PL01' }
const constant = { id: 4, guid: 'a0000000-0000-4000-8000-000000000004', name: 'ErpUrl' }
const staff = { svcId: 'staff@x', name: 'Staff', email: null, status: 'Synchronized' }
const account = (svcId: string) => ({ svcId, name: svcId, email: null, type: 'User' })

const answers: Record<string, Record<string, unknown>> = {
  '/admin/group': { ...staff, members: [account('anna@x'), account('jan@x')], owners: null },
  '/admin/licenses': { assignedLicenses: [{ svcId: 'anna@x', licenses: [{ type: 'User' }, { type: 'PowerUser' }] }] },
  '/admin/licenses/summary': { licenses: [] },
  '/admin/db/1/businessentities': { businessEntities: [entity] },
  '/db/1/admin/constants': { constants: [constant] },
  [`/db/1/admin/constants/${constant.guid}`]: {
    ...constant,
    ...{ description: null, groupId: null, groupName: null, common: { value: 'x' } },
  },
  '/db/1/applications': { applications: [app] },
  [`/db/1/applications/${app.guid}/processes`]: { processes: [processOf] },
  [`/db/1/processes/${processOf.guid}/admin/privileges`]: {
    privileges: [
      { svcId: 'jan@x', level: 'ReadOnly', company: null },
      { svcId: 'jan@x', level: 'ReadOnly', company: entity },
      { svcId: 'ewa@x', level: 'Start', company: null },
    ],
  },
}

const manifest = `database: main
groups:
  - { svcId: staff@x, members: [anna@x] }
constants:
  - { name: ErpUrl, common: x }
licenses:
  - { svcId: anna@x, licenses: [{ type: User }] }
processes:
  - process: Invoice approval
    privileges:
      ReadOnly: [{ svcId: jan@x, company: PL01 }]
`

function twice(answer: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, Array.isArray(value) ? [...value, ...value] : value]),
  )
}

async function plan(told: (answer: Record<string, unknown>) => unknown) {
  const server = await startRawServer(({ path }, socket) => {
    const answer = answers[new URL(path, 'http://x').pathname.replace('/api/data/v6.0', '')]
    if (answer !== undefined) socket.write(json(JSON.stringify(told(answer))))
    else socket.write(json('{"type":"ResourceNotFound"}', '', '404 Not Found'))
  })
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-test-'))
  closing.push(server.close, () => rmSync(dir, { recursive: true }))
  const target = `{ baseUrl: "${server.url}", clientId: a, clientSecret: "\${env:SECRET}", databases: { main: 1 } }`
  writeFileSync(join(dir, 'svcsync.yaml'), `version: 1\nmanifests: [m]\ntarget: t\ntargets: { t: ${target} }\n`)
  mkdirSync(join(dir, 'm'))
  writeFileSync(join(dir, 'm/a.yaml'), manifest)
  const { code, stdout, stderr } = await runCommand(['plan', '--format', 'json'], dir, { SECRET: 's3cret' })
  expect(code, `${stdout}${stderr}`).toBe(0)
  const { changes, counts, steps, unreadable, unlistedLevels, unmanaged } = JSON.parse(stdout)
  return { changes, counts, steps, unreadable, unlistedLevels, unmanaged }
}

it('plans the same as where each is told once', async () => {
  const once = await plan((answer) => answer)
  expect(once.unreadable).toEqual([])
  expect(once.counts).toMatchObject({ update: 3, removed: 3, steps: 3 })
  expect(await plan(twice)).toEqual(once)
})
