// The reactions of a call to transient answers and failures: waiting, retrying, giving up in time.
import { afterEach, expect, it } from 'vitest'
import { effectIsUnknown, type PlatformError } from '../../src/errors/index.ts'
import { failureOf } from './platform-fixture.ts'
import { scriptedPlatform } from './scripted-platform.ts'

const script = scriptedPlatform()
const testClient = script.client

const api = '/api/data/v6.0'
const groups = { method: 'GET', path: '/admin/groups' } as const
const create = { method: 'POST', path: '/admin/groups', body: { svcId: 'a' } } as const
const json = { 'content-type': 'application/json' }

afterEach(() => {
  expect(script.pending()).toEqual([])
})

/** A platform that gives one token and then what the test says. */
function platform() {
  script.post('/api/oauth2/token').reply(200, '{"access_token":"token-one"}')
  return script
}

it('waits as long as Retry-After says in seconds, tells it, and repeats a write', async () => {
  platform().post(`${api}/admin/groups`).reply(429, '', { 'retry-after': '7' })
  script.post(`${api}/admin/groups`).reply(201, '')
  const { client, sleeps, events } = testClient()
  await client.send(create)
  expect(sleeps).toEqual([7000])
  expect(events).toEqual([
    { kind: 'paused', delayMs: 7000 },
    {
      kind: 'retry',
      method: 'POST',
      path: '/admin/groups',
      attempt: 1,
      delayMs: 7000,
      reason: { kind: 'status', code: 'SVC3035', status: 429 },
    },
  ])
  expect(client.stats()).toMatchObject({ requests: 2, retries: 1 })
})

it('that may come again at once holds nobody back', async () => {
  platform().get(`${api}/admin/groups`).reply(503, '', { 'retry-after': '0' })
  script
    .get(`${api}/admin/groups`)
    .replyBy((_path, _body, headers) => [200, { type: headers['content-type'] ?? 'none' }])
  const { client, events } = testClient()
  expect(await client.send(groups)).toEqual({ type: 'none' })
  expect(events.map(({ kind }) => kind)).toEqual(['retry'])
})

it('sends reads before writes that waited longer, one at a time', async () => {
  const seen: string[] = []
  platform()
  for (const method of ['get', 'post'] as const)
    script
      .persist()
      [method](/groups/)
      .replyBy(() => {
        seen.push(method)
        return [200, {}]
      })
  const { client } = testClient({ concurrency: 1 })
  await Promise.all([groups, create, groups].map((each) => client.send(each)))
  expect(seen).toEqual(['get', 'get', 'post'])
})

it('counts the time of attempts towards the limit, not pauses alone', async () => {
  const { client, time } = testClient({ deadlineMs: 2000, retry: { attempts: 9 } })
  platform()
  script
    .persist()
    .get(/groups/)
    .replyBy(() => {
      time.nowMs += 900
      return [500, '']
    })
  await failureOf(client.send(groups))
  expect(client.stats()).toMatchObject({ requests: 2, retries: 1 })
})

it('counts tokens that cannot be had towards an outage', async () => {
  script.persist().post('/api/oauth2/token').fails('ECONNREFUSED')
  const { client, events } = testClient({ retry: { attempts: 1 } })
  for (let count = 0; count < 8; count++) await failureOf(client.send(groups))
  expect(events).toMatchObject([{ kind: 'platform-silent', failures: 8 }])
  await client.close()
})

it('ends a pause once it is closed, and what waits for it: nothing keeps a process from ending', async () => {
  platform().get(`${api}/admin/groups`).reply(429, '', { 'retry-after': '250' })
  const asleep: AbortSignal[] = []
  const given = new AbortController()
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((_wake, fail) => {
      asleep.push(signal as AbortSignal)
      signal?.addEventListener('abort', () => fail(signal.reason))
    })
  const { client } = testClient({ sleep, signal: given.signal })
  const failure = failureOf(client.send(groups))
  while (asleep.length === 0) await new Promise((next) => setImmediate(next))
  await client.close()
  expect(asleep[0]?.aborted).toBe(true)
  expect(await failure).toMatchObject({ code: 'SVC3005' })
})

