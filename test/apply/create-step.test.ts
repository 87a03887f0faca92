// A creation is made once: what may have been made is looked for by its name, and another writer's is told apart.
import { expect, it } from 'vitest'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Step } from '../../src/core/model/step.ts'
import { failureCodes } from '../../src/errors/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { absent, away, createStepRunner, failed, lost, normalise, refused } from './step-runner.ts'

const list = 'GET /db/1/admin/constants'
const make = 'POST /db/1/admin/constants'
const step: Step = {
  ...{ id: '1', address: 'constant/main/Url', kind: 'constant', verb: 'create', dependsOn: [] },
  ...{ at: { dbId: 1, name: 'Url' }, spec: { name: 'Url', common: 'x' } },
}
const url = { id: 7, guid: 'g-7', name: 'Url', groupId: 1, groupName: 'G', description: null }
const whole = (value: string) => ({ ...url, common: { value }, dev: {}, test: {}, prod: {} })
const none = { constants: [] }
const there = { constants: [url] }
const two = { constants: [url, { ...url, guid: 'g-8', id: 8 }] }

it.each([
  [7, '7'],
  ['7', '7'],
  [{ id: 7, guid: 'g-7' }, 'g-7'],
  [{ id: 7 }, '7'],
  [{ guid: { value: 'g-7' }, id: 7 }, '7'],
  [{ id: null }, undefined],
  [{ guid: '' }, undefined],
  ['done', undefined],
  [[7], undefined],
  [true, undefined],
  [{}, undefined],
])('learns from %j the id %j', async (answer, self) => {
  const { carryOut, created } = createStepRunner()
  expect(await carryOut(step, constant, [list, none], [make, answer])).toEqual({ outcome: 'done', attempts: 1 })
  expect([created.has(step.address), created.selfOf(step.address)]).toEqual([true, self])
})

it.each([
  [{ guid: 'g-7' }, 'g-7 (made by this run), g-8 (made by another writer)'],
  [{ id: 8 }, 'g-7 (made by another writer), g-8 (made by this run)'],
  [{}, 'g-7 (svcsync does not know which one it created), g-8 (svcsync does not know which one it created)'],
])('is told apart by %j from one of the same name', async (answer, told) => {
  const { carryOut, others, script } = createStepRunner()
  await carryOut(step, constant, [list, none], [make, answer])
  expect(others.changes()).toEqual([])
  script.push([list, there])
  expect(await others.doubles()).toEqual([])
  script.push([list, two])
  expect(await others.doubles()).toMatchObject([{ reason: `2 objects have its name: ${told}` }])
  expect(others.changes()).toMatchObject([{ sentence: 'another writer has created one of the same name' }])
})

it('says where nobody knows whether the name is unique', async () => {
  const { carryOut, others, script } = createStepRunner()
  await carryOut(step, constant, [list, none], [make, {}])
  script.push([list, refused])
  const reason = 'svcsync could not read whether its name is unique: answered 400'
  expect(await others.doubles()).toEqual([{ address: step.address, differences: [], reason }])
  script.push([list, new TypeError('x')])
  await expect(others.doubles()).rejects.toThrow('x')
})

it('of what another writer has made meanwhile writes what differs, or nothing', async () => {
  const same = createStepRunner()
  const unchanged = await same.carryOut(step, constant, [list, there], [`${list}/g-7`, whole('x')])
  expect(unchanged).toEqual({ outcome: 'unchanged', attempts: 0 })
  const sentence = 'another writer has created it since it was read'
  expect(same.others.changes()).toEqual([{ address: step.address, sentence }])
  expect(same.created.selfOf(step.address)).toBe('g-7')
  const read = [`${list}/g-7`, whole('y')] as const
  const written = ['PATCH /db/1/admin/constants/g-7', {}] as const
  const other = createStepRunner()
  expect(await other.carryOut(step, constant, [list, there], read, written)).toEqual({ outcome: 'done', attempts: 1 })
})

it('is sent where what another writer had made has gone again', async () => {
  const { carryOut, others } = createStepRunner()
  const gone = [`${list}/g-7`, absent] as const
  expect(await carryOut(step, constant, [list, there], gone, [make, 9])).toEqual({ outcome: 'done', attempts: 1 })
  expect(others.changes()).toEqual([])
})

it('is not sent where its list cannot be read again', async () => {
  const result = await createStepRunner().carryOut(step, constant, [list, refused])
  expect(result).toMatchObject({ outcome: 'failed', attempts: 0, code: failureCodes.rejected })
  expect(result.reason).toMatch(/was not sent.*: answered 400$/)
  expect(result.stops).toBeUndefined()
  expect((await createStepRunner().carryOut(step, constant, [list, away])).stops).toBeDefined()
  const defect = createStepRunner().carryOut(step, constant, [list, new TypeError('x')])
  await expect(defect).rejects.toThrow('x')
})

it('that is lost is looked for by its name before it is repeated, and is no other writer’s', async () => {
  const { carryOut, created, others, script } = createStepRunner()
  const again = [
    [list, none],
    [make, lost],
  ] as const
  const result = await carryOut(step, constant, ...again, ...again, [list, there], [`${list}/g-7`, whole('x')])
  expect(result).toMatchObject({ outcome: 'done', attempts: 2 })
  expect([created.selfOf(step.address), others.changes()]).toEqual(['g-7', []])
  script.push([list, two])
  expect(await others.doubles()).toHaveLength(1)
})

