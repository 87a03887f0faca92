// Who comes and who goes: a failure on one side must not leave nobody, and must not keep those who have to go.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  await workspace.control('PUT', '/state', sampleTenant)
  workspace.manifest(`groups:
  - { svcId: clerks@example.com, members: [jan.kos@example.com, ewa.lis@example.com] }
processes:
  - { process: Sample process, privileges: { Administrator: [jan.kos@example.com], Modify: [jan.kos@example.com, ewa.lis@example.com] } }
`)
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
})

const outcomes = async (manifest: string) => {
  workspace.manifest(manifest)
  const { steps } = await workspace.apply()
  return steps.map(
    ({ verb, outcome, because }) => `${verb} ${outcome}${because === undefined ? '' : ' because of the add'}`,
  )
}

it('keeps the last administrator when the one to follow cannot come', async () => {
  const manifest = 'processes: [{ process: Sample process, privileges: { Administrator: [nobody@example.com] } }]'
  expect(await outcomes(manifest)).toEqual(['add failed', 'remove skipped because of the add'])
})

it('takes a level away from whom it has to, whoever else cannot get it', async () => {
  const manifest =
    'processes: [{ process: Sample process, privileges: { Modify: [ewa.lis@example.com, nobody@example.com] } }]'
  expect((await outcomes(manifest)).sort()).toEqual(['add failed', 'remove done'])
})

it('takes a leaver out of a group, whoever else cannot come in', async () => {
  const manifest = 'groups: [{ svcId: clerks@example.com, members: [ewa.lis@example.com, nobody@example.com] }]'
  expect(await outcomes(manifest)).toEqual(['add failed', 'remove done'])
})

it('empties no group when nobody can take the places', async () => {
  const manifest = 'groups: [{ svcId: clerks@example.com, members: [nobody@example.com] }]'
  expect(await outcomes(manifest)).toEqual(['add failed', 'remove skipped because of the add'])
})

it('keeps the last administrator when the one to follow loses another level and cannot come', async () => {
  const follow =
    'processes: [{ process: Sample process, privileges: { Administrator: [ewa.lis@example.com], Modify: [jan.kos@example.com] } }]'
  const body = { type: 'ValidationError', description: 'Not now.' }
  workspace.emulator.addFault({
    match: { method: 'POST', path: '*/privileges/add' },
    effect: { kind: 'status', status: 400, body },
  })
  expect((await outcomes(follow)).sort()).toEqual(['add failed', 'remove done', 'remove skipped because of the add'])
})

it('lets two accounts exchange their levels', async () => {
  const levels = (administrator: string, modify: string) =>
    workspace.manifest(
      `processes: [{ process: Sample process, privileges: { Administrator: [${administrator}], Modify: [${modify}] } }]`,
    )
  levels('jan.kos@example.com', 'ewa.lis@example.com')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  levels('ewa.lis@example.com', 'jan.kos@example.com')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
})
