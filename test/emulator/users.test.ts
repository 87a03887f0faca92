// External users: life of one, forms of the path, what is refused.
import { describe, expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const anna = { svcId: 'anna@example.com', name: 'Anna', email: 'anna@example.com' }

test('a user is created, read, changed and deleted', async () => {
  const { get, post, patch, del } = await startPlatform()
  expect(await post('/admin/users', anna)).toMatchObject({ status: 200, body: '' })
  expect((await patch('/admin/users/anna@example.com', { jobTitle: 'Controller', name: null })).status).toBe(200)
  const { status, body } = await get('/admin/users/anna@example.com')
  expect(status).toBe(200)
  expect(body).toEqual({
    svcId: 'anna@example.com',
    name: null,
    email: 'anna@example.com',
    phoneNumber: null,
    managerSvcId: null,
    jobTitle: 'Controller',
    status: 'Synchronized',
  })
  expect((await del('/admin/user?svcId=anna@example.com')).status).toBe(200)
  expect(await get('/admin/users/anna@example.com')).toMatchObject({ status: 404, body: { type: 'ResourceNotFound' } })
})

test('an id in use is a conflict, also when somebody else has it', async () => {
  const tenant = { users: [anna], accounts: [{ svcId: 'jan@corp' }] }
  const { post } = await startPlatform({ tenant })
  for (const svcId of ['ANNA@example.com', 'jan@corp', 'app@svcsync']) {
    expect(await post('/admin/users', { svcId })).toMatchObject({ status: 409, body: { type: 'InvalidData' } })
  }
})

describe('ids with characters that paths treat specially', () => {
  test.each(['corp\\jan', 'a/b/c', 'tag#1', 'two words', 'żółć@example.com', '100%25', 'a+b@x', 'q?x=1&y'])(
    '%s',
    async (svcId) => {
      const { get, post } = await startPlatform()
      await post('/admin/users', { svcId })
      const encoded = encodeURIComponent(svcId)
      expect((await get(`/admin/users/${encoded}`)).body.svcId).toBe(svcId)
      expect((await get(`/admin/user?svcId=${encoded}`)).body.svcId).toBe(svcId)
      expect((await get(`/api/data/v5.0/admin/user?svcId=${encoded}`)).body.svcId).toBe(svcId)
    },
  )
})

test('directory accounts and groups are no users', async () => {
  const { get } = await startPlatform({ tenant: { accounts: [{ svcId: 'jan@corp' }], groups: [{ svcId: 'g@x' }] } })
  expect((await get('/admin/users')).body).toEqual({ users: [] })
  expect((await get('/admin/users/jan@corp')).status).toBe(404)
  expect((await get('/admin/users/g@x')).status).toBe(404)
})

test.each([
  [{ svcId: 'x', surname: 'X' }, 'InvalidInput'],
  [{ svcId: 'x', status: 'Synchronized' }, 'InvalidInput'],
  [{ name: 'X' }, 'MissingRequiredBodyParameter'],
  [{ svcId: '' }, 'InvalidBodyParameterValue'],
  [{ svcId: 'x', name: 7 }, 'InvalidBodyParameterValue'],
  [[], 'InvalidBodyParameterValue'],
  ['{ broken', 'InvalidInput'],
])('the body %j is refused as %s', async (body, type) => {
  const { post, get } = await startPlatform()
  expect(await post('/admin/users', body)).toMatchObject({ status: 400, body: { type } })
  expect((await get('/admin/users')).body.users).toEqual([])
})

test('the svcId cannot be changed', async () => {
  const { patch } = await startPlatform({ tenant: { users: [anna] } })
  expect((await patch('/admin/users/anna@example.com', { svcId: 'x' })).status).toBe(400)
})

test('managers may be anybody, unless the installation looks', async () => {
  const { emulator, post } = await startPlatform()
  expect((await post('/admin/users', { svcId: 'a', managerSvcId: 'b' })).status).toBe(200)
  emulator.setBehaviour({ managerMustExist: true })
  expect(await post('/admin/users', { svcId: 'c', managerSvcId: 'd' })).toMatchObject({
    status: 400,
    body: { type: 'InvalidFieldData' },
  })
  expect((await post('/admin/users', { svcId: 'c', managerSvcId: 'a' })).status).toBe(200)
})
