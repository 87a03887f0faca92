// Objects of one name that are told apart by their guids: never taken for one another.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const guid = (end: number) => `6f1d2c3b-0000-4000-8000-0000000000${end}`
const process = (end: number) => ({ name: 'Approval', guid: guid(end), privileges: [] })

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: [{ svcId: 'anna@example.com' }, { svcId: 'jan@example.com' }],
      databases: [
        {
          id: 1,
          applications: [
            { name: 'Purchasing', guid: guid(10), processes: [process(11), process(12)] },
            { name: 'Purchasing', guid: guid(20), processes: [process(21)] },
          ],
        },
      ],
    } as never,
  })
})
afterAll(() => workspace.close())

const privileges = () =>
  (workspace.emulator.state().databases?.[0]?.applications ?? []).flatMap(({ processes = [] }) =>
    processes.map((each) => [each.guid, (each.privileges ?? []).map(({ svcId, level }) => `${svcId} ${level}`)]),
  )

it('gives each what is declared for it', async () => {
  workspace.manifest(`database: main
processes:
  - { process: ${guid(11)}, privileges: { Start: [jan@example.com] } }
  - { process: ${guid(12)}, privileges: { Modify: [anna@example.com] } }
  - { process: ${guid(21)}, privileges: { ReadOnly: [anna@example.com] } }
`)
  expect(await workspace.changes()).toEqual([
    `update process/main/${guid(10)}/${guid(11)}`,
    `update process/main/${guid(10)}/${guid(12)}`,
    `update process/main/${guid(20)}/Approval`,
  ])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(privileges()).toEqual([
    [guid(11), ['jan@example.com Start']],
    [guid(12), ['anna@example.com Modify']],
    [guid(21), ['anna@example.com ReadOnly']],
  ])
})

it('takes for one object what is declared under two names of its database', async () => {
  const file = join(workspace.dir, 'svcsync.yaml')
  const project = readFileSync(file, 'utf8')
  workspace.write('svcsync.yaml', project.replace('{ main: 1 }', '{ main: 1, other: 1 }'))
  const declared = (more: string) =>
    workspace.manifest(
      `database: main\nconstants: [{ name: C, common: x }]\n---\ndatabase: other\nconstants: [${more}]\n`,
    )
  declared('{ name: C, common: y }')
  await expect(workspace.plan()).rejects.toMatchObject({
    problems: [{ code: 'SVC1301', place: { line: 5 }, related: [{ place: { line: 2 } }] }],
  })
  declared('{ name: C, dev: y }, { name: D, common: y }')
  expect(await workspace.changes()).toEqual(['create constant/main/C', 'create constant/other/D'])
  workspace.write('svcsync.yaml', project)
})

it('takes no process for the only one of its name while it may not look everywhere', async () => {
  const named = (more: string) => `database: main\nprocesses: [{ ${more}privileges: { Start: [anna@example.com] } }]`
  workspace.emulator.addFault({
    match: { method: 'GET', path: `/db/1/applications/${guid(10)}/processes` },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  workspace.manifest(named('process: Approval, '))
  expect((await workspace.plan()).document).toMatchObject({
    steps: [],
    unreadable: [{ address: 'process/main/*/Approval', code: 'SVC3041' }],
  })
  workspace.manifest(named(`process: Approval, application: ${guid(20)}, `))
  expect(await workspace.changes()).toEqual([`update process/main/${guid(20)}/Approval`])
  workspace.manifest(named(`process: ${guid(21)}, `))
  expect(await workspace.changes()).toEqual([`update process/main/${guid(20)}/Approval`])
})
