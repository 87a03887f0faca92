// Installations whose answers leave out what is not set, and tell more than the documents have: nothing is left out for it.
import { afterEach, expect, it } from 'vitest'
import type { BehaviourChanges } from '../../src/emulator/index.ts'
import { wholeTenant } from '../harness/whole-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const habits: readonly BehaviourChanges[] = [
  { absentFields: 'nullsOmitted' },
  { absentFields: 'defaultsOmitted', emptyMembers: 'null' },
  { newFields: 'told' },
  { absentFields: 'defaultsOmitted', newFields: 'told', pageAfterLast: 'notFound' },
]

it.each(habits)('an export with %j leaves nothing out, and the plan of it is empty', async (behaviour) => {
  workspace = await openWorkspace({ tenant: { ...wholeTenant, behaviour } as never })
  const { files, leftOut, objects } = await workspace.export({ extent: 'lists' })
  expect(leftOut).toEqual([])
  workspace.emulator.setBehaviour({ absentFields: 'told', newFields: 'none', pageAfterLast: 'empty' })
  const plain = await workspace.export({ extent: 'lists' })
  expect(objects).toBe(plain.objects)
  workspace.emulator.setBehaviour(behaviour)
  for (const { file, text } of files) if (file.endsWith('.yaml')) workspace.write(`manifests/${file}`, text)
  const { document } = await workspace.plan()
  expect(document).toMatchObject({ changes: [], unreadable: [] })
})

it('a connection that svcsync made without a flag is read back, and changed again', async () => {
  workspace = await openWorkspace({ tenant: { behaviour: { absentFields: 'defaultsOmitted' } } as never })
  const manifest = (url: string) =>
    `database: main\nconnections: [{ name: C, type: SOAP, soap: { common: { url: ${url} }, test: { url: t } } }]`
  for (const url of ['a', 'b']) {
    workspace.manifest(manifest(url))
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', verified: { unequal: [] } })
    expect(await workspace.changes()).toEqual([])
  }
})

it('a licence of a type that nobody knows costs nothing, and is taken away like any other', async () => {
  const tenant = {
    users: [{ svcId: 'a@example.com' }, { svcId: 'b@example.com' }],
    licenses: {
      available: { User: 5, AgentUser: 5 },
      assigned: [{ svcId: 'a@example.com', licenses: ['AgentUser'] }],
    },
    behaviour: { newWords: 'accepted' },
  }
  workspace = await openWorkspace({ tenant: tenant as never })
  const held = () => workspace.emulator.state().licenses?.assigned?.map(({ svcId }) => svcId)
  workspace.manifest('licenses: [{ svcId: b@example.com, licenses: [{ type: User }] }]')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  workspace.manifest('licenses: [{ svcId: a@example.com, licenses: [] }]')
  const { document } = await workspace.plan()
  expect(document.changes[0]?.differences[0]?.removed).toMatchObject([{ item: 'AgentUser' }])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(held()).toEqual(['b@example.com'])
})
