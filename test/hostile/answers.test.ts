// Answers that break HTTP or JSON: each ends as what it can be, a result or a typed error, in bounded time.
import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { effectIsUnknown, PlatformError } from '../../src/errors/index.ts'
import { failureOf } from '../platform/platform-fixture.ts'
import { against, raw, read, write } from './client-against.ts'
import { type Behaviour, json } from './raw-server.ts'

describe('an answer that is no HTTP', () => {
  it.each([
    ['nothing at all', raw('', true)],
    ['a status line of garbage', raw('what do you want\r\n\r\n')],
    ['HTTP/0.9: a body alone', raw('{"name":"a"}', true)],
    ['a status that is no number', raw('HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\n{}')],
    ['a header without its end', raw('HTTP/1.1 200 OK\r\nContent-Len', true)],
    ['line feeds alone within its header', raw('HTTP/1.1 200 OK\nX: 1\rY: 2\n\n{}', true)],
    ['a NUL in a header', raw('HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\n{}')],
    ['the greeting of TLS', raw(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]), true)],
    ['a negative length', raw(json('{}', 'Content-Length: -2\r\n'))],
    ['two lengths', raw(json('{}', 'Content-Length: 2\r\nContent-Length: 3\r\n'))],
    ['a length and chunks', raw(json('2\r\n{}\r\n0\r\n\r\n', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'))],
    ['204 with a body', raw(json('{"name":"a"}', '', '204 No Content'))],
    ['chunks of no size', raw(json('zz\r\n{}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked\r\n'))],
  ])('%s: a read fails, and of a write nothing is known', async (_, behave) => {
    const { client } = await against(behave)
    const failed = await failureOf(client.send(read))
    expect(failed).toBeInstanceOf(PlatformError)
    expect(['lost', 'unreadable']).toContain((failed as PlatformError).kind)
    const error = await failureOf(client.send(write))
    // If the status came through, the write took effect.
    if (error !== undefined) expect(effectIsUnknown(error)).toBe(true)
  })
})

describe('an answer whose body breaks off', () => {
  it.each([
    [
      'with a reset',
      ((_, socket) => {
        socket.write(json('{"na', 'Content-Length: 100\r\n'))
        setTimeout(() => socket.resetAndDestroy(), 10)
      }) satisfies Behaviour,
    ],
    ['after its header', raw(json('', 'Content-Length: 10\r\n'), true)],
    ['before its length', raw(json('{"name":', 'Content-Length: 100\r\n'), true)],
    ['between chunks', raw(json('8\r\n{"name":\r\n', 'Transfer-Encoding: chunked\r\n'), true)],
    ['within what is packed', raw(json(gzipSync('{"name":"a"}').subarray(0, -9), 'Content-Encoding: gzip\r\n'))],
  ])('%s: a read is unreadable, a write was carried out', async (_, behave) => {
    const { client } = await against(behave)
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'unreadable', code: 'SVC3021' })
    expect(await client.send(write)).toBeUndefined()
  })
})

describe('an answer of 2xx that is no object of JSON', () => {
  it.each([
    ['empty', raw(json(''))],
    ['in another encoding than UTF-8', raw(json(Buffer.from('{"name":"Zo\xeb"}', 'latin1')))],
    ['of bytes that are no text', raw(json(Buffer.from([0xff, 0xfe, 0x00, 0x7b])))],
    ['a NUL', raw(json('\0'))],
    ['a million brackets', raw(json('['.repeat(1_000_000)))],
    ['a million brackets within an object', raw(json(`{"a":${'['.repeat(1_000_000)}`))],
    ['of an encoding that nobody knows', raw(json('{}', 'Content-Encoding: rot13\r\n'))],
    ['deflated without its frame', raw(json(deflateRawSync('{}'), 'Content-Encoding: deflate\r\n'))],
    ['packed twice', raw(json(gzipSync(gzipSync('{}')), 'Content-Encoding: gzip\r\n'))],
  ])('%s: unreadable', async (_, behave) => {
    const { client } = await against(behave)
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'unreadable' })
  })
})

