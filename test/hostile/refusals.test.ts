// Refusals without end, pauses without measure, and errors that are attacks: each ends in time, and says what can be
// shown.
import { afterEach, describe, expect, it } from 'vitest'
import type { PlatformError } from '../../src/errors/index.ts'
import { clientSecret, failureOf, testClient } from '../platform/platform-fixture.ts'
import { json, startRawServer } from './raw-server.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Answers everything so. Time is simulated: what is waited for takes none. */
async function against(answer: Buffer, requests = 40) {
  const server = await startRawServer((_, socket) => void socket.write(answer))
  const { client, sleeps, time } = testClient({ baseUrl: server.url, timeoutMs: 5_000, concurrency: 4 })
  closing.push(server.close, () => client.close())
  const begunMs = time.nowMs
  const send = async (index: number): Promise<PlatformError> =>
    (await failureOf(client.send({ method: index % 2 === 0 ? 'GET' : 'DELETE', path: `/x/${index}` }))) as PlatformError
  const errors = await Promise.all(Array.from({ length: requests }, (_, index) => send(index)))
  return { server, errors, sleeps, elapsedMs: time.nowMs - begunMs }
}

const busy = (status: string, retryAfter: string) =>
  json('{"type":"InternalError"}', `Retry-After: ${retryAfter}\r\n`, status)

describe.each(['429 Too Many Requests', '503 Service Unavailable'])('%s for ever', (status) => {
  it.each(['31536000', '1e308', '99999999999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'with a pause of %s: nothing waits for it, and what was not sent is said so',
    async (retryAfter) => {
      const { server, errors, sleeps } = await against(busy(status, retryAfter))
      // Requests already under way, in both lanes; an answer without a number is no pause.
      expect(server.requests.length).toBeLessThanOrEqual(retryAfter === '1e308' ? 400 : 8)
      expect(Math.max(0, ...sleeps)).toBeLessThanOrEqual(300_000)
      for (const error of errors) expect(['SVC3006', 'SVC3007', 'SVC3035', 'SVC3036']).toContain(error.code)
    },
  )

  it.each(['-1', '0', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '""', '1'])(
    'with a pause of %s: as many attempts as are allowed, in the time of a call',
    async (retryAfter) => {
      const { server, errors, elapsedMs } = await against(busy(status, retryAfter))
      expect(server.requests.length).toBeLessThanOrEqual(40 * 50)
      for (const error of errors) expect(['SVC3006', 'SVC3007', 'SVC3011', 'SVC3035', 'SVC3036']).toContain(error.code)
      expect(elapsedMs).toBeLessThan(40 * 300_000)
    },
  )
})

it('409 for ever is no reason to repeat', async () => {
  const { server, errors } = await against(json('{"type":"InvalidData"}', '', '409 Conflict'))
  expect(server.requests).toHaveLength(40)
  for (const error of errors) expect(error).toMatchObject({ code: 'SVC3033', status: 409 })
})

describe('an error', () => {
  const said = (description: string) =>
    json(JSON.stringify({ type: 'InvalidData', description }), '', '400 Bad Request')

  it.each([
    ['that quotes the secret', `no ${clientSecret} here`],
    ['that quotes it as an address does', `no ${encodeURIComponent(clientSecret)} here`],
    ['that quotes it where it is cut', ' '.repeat(19_990) + clientSecret.repeat(3)],
    ['of ten megabytes', `long ${'x'.repeat(10_000_000)}`],
    ['of ten megabytes of the beginning of an escape', '%25'.repeat(3_500_000)],
    ['with escapes for the terminal', '\u001b[2J\u001b]0;title\u0007\u001b[31mred\u009b2K\r\n::error::gone\u202e'],
  ])('%s is shown in a line', async (_, description) => {
    const { errors } = await against(said(description), 2)
    for (const { message, stack } of errors) {
      expect(message.length).toBeLessThan(700)
      expect(message).not.toMatch(/[\p{Cc}\u202e]/u)
      expect(`${message} ${stack}`).not.toMatch(/s3cret|value\+|s3c/)
    }
  })

  it('whose type is the secret does not show it', async () => {
    const { errors } = await against(json(JSON.stringify({ type: clientSecret }), '', '400 Bad Request'), 2)
    for (const { message } of errors) expect(message).not.toContain('s3cret')
  })
})