it('of a name that nobody else can have reads no list', async () => {
  const of: Step = { ...step, address: 'group/g@x', kind: 'group', at: { name: 'g@x', self: 'g@x' }, spec: {} }
  const { carryOut, others } = createStepRunner()
  expect(await carryOut(of, group, ['POST /admin/groups', {}])).toEqual({ outcome: 'done', attempts: 1 })
  expect(await others.doubles()).toEqual([])
})

it('registers no name where nothing was created', async () => {
  const update = { ...step, verb: 'update', at: { dbId: 1, name: 'Url', self: 'g-7' } } as const
  const change = createStepRunner()
  await change.carryOut(update, constant, ['PATCH /db/1/admin/constants/g-7', lost], [`${list}/g-7`, whole('x')])
  const create = createStepRunner()
  await create.carryOut(step, constant, [list, none], [make, refused], [list, none])
  expect([await change.others.doubles(), await create.others.doubles()]).toEqual([[], []])
})

it.each([true, false])('of what exists sends lists along with an update where they are whole: %s', async (whole) => {
  const sent: unknown[] = []
  const { members } = group.collections
  const kind = {
    ...group,
    collections: { ...group.collections, members: { ...members, whole } },
    requests: {
      ...group.requests,
      update(...[at, spec, lists]: Parameters<NonNullable<typeof group.requests.update>>) {
        sent.push(spec, lists)
        return group.requests.update?.(at, spec, lists)
      },
    },
  } as typeof group
  const collections = { members: [keyedElement({ svcId: 'a@x' }, normalise)] }
  const of: Step = {
    ...{ id: '1', address: 'group/g@x', kind: 'group', verb: 'create', dependsOn: [], collections },
    ...{ at: { name: 'g@x', self: 'g@x' }, spec: { name: 'G' } },
  }
  const found = {
    svcId: 'g@x',
    name: 'Old',
    email: 'g@x',
    status: 'Synchronized',
    owners: [],
    members: [{ svcId: 'a@x' }],
  }
  const exists = [
    ['POST /admin/groups', failed(failureCodes.conflict, 409)],
    ['GET /admin/group', found],
  ] as const
  await createStepRunner().carryOut(of, kind, ...exists, ['PATCH /admin/group', {}])
  // What is not declared goes along as it is.
  expect(sent).toEqual([expect.objectContaining({ name: 'G', email: 'g@x' }), whole ? collections : {}])
})

it('of what exists becomes an update of what differs', async () => {
  const members = ['a@x', 'b@x'].map((svcId) => keyedElement({ svcId }, normalise))
  const of: Step = {
    ...{ id: '1', address: 'group/g@x', kind: 'group', verb: 'create', dependsOn: [], collections: { members } },
    ...{ at: { name: 'g@x', self: 'g@x' }, spec: { name: 'G' } },
  }
  const found = { svcId: 'g@x', name: 'Old', email: null, status: 'Synchronized', owners: [] }
  const other = { ...found, members: [{ svcId: 'A@x' }, { svcId: 'c@x' }] }
  const [create, read, add] = ['POST /admin/groups', 'GET /admin/group', 'POST /admin/group/members/add'] as const
  const { carryOut, others } = createStepRunner()
  const exists = [
    [create, failed(failureCodes.conflict, 409)],
    [read, other],
  ] as const
  const result = await carryOut(of, group, ...exists, ['PATCH /admin/group', {}], [add, {}])
  expect(result).toEqual({ outcome: 'done', attempts: 3 })
  expect(others.changes()).toHaveLength(1)
  const all = { ...found, members: [{ svcId: 'a@x' }, { svcId: 'b@x' }] }
  const same = createStepRunner().carryOut(of, group, [create, lost], [read, all], ['PATCH /admin/group', {}])
  expect(await same).toEqual({ outcome: 'done', attempts: 2 })
  const own = createStepRunner()
  const half = { ...other, name: 'G', members: [{ svcId: 'a@x' }] }
  const partly = await own.carryOut(of, group, [create, lost], [read, half], [add, refused], [read, half])
  expect(partly).toMatchObject({
    ...{ outcome: 'failed', attempts: 2, code: failureCodes.rejected },
    reason: 'it exists, and is not yet as wanted: answered 400',
  })
  expect(own.others.changes()).toEqual([])
})

it('of what exists knows accounts by their keys when the update of it is lost', async () => {
  const of: Step = {
    ...{ id: '1', address: 'user/jan@x', kind: 'user', verb: 'create', dependsOn: [] },
    ...{
      at: { name: 'jan@x', self: 'jan@x' },
      spec: { managerSvcId: 'Boss@x' },
      fieldKeys: { managerSvcId: 'boss@x' },
    },
  }
  const found = { svcId: 'jan@x', name: null, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null }
  const [before, after] = [null, 'boss@x'].map((managerSvcId) => ({ ...found, managerSvcId, status: 'Synchronized' }))
  const exists = [
    ['POST /admin/users', failed(failureCodes.conflict, 409)],
    ['GET /admin/user', before as Json],
  ] as const
  const once = [['PATCH /admin/user', lost] as const, ['GET /admin/user', after as Json] as const]
  expect(await createStepRunner().carryOut(of, user, ...exists, ...once)).toEqual({ outcome: 'done', attempts: 2 })
})
