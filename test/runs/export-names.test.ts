// Names that are hard to export: several objects bear them, or they hold what files and YAML cannot stand.
import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { adopt } from '../harness/adopt.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const open = async (tenant: unknown, target = ''): Promise<void> => {
  workspace = await openWorkspace({ tenant: tenant as Tenant, target })
}
const nothingToDo = { changes: [], unreadable: [], leftOut: [] }
const jan = { svcId: 'jan@example.com', name: 'Jan' }
const reads = { privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }] }
const guid = (end: number) => `6f1d2c3b-0000-4000-8000-0000000000${end}`

it('that several objects bear give way to guids, with the name beside them', async () => {
  const process = (end: number) => ({ name: 'Approval', guid: guid(end), ...reads })
  await open({
    users: [jan],
    databases: [
      {
        id: 1,
        applications: [
          { name: 'Purchasing', guid: guid(10), processes: [process(11), process(12)], ...reads },
          { name: 'Purchasing', guid: guid(20), processes: [process(21)] },
          { name: 'Sales', guid: guid(30), processes: [process(31)] },
        ],
      },
    ],
  })
  const adopted = await adopt(workspace)
  expect(adopted).toMatchObject({ ...nothingToDo, warnings: [] })
  expect(Object.keys(adopted.texts)).toEqual([
    'users.yaml',
    'applications/purchasing-2.yaml',
    'applications/purchasing.yaml',
    'applications/sales.yaml',
  ])
  expect(adopted.texts['applications/purchasing.yaml']).toContain(`
  - process: ${guid(11)} # Approval
    application: ${guid(10)} # Purchasing
`)
  expect(adopted.texts['applications/sales.yaml']).toContain('  - process: Approval\n    application: Sales\n')
})

it('that no manifest can tell apart are left out, and that is said', async () => {
  const twice = { name: 'Twice', common: 'x' }
  await open({ databases: [{ id: 1, constants: [twice, twice, { name: 'Once', common: 'y' }] }] })
  const adopted = await adopt(workspace)
  expect(adopted).toMatchObject({ changes: [], leftOut: [{ address: 'constant/main/Twice' }] })
  expect(adopted.texts['constants.yaml']).toContain(
    '# Left out, and so not managed here:\n# - constant/main/Twice: 2 live',
  )
  expect(adopted.texts['constants.yaml']).toContain('- name: Once\n')
})

it('of every shape lead back to their objects, and no file leaves the folder', async () => {
  const names = [
    '../../evil',
    'CON',
    'a/b',
    'A/B',
    '12',
    'null',
    '${var:x}',
    '# no',
    ' lead',
    'x: y',
    'ünï cödé',
    '*',
    '\u202eabc',
    'a\nb',
  ]
  const named = names.map((name) => ({ name, ...reads }))
  // Each with one of every sort inside, of a name that is as hard.
  const processes = names.map((name, index) => {
    const inner = names.at(index - 1) as string
    return {
      name,
      ...reads,
      constants: [{ name: inner, common: name }],
      formTypes: [{ name: inner }],
      workflows: [{ name, formTypes: [inner], privileges: { [inner]: reads.privileges } }],
    }
  })
  const ids = ['corp\\jan', 'a/b', 'x #y', '${env:HOME}', 'two\nlines', 'ż@example.com', '0755', "o'hara"]
  await open({
    users: [jan, ...ids.map((svcId) => ({ svcId, name: svcId, managerSvcId: 'corp\\jan' }))],
    groups: [{ svcId: 'g', name: '${x}', members: ids }],
    databases: [
      {
        id: 1,
        connections: names.map((name) => ({ name, type: 'SQL', sql: { common: { server: name } } })),
        applications: named.map((each, index) => (index < 2 ? { ...each, processes } : each)),
      },
    ],
  })
  const adopted = await adopt(workspace)
  expect(adopted).toMatchObject(nothingToDo)
  expect(adopted.files.map(({ file }) => file)).toContain('applications/evil.yaml')
  for (const { file } of adopted.files) expect(file).toMatch(/^[a-z]+(?:\/[^/]+)?\.yaml$/)
  expect(adopted.objects).toBe(9 + 1 + 14 + 14 + 2 * 14 * 4)
})

it('of accounts that differ in case are two accounts or one, as the target says', async () => {
  const both = { users: [jan, { svcId: 'JAN@example.com', name: 'Other' }], behaviour: { svcIdCase: 'sensitive' } }
  await open(both)
  const { leftOut } = await adopt(workspace)
  expect(leftOut).toMatchObject([
    { address: 'user/jan@example.com', hint: expect.stringContaining('svcIdCase: exact') },
  ])
  await workspace.close()
  await open(both, '    svcIdCase: exact')
  expect(await adopt(workspace)).toMatchObject({ ...nothingToDo, objects: 2 })
})

it('of business entities lead to the one that is meant', async () => {
  const entities = [
    { code: 'PL', name: 'Poland', guid: guid(41) },
    { code: 'DE', name: 'PL', guid: guid(42) },
  ]
  const privileges = ['PL', 'DE'].map((company) => ({ svcId: 'jan@example.com', level: 'Start', company }))
  const processes = [{ name: 'P', privileges }]
  await open({
    users: [jan],
    databases: [{ id: 1, businessEntities: entities, applications: [{ name: 'A', processes }] }],
  })
  const adopted = await adopt(workspace)
  expect(adopted).toMatchObject(nothingToDo)
  expect(adopted.texts['applications/a.yaml']).toContain(`
      Start:
        - { svcId: jan@example.com, company: ${guid(41)} }
        - { svcId: jan@example.com, company: DE }
`)
})

it('of databases become folders where there are several', async () => {
  const database = (id: number) => ({ id, constants: [{ name: 'C', common: String(id) }] })
  await open({ users: [jan], databases: [database(1), database(2)] })
  workspace.write('svcsync.yaml', twoDatabases(workspace))
  const adopted = await adopt(workspace)
  expect(adopted).toMatchObject(nothingToDo)
  expect(Object.keys(adopted.texts)).toEqual(['users.yaml', 'main/constants.yaml', 'other-place/constants.yaml'])
  expect(adopted.texts['other-place/constants.yaml']).toContain('database: other place\n')
})

function twoDatabases({ dir }: Workspace): string {
  return readFileSync(`${dir}/svcsync.yaml`, 'utf8').replace('{ main: 1 }', '{ main: 1, other place: 2 }')
}