describe('an answer of odd JSON', () => {
  it.each([
    ['a byte order mark', '\uFEFF{"name":"a"}', { name: 'a' }],
    ['the same key twice: the last one counts', '{"name":"b","name":"a"}', { name: 'a' }],
    ['a number beyond all numbers', '{"name":"a","n":1e999}', { name: 'a', n: Number.POSITIVE_INFINITY }],
  ])('%s', async (_, text, value) => {
    const { client } = await against(raw(json(text)))
    expect(await client.send(read)).toEqual(value)
  })

  it.each([{}, { svcId: 'realId' }])(
    'of keys that mean something to JavaScript changes no object (%j)',
    async (wireNames) => {
      const { client } = await against(
        raw(json('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')),
        {
          wireNames,
        },
      )
      const value = (await client.send(read)) as Record<string, unknown>
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
      expect(value.polluted).toBeUndefined()
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
  )
})

describe('an answer that is nested a hundred thousand times', () => {
  const nested = (open: string, close: string) => `{"name":${open.repeat(100_000)}1${close.repeat(100_000)}}`

  it.each([
    ['lists', nested('[', ']')],
    ['objects', nested('{"a":', '}')],
  ])('%s: is an object or unreadable, renamed or not', async (_, text) => {
    for (const wireNames of [{}, { svcId: 'realId' }]) {
      const { client } = await against(raw(json(text)), { wireNames })
      const error = await failureOf(client.send(read))
      if (error !== undefined) expect(error).toMatchObject({ kind: 'unreadable' })
      // Whatever stands in it: it was answered with 2xx.
      expect(await failureOf(client.send(write))).toBeUndefined()
    }
  })
})

describe('a server of another protocol', () => {
  it('that speaks no TLS is sent nothing over https', async () => {
    const { server } = await against(raw(json('{}')))
    // It waits for a request that never comes: all that ends this is the limit of time.
    const options = { baseUrl: server.url.replace('http:', 'https:'), timeoutMs: 200 }
    const { client } = await against(raw(json('{}')), options)
    expect(await failureOf(client.send(write))).toMatchObject({ kind: 'unreachable', path: '/api/oauth2/token' })
    expect(server.requests).toEqual([])
  })

  it('that begins to speak HTTP/2 gives no answer', async () => {
    const { client } = await against(raw(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])))
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'lost', code: 'SVC3027' })
  })
})

describe('headers', () => {
  it('with line ends and escapes in them are shown nowhere', async () => {
    const location = 'Location: https://evil.example.com/\u001b[2J\r\nX-Injected: ::error::gone\r\n'
    const { client } = await against(raw(json('', location, '302 Found')))
    const error = (await failureOf(client.send(read))) as PlatformError
    expect(error.message).not.toMatch(/[\p{Cc}]|::error/u)
  })

  it('that give two pauses mean the first', async () => {
    const { client, sleeps } = await against(raw(json('{}', 'Retry-After: 5\r\nRetry-After: 7\r\n', '429 Busy')), {
      retry: { attempts: 2 },
    })
    expect(await failureOf(client.send(read))).toMatchObject({ status: 429 })
    expect(sleeps[0]).toBe(5000)
  })
})

describe('a redirect', () => {
  it('to itself is not followed', async () => {
    const { client, server } = await against(raw(json('', 'Location: /api/data/v6.0/x\r\n', '302 Found')))
    expect(await failureOf(client.send(read))).toMatchObject({ code: 'SVC3022' })
    expect(server.requests).toHaveLength(1)
  })

  it('of 304 to somebody who holds nothing is an error', async () => {
    const { client } = await against(raw(json('', '', '304 Not Modified')))
    expect(await failureOf(client.send(read))).toMatchObject({ code: 'SVC3022', status: 304 })
  })
})
