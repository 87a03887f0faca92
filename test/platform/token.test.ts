// Tokens: fetched as the reference says, shared, renewed, and asked for the scopes that a run needs.

import { describe, expect, it } from 'vitest'
import type { ScopeNeed } from '../../src/core/model/platform-port.ts'
import { AccessError, effectIsUnknown, type PlatformError } from '../../src/errors/index.ts'
import { clientSecret, failureOf, startServer } from './platform-fixture.ts'
import { scriptedPlatform } from './scripted-platform.ts'

const script = scriptedPlatform()
const testClient = script.client

const need = (...anyOf: string[]): ScopeNeed => ({ anyOf, ask: 'first' })

const read = { method: 'GET', path: '/x' } as const
const scopeRefusal = { type: 'InvalidScope', description: 'no', errorGuid: 'g' }

interface TokenServer {
  /** The scope field of each request, or null. */
  readonly asked: (string | null)[]
  readonly forms: URLSearchParams[]
}

/** Gives `token-1`, `token-2`, …; refuses scopes that are not in `allowed`. */
function tokenServer(fields: object = {}, allowed?: readonly string[]): TokenServer {
  const asked: (string | null)[] = []
  const forms: URLSearchParams[] = []
  script
    .persist()
    .post('/api/oauth2/token')
    .replyBy((_, body) => {
      const form = new URLSearchParams(String(body))
      forms.push(form)
      const scope = form.get('scope')
      asked.push(scope)
      const refused = scope?.split(' ').some((name) => allowed !== undefined && !allowed.includes(name))
      if (refused) return [400, scopeRefusal]
      return [
        200,
        JSON.stringify({ access_token: `token-${asked.length}`, ...fields }),
        { 'content-type': 'text/plain' },
      ]
    })
  return { asked, forms }
}

/** Accepts only these tokens, and answers 401 to all others. */
function dataServer(...accepted: readonly string[]): string[] {
  const seen: string[] = []
  script
    .persist()
    .get('/api/data/v6.0/x')
    .replyBy((_path, _body, headers) => {
      const token = String(headers.authorization).replace('Bearer ', '')
      seen.push(token)
      return accepted.includes(token) ? [200, {}] : [401, { type: 'InvalidAuthenticationToken' }]
    })
  return seen
}

it.each([
  [600, 'Fri, 20 Nov 2026 12:01:00 GMT', { lifetimeMs: 600_000, aheadMs: 60_500 }],
  ['30', 'Fri, 20 Nov 2026 11:59:00 GMT', { lifetimeMs: 30_000, aheadMs: -59_500 }],
  [0, 'soon', { lifetimeMs: undefined, aheadMs: undefined }],
  ['never', 'soon', { lifetimeMs: undefined, aheadMs: undefined }],
  [[600], 'soon', { lifetimeMs: undefined, aheadMs: undefined }],
])('a token of %j s, given at %s, is told as it is', async (expires_in, date, expected) => {
  const told: object[] = []
  script.post('/api/oauth2/token').reply(200, { access_token: 'token-1', expires_in }, { date })
  script.persist().get(/x/).reply(200, {})
  const { client } = script.client({ onToken: (answer) => told.push(answer) })
  await client.send({ method: 'GET', path: '/x' })
  expect(told).toEqual([{ scopes: [], ...expected }])
  script.clear()
})

it('takes a scope in the answer that was not asked for as nothing', async () => {
  script.post('/api/oauth2/token').reply(200, { access_token: 'token-1', scope: 'openid' })
  const { client } = script.client()
  await client.authorise([{ anyOf: ['Admin.Read.All'], ask: 'first' }])
  script.post('/api/oauth2/token').reply(400, { error: 'invalid_scope' })
  const refused = await failureOf(script.client().client.send({ method: 'GET', path: '/x' }))
  expect(refused).toMatchObject({ message: 'The application has no scopes' })
})

