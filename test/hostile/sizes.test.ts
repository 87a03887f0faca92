// Answers without end, or of any size once unpacked: an answer may be so large, and one sentence says where it ended.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { effectIsUnknown } from '../../src/errors/index.ts'
import { failureOf } from '../platform/platform-fixture.ts'
import { against, raw, read, write } from './client-against.ts'
import { type Behaviour, flood, json, memoryGrowthMb } from './raw-server.ts'

const maxAnswerBytes = 1_000_000
/** The bytes that may be in buffers of the system after the reader stops. */
const generousBytes = 40_000_000

const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
const endless =
  (status = '200 OK'): Behaviour =>
  (_, socket) => {
    socket.write(`HTTP/1.1 ${status}\r\nTransfer-Encoding: chunked\r\n\r\n`)
    flood(socket, chunk)
  }
const untilClose: Behaviour = (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  flood(socket, ' '.repeat(0x10000))
}
const huge = json('', 'Content-Length: 99999999999999\r\n')
const announced: Behaviour = (_, socket) => {
  socket.write(huge)
  flood(socket, ' '.repeat(0x10000))
}
// Packed one after another, which is packed as a whole: 300 MB.
const gzipBomb = Buffer.concat(Array<Buffer>(30).fill(gzipSync(Buffer.alloc(10_000_000, 0x20))))
const brotliBomb = brotliCompressSync(Buffer.alloc(50_000_000, 0x20), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
})

describe('an answer that is larger than the limit', () => {
  it.each<readonly [string, Behaviour]>([
    ['chunks without end', endless()],
    ['a body without length and end', untilClose],
    ['a length of terabytes', announced],
    ['a gzip bomb', raw(json(gzipBomb, 'Content-Encoding: gzip\r\n'))],
    ['a brotli bomb', raw(json(brotliBomb, 'Content-Encoding: br\r\n'))],
  ])('%s: one sentence for a read, not repeated; a write was carried out', async (_, behave) => {
    const { client, server, sleeps } = await against(behave, { maxAnswerBytes, retry: { attempts: 5 } })
    const grownMb = await memoryGrowthMb(async () => {
      expect(await failureOf(client.send(read))).toMatchObject({
        kind: 'unreadable',
        code: 'SVC3026',
        message: 'The answer to GET /x is larger than the limit',
      })
    })
    expect(await client.send(write)).toBeUndefined()
    expect(sleeps).toEqual([])
    expect(server.requests).toHaveLength(2)
    expect(server.bytesSent()).toBeLessThan(generousBytes)
    expect(grownMb).toBeLessThan(250)
  })

  it('of the token endpoint: nothing is sent', async () => {
    const { client, server } = await against(raw(json('{}')), { maxAnswerBytes }, { token: endless() })
    const error = await failureOf(client.send(write))
    expect(error).toMatchObject({
      code: 'SVC3026',
      message: 'The answer to the token request is larger than the limit',
    })
    expect(effectIsUnknown(error)).toBe(false)
    expect(server.requests).toEqual([])
    expect(server.bytesSent()).toBeLessThan(generousBytes)
  })

  it.each(['400 Bad Request', '401 Unauthorized', '403 Forbidden', '404 Not Found', '500 Oops'])(
    'of %s: the status is told',
    async (status) => {
      const { client, server } = await against(endless(status), { maxAnswerBytes })
      expect(await failureOf(client.send(read))).toMatchObject({ status: Number(status.slice(0, 3)) })
      expect(server.bytesSent()).toBeLessThan(generousBytes)
    },
  )

  it('is read up to the limit', async () => {
    const text = JSON.stringify({ name: 'a'.repeat(maxAnswerBytes - 11) })
    expect(text).toHaveLength(maxAnswerBytes)
    const exact = await against(raw(json(text)), { maxAnswerBytes })
    expect(await exact.client.send(read)).toEqual(JSON.parse(text))
    const packed = await against(raw(json(gzipSync(text), 'Content-Encoding: gzip\r\n')), { maxAnswerBytes })
    expect(await packed.client.send(read)).toEqual(JSON.parse(text))
    const more = await against(raw(json(`${text} `)), { maxAnswerBytes })
    expect(await failureOf(more.client.send(read))).toMatchObject({ code: 'SVC3026' })
  })
})

describe('without a setting', () => {
  it('64 MB are the limit', async () => {
    const { client, server } = await against(endless())
    expect(await failureOf(client.send(read))).toMatchObject({ code: 'SVC3026' })
    expect(server.bytesSent()).toBeGreaterThan(64_000_000)
    expect(server.bytesSent()).toBeLessThan(64_000_000 + generousBytes)
  })
})
