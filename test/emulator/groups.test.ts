// Groups, their members and owners, and what deletion takes along.
import { expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const tenant = {
  accounts: [{ svcId: 'ad@corp', name: 'Directory', type: 'AdGroup' as const }],
  users: [{ svcId: 'anna@x', name: 'Anna' }, { svcId: 'jan@x' }],
  groups: [
    { svcId: 'staff@x', name: 'Staff', email: 's@x', members: ['anna@x'], owners: ['jan@x'] },
    { svcId: 'empty@x', name: 'Empty' },
  ],
}

test('lists have no members, details have', async () => {
  const { get } = await startPlatform({ tenant })
  const { body } = await get('/admin/groups')
  expect(body.groups[0]).toEqual({ svcId: 'staff@x', name: 'Staff', email: 's@x', status: 'Synchronized' })
  expect((await get('/admin/group?svcId=STAFF@x')).body).toEqual({
    ...body.groups[0],
    members: [{ svcId: 'anna@x', name: 'Anna', email: null, type: 'User' }],
    owners: [{ svcId: 'jan@x', name: null, email: null, type: 'User' }],
  })
})

test('a group is created with members and owners of every sort', async () => {
  const { get, post } = await startPlatform({ tenant })
  const members = [{ svcId: 'anna@x' }, { svcId: 'staff@x' }, { svcId: 'ad@corp' }, { svcId: 'app@svcsync' }]
  expect((await post('/admin/groups', { svcId: 'new@x', name: 'New', members, owners: null })).status).toBe(200)
  const { body } = await get('/admin/groups/new@x')
  const types = body.members.map(({ type }: { type: string }) => type)
  expect(types).toEqual(['User', 'SvcGroup', 'AdGroup', 'ApiApplication'])
  expect(body.owners).toEqual([])
})

test('an svcId in use is 405, whoever has it', async () => {
  const { post } = await startPlatform({ tenant })
  for (const svcId of ['staff@x', 'anna@x']) {
    expect(await post('/admin/groups', { svcId })).toMatchObject({
      status: 405,
      body: { type: 'UnsupportedOperation' },
    })
  }
})

test('name and email are changed with PATCH, and neither may be empty', async () => {
  const { get, patch } = await startPlatform({ tenant })
  expect((await patch('/admin/group?svcId=staff@x', { name: 'All' })).status).toBe(200)
  expect((await get('/admin/groups/staff@x')).body).toMatchObject({ name: 'All', email: 's@x' })
  for (const body of [{ name: '' }, { email: '' }, { svcId: 'y' }, { members: [] }]) {
    expect((await patch('/admin/groups/staff@x', body)).status).toBe(400)
  }
})

test('DELETE deletes the group, whatever its body says', async () => {
  const { get, del } = await startPlatform({ tenant })
  expect((await del('/admin/groups/staff@x', { name: 'All' })).status).toBe(200)
  expect((await get('/admin/groups/staff@x')).status).toBe(404)
})

test('members and owners are added and removed, in both forms of the path', async () => {
  const { get, post } = await startPlatform({ tenant })
  await post('/admin/groups/empty@x/members/add', { members: [{ svcId: 'anna@x' }, { svcId: 'JAN@x' }] })
  await post('/admin/group/owners/add?svcId=empty@x', { owners: [{ svcId: 'anna@x' }] })
  let { body } = await get('/admin/groups/empty@x')
  expect(body.members.map((each: { svcId: string }) => each.svcId)).toEqual(['anna@x', 'jan@x'])
  await post('/admin/group/members/remove?svcId=empty@x', { members: [{ svcId: 'anna@x' }, { svcId: 'nobody' }] })
  await post('/admin/groups/empty@x/owners/remove', { owners: [{ svcId: 'anna@x' }] })
  body = (await get('/admin/groups/empty@x')).body
  expect(body).toMatchObject({ members: [{ svcId: 'jan@x' }], owners: [] })
})

test('adding who is in already succeeds', async () => {
  const { get, post } = await startPlatform({ tenant })
  expect((await post('/admin/groups/staff@x/members/add', { members: [{ svcId: 'anna@x' }] })).status).toBe(200)
  expect((await get('/admin/groups/staff@x')).body.members).toHaveLength(1)
})

test('one unknown id makes the whole batch a conflict', async () => {
  const { get, post } = await startPlatform({ tenant })
  const batch = [{ svcId: 'jan@x' }, { svcId: 'nobody@x' }]
  expect(await post('/admin/groups/staff@x/members/add', { members: batch })).toMatchObject({ status: 409 })
  expect((await post('/admin/groups', { svcId: 'new@x', members: batch })).status).toBe(409)
  expect((await get('/admin/groups/staff@x')).body.members).toHaveLength(1)
  expect((await get('/admin/groups/new@x')).status).toBe(404)
})

test.each([
  [{ owners: [] }, 'InvalidInput'],
  [{ members: [{ svcId: 'anna@x', type: 'User' }] }, 'InvalidInput'],
  [{ members: ['anna@x'] }, 'InvalidBodyParameterValue'],
  [{}, 'MissingRequiredBodyParameter'],
])('members/add refuses %j', async (body, type) => {
  const { post } = await startPlatform({ tenant })
  expect(await post('/admin/groups/staff@x/members/add', body)).toMatchObject({ status: 400, body: { type } })
})

test('whoever is deleted leaves groups and privileges', async () => {
  const applications = [{ name: 'A', privileges: [{ svcId: 'anna@x', level: 'ReadOnly' as const }] }]
  const { get, del } = await startPlatform({ tenant: { ...tenant, databases: [{ id: 1, applications }] } })
  await del('/admin/users/anna@x')
  expect((await get('/admin/groups/staff@x')).body.members).toEqual([])
  expect((await get('/db/1/applications/1/admin/privileges')).body).toEqual({ privileges: [] })
})

test('empty lists of members are [] or null, as the installation likes', async () => {
  const { get, emulator } = await startPlatform({ tenant })
  expect((await get('/admin/groups/empty@x')).body).toMatchObject({ members: [], owners: [] })
  emulator.setBehaviour({ emptyMembers: 'null' })
  expect((await get('/admin/groups/empty@x')).body).toMatchObject({ members: null, owners: null })
})
