// Undeclared access with a base: merged changes that are not applied yet are no drift.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { driftAccessRun } from '../../src/runs/access/drift-access-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant = {
  users: ['jan', 'eve'].map((name) => ({ svcId: `${name}@example.com`, name })),
  groups: [{ svcId: 'temp@example.com', name: 'Temp', members: ['jan@example.com', 'eve@example.com'] }],
  databases: [
    {
      id: 1,
      applications: [
        { name: 'A', processes: [{ name: 'P', privileges: [{ svcId: 'temp@example.com', level: 'Start' }] }] },
      ],
    },
  ],
}
const says = (group: string, start: string): string => `database: main
groups: [${group}]
processes: [{ process: P, privileges: { Start: [${start}] } }]
`
const whole = says('{ svcId: temp@example.com, name: Temp, members: [jan@example.com] }', 'temp@example.com')

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'removed: { objects: delete }' })
})
afterAll(() => workspace.close())

it.each([
  ['its members', says('{ svcId: temp@example.com, name: Temp, members: [] }', 'temp@example.com')],
  ['its level', says('{ svcId: temp@example.com, name: Temp, members: [jan@example.com] }', '')],
  ['the whole group', says('', '')],
  ['the group, which is declared absent,', says('{ svcId: temp@example.com, absent: true }', '')],
])('is who was put in by hand alone, where the manifests have let go of %s', async (_what, now) => {
  workspace.emulator.load(tenant as never)
  workspace.manifest(now)
  workspace.baseManifest(whole)
  const read = workspace.open()
  const client = connect(read.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
  const planned = await workspace.plan({ base: 'ledger' })
  const { access } = await driftAccessRun(read, client, planned, undefined)
  await client.close()
  expect(planned.plan.steps).not.toEqual([])
  expect(access.lost.map(({ subject, via }) => [subject, via])).toEqual([['eve@example.com', ['temp@example.com']]])
})
