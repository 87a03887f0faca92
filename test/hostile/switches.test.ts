// Answers to no question: another protocol, hints without end, unrequested data. Every request settles, and no answer
// counts for another request.
import { describe, expect, it } from 'vitest'
import { effectIsUnknown, PlatformError } from '../../src/errors/index.ts'
import { failureOf } from '../platform/platform-fixture.ts'
import { against, raw, read, write } from './client-against.ts'
import { type Behaviour, drip, flood, json, type RawRequest } from './raw-server.ts'

const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

describe('something else than an answer', () => {
  it.each<readonly [string, string, Behaviour]>([
    ['101 Switching Protocols', 'SVC3027', raw(switching)],
    ['101 without saying to what', 'SVC3027', raw('HTTP/1.1 101 Switching Protocols\r\n\r\n')],
    ['101, and then an answer', 'SVC3027', raw(Buffer.concat([Buffer.from(switching), json('{}')]))],
    ['101, and the end', 'SVC3027', raw(switching, true)],
    ['hints without end', 'SVC3027', (_, socket) => flood(socket, hint)],
    ['100 Continue without end', 'SVC3027', (_, socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
    ['hints, and the end', 'SVC3027', raw(hint.repeat(3), true)],
    ['a header without end', 'SVC3027', (_, socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: a\r\nX: b\r\n')],
  ])('%s: to a read, a write and the request for a token', async (_, code, behave) => {
    const { client, server } = await against(behave, { timeoutMs: 3_000 })
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'lost', code })
    const error = await failureOf(client.send(write))
    expect(error).toBeInstanceOf(PlatformError)
    expect(effectIsUnknown(error)).toBe(true)
    expect(server.bytesSent()).toBeLessThan(20_000_000)
    const noToken = await against(raw(json('{}')), { timeoutMs: 3_000 }, { token: behave })
    const refused = await failureOf(noToken.client.send(write))
    expect(refused).toMatchObject({ path: '/api/oauth2/token' })
    expect(effectIsUnknown(refused)).toBe(false)
    expect(noToken.server.requests).toEqual([])
  })

  it('a few hints before the answer are let pass', async () => {
    const { client } = await against(raw(Buffer.concat([Buffer.from(hint.repeat(3)), json('{"name":"a"}')])))
    expect(await client.send(read)).toEqual({ name: 'a' })
  })

  it.each([
    ['never', () => undefined],
    [
      'as one header line, without end',
      (_: RawRequest, socket: Parameters<Behaviour>[1]) => flood(socket, 'HTTP/1.1 200 OK'),
    ],
    ['byte by byte, without end', (_: RawRequest, socket: Parameters<Behaviour>[1]) => drip(socket, 'H')],
    [
      'in chunks of one byte, without end',
      (_: RawRequest, socket: Parameters<Behaviour>[1]) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        drip(socket, '1\r\n{\r\n')
      },
    ],
  ])('an answer that comes %s ends with the time for it', async (_, behave) => {
    const { client } = await against(behave, { timeoutMs: 300 })
    expect(await failureOf(client.send(read))).toMatchObject({ kind: 'lost' })
    expect(effectIsUnknown(await failureOf(client.send(write)))).toBe(true)
  })
})

/** An answer that says which request it is for. */
const named = ({ path }: RawRequest): Buffer => json(JSON.stringify({ path }))
const about = (name: string) => ({ method: 'GET', path: `/${name}` }) as const
const later = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a kept connection', () => {
  const stray = json('{"path":"stray"}')
  it.each<readonly [string, Behaviour]>([
    ['with its answer twice', (asked, socket) => void socket.write(Buffer.concat([named(asked), named(asked)]))],
    ['with another answer right behind', (asked, socket) => void socket.write(Buffer.concat([named(asked), stray]))],
    [
      'with more than its length',
      (asked, socket) => void socket.write(Buffer.concat([named(asked), Buffer.from('}}')])),
    ],
    [
      'with something that comes later, while nobody asks',
      (asked, socket) => {
        socket.write(named(asked))
        setTimeout(() => socket.writable && socket.write(stray), 10)
      },
    ],
    [
      'with bytes that are no HTTP, while nobody asks',
      (asked, socket) => {
        socket.write(named(asked))
        setTimeout(() => socket.writable && socket.write('\0\0'), 10)
      },
    ],
  ])('%s is not used again, and no answer is taken for another', async (_, behave) => {
    const { client, server } = await against(behave)
    for (const name of ['one', 'two', 'three', 'four']) {
      expect(await client.send(about(name))).toEqual({ path: `/api/data/v6.0/${name}` })
      await later()
    }
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(4)
  })

  it('with nothing unasked is used again', async () => {
    const { client, server } = await against((asked, socket) => void socket.write(named(asked)), { concurrency: 1 })
    for (const name of ['one', 'two', 'three']) {
      expect(await client.send(about(name))).toEqual({ path: `/api/data/v6.0/${name}` })
      await later(5)
    }
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(1)
  })

  it('on which a second answer has arrived when the next request is to be sent is not used for it', async () => {
    const { client, server } = await against((asked, socket) => {
      socket.write(named(asked))
      setImmediate(() => socket.writable && socket.write(stray))
    })
    for (const name of ['one', 'two', 'three', 'four']) {
      expect(await client.send(about(name))).toEqual({ path: `/api/data/v6.0/${name}` })
    }
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(4)
  })

  it('on which a second answer is under way when the next request is sent gives no third one its answer', async () => {
    const { client, server } = await against((asked, socket) => {
      // It comes as the next request does: over HTTP/1.1 nobody can tell it from an answer to that.
      if (asked.number === 2) socket.write(stray)
      socket.write(named(asked))
    })
    await client.send(about('one'))
    await client.send(about('two'))
    expect(await client.send(about('three'))).toEqual({ path: '/api/data/v6.0/three' })
    expect(server.requests.at(-1)?.connection).not.toBe(server.requests[1]?.connection)
  })

  it('that the server greets with an answer ends in an answer or an error, in time', async () => {
    const greet = (socket: Parameters<Behaviour>[1]): void => void socket.write(stray)
    const { client } = await against((asked, socket) => void socket.write(named(asked)), {}, { greet })
    expect(await failureOf(client.send(about('one')))).toBeInstanceOf(PlatformError)
  })
})
