// Swaps: if an account could not enter a list, nobody leaves it.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

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

it('takes a level from nobody when one who is to have it cannot get it', async () => {
  const manifest =
    'processes: [{ process: Sample process, privileges: { Modify: [ewa.lis@example.com, nobody@example.com] } }]'
  expect((await outcomes(manifest)).sort()).toEqual(['add failed', 'remove skipped because of the add'])
})

it('takes levels away that have nothing to do with the one that cannot be given', async () => {
  const manifest =
    'processes: [{ process: Sample process, privileges: { Administrator: ' +
    '[jan.kos@example.com, nobody@example.com], Modify: [jan.kos@example.com] } }]'
  expect((await outcomes(manifest)).sort()).toEqual(['add failed', 'remove done'])
})

it('takes nobody out of a group when one who is to come in cannot', async () => {
  const manifest = 'groups: [{ svcId: clerks@example.com, members: [ewa.lis@example.com, nobody@example.com] }]'
  expect(await outcomes(manifest)).toEqual(['add failed', 'remove skipped because of the add'])
})

it('takes a member out of a group, whoever cannot become its owner', async () => {
  const manifest =
    'groups: [{ svcId: clerks@example.com, members: [ewa.lis@example.com], owners: [nobody@example.com] }]'
  expect((await outcomes(manifest)).sort()).toEqual(['add failed', 'remove done'])
})

it('lets only the first lose the level it has when the new one is refused to all', async () => {
  workspace.manifest(
    'processes: [{ process: Sample process, privileges: { ReadOnly: ' +
      '[jan.kos@example.com, ewa.lis@example.com], Modify: [] } }]',
  )
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  workspace.emulator.addFault({
    match: { method: 'POST', path: '*/privileges/add' },
    effect: { kind: 'status', status: 400, body: { type: 'ValidationError', description: 'Not this level.' } },
  })
  const back =
    'processes: [{ process: Sample process, privileges: { ReadOnly: ' +
    '[], Modify: [jan.kos@example.com, ewa.lis@example.com] } }]'
  expect((await outcomes(back)).sort()).toEqual([
    'add failed',
    'add skipped because of the add',
    'remove done',
    'remove skipped because of the add',
  ])
})

it('lets many come and go in one list without naming each of them in each step', async () => {
  const users = Array.from({ length: 240 }, (_, index) => `u${String(index).padStart(3, '0')}@example.com`)
  const list = (from: number) => users.slice(from, from + 120).join(', ')
  const manifest = (from: number) =>
    `users: [${users.map((svcId) => `{ svcId: ${svcId} }`).join(', ')}]\n` +
    `processes: [{ process: Sample process, privileges: { Start: [${list(from)}] } }]`
  workspace.manifest(manifest(0))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  workspace.manifest(manifest(120))
  const { plan } = await workspace.plan()
  expect(plan.steps.flatMap(({ dependsOn }) => dependsOn)).toHaveLength(119 + 120)
  workspace.emulator.addFault({
    match: { method: 'POST', path: '*/privileges/add' },
    nth: 7,
    count: 1,
    effect: { kind: 'status', status: 400, body: { type: 'ValidationError', description: 'Not this one.' } },
  })
  const { steps } = await workspace.apply()
  expect(steps.filter(({ verb, outcome }) => verb === 'remove' && outcome !== 'skipped')).toEqual([])
})

it('empties no group when nobody can take the places', async () => {
  const manifest = 'groups: [{ svcId: clerks@example.com, members: [nobody@example.com] }]'
  expect(await outcomes(manifest)).toEqual(['add failed', 'remove skipped because of the add'])
})

it('keeps the last administrator when the one to follow loses another level and cannot come', async () => {
  const follow =
    'processes: [{ process: Sample process, privileges: { Administrator: ' +
    '[ewa.lis@example.com], Modify: [jan.kos@example.com] } }]'
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
      'processes: [{ process: Sample process, privileges: ' +
        `{ Administrator: [${administrator}], Modify: [${modify}] } }]`,
    )
  levels('jan.kos@example.com', 'ewa.lis@example.com')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  levels('ewa.lis@example.com', 'jan.kos@example.com')
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
})

it.each([
  ['Administrator', 'Modify'],
  ['Modify', 'Administrator'],
])(
  'leaves nobody at the level %s at no time, where the one who had it exchanges it with one of several',
  async (alone, several) => {
    const levels = (one: string, others: string): void =>
      workspace.manifest(`users: [{ svcId: ola@example.com }]
processes: [{ process: Sample process, privileges: { ${alone}: [${one}], ${several}: [${others}, ola@example.com] } }]
`)
    levels('jan.kos@example.com', 'ewa.lis@example.com')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    await workspace.control('DELETE', '/requests')
    levels('ewa.lis@example.com', 'jan.kos@example.com')
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged', counts: { done: 4 } })
    const writes = writesOf(workspace.emulator).filter(({ body }) => (body as { level?: string }).level === alone)
    expect(writes.map(({ path }) => path.replace(/.*\//, ''))).toEqual(['add', 'remove'])
  },
)
