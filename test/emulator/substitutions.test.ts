// Substitutions: life of one, and what makes one invalid.
import { expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const tenant = {
  users: [{ svcId: 'anna@x', name: 'Anna' }, { svcId: 'jan@x', name: 'Jan' }, { svcId: 'ewa@x' }],
  databases: [{ id: 1, businessEntities: [{ code: 'PL', name: 'Poland' }], applications: [{ name: 'A' }] }],
}
const body = {
  startDate: '2026-01-01T00:00:00Z',
  endDate: '2026-01-31T00:00:00Z',
  type: 'TaskDelegation',
  originalPerson: { svcId: 'anna@x' },
  substitutePerson: { svcId: 'jan@x' },
}

test('a substitution is created, read, changed and deleted', async () => {
  const { get, post, patch, del } = await startPlatform({ tenant })
  const active = { allApplications: false, applications: [{ id: 1, dbId: 1 }], processes: [] }
  const extras = { businessEntity: { id: 1, dbId: 1 }, activeApplications: active }
  expect(await post('/admin/substitutions', { ...body, ...extras })).toMatchObject({ status: 200, body: 1 })
  expect((await get('/admin/substitutions/1')).body).toEqual({
    ...body,
    id: 1,
    originalPerson: { svcId: 'anna@x', name: 'Anna' },
    substitutePerson: { svcId: 'jan@x', name: 'Jan' },
    businessEntity: { id: 1, guid: expect.any(String), dbId: 1, name: 'Poland' },
    activeApplications: { ...active, applications: [{ id: 1, guid: expect.any(String), dbId: 1, name: 'A' }] },
  })
  expect((await patch('/admin/substitutions/1', { endDate: '2026-02-28' })).status).toBe(200)
  expect((await get('/admin/substitutions/1')).body).toMatchObject({ endDate: '2026-02-28', startDate: body.startDate })
  expect((await del('/admin/substitutions/1')).status).toBe(200)
  expect((await get('/admin/substitutions/1')).status).toBe(404)
  expect((await post('/admin/substitutions', body)).body).toBe(2)
})

test('the list can be of one person', async () => {
  const { get, post } = await startPlatform({ tenant })
  await post('/admin/substitutions', body)
  await post('/admin/substitutions', { ...body, originalPerson: { svcId: 'ewa@x' } })
  const ids = async (query: string) => {
    const { body: page } = await get(`/admin/substitutions${query}`)
    return page.substitutions.map(({ id }: { id: number }) => id)
  }
  expect(await ids('')).toEqual([1, 2])
  expect(await ids('?originalPerson=EWA@x')).toEqual([2])
  expect(await ids('?originalPerson=nobody')).toEqual([])
})

test.each([
  [{ endDate: '2025-01-01' }, 409, 'ValidationError'],
  [{ substitutePerson: { svcId: 'anna@x' } }, 409, 'ValidationError'],
  [{ originalPerson: { svcId: 'nobody' } }, 409, 'ValidationError'],
  [{ businessEntity: { id: 7, dbId: 1 } }, 409, 'ValidationError'],
  [{ startDate: 'tomorrow' }, 400, 'InvalidBodyParameterValue'],
  [{ type: 'Holiday' }, 400, 'InvalidBodyParameterValue'],
  [{ type: undefined }, 400, 'MissingRequiredBodyParameter'],
  [{ reason: 'x' }, 400, 'InvalidInput'],
])('%j is refused with %i %s', async (change, status, type) => {
  const { post } = await startPlatform({ tenant })
  expect(await post('/admin/substitutions', { ...body, ...change })).toMatchObject({ status, body: { type } })
})

test('the id stands in the path', async () => {
  const { patch, del } = await startPlatform({ tenant })
  expect((await patch('/admin/substitutions?id=1', body)).status).toBe(405)
  expect((await del('/admin/substitutions?id=1')).status).toBe(405)
})
