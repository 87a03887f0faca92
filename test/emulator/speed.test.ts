// Answers come when they are due, and a large installation answers as fast as a small one.
import { expect, test } from 'vitest'
import { form, startPlatform } from './start-platform.ts'

test('latency counts from the arrival of a request, also of many at once', async () => {
  const { get } = await startPlatform({ latencyMs: 100, onExchange: undefined })
  await get('/me')
  const elapsedMs = async (work: () => Promise<unknown>) => {
    const before = performance.now()
    await work()
    return performance.now() - before
  }
  const one = await elapsedMs(() => get('/me'))
  const twenty = await elapsedMs(() => Promise.all(Array.from({ length: 20 }, () => get('/me'))))
  expect(one).toBeGreaterThanOrEqual(100)
  // In a plain queue they would take twenty times as long as one. What a busy machine takes for them is small beside
  // that.
  expect(twenty).toBeLessThan(10 * one)
})

test('10,000 users in a group and on pages are no burden', async () => {
  const users = Array.from({ length: 10_000 }, (_, at) => ({ svcId: `user${at}@x` }))
  const tenant = { users, groups: [{ svcId: 'all@x', members: users.map(({ svcId }) => svcId) }] }
  const { token, get, emulator } = await startPlatform({ tenant, onExchange: undefined })
  await token(form)
  for (let page = 0; page < 50; page++)
    expect((await get(`/admin/users?size=200&page=${page}`)).body.users).toHaveLength(200)
  expect((await get('/admin/groups/all@x')).body.members).toHaveLength(10_000)
  expect(emulator.state().users).toHaveLength(10_000)
})
