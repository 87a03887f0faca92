// A platform that is down is not hammered: after failures in a row single looks replace requests, until it answers
// again or is given up.
import { beforeEach, expect, it } from 'vitest'
import type { PlatformError } from '../../src/errors/index.ts'
import { failureOf } from './platform-fixture.ts'
import { scriptedPlatform } from './scripted-platform.ts'

const script = scriptedPlatform()
const testClient = script.client

const api = '/api/data/v6.0'
const read = (path: string) => ({ method: 'GET', path }) as const

beforeEach(() => void script.persist().post('/api/oauth2/token').reply(200, '{"access_token":"token-one"}'))

const many = (count: number) => Array.from({ length: count }, (_, index) => read(`/many/${index}`))
const kinds = (events: readonly { readonly kind: string }[]) =>
  events.map(({ kind }) => kind).filter((kind) => kind.startsWith('platform-'))

it('holds requests back after failures in a row, looks with one that worked, and goes on when answered', async () => {
  let isUp = true
  let looks = 0
  script
    .persist()
    .get(/.*/)
    .replyBy((uri) => {
      if (uri === `${api}/first`) looks++
      if (looks === 3) isUp = true
      return isUp ? [200, {}] : [503, '']
    })
  const { client, events } = testClient({ concurrency: 4 })
  await client.send(read('/first'))
  isUp = false
  expect(await Promise.all(many(40).map((request) => client.send(request)))).toHaveLength(40)
  expect(looks).toBe(3)
  expect(kinds(events)).toEqual(['platform-silent', 'platform-silent', 'platform-back'])
  // The first, the failures in a row with what was under way beside them, two looks, and what was waited for.
  expect(client.stats().requests).toBeLessThanOrEqual(1 + 8 + 3 + 2 + 40)
})

it('gives what waited for the platform the time of a request, however long the outage took', async () => {
  let isUp = true
  let [looks, answered] = [0, 0]
  script
    .persist()
    .get(/.*/)
    .replyBy((uri) => {
      answered++
      if (uri === `${api}/first` && ++looks === 4) isUp = true
      return isUp ? [200, {}] : [503, '']
    })
  const time = { nowMs: 0 }
  const timer = () => time.nowMs
  // Time passes while no request is under way. The looks end 3500 ms after the first failure.
  const sleepers: number[] = []
  const sleep = async (delayMs: number) => {
    const untilMs = time.nowMs + delayMs
    sleepers.push(untilMs)
    for (let turns = 0; turns < 10; turns++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (client.stats().requests > answered || Math.min(...sleepers) < untilMs) turns = 0
    }
    sleepers.splice(sleepers.indexOf(untilMs), 1)
    time.nowMs = Math.max(time.nowMs, untilMs)
  }
  const { client, events } = testClient({ concurrency: 8, deadlineMs: 2500, timer, clock: timer, sleep })
  await client.send(read('/first'))
  isUp = false
  expect(await Promise.all(many(20).map((request) => client.send(request)))).toHaveLength(20)
  expect(time.nowMs).toBeGreaterThan(2500)
  expect(kinds(events)).toEqual(['platform-silent', 'platform-silent', 'platform-silent', 'platform-back'])
})

it('gives up after as many looks as a request may have attempts, with growing pauses, and sends no more', async () => {
  script.get(`${api}/first`).reply(200, {})
  const { client, events, time } = testClient({ concurrency: 4, retry: { attempts: 4, maxDelayMs: 3000 } })
  await client.send(read('/first'))
  script.persist().get(/.*/).fails('ECONNREFUSED')
  const errors = await Promise.all(many(200).map((request) => failureOf(client.send(request))))
  const silent = events.flatMap((event) => (event.kind === 'platform-silent' ? [event.delayMs] : []))
  expect(silent).toEqual([500, 1000, 2000, 3000])
  expect(client.stats().requests).toBeLessThanOrEqual(1 + 8 + 3 + 4)
  const down = errors.filter((error) => (error as PlatformError).code === 'SVC3007')
  expect(down.length).toBeGreaterThan(190)
  expect(new Set(down.map((error) => (error as PlatformError).message)).size).toBe(1)
  expect(down[0]).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('it cannot be reached') })
  // After a while one may look again.
  const before = client.stats().requests
  await failureOf(client.send(read('/soon')))
  expect(client.stats().requests).toBe(before)
  time.nowMs += 3000
  script.clear()
  script.persist().get(/.*/).reply(200, {})
  expect(await client.send(read('/later'))).toEqual({})
})

