// Fields that go along with an update, since the platform may clear what is left out: a reference stays one in the
// plan.
import { afterEach, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

it.each([
  ['user', 'users', { svcId: 'a@example.com', name: 'Old', jobTitle: 'from the environment' }, 'jobTitle'],
  ['group', 'groups', { svcId: 'a@example.com', name: 'Old', email: 'from the environment' }, 'email'],
])('a %s has the value of a variable only in the request', async (_kind, section, live, field) => {
  workspace = await openWorkspace({ tenant: { [section]: [live] }, env: { WORD: 'from the environment' } })
  workspace.manifest(`${section}: [{ svcId: a@example.com, name: New, ${field}: "\${env:WORD}" }]\n`)
  const { document } = await workspace.plan()
  expect(document.steps).toMatchObject([{ spec: { name: 'New', [field]: { reference: '${env:WORD}' } } }])
  expect(JSON.stringify(document)).not.toContain('from the environment')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(workspace.emulator.state()[section as 'users']).toMatchObject([
    { name: 'New', [field]: 'from the environment' },
  ])
  expect(await workspace.changes()).toEqual([])
})
