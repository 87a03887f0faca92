// Installations whose answers leave out what is not set, and tell more than the documents have: nothing is left out for
// it.
import { afterEach, describe, expect, it } from 'vitest'
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

describe('a word that svcsync does not know', () => {
  const licenses = (type: string) => `licenses: [{ svcId: a@example.com, licenses: [{ type: ${type} }] }]`
  const connection = (name: string, word: string) =>
    `{ name: ${name}, type: REST, rest: { common: { baseUrl: u, authentication: ${word} } } }`
  const tenant = {
    users: [{ svcId: 'a@example.com' }],
    licenses: { available: { AgentUser: 5 } },
    databases: [
      {
        id: 1,
        connections: [{ name: 'Old', type: 'REST', rest: { common: { baseUrl: 'u', authentication: 'OAuth3' } } }],
      },
    ],
    behaviour: { newWords: 'accepted' },
  }

  it('may be declared where the installation shows it, and is a warning', async () => {
    workspace = await openWorkspace({ tenant: tenant as never })
    const connections = [connection('Old', 'OAuth3'), connection('New', 'OAuth3')].join(', ')
    workspace.manifest(`${licenses('AgentUser')}\ndatabase: main\nconnections: [${connections}]`)
    const { planned, report } = await workspace.run()
    expect(planned.document.warnings.map(({ code }) => code)).toEqual(['SVC1351', 'SVC1351', 'SVC1351'])
    expect(report).toMatchObject({ outcome: 'converged' })
    expect(await workspace.changes()).toEqual([])
    const { files, leftOut } = await workspace.export({ extent: 'lists' })
    // It may be one of the names that stand for products.
    expect(leftOut).toMatchObject([{ address: 'connection/main', field: 'authentication' }])
    expect(JSON.stringify(files)).toContain('AgentUser')
  })

  it.each([
    ['licence', licenses('AgntUser')],
    ['connection', `database: main\nconnections: [${connection('New', 'OAuth4')}]`],
  ])('is refused where it does not: %s', async (_what, manifest) => {
    workspace = await openWorkspace({ tenant: tenant as never })
    workspace.manifest(manifest)
    await expect(workspace.plan()).rejects.toMatchObject({ problems: [{ code: 'SVC1351', severity: 'error' }] })
  })

  it('is taken where `wireNames` has it, as the document of the installation', async () => {
    const target = '    wireNames: { OAuth3: OAuth3 }'
    workspace = await openWorkspace({ tenant: { behaviour: tenant.behaviour } as never, target })
    workspace.manifest(`database: main\nconnections: [${connection('New', 'OAuth3')}]`)
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  })
})
