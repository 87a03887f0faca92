// A token endpoint that answers anything: what cannot be a token is refused in a sentence, and no lifetime makes
// requests without end.
import { afterEach, describe, expect, it } from 'vitest'
import { AccessError } from '../../src/errors/index.ts'
import { failureOf, testClient } from '../platform/platform-fixture.ts'
import { type Behaviour, json, startRawServer } from './raw-server.ts'

const read = { method: 'GET', path: '/x' } as const
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function against(answer: Buffer, behave: Behaviour = (_, socket) => void socket.write(json('{}'))) {
  let tokens = 0
  const token: Behaviour = (_, socket) => {
    tokens++
    socket.write(answer)
  }
  const server = await startRawServer(behave, { token })
  const { client, ...rest } = testClient({ baseUrl: server.url, timeoutMs: 5_000 })
  closing.push(server.close, () => client.close())
  return { server, client, tokens: () => tokens, ...rest }
}

describe('an answer without a usable token', () => {
  it.each([
    ['a web page', json('<!doctype html><title>Sign in</title>', 'Content-Type: text/html\r\n')],
    ['nothing', json('')],
    ['no object', json('["s3cret-t0ken"]')],
    ['another key', json('{"token":"s3cret-t0ken"}')],
    ['a number', json('{"access_token":12345}')],
    ['an empty token', json('{"access_token":""}')],
    [
      'a token with a line break, which would be a header of its own',
      json('{"access_token":"s3cret-t0ken\\r\\nX: 1"}'),
    ],
    ['a token with letters that no header takes', json('{"access_token":"s3cret-t0ken-ü"}')],
    ['a token of megabytes', json(`{"access_token":"s3cret-t0ken${'x'.repeat(5_000_000)}"}`)],
  ])('%s is refused at once, and not quoted', async (_, answer) => {
    const { client, server, tokens } = await against(answer)
    const error = (await failureOf(client.send(read))) as AccessError
    expect(error).toBeInstanceOf(AccessError)
    expect(error).toMatchObject({ code: 'SVC3045', kind: 'unreachable' })
    expect(`${error.message} ${error.stack}`).not.toContain('s3cret-t0ken')
    expect(error.message.length).toBeLessThan(200)
    expect(server.requests).toHaveLength(0)
    expect(tokens()).toBe(1)
  })
})

it.each(['-1', '0', '-1e308', '1e308', '1e999', '"NaN"', '"soon"', 'null', '[]', '{}', 'true', '0.0001'])(
  'a token that ends in %s is used, and asked for no more than once for each request',
  async (lifetime) => {
    const { client, tokens } = await against(json(`{"access_token":"t","expires_in":${lifetime}}`))
    for (let count = 0; count < 3; count++) expect(await client.send(read)).toEqual({})
    expect(tokens()).toBeLessThanOrEqual(3)
  },
)

it('a token that is refused for ever ends the request, with what to check', async () => {
  const { client, server, tokens } = await against(json('{"access_token":"t","expires_in":3600}'), (_, socket) => {
    socket.write(json('{"type":"InvalidAuthenticationToken"}', '', '401 Unauthorized'))
  })
  expect(await failureOf(client.send(read))).toMatchObject({ code: 'SVC3040', status: 401 })
  expect(server.requests.length).toBeLessThanOrEqual(3)
  expect(tokens()).toBeLessThanOrEqual(3)
})