it('understands Retry-After as a date', async () => {
  platform().get(`${api}/admin/groups`).reply(503, '', { 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' })
  script.get(`${api}/admin/groups`).reply(200, {})
  const { client, sleeps } = testClient()
  await client.send(groups)
  expect(sleeps).toEqual([9000])
})

it.each([
  [500, '', 'The platform answered 500 to GET /admin/groups', undefined],
  [
    500,
    { type: 'InternalError', description: 'Broken', errorGuid: 'g-1' },
    'The platform answered 500 (InternalError) to GET /admin/groups: Broken',
    undefined,
  ],
  [400, 'Name taken', 'The platform answered 400 to GET /admin/groups: Name taken', undefined],
  [300, '', 'GET /admin/groups was redirected, which svcsync does not follow', 'Check baseUrl'],
  [429, '', 'The platform answered 429 to GET /admin/groups', 'Lower the concurrency.'],
  [403, '', 'The platform answered 403 to GET /admin/groups', 'all scopes of the application'],
  [
    402,
    { type: 'LicenseError' },
    'The platform answered 402 (LicenseError) to GET /admin/groups',
    'No licence of this',
  ],
])('says of %s with %j what the platform said, and what to do', async (status, body, message, hint) => {
  platform().get(`${api}/admin/groups`).reply(status, body)
  const error = (await failureOf(testClient({ retry: { attempts: 1 } }).client.send(groups))) as PlatformError
  expect(error.message).toBe(message)
  if (hint === undefined) expect(error.hint).toBeUndefined()
  else expect(error.hint).toContain(hint)
})

it('makes the other requests of the client hold back as well', async () => {
  platform().get(`${api}/one`).reply(429, '', { 'retry-after': '5' })
  const { client, time } = testClient()
  const startMs = time.nowMs
  const sentAtMs: number[] = []
  script
    .persist()
    .get(/one|two|three/)
    .replyBy(() => {
      sentAtMs.push(time.nowMs - startMs)
      return [200, {}]
    })
  const one = client.send({ method: 'GET', path: '/one' })
  while (client.stats().retries === 0) await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([one, client.send({ method: 'GET', path: '/two' }), client.send({ method: 'GET', path: '/three' })])
  expect(sentAtMs).toHaveLength(3)
  for (const at of sentAtMs) expect(at).toBeGreaterThanOrEqual(5000)
  script.clear()
})

it('gives up at once when the pause is longer than the deadline', async () => {
  platform().get(`${api}/admin/groups`).reply(503, '', { 'retry-after': '3600' })
  const { client, sleeps } = testClient({ deadlineMs: 60_000 })
  await expect(client.send(groups)).rejects.toMatchObject({ status: 503 })
  const held = await failureOf(client.send(create))
  expect(held).toMatchObject({ code: 'SVC3006', kind: 'unreachable' })
  expect(effectIsUnknown(held)).toBe(false)
  expect(sleeps).toEqual([])
})

it('does not send what waited in one pause after the other until its time was over', async () => {
  const pauses: number[] = []
  let answerSlowly: (answer: [number, string, Record<string, string>]) => void = () => {}
  platform()
    .get(`${api}/slow`)
    .replyBy(() => new Promise((resolve) => (answerSlowly = resolve)))
  script.get(`${api}/busy`).reply(429, '', { 'retry-after': '40' })
  const time = { nowMs: 0 }
  const sleep = async (delayMs: number) => {
    const untilMs = time.nowMs + delayMs
    answerSlowly([429, '', { 'retry-after': '70' }])
    while (pauses.length < 2) await new Promise((resolve) => setImmediate(resolve))
    time.nowMs = Math.max(time.nowMs, untilMs)
  }
  const timer = () => time.nowMs
  const { client } = testClient({
    ...{ deadlineMs: 60_000, timer, clock: timer, sleep, retry: { attempts: 1 } },
    onEvent: (event) => event.kind === 'paused' && pauses.push(event.delayMs),
  })
  const slow = failureOf(client.send({ method: 'GET', path: '/slow' }))
  await failureOf(client.send({ method: 'GET', path: '/busy' }))
  expect(await failureOf(client.send(groups))).toMatchObject({ code: 'SVC3006', kind: 'unreachable' })
  expect(await slow).toMatchObject({ status: 429 })
  expect(pauses).toEqual([40_000, 70_000])
})

it.each([500, 502, 503, 504])('repeats a read after %s, with growing delays, and then stops', async (status) => {
  platform().get(`${api}/admin/groups`).times(3).reply(status, '')
  const { client, sleeps } = testClient({ retry: { attempts: 3 } })
  await expect(client.send(groups)).rejects.toMatchObject({ status })
  expect(sleeps).toEqual([500, 1000])
})

it('ends with the deadline, however many attempts are left', async () => {
  platform().get(`${api}/admin/groups`).times(3).reply(500, '')
  const { client, sleeps } = testClient({ retry: { attempts: 10 }, deadlineMs: 2500 })
  await expect(client.send(groups)).rejects.toMatchObject({ status: 500 })
  expect(sleeps).toEqual([500, 1000])
})

it.each([500, 502, 504])('leaves a write alone after %s, as its effect is unknown', async (status) => {
  platform().post(`${api}/admin/groups`).reply(status, { type: 'InternalError' }, json)
  const { client, sleeps } = testClient()
  const error = await failureOf(client.send(create))
  expect(error).toMatchObject({ kind: 'status', status })
  expect(effectIsUnknown(error)).toBe(true)
  expect(sleeps).toEqual([])
})

it('repeats a write whose connection was refused, not one whose connection broke', async () => {
  platform().post(`${api}/admin/groups`).fails('ECONNREFUSED')
  script.post(`${api}/admin/groups`).fails('ECONNRESET')
  const { client, sleeps } = testClient()
  const error = await failureOf(client.send(create))
  expect(sleeps).toEqual([500])
  expect(error).toMatchObject({ kind: 'lost', code: 'SVC3010' })
  expect(effectIsUnknown(error)).toBe(true)
})

it.each([
  ['ENOTFOUND', 'SVC3002', 'DNS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'SVC3003', '--ca-file'],
  ['ECONNREFUSED', 'SVC3001', 'baseUrl'],
])('says after %s what to check', async (systemCode, code, advice) => {
  platform().get(`${api}/admin/groups`).fails(systemCode)
  const error = await failureOf(testClient({ retry: { attempts: 1 } }).client.send(groups))
  expect(error).toMatchObject({ kind: 'unreachable', code })
  expect((error as PlatformError).hint).toContain(advice)
  expect((error as Error).message).toContain(systemCode)
})
