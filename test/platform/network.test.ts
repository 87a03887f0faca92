// Facts that only real sockets show: resets, timeouts, cut bodies, proxies, interrupts, and the number of requests in
// flight.
import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { effectIsUnknown, type PlatformError } from '../../src/errors/index.ts'
import { withEnoughTime } from '../harness/any-speed.ts'
import { failureOf, startServer, type TestClientOptions, type TestServer, testClient } from './platform-fixture.ts'

const read = { method: 'GET', path: '/x' } as const
const write = { method: 'POST', path: '/x', body: {} } as const
let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(handle: Parameters<typeof startServer>[0], options: TestClientOptions = {}) {
  server = await startServer(handle)
  return { ...testClient({ baseUrl: server.url, ...options }), requests: server.requests }
}

describe('a connection that breaks', () => {
  it('is repeated for a read and left to the caller for a write', async () => {
    let calls = 0
    const { client, sleeps, requests } = await start((request, response) => {
      calls += 1
      if (request.method === 'POST' || calls === 1) request.socket.destroy()
      else response.end('{}')
    })
    expect(await client.send(read)).toEqual({})
    expect(sleeps).toEqual([500])
    const error = await failureOf(client.send(write))
    expect(error).toMatchObject({ kind: 'lost', code: 'SVC3010' })
    expect(effectIsUnknown(error)).toBe(true)
    expect(requests).toHaveLength(3)
  })

  it('after a timeout is lost as well', async () => {
    await withEnoughTime(60, async (timeoutMs) => {
      const { client } = await start(() => undefined, { timeoutMs })
      const error = await failureOf(client.send(write))
      expect(error).toMatchObject({ kind: 'lost', code: 'SVC3011' })
      expect(effectIsUnknown(error)).toBe(true)
    })
  })

  it('in the middle of a body makes a read unreadable, and a write a success', async () => {
    const { client } = await start(
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"groups":')
        setTimeout(() => request.socket.destroy(), 10)
      },
      { retry: { attempts: 1 } },
    )
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'unreadable', code: 'SVC3021' })
    expect(await client.send(write)).toBeUndefined()
  })

  it('before it is made is unreachable: a write is repeated', async () => {
    const { client } = await start((_, response) => response.end('{}'))
    await client.send(read)
    await server?.close()
    const error = await failureOf(testClient({ baseUrl: server?.url ?? '', retry: { attempts: 2 } }).client.send(write))
    expect(error).toMatchObject({ kind: 'unreachable', code: 'SVC3001', path: '/api/oauth2/token' })
    expect((error as PlatformError).hint).toMatch(/^Nothing listens there: check baseUrl;/)
    expect(await failureOf(client.send(write))).toMatchObject({ kind: 'unreachable', path: '/x' })
    expect(client.stats().retries).toBe(4)
  })
})

it('leaves no connection behind that keeps a process from ending, and listens to no signal any more', async () => {
  const interrupt = new AbortController()
  const { client, requests } = await start((_, response) => response.end('{}'), {
    signal: interrupt.signal,
    retry: { attempts: 1 },
  })
  await client.send(read)
  expect(getEventListeners(interrupt.signal, 'abort')).not.toEqual([])
  await client.close()
  expect(getEventListeners(interrupt.signal, 'abort')).toEqual([])
  await failureOf(client.send(read))
  expect(requests).toHaveLength(1)
})

describe('a packed answer', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['X-GZIP', gzipSync],
    ['identity', Buffer.from],
    ['Identity', Buffer.from],
    ['', Buffer.from],
  ])('by %j is unpacked', async (encoding, pack) => {
    const { client } = await start((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip, deflate, br')
      response.setHeader('content-encoding', encoding)
      response.end(pack('{"name":"zażółć"}'))
    })
    expect(await client.send(read)).toEqual({ name: 'zażółć' })
  })

  it.each(['gzip', 'br', 'zstd'])('that is no %s is unreadable', async (encoding) => {
    const { client } = await start(
      (_, response) => {
        response.setHeader('content-encoding', encoding)
        response.end('{"name":"plain"}')
      },
      { retry: { attempts: 1 } },
    )
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'unreadable' })
  })

  it('is read whole where it comes in pieces', async () => {
    const { client } = await start((_, response) => {
      response.write('{"a":')
      setTimeout(() => response.end('1}'), 20)
    })
    expect(await client.send(read)).toEqual({ a: 1 })
  })

  it('begins with its text, not with a byte order mark', async () => {
    const { client } = await start((_, response) => response.end('\uFEFF{"a":1}'))
    expect(await client.send(read)).toEqual({ a: 1 })
  })
})

describe('an interrupt', () => {
  it('stops what is under way, tells its effect, and sends nothing more', async () => {
    const interrupt = new AbortController()
    const { client, requests } = await start(() => setTimeout(() => interrupt.abort(), 20), {
      signal: interrupt.signal,
      concurrency: 1,
    })
    const [first, second] = await Promise.all([failureOf(client.send(write)), failureOf(client.send(write))])
    expect(first).toMatchObject({ kind: 'lost', code: 'SVC3005' })
    expect(effectIsUnknown(first)).toBe(true)
    expect(second).toMatchObject({ kind: 'unreachable', code: 'SVC3005' })
    expect(effectIsUnknown(second)).toBe(false)
    expect(requests).toHaveLength(1)
  })
})

describe('the limiter', () => {
  it('counts reads and writes together, and a waiting retry holds no slot', async () => {
    let inFlight = 0
    let most = 0
    let refused = false
    const { client } = await start(
      (_, response) => {
        inFlight += 1
        most = Math.max(most, inFlight)
        setTimeout(() => {
          inFlight -= 1
          if (!refused) response.statusCode = 500
          refused = true
          response.end('{}')
        }, 5)
      },
      { concurrency: 3 },
    )
    await client.send(read)
    await Promise.all(Array.from({ length: 24 }, (_, index) => client.send(index % 2 === 0 ? read : write)))
    expect(most).toBe(3)
  })
})

describe('a proxy', () => {
  it('that opens no tunnel is named as the cause, and nothing was sent', async () => {
    const proxy = createServer()
    proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const env = { https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
    const { client, sleeps } = testClient({ env, retry: { attempts: 2 } })
    expect(await failureOf(client.send(write))).toMatchObject({ kind: 'unreachable', code: 'SVC3004' })
    expect(sleeps).toEqual([500])
    await client.close()
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })

  it('is used for other machines, not for the loopback', async () => {
    const tunnels: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '')
      const target = connect(Number(new URL(server?.url ?? '').port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        target.pipe(socket).pipe(target)
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, no_proxy: 'elsewhere.test' }
    const near = await start((_, response) => response.end('{"near":true}'), { env })
    expect(await near.client.send(read)).toEqual({ near: true })
    expect(tunnels).toEqual([])
    const far = testClient({ baseUrl: 'http://platform.test', allowInsecureHttp: true, env })
    expect(await far.client.send(read)).toEqual({ near: true })
    expect(tunnels[0]).toBe('platform.test:80')
    await Promise.all([near.client.close(), far.client.close()])
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })
})
