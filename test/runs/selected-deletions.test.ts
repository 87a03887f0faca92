// A run that `--only` narrows does not see who else refers to what it deletes: that has to be allowed.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  const users = ['anna', 'leaver', 'tmp-1'].map((name) => ({ svcId: `${name}@example.com`, name }))
  const groups = [{ svcId: 'staff@example.com', name: 'Staff', members: ['leaver@example.com', 'tmp-1@example.com'] }]
  workspace = await openWorkspace({
    tenant: { users, groups },
    settings: 'prune: { users: ["tmp-*"], groups: ["old-*"] }',
  })
  workspace.manifest(`users:
  - { svcId: anna@example.com, name: Anna }
  - { svcId: leaver@example.com, absent: true }
groups:
  - { svcId: staff@example.com, name: Staff }
memberships:
  - { group: staff@example.com, members: [anna@example.com] }
`)
})
afterAll(() => workspace.close())

const refusalsOf = async (only: readonly string[]) => {
  const { document } = await workspace.plan({ only })
  return document.guards.filter(({ verdict }) => verdict === 'refused').map(({ guard, allow }) => `${guard} ${allow}`)
}

it.each(['user/leaver@example.com', 'user/tmp-1@example.com'])('refuses to delete %s alone', async (only) => {
  expect(await refusalsOf([only])).toEqual(['unread unread=left-out'])
  const allowed = await workspace.plan({ only: [only], allow: ['unread=left-out'] })
  expect(allowed.document.guards.filter(({ verdict }) => verdict === 'refused')).toEqual([])
  expect(allowed.document.changes.map(({ address }) => address)).toEqual([only])
})

it('sees all where what may refer to it is selected as well, or nothing is deleted', async () => {
  expect(await refusalsOf(['user/*', 'group/staff*'])).toEqual([])
  expect(await refusalsOf(['user/anna@example.com'])).toEqual([])
})

it('reads no list for a kind that is pruned and not selected', async () => {
  await workspace.control('DELETE', '/requests')
  await workspace.plan({ only: ['user/tmp-1@example.com'] })
  const paths = workspace.emulator.requests().map(({ path }) => String(path))
  expect(paths.filter((path) => path.endsWith('/admin/groups'))).toEqual([])
  expect(paths.filter((path) => path.endsWith('/admin/users')).length).toBeGreaterThan(0)
})
