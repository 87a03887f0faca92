// Faults on order, each as the client gets to feel it, and whether the write behind it took effect.
import { describe, expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const user = { svcId: 'anna@x' }

async function startFaulty(fault: object, behaviour = {}) {
  const platform = await startPlatform({ behaviour })
  await platform.get('/me')
  expect((await platform.control('POST', '/faults', fault)).status).toBe(200)
  const exists = async () => (await platform.get('/admin/users/anna@x')).status === 200
  return { ...platform, exists, create: () => platform.post('/admin/users', user) }
}

test('an answer with status, headers and body, once', async () => {
  const effect = { kind: 'status', status: 429, headers: { 'retry-after': '2' }, body: { type: 'Slow' } }
  const { create, exists } = await startFaulty({ match: { method: 'POST', path: '/admin/users' }, effect })
  const reply = await create()
  expect([reply.status, reply.headers['retry-after'], reply.body]).toEqual([429, '2', { type: 'Slow' }])
  expect(await exists()).toBe(false)
  expect((await create()).status).toBe(200)
})

test('the nth request that matches, and so many', async () => {
  const { get } = await startFaulty({
    match: { path: '/admin/*', query: 'size' },
    nth: 2,
    count: 2,
    effect: { kind: 'status', status: 503 },
  })
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) statuses.push((await get('/admin/users?size=5')).status)
  expect(statuses).toEqual([200, 503, 503, 200, 200])
  expect((await get('/admin/users')).status).toBe(200)
})

describe('a connection that is reset', () => {
  const effect = { kind: 'reset' }
  test.each([
    [{ effect: { ...effect, carriedOut: false } }, {}, false],
    [{ effect: { ...effect, carriedOut: true } }, {}, true],
    [{ effect }, { lostWrites: 'carriedOut' }, true],
    [{ effect }, { lostWrites: 'notCarriedOut' }, false],
    [{ effect: { kind: 'status', status: 502 } }, { lostWrites: 'carriedOut' }, true],
    [{ effect: { kind: 'status', status: 502 } }, { lostWrites: 'notCarriedOut' }, false],
  ])('%j with %j: carried out %s', async (fault, behaviour, carriedOut) => {
    const { create, exists, control } = await startFaulty({ match: { method: 'POST' }, ...fault }, behaviour)
    const outcome = await create().then(
      (reply) => reply.status,
      () => 'lost',
    )
    expect(outcome).toBe(fault.effect.kind === 'reset' ? 'lost' : 502)
    expect(await exists()).toBe(carriedOut)
    const { requests } = (await control('GET', '/requests')).body
    const status = outcome === 'lost' ? null : 502
    expect(requests.find((each: { fault: unknown }) => each.fault === 1)).toMatchObject({ carriedOut, status })
  })
})

test('an answer that is cut short, by length or by connection', async () => {
  const { get, control } = await startFaulty({ match: { path: '/admin/users' }, effect: { kind: 'truncate' } })
  expect(await get('/admin/users')).toMatchObject({ status: 200, body: '{"user' })
  await control('POST', '/faults', { effect: { kind: 'cut' } })
  await expect(get('/admin/users')).rejects.toThrow()
})

test('an answer to another request, which the log does not show', async () => {
  const { get, control, create } = await startFaulty({
    match: { path: '/admin/user', query: 'jan' },
    effect: { kind: 'misroute', as: '/admin/user?svcId=anna%40x' },
  })
  await create()
  expect(await get('/admin/user?svcId=jan%40x')).toMatchObject({ status: 200, body: user })
  const { requests } = (await control('GET', '/requests')).body
  expect(requests.at(-1)).toMatchObject({ path: '/api/data/v6.0/admin/user', query: { svcId: 'jan@x' }, fault: 1 })
  expect((await get('/admin/user?svcId=jan%40x')).status).toBe(404)
})

test('an answer that is no JSON', async () => {
  const { get } = await startFaulty({ effect: { kind: 'text' } })
  const reply = await get('/admin/users')
  expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/html'])
  expect(reply.body).toContain('<html>')
})

test('a delay, and no answer at all', async () => {
  const { get, control, emulator } = await startFaulty({ effect: { kind: 'delay', delayMs: 60 } })
  const before = performance.now()
  expect((await get('/admin/users')).status).toBe(200)
  expect(performance.now() - before).toBeGreaterThanOrEqual(59)
  await control('POST', '/faults', { effect: { kind: 'hang' } })
  await expect(fetch(`${emulator.url}/api/data/v6.0/me`, { signal: AbortSignal.timeout(50) })).rejects.toThrow()
})

test('all tokens expire', async () => {
  const { get } = await startFaulty({ match: { path: '/admin/users' }, effect: { kind: 'expireTokens' } })
  expect((await get('/me')).status).toBe(200)
  expect((await get('/admin/users')).status).toBe(401)
  expect((await get('/me')).status).toBe(401)
})

test('the token endpoint can fail, too', async () => {
  const { token } = await startFaulty({
    match: { path: '/api/oauth2/token' },
    effect: { kind: 'status', status: 500 },
  })
  expect((await token()).status).toBe(500)
  expect((await token()).status).toBe(200)
})

test('faults are listed with their hits, and taken back', async () => {
  const { get, control } = await startFaulty({ count: null, effect: { kind: 'status', status: 500 } })
  await get('/me')
  expect((await control('GET', '/faults')).body.faults).toMatchObject([{ number: 1, matched: 1, hits: 1 }])
  await control('DELETE', '/faults')
  expect((await get('/me')).status).toBe(200)
})

test('a fault that cannot be understood is refused', async () => {
  const { control } = await startPlatform()
  expect(await control('POST', '/faults', { effect: { kind: 'explode' } })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('effect.kind: must be one of') },
  })
})