describe('a token', () => {
  it('is asked for as documented, and once for all who wait', async () => {
    const { forms } = tokenServer()
    const seen = dataServer('token-1')
    const { client } = testClient()
    await Promise.all(Array.from({ length: 10 }, () => client.send(read)))
    expect(forms.map((form) => Object.fromEntries(form))).toEqual([
      { grant_type: 'client_credentials', client_id: 'client-1', client_secret: clientSecret },
    ])
    expect(seen).toEqual(Array.from({ length: 10 }, () => 'token-1'))
  })

  it('is renewed some time before its end', async () => {
    tokenServer({ expires_in: '600' })
    const seen = dataServer('token-1', 'token-2')
    const { client, time, events } = testClient()
    for (const stepMs of [0, 569_000, 2000]) {
      time.nowMs += stepMs
      await client.send(read)
    }
    expect(seen).toEqual(['token-1', 'token-1', 'token-2'])
    expect(events).toEqual([{ kind: 'token-renewed', reason: 'expired' }])
  })

  it('is used for most of a short life', async () => {
    tokenServer({ expires_in: '20' })
    const seen = dataServer('token-1', 'token-2')
    const { client, time } = testClient()
    for (const stepMs of [0, 17_950, 100]) {
      time.nowMs += stepMs
      await client.send(read)
    }
    expect(seen).toEqual(['token-1', 'token-1', 'token-2'])
  })

  it('is used until it is refused when no lifetime is given', async () => {
    tokenServer()
    const seen = dataServer('token-1')
    const { client, time } = testClient()
    await client.send(read)
    time.nowMs += 1e10
    await client.send(read)
    expect(seen).toEqual(['token-1', 'token-1'])
  })
})

describe('a token', () => {
  it('that is refused before its end is renewed once for all, and each call repeated', async () => {
    const { asked } = tokenServer()
    const seen = dataServer('token-2')
    const { client, events, sleeps } = testClient()
    await Promise.all(Array.from({ length: 6 }, () => client.send(read)))
    expect(asked).toHaveLength(2)
    expect(seen.filter((token) => token === 'token-2')).toHaveLength(6)
    expect(events).toEqual([{ kind: 'token-renewed', reason: 'refused' }])
    expect(sleeps).toEqual([])
  })

  it('that came meanwhile and is refused as well is renewed once more', async () => {
    const { asked } = tokenServer()
    const { client } = testClient()
    const seen: string[] = []
    script
      .persist()
      .get('/api/data/v6.0/x')
      .replyBy(async (_path, _body, headers) => {
        const token = String(headers.authorization).replace('Bearer ', '')
        seen.push(token)
        // Both are withdrawn before the first is refused.
        if (token === 'token-1') await client.authorise([need('a')])
        return token === 'token-3' ? [200, {}] : [401, { type: 'InvalidAuthenticationToken' }]
      })
    await client.send(read)
    expect(seen).toEqual(['token-1', 'token-2', 'token-3'])
    expect(asked).toEqual([null, 'a', 'a'])
  })

  it('is shown by nothing that the platform quotes, nor is the one before it', async () => {
    tokenServer()
    dataServer('token-2')
    script.get('/api/data/v6.0/y').reply(400, { type: 'Odd', description: 'After token-1 came token-2, not token-3.' })
    const { client } = testClient()
    await client.send(read)
    const error = await failureOf(client.send({ method: 'GET', path: '/y' }))
    expect((error as Error).message).toMatch(/After \S+ came \S+, not token-3/)
    expect((error as Error).message).not.toMatch(/token-[12]/)
  })

  it('that is refused although new ends the call', async () => {
    tokenServer()
    const seen = dataServer()
    const error = await failureOf(testClient().client.send(read))
    expect(error).toBeInstanceOf(AccessError)
    expect(error).toMatchObject({ code: 'SVC3040', status: 401, type: 'InvalidAuthenticationToken' })
    expect(seen).toEqual(['token-1', 'token-2'])
  })
})

