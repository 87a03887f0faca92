// Pages: their default size, where they start, and how large they get.
import { describe, expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const users = Array.from({ length: 250 }, (_, at) => ({ svcId: `user${at}` }))
const substitutions = Array.from({ length: 25 }, () => ({
  startDate: '2026-01-01',
  endDate: '2026-01-02',
  type: 'TaskDelegation' as const,
  originalPerson: { svcId: 'user0' },
  substitutePerson: { svcId: 'user1' },
}))
const tenant = { users, substitutions }

async function pages(options = {}) {
  const platform = await startPlatform({ tenant, ...options })
  const ids = async (query: string) => {
    const { body } = await platform.get(`/admin/users${query}`)
    return body.users.map(({ svcId }: { svcId: string }) => Number(svcId.slice(4)))
  }
  return { ...platform, ids }
}
const from = (first: number, length: number) => Array.from({ length }, (_, at) => first + at)

test('20 users from page 0, in the order in which they were made', async () => {
  const { ids } = await pages()
  expect(await ids('')).toEqual(from(0, 20))
  expect(await ids('?page=0')).toEqual(from(0, 20))
  expect(await ids('?page=2')).toEqual(from(40, 20))
  expect(await ids('?page=1&size=100')).toEqual(from(100, 100))
  expect(await ids('?page=12')).toEqual(from(240, 10))
  expect(await ids('?page=13')).toEqual([])
})

test('pages are capped in silence', async () => {
  expect(await (await pages()).ids('?size=1000')).toHaveLength(200)
  expect(await (await pages({ pageCap: 50 })).ids('?size=1000&page=1')).toEqual(from(50, 50))
  expect(await (await pages({ pageCap: null })).ids('?size=1000')).toHaveLength(250)
})

describe('where counting starts', () => {
  test('at 1, page 0 is page 1 again', async () => {
    const { ids } = await pages({ behaviour: { firstPage: 1 } })
    expect(await ids('')).toEqual(from(0, 20))
    expect(await ids('?page=0')).toEqual(from(0, 20))
    expect(await ids('?page=1')).toEqual(from(0, 20))
    expect(await ids('?page=2')).toEqual(from(20, 20))
  })

  test('substitutions start at 1, unless the installation starts at 0', async () => {
    const { get, emulator } = await pages()
    const first = async (query: string) => (await get(`/admin/substitutions${query}`)).body.substitutions[0]?.id
    expect([await first(''), await first('?page=0'), await first('?page=1'), await first('?page=2')]).toEqual([
      1, 1, 1, 21,
    ])
    emulator.setBehaviour({ firstPage: 0 })
    expect([await first(''), await first('?page=0'), await first('?page=1')]).toEqual([1, 1, 21])
  })
})

test.each(['page=-1', 'size=0', 'size=x', 'page=1.5', 'size='])('%s is refused', async (query) => {
  const { get } = await startPlatform()
  expect(await get(`/admin/users?${query}`)).toMatchObject({
    status: 400,
    body: { type: 'InvalidQueryParameterValue' },
  })
})

test('the page after the last one may be missing, and of substitutions an empty list', async () => {
  const { get, ids } = await pages({ behaviour: { pageAfterLast: 'notFound' } })
  expect(await ids('?page=12')).toEqual(from(240, 10))
  expect(await get('/admin/users?page=13')).toMatchObject({ status: 404, body: { type: 'ResourceNotFound' } })
  expect((await get('/admin/substitutions?page=2')).body.substitutions).toHaveLength(5)
  expect(await get('/admin/substitutions?page=3')).toMatchObject({ status: 404, body: { type: 'ResourceNotFound' } })
})

test('of substitutions, an empty list is missing there', async () => {
  const { get } = await startPlatform({ behaviour: { pageAfterLast: 'notFound' } })
  expect((await get('/admin/substitutions')).status).toBe(404)
  expect((await get('/admin/users')).body).toEqual({ users: [] })
})
