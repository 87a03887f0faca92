// State shared by the requests of one client: the platform's pause, and the breaker's row of failures.
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { PlatformError } from '../../src/errors/index.ts'
import { failureOf, startServer, type TestClientOptions, type TestServer, testClient } from './platform-fixture.ts'

const read = (path: string) => ({ method: 'GET', path }) as const
let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(handle: Parameters<typeof startServer>[0], options: TestClientOptions = {}) {
  server = await startServer(handle)
  return testClient({ baseUrl: server.url, ...options })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await turn()
}

describe('the shared pause', () => {
  it.each([
    ['a shorter Retry-After does not shorten', [10, 2]],
    ['a longer one prolongs', [2, 10]],
  ])('%s it', async (_, [first, second]) => {
    const held: ServerResponse[] = []
    let third = false
    // Time stands still but for what the test moves: a sleep ends when its time has come.
    const asleep: { readonly untilMs: number; wake(): void }[] = []
    let nowMs = 0
    const own = await start(
      (request, response) => {
        if (request.url?.endsWith('/third')) third = true
        if (held.length < 2 && !third) held.push(response)
        else response.end('{}')
      },
      {
        clock: () => nowMs,
        timer: () => nowMs,
        random: () => 0,
        sleep: (delayMs) => new Promise((wake) => asleep.push({ untilMs: nowMs + delayMs, wake })),
      },
    )
    const calls = [own.client.send(read('/one')), own.client.send(read('/two'))]
    await until(() => held.length === 2)
    const refuse = (response: ServerResponse | undefined, seconds: number | undefined) =>
      response?.writeHead(429, { 'retry-after': String(seconds) }).end()
    refuse(held[0], first)
    await until(() => asleep.length === 1)
    refuse(held[1], second)
    await until(() => asleep.length === 2)
    calls.push(own.client.send(read('/third')))
    await until(() => asleep.length === 3)
    expect(asleep.at(-1)?.untilMs).toBe(10_000)
    expect(third).toBe(false)
    while (asleep.length > 0) {
      const { untilMs, wake } = asleep.sort((a, b) => a.untilMs - b.untilMs).shift() as (typeof asleep)[number]
      nowMs = Math.max(nowMs, untilMs)
      wake()
      // An early waker sleeps again.
      for (let turns = 0; turns < 20; turns++) await turn()
    }
    expect(nowMs).toBe(10_000)
    expect(await Promise.all(calls)).toHaveLength(3)
  })
})

describe("the breaker's row", () => {
  const silent = (events: readonly { readonly kind: string }[]) =>
    events.filter(({ kind }) => kind === 'platform-silent').length

  it.each([
    ['answers', 200],
    ['refusals', 404],
  ])('begins anew with %s: seven failures twice are no eight', async (_, status) => {
    const { client, events } = await start(
      (request, response) => {
        response.statusCode = request.url?.endsWith('/well') ? status : 502
        response.end('{}')
      },
      { retry: { attempts: 1 } },
    )
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 7; index++) await failureOf(client.send(read(`/broken/${index}`)))
      await failureOf(client.send(read('/well')))
    }
    expect(silent(events)).toBe(0)
    for (let index = 0; index < 8; index++) await failureOf(client.send(read(`/broken/${index}`)))
    await until(() => silent(events) > 0)
    await client.close()
  })
})

describe('a look of the breaker', () => {
  it('has the time of one request, and is a failure when that is over', async () => {
    let looks = 0
    const { client, events } = await start(
      (request, response) => {
        if (request.url?.endsWith('/first')) {
          // The second time it is a look: it gets no answer.
          if (++looks === 1) response.end('{}')
        } else response.writeHead(502).end()
      },
      { retry: { attempts: 2 }, timeoutMs: 500, concurrency: 8 },
    )
    await client.send(read('/first'))
    const errors = await Promise.all(
      Array.from({ length: 20 }, (_, index) => failureOf(client.send(read(`/broken/${index}`)))),
    )
    expect(looks).toBe(3)
    expect(events.filter(({ kind }) => kind === 'platform-down')).toHaveLength(1)
    expect(errors.every((error) => error instanceof PlatformError)).toBe(true)
  })

  it('is the last when the time of a call is over, however many attempts there may be', async () => {
    const { client, events, time } = await start((_, response) => response.writeHead(502).end(), {
      retry: { attempts: 1000, maxDelayMs: 4000 },
      deadlineMs: 20_000,
      concurrency: 8,
    })
    const startMs = time.nowMs
    await Promise.all(Array.from({ length: 8 }, (_, index) => failureOf(client.send(read(`/broken/${index}`)))))
    const down = events.findIndex(({ kind }) => kind === 'platform-down')
    expect(down).toBeGreaterThan(0)
    // Pauses of half a second to four: eight looks take some twenty seconds, and a thousand would take more than an
    // hour.
    expect(events.filter(({ kind }) => kind === 'platform-silent').length).toBeLessThan(20)
    expect(time.nowMs - startMs).toBeLessThan(120_000)
  })
})