it('takes one broken path for what it is: the others go on', async () => {
  script.persist().get(`${api}/first`).reply(200, {})
  script
    .persist()
    .get(/broken/)
    .reply(502, '')
  const { client, events } = testClient({ concurrency: 2, retry: { attempts: 3 } })
  await client.send(read('/first'))
  const broken = Array.from({ length: 12 }, (_, index) => failureOf(client.send(read(`/broken/${index}`))))
  for (const error of await Promise.all(broken)) expect(error).toMatchObject({ status: 502 })
  expect(kinds(events)).toContain('platform-back')
  expect(kinds(events)).not.toContain('platform-down')
})

it('looks with what any token may ask, where nothing has worked yet', async () => {
  const looks: string[] = []
  let calls = 0
  script
    .persist()
    .get(/.*/)
    .replyBy((uri) => {
      if (uri === `${api}/me`) looks.push(uri)
      return ++calls <= 16 ? [504, ''] : [200, {}]
    })
  const { client, events } = testClient({ concurrency: 8, retry: { attempts: 5 } })
  await Promise.all(many(20).map((request) => client.send(request)))
  expect(looks.length).toBeGreaterThan(0)
  expect(kinds(events).at(0)).toBe('platform-silent')
  expect(kinds(events).at(-1)).toBe('platform-back')
  expect(kinds(events)).not.toContain('platform-down')
})

it('takes a platform for down that answers 500 to everything, from the first request on', async () => {
  script.persist().get(/.*/).reply(500, '')
  const { client, events } = testClient({ concurrency: 4 })
  const errors = await Promise.all(many(200).map((request) => failureOf(client.send(request))))
  expect(kinds(events).at(-1)).toBe('platform-down')
  // The failures in a row with what was under way beside them, and the looks.
  expect(client.stats().requests).toBeLessThanOrEqual(8 + 3 + 5)
  expect(errors.at(-1)).toMatchObject({ code: 'SVC3007', message: expect.stringContaining('it answered 500') })
})

it('looks ever more seldom at a platform if one path always gives 500, and asks that path anyway', async () => {
  script
    .persist()
    .get(/broken/)
    .reply(500, '')
  script.persist().get(/.*/).reply(200, {})
  const { client, events } = testClient({ concurrency: 4, retry: { attempts: 4 } })
  const broken = Array.from({ length: 200 }, (_, index) => failureOf(client.send(read(`/broken/${index}`))))
  for (const error of await Promise.all(broken)) expect(error).toMatchObject({ status: 500 })
  const silent = kinds(events).filter((kind) => kind === 'platform-silent')
  // 800 failures: after 8, 16, 32 and so on.
  expect(silent.length).toBeGreaterThan(1)
  expect(silent.length).toBeLessThanOrEqual(7)
  expect(kinds(events)).not.toContain('platform-down')
})

it('takes a look for answered that is told when to come again', async () => {
  let looks = -1
  script
    .persist()
    .get(/.*/)
    .replyBy((uri) => {
      if (uri !== `${api}/first`) return looks > 0 ? [200, {}] : [502, '']
      return ++looks === 0 ? [200, {}] : [503, '', { 'retry-after': '1' }]
    })
  const { client, events } = testClient({ concurrency: 4 })
  await client.send(read('/first'))
  await Promise.all(many(20).map((request) => client.send(request)))
  expect(looks).toBe(1)
  expect(kinds(events)).toEqual(['platform-silent', 'platform-back'])
})

it('does not take a platform for down that says when to come again, or that refuses', async () => {
  script.get(/busy/).times(12).reply(503, '', { 'retry-after': '1' })
  script.persist().get(/.*/).reply(400, '')
  const { client, events } = testClient({ concurrency: 4, retry: { attempts: 2 } })
  await Promise.all(Array.from({ length: 12 }, (_, index) => failureOf(client.send(read(`/busy/${index}`)))))
  await Promise.all(many(20).map((request) => failureOf(client.send(request))))
  expect(kinds(events)).toEqual([])
})

it('lets go of all who wait when the run is interrupted', async () => {
  script.persist().get(/.*/).fails('ECONNREFUSED')
  const interrupt = new AbortController()
  const aborted = new Promise<void>((resolve) => interrupt.signal.addEventListener('abort', () => resolve()))
  let asleep: () => void = () => {}
  const waits = new Promise<void>((resolve) => {
    asleep = resolve
  })
  const sleep = () => {
    asleep()
    return aborted
  }
  const { client } = testClient({ concurrency: 16, signal: interrupt.signal, sleep })
  const errors = Promise.all(many(16).map((request) => failureOf(client.send(request))))
  const waiting = Promise.all(many(4).map((request) => failureOf(client.send(request))))
  await waits
  const { requests } = client.stats()
  interrupt.abort()
  for (const error of [...(await errors), ...(await waiting)]) expect(error).toMatchObject({ code: 'SVC3005' })
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  // Nobody is left who would want to know.
  expect(client.stats().requests).toBe(requests)
})
