// Licences: who holds what, how many are left, and assignments that happen whole or not at all.
import { expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const tenant = {
  users: [
    { svcId: 'anna@x', name: 'Anna' },
    { svcId: 'jan@x', name: 'Jan' },
  ],
  groups: [{ svcId: 'staff@x' }],
  licenses: {
    available: { User: 1, SingleSolutionUser: 5, PowerUser: 5 },
    assigned: [{ svcId: 'anna@x', licenses: ['User' as const] }],
  },
  databases: [{ id: 1, applications: [{ name: 'A', processes: [{ name: 'P' }, { name: 'Q' }] }] }],
}
const assign = (svcId: string, ...licenses: unknown[]) => ({ assignLicenses: [{ svcId, licenses }] })
const remove = (svcId: string, ...licenses: unknown[]) => ({ removeLicenses: [{ svcId, licenses }] })

test('lists, a person, and the summary', async () => {
  const { get } = await startPlatform({ tenant })
  const licenses = [{ type: 'User' }]
  expect((await get('/admin/licenses')).body).toEqual({
    assignedLicenses: [{ svcId: 'anna@x', name: 'Anna', licenses }],
  })
  expect((await get('/admin/license?svcId=anna@x')).body).toEqual({
    svcId: 'anna@x',
    name: 'Anna',
    userIsDeleted: false,
    licenses,
  })
  expect((await get('/admin/licenses/jan@x')).body.licenses).toEqual([])
  expect((await get('/admin/licenses/nobody')).status).toBe(404)
  const summary = (await get('/admin/licenses/summary')).body.licenses
  // Types that are not limited are not in it.
  expect(summary).toContainEqual({ license: 'User', total: 1, assigned: 1 })
  expect(summary).toHaveLength(Object.keys(tenant.licenses.available).length)
})

test('a licence passes from one person to another in one request', async () => {
  const { post, get } = await startPlatform({ tenant })
  const both = { ...assign('jan@x', { type: 'User' }), ...remove('anna@x', { type: 'User' }) }
  expect(await post('/admin/licenses/assign', assign('jan@x', { type: 'User' }))).toMatchObject({
    status: 409,
    body: { type: 'LicenseError' },
  })
  expect((await post('/admin/licenses/assign', both)).status).toBe(200)
  expect((await get('/admin/licenses')).body.assignedLicenses).toMatchObject([{ svcId: 'jan@x' }])
})

test.each([
  [assign('nobody', { type: 'PowerUser' }), 409, 'InvalidData'],
  [assign('staff@x', { type: 'PowerUser' }), 409, 'LicenseError'],
  [remove('nobody', { type: 'PowerUser' }), 409, 'InvalidData'],
  [assign('jan@x', { type: 'Gold' }), 400, 'InvalidBodyParameterValue'],
  [assign('jan@x', { type: 'User', designerDeskSettings: {} }), 400, 'InvalidInput'],
  [remove('jan@x', { type: 'DesignerDeskUser', designerDeskSettings: {} }), 400, 'InvalidInput'],
  [{ assign: [] }, 400, 'InvalidInput'],
])('%j answers %i %s, and nothing is done', async (body, status, type) => {
  const { post, get } = await startPlatform({ tenant })
  const before = (await get('/admin/licenses')).body
  const mixed = { ...remove('anna@x', { type: 'User' }), ...body }
  expect(await post('/admin/licenses/assign', mixed)).toMatchObject({ status, body: { type } })
  expect((await get('/admin/licenses')).body).toEqual(before)
})

test('licences for single solutions gather processes, and end with the last', async () => {
  const { post, get } = await startPlatform({ tenant })
  const type = 'SingleSolutionUser'
  const on = (...ids: number[]) => ({ type, singleSolutionSettings: { processes: ids.map((id) => ({ id, dbId: 1 })) } })
  const held = async () => (await get('/admin/licenses/jan@x')).body.licenses
  await post('/admin/licenses/assign', assign('jan@x', on(1)))
  await post('/admin/licenses/assign', assign('jan@x', on(2)))
  expect(await held()).toMatchObject([
    { type, singleSolutionSettings: { processes: [{ name: 'P' }, { name: 'Q', dbId: 1 }] } },
  ])
  await post('/admin/licenses/assign', remove('jan@x', on(1)))
  expect(await held()).toMatchObject([{ singleSolutionSettings: { processes: [{ name: 'Q' }] } }])
  await post('/admin/licenses/assign', remove('jan@x', { type, singleSolutionSettings: { allProcesses: true } }))
  expect(await held()).toEqual([])
  expect((await post('/admin/licenses/assign', assign('jan@x', on(9)))).status).toBe(409)
})

test('licences for the designer desk say what is allowed', async () => {
  const { post, get } = await startPlatform({ tenant })
  const designerDeskSettings = { allowDesignerDeskProjectCreation: true }
  await post('/admin/licenses/assign', assign('jan@x', { type: 'DesignerDeskUser', designerDeskSettings }))
  expect((await get('/admin/licenses/jan@x')).body.licenses).toEqual([
    {
      type: 'DesignerDeskUser',
      designerDeskSettings: { allowDesignerDeskProjectCreation: true, allowDesignerDeskProjectPublishing: false },
    },
  ])
})

test('licences outlive their holder', async () => {
  const { get, del } = await startPlatform({ tenant })
  await del('/admin/users/anna@x')
  expect((await get('/admin/licenses/anna@x')).body).toMatchObject({
    userIsDeleted: true,
    licenses: [{ type: 'User' }],
  })
})

test.each([
  ['notFound', { status: 404, body: { type: 'ResourceNotFound' } }],
  ['empty', { status: 200, body: { userIsDeleted: true, licenses: [] } }],
] as const)('licences that go with their holder, read back: %s', async (licensesOfDeleted, read) => {
  const { get, del, post } = await startPlatform({ tenant, behaviour: { licensesOfDeleted } })
  await del('/admin/users/anna@x')
  expect(await get('/admin/licenses/anna@x')).toMatchObject(read)
  expect((await get('/admin/licenses/nobody')).status).toBe(404)
  expect((await get('/admin/licenses')).body).toEqual({ assignedLicenses: [] })
  expect((await get('/admin/licenses/summary')).body.licenses).toContainEqual({
    license: 'User',
    total: 1,
    assigned: 0,
  })
  expect((await post('/admin/licenses/assign', remove('anna@x', { type: 'User' }))).status).toBe(409)
})

test('installations on premises have none', async () => {
  const { get, post } = await startPlatform({ tenant: { licenses: { installation: 'onPremises' } } })
  const refused = { status: 405, body: { type: 'UnsupportedInstallationType' } }
  expect(await get('/admin/licenses')).toMatchObject(refused)
  expect(await get('/admin/licenses/summary')).toMatchObject(refused)
  expect(await post('/admin/licenses/assign', {})).toMatchObject(refused)
})
