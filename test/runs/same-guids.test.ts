// Objects of two databases with one guid, as an import of one package into both leaves them: never taken for one
// another.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { adopt } from '../harness/adopt.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const application = {
  ...{ id: 1, name: 'Purchasing', guid: 'a0000000-0000-4000-8000-000000000001' },
  processes: [{ id: 1, name: 'Approval', guid: 'b0000000-0000-4000-8000-000000000001', workflows: [{ name: 'Main' }] }],
}
const users = ['anna', 'jan'].map((svcId) => ({ svcId, name: svcId }))

let workspace: Workspace
beforeAll(async () => {
  const databases = [1, 2].map((id) => ({ id, applications: [application] }))
  const licenses = { available: { SingleSolutionUser: 5 } }
  workspace = await openWorkspace({ tenant: { users, databases, licenses } as never })
  const file = join(workspace.dir, 'svcsync.yaml')
  workspace.write('svcsync.yaml', readFileSync(file, 'utf8').replace('{ main: 1 }', '{ main: 1, other: 2 }'))
})
afterAll(() => workspace.close())

const named = (svcId: string, level: string) => `
applications: [{ application: Purchasing, privileges: { ReadOnly: [${svcId}] } }]
processes: [{ process: Approval, privileges: { ${level}: [${svcId}] }, constants: [{ name: C, common: ${svcId} }] }]
`

it('gives each what is declared for it, and a licence and a substitution for both', async () => {
  workspace.manifest(`database: main
${named('anna', 'Start')}
licenses:
  - svcId: jan
    licenses: [{ type: SingleSolutionUser, processes: [Approval, { process: Approval, database: other }] }]
substitutions:
  - { person: anna, substitute: jan, type: TaskDelegation, from: 2100-07-01, to: 2100-07-15,
      processes: [Approval, { process: Approval, database: other }] }
---
database: other
${named('jan', 'Modify')}`)
  const { planned, report } = await workspace.run()
  expect(planned.document.changes.map(({ address }) => address)).toEqual([
    'application/main/Purchasing',
    'application/other/Purchasing',
    'license/jan',
    'process/main/Purchasing/Approval',
    'process/main/Purchasing/Approval/constant/C',
    'process/other/Purchasing/Approval',
    'process/other/Purchasing/Approval/constant/C',
    'substitution/anna→jan/TaskDelegation/2100-07-01',
  ])
  expect(report).toMatchObject({ outcome: 'converged' })
  const { databases = [], licenses, substitutions } = workspace.emulator.state()
  const told = databases.map(({ applications = [] }) =>
    applications.map(({ privileges, processes = [] }) =>
      [privileges, ...processes.map((each) => each.privileges)].flatMap((list) =>
        (list ?? []).map(({ svcId, level }) => `${svcId} ${level}`),
      ),
    ),
  )
  expect(told).toEqual([[['anna ReadOnly', 'anna Start']], [['jan ReadOnly', 'jan Modify']]])
  expect(JSON.stringify(licenses).match(/"dbId":[12]/g)).toEqual(['"dbId":1', '"dbId":2'])
  expect(JSON.stringify(substitutions).match(/"dbId":[12]/g)).toEqual(['"dbId":1', '"dbId":2'])
  expect(await workspace.changes()).toEqual([])
})

it('takes the licence for one of them, and limits the substitution to the other', async () => {
  workspace.manifest(`database: main
licenses:
  - { svcId: jan, licenses: [{ type: SingleSolutionUser, processes: [{ process: Approval, database: other }] }] }
substitutions:
  - { person: anna, substitute: jan, type: TaskDelegation, from: 2100-07-01, to: 2100-07-15,
      processes: [{ process: Approval, database: other }] }
`)
  expect(await applySaved(workspace, await savedText(workspace))).toMatchObject({ outcome: 'converged' })
  const { licenses, substitutions } = workspace.emulator.state()
  for (const told of [licenses, substitutions]) expect(JSON.stringify(told).match(/"dbId":[12]/g)).toEqual(['"dbId":2'])
})

it('gives back to each what an apply took from it', async () => {
  const before = workspace.emulator.state()
  workspace.manifest(`database: main
${named('jan', 'Modify')}
licenses: [{ svcId: jan, licenses: [{ type: SingleSolutionUser, processes: [Approval] }] }]
---
database: other
${named('anna', 'Start')}`)
  await applyUntilKilled(workspace, 'a.jsonl', { atWrite: 1000, sent: true })
  expect(workspace.emulator.state()).not.toEqual(before)
  expect((await undo(workspace, 'a.jsonl', 'b.jsonl')).report).toMatchObject({ outcome: 'converged' })
  expect(workspace.emulator.state()).toEqual(before)
})

it('exports each by itself', async () => {
  expect(await adopt(workspace)).toMatchObject({ changes: [], leftOut: [] })
})