describe('a token that cannot be had', () => {
  it.each([
    [401, { type: 'AuthenticationFailed', description: `bad ${clientSecret}` }, 'SVC3042', 'clientSecret'],
    [400, { error: 'invalid_client' }, 'SVC3042', 'clientId'],
    [404, 'nothing here', 'SVC3044', 'authUrl'],
    [400, '<html>Bad Request</html>', 'SVC3044', 'authUrl'],
    [200, '<!doctype html>', 'SVC3045', 'authUrl'],
    [200, { token: 'x' }, 'SVC3045', 'authUrl'],
    [200, { access_token: 'two\nlines' }, 'SVC3045', 'authUrl'],
    [302, '', 'SVC3022', 'baseUrl'],
  ])('%s %j says what to check', async (status, body, code, advice) => {
    script.post('/api/oauth2/token').reply(status, body)
    const { client, sleeps } = testClient()
    const error = (await failureOf(client.send({ ...read, method: 'POST' }))) as PlatformError
    expect(error).toMatchObject({ code, method: 'POST', path: '/api/oauth2/token' })
    expect(error.hint).toContain(advice)
    if (advice === 'authUrl')
      expect(error.hint).toMatch(/^Check baseUrl, or authUrl where tokens come from elsewhere: /)
    expect(error.message).not.toContain(clientSecret)
    expect(error.message).not.toContain('two')
    // To who reads an object, this must not look like an object that is not there; to who writes, nothing was sent.
    expect(error.status).not.toBe(404)
    expect(effectIsUnknown(error)).toBe(false)
    expect(sleeps).toEqual([])
  })

  it('says to check the address of tokens where that is another one', async () => {
    const server = await startServer((_, response) => response.writeHead(404).end())
    const { client } = testClient({ baseUrl: server.url, authUrl: `${server.url}/login` })
    const hint = 'Check authUrl: it is the address before /api/oauth2/token.'
    expect(await failureOf(client.send(read))).toMatchObject({ code: 'SVC3044', hint })
    await client.close()
    server.close()
  })

  it('says that white space stands around a secret that is refused, and nothing else of it', async () => {
    script.persist().post('/api/oauth2/token').reply(401, { type: 'AuthenticationFailed' })
    const hintOf = async (secret: string) => {
      const { client } = testClient({ clientSecret: secret })
      return ((await failureOf(client.send(read))) as PlatformError).hint
    }
    expect(await hintOf('hidden-1\n')).toMatch(/White space surrounds clientSecret, and is sent as well\.$/)
    expect(await hintOf('hidden-1')).toMatch(/may use them\.$/)
  })

  it.each([
    [429, 'SVC3035'],
    [500, 'SVC3036'],
  ])('since the platform fails with %s says what it said, and blames no setting', async (status, code) => {
    const said = { type: 'InternalError', description: `no ${clientSecret} today`, errorGuid: 'e-1' }
    script.persist().post('/api/oauth2/token').reply(status, said)
    const { client, sleeps } = testClient({ retry: { attempts: 2 } })
    const error = (await failureOf(client.send(read))) as PlatformError
    expect(error).not.toBeInstanceOf(AccessError)
    expect(error).toMatchObject({ code, kind: 'status', status, type: 'InternalError', errorGuid: 'e-1' })
    expect(error.message).toContain(` answered ${status} (InternalError) to the token request: no `)
    expect(error.message).not.toContain(clientSecret)
    expect(error.hint).toMatch(/^Try again later/)
    expect(sleeps).toHaveLength(1)
  })

  it.each([
    [
      401,
      { type: 'AuthenticationFailed', description: 'no' },
      'refused the client credentials (401 AuthenticationFailed): no',
    ],
    [403, '', 'refused the client credentials (403)'],
    [400, { error: 'invalid_client' }, 'refused the client credentials (400 invalid_client)'],
    [400, { title: 'Off' }, 'refused the client credentials (400): Off'],
    [405, '', 'gives no tokens at /api/oauth2/token (405)'],
    [429, '', 'answered 429 to the token request'],
    [500, scopeRefusal, 'answered 500 (InvalidScope) to the token request: no'],
  ])('%s %j is said in one sentence', async (status, body, expected) => {
    script.persist().post('/api/oauth2/token').reply(status, body)
    const error = (await failureOf(testClient({ retry: { attempts: 1 } }).client.send(read))) as PlatformError
    expect(error.message.replace(/^127\.0\.0\.1:\d+ /, '')).toBe(expected)
    // A status decides what a step may do next: it is that of a refusal, not of a wrong address.
    expect(error.status).toBe([401, 403, 429, 500].find((each) => each === status))
  })
})

describe('a token that cannot be had', () => {
  it.each([
    [100_000, undefined],
    [100_001, 'SVC3045'],
  ])('of %i signs: %s', async (length, code) => {
    script.post('/api/oauth2/token').reply(200, { access_token: 'x'.repeat(length) })
    expect(await failureOf(testClient().client.authorise([]))).toEqual(code && expect.objectContaining({ code }))
  })

  it('since its answer is too long says so', async () => {
    script.post('/api/oauth2/token').reply(200, { access_token: 'x'.repeat(2000) })
    const error = await failureOf(testClient({ maxAnswerBytes: 1000 }).client.authorise([]))
    expect(error).toMatchObject({ message: 'The answer to the token request is larger than the limit' })
  })

  it('counts for one request that failed, however often it was asked for, and needs no turn of its own', async () => {
    script.post('/api/oauth2/token').times(9).reply(503, '')
    tokenServer()
    dataServer('token-1')
    const { client, events } = testClient({ concurrency: 1, retry: { attempts: 10 } })
    await client.send(read)
    expect(events.map(({ kind }) => kind)).toEqual(Array(9).fill('retry'))
    expect(client.stats()).toMatchObject({ tokenRequests: 10, tokens: 1, requests: 1, retries: 9 })
  })

  it('for a passing reason is asked for again', async () => {
    script.post('/api/oauth2/token').reply(503, '', { 'retry-after': '3' })
    script.post('/api/oauth2/token').fails('ECONNRESET')
    tokenServer()
    dataServer('token-1')
    const { client, sleeps } = testClient()
    await client.send(read)
    expect(sleeps).toEqual([3000, 1000])
  })
})

