// Somebody else gets there first, between the plan and its write: a create finds the object, a delete finds nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'
import { faultTenant, writePaths } from './write-paths.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    env: { SECRET: 'a secret that nobody may see' },
    settings: 'settings: { retry: { attempts: 3, maxDelay: 10ms } }',
  })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(faultTenant)
  workspace.emulator.setBehaviour({ afterCreate: 'visibleAtOnce' })
  await workspace.control('PATCH', '/settings', { syncDelayMs: 0 })
  await workspace.control('DELETE', '/requests')
})

/** Runs the plan for the manifest, with an edit by somebody else before its first write. */
async function runAfter(manifest: string, edit: JsonObject) {
  workspace.manifest(manifest)
  let edited = false
  const { report } = await workspace.run({
    onEvent: ({ type }) => {
      if (type !== 'step-started' || edited) return
      edited = true
      workspace.emulator.edit(edit)
    },
  })
  return report
}

const other = { svcId: 'new@example.com', name: 'Other', jobTitle: 'Chief' }
const creations: Readonly<Record<string, JsonObject>> = {
  'create a user': { upsertUser: other },
  'create a group': { upsertGroup: { svcId: 'g@example.com', name: 'Other', members: [] } },
  'create a constant': { upsertConstant: { constant: { name: 'New', common: 'other' } } },
  'create a process constant': { upsertConstant: { process: 'Approval', constant: { name: 'New', common: 'other' } } },
  'create a connection': {
    upsertConnection: { connection: { name: 'New', type: 'SQL', sql: { common: { server: 'other' } } } },
  },
}

describe('a create that finds the object', () => {
  it.each(writePaths.filter(({ name }) => name in creations))(
    '$name: writes what differs, and creates no second one',
    async ({ name, manifest }) => {
      const report = await runAfter(manifest, creations[name] as JsonObject)
      expect(report).toMatchObject({ outcome: 'converged', counts: { done: 1 } })
      expect(await workspace.changes()).toEqual([])
      // Names of constants and connections are looked for before they are created.
      const refused = writesOf(workspace.emulator).filter(({ status }) => status === 405 || status === 409)
      expect(refused).toHaveLength(/user|group/.test(name) ? 1 : 0)
      expect(report.meanwhile).toMatchObject([{ sentence: 'another writer has created it since it was read' }])
    },
  )
})

it('a create that finds the object leaves what it does not declare, and adds nobody twice', async () => {
  workspace.emulator.setBehaviour({ absentUserFields: 'cleared' })
  const created = { svcId: 'new@example.com', name: 'Other', phoneNumber: '12' }
  await runAfter('users: [{ svcId: new@example.com, name: New }]', { upsertUser: created })
  expect(workspace.emulator.state().users).toContainEqual(expect.objectContaining({ ...created, name: 'New' }))
  await workspace.control('DELETE', '/requests')
  await runAfter('groups: [{ svcId: g@example.com, name: G, members: [jan@example.com, anna@example.com] }]', {
    upsertGroup: { svcId: 'g@example.com', name: 'G', members: ['jan@example.com'] },
  })
  const added = writesOf(workspace.emulator).filter(({ path }) => path.endsWith('/members/add'))
  const bodies = JSON.stringify(added.map(({ body }) => body))
  expect(bodies).toContain('anna@example.com')
  expect(bodies).not.toContain('jan@example.com')
})

it.each([
  ['delete a user', { deleteUser: 'anna@example.com' }],
  ['delete a group', { deleteGroup: 'empty@example.com' }],
])('%s: is unchanged when somebody else has deleted it', async (name, edit) => {
  const { manifest } = writePaths.find((path) => path.name === name) as (typeof writePaths)[number]
  expect(await runAfter(manifest, edit)).toMatchObject({ outcome: 'converged', counts: { unchanged: 1 } })
})

it('fails, and creates nothing, where somebody else has deleted what is to be changed', async () => {
  const { manifest } = writePaths.find(({ name }) => name === 'update a user') as (typeof writePaths)[number]
  const report = await runAfter(manifest, { deleteUser: 'jan@example.com' })
  expect(report).toMatchObject({ outcome: 'partial', counts: { failed: 1 } })
  expect(report.steps[0]?.reason).toContain('404')
})

it('waits for what is not shown right after it was created', async () => {
  workspace.emulator.setBehaviour({ afterCreate: 'visibleAfterSync' })
  await workspace.control('PATCH', '/settings', { syncDelayMs: 60 })
  workspace.manifest(`
users: [{ svcId: a@example.com, managerSvcId: a@example.com }, { svcId: b@example.com, managerSvcId: a@example.com }]
groups: [{ svcId: g@example.com, name: G, members: [a@example.com, b@example.com] }]
`)
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { failed: 0, unknown: 0 } })
  expect(await workspace.changes()).toEqual([])
})