describe('authorise', () => {
  const both: ScopeNeed = { anyOf: ['Admin.ProcessConstants.Read', 'App.Metadata.Read'], ask: 'all' }

  it('asks for everything at once, and for nothing when the token carries it', async () => {
    const { asked } = tokenServer()
    const { client } = testClient()
    await client.authorise([need('A.Read'), both])
    await client.authorise([need('A.Read')])
    await client.authorise([need('B.Read'), need('A.Read')])
    const first = `A.Read ${both.anyOf.join(' ')}`
    expect(asked).toEqual([first, expect.stringContaining('B.Read')])
    expect(new Set(asked[1]?.split(' '))).toEqual(new Set(['A.Read', 'B.Read', ...both.anyOf]))
  })

  it('tries alternatives one by one when all together are refused, and remembers the outcome', async () => {
    const { asked } = tokenServer({}, ['A.Read', 'B.Read', 'App.Metadata.Read'])
    const { client } = testClient()
    await client.authorise([need('A.Read'), both])
    expect(asked).toEqual([
      'A.Read Admin.ProcessConstants.Read App.Metadata.Read',
      'A.Read',
      'Admin.ProcessConstants.Read',
      'App.Metadata.Read',
      'A.Read App.Metadata.Read',
    ])
    await client.authorise([need('B.Read')])
    expect(asked.slice(5)).toEqual(['A.Read App.Metadata.Read B.Read'])
  })

  it('says so where each scope is permitted and all together are not', async () => {
    script
      .persist()
      .post('/api/oauth2/token')
      .replyBy((_, body) => {
        const scope = new URLSearchParams(String(body)).get('scope') ?? ''
        return scope.includes(' ') ? [400, scopeRefusal] : [200, '{"access_token":"token-1"}']
      })
    const error = await failureOf(testClient().client.authorise([need('A.Read'), need('B.Read', 'B.Write')]))
    expect(error).toMatchObject({
      code: 'SVC3043',
      message: 'The application may not have these scopes together: A.Read; one of B.Read, B.Write',
    })
  })

  it('asks for the least first, and for more only where that is refused', async () => {
    const { asked } = tokenServer({}, ['Admin.Groups.ReadWrite'])
    const { client } = testClient()
    await client.authorise([need('Admin.Groups.Read', 'Admin.Groups.ReadWrite', 'Admin.Read.All')])
    expect(asked).toEqual(['Admin.Groups.Read', 'Admin.Groups.ReadWrite'])
  })

  it('names the scopes that are missing, and does not let them spoil what follows', async () => {
    tokenServer({}, ['A.Read', 'B.Read'])
    dataServer('token-1', 'token-2', 'token-3', 'token-4', 'token-5', 'token-6', 'token-7', 'token-8')
    const { client } = testClient()
    const error = (await failureOf(client.authorise([need('A.Read'), need('C.Read'), both]))) as AccessError
    expect(error).toBeInstanceOf(AccessError)
    expect(error).toMatchObject({ code: 'SVC3043', type: 'InvalidScope' })
    expect(error.message).toBe(
      'The application may not have these scopes: C.Read; one of Admin.ProcessConstants.Read, App.Metadata.Read',
    )
    await client.authorise([need('A.Read'), need('B.Read')])
    expect(await client.send(read)).toEqual({})
  })

  it('asks for nothing more when nothing is needed', async () => {
    const { asked } = tokenServer()
    const { client } = testClient()
    await client.authorise([])
    await client.authorise([need()])
    expect(asked).toEqual([null])
  })
})

describe('authorise', () => {
  it('names no scope of which another one will do', async () => {
    tokenServer({}, ['B.Write'])
    const error = await failureOf(testClient().client.authorise([need('B.Read', 'B.Write'), need('C.Read')]))
    expect(error).toMatchObject({ message: 'The application may not have these scopes: C.Read' })
  })

  it('believes an answer that grants less than was asked for', async () => {
    tokenServer({ scope: 'A.Read' })
    const error = await failureOf(testClient().client.authorise([need('A.Read'), need('B.Read')]))
    expect((error as Error).message).toBe('The application may not have these scopes: B.Read')
  })

  it('keeps the wider token when renewals run beside it', async () => {
    const { asked } = tokenServer()
    const seen = dataServer('token-2')
    const { client } = testClient()
    await Promise.all([client.send(read), client.authorise([need('A.Read')]), client.send(read)])
    expect(asked.at(-1)).toBe('A.Read')
    await client.authorise([need('A.Read')])
    expect(asked).toHaveLength(2)
    expect(seen.at(-1)).toBe('token-2')
  })
})
