// One call through the client: its address and headers, the answers it understands, what it repeats, what it says.

import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import type { ScopeNeed } from '../../src/core/model/platform-port.ts'
import { AccessError, effectIsUnknown, isLocked, type PlatformError } from '../../src/errors/index.ts'
import { clientSecret, failureOf } from './platform-fixture.ts'
import { scriptedPlatform } from './scripted-platform.ts'

const script = scriptedPlatform()
const testClient = script.client

const need = (...anyOf: string[]): ScopeNeed => ({ anyOf, ask: 'first' })

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

describe('a request', () => {
  it('carries token, name, query and body, in the names of the installation', async () => {
    platform()
      .post(`${api}/admin/group/members/add?realId=a%20b%2B%C5%BC`, { members: [{ realId: 'x' }] })
      .matchHeader('authorization', 'Bearer token-one')
      .matchHeader('user-agent', 'svcsync/1.2.3')
      .matchHeader('content-type', 'application/json')
      .reply(200, { realId: 'x' })
    const { client } = testClient({ wireNames: { svcId: 'realId' } })
    const path = '/admin/group/members/add'
    const body = { members: [{ svcId: 'x' }] }
    expect(await client.send({ method: 'POST', path, query: { svcId: 'a b+ż', not: undefined }, body })).toEqual({
      svcId: 'x',
    })
    expect(client.stats()).toMatchObject({ requests: 1, retries: 0, tokens: 1, bytesReceived: 42 })
  })

  it('goes to the path of its version where paths differ', async () => {
    platform().get(`${api}/applications/1`).reply(200, {})
    await testClient().client.send({ method: 'GET', path: '/applications/1', pathIn50: '/application/1' })
    platform().get('/api/data/v5.0/application/1').reply(200, {})
    const { client } = testClient({ apiVersion: '5.0' })
    await client.send({ method: 'GET', path: '/applications/1', pathIn50: '/application/1' })
  })

  it.each(['admin', '/a?b=1', '/a#b', '/a/../b', '/a/%2e%2E', '/a b', '/a\nb', '/a\\b'])(
    'is not sent to %j',
    async (path) => {
      await expect(testClient().client.send({ method: 'GET', path })).rejects.toThrow('not safe to send')
    },
  )
})

describe('an answer', () => {
  it.each([
    ['', undefined],
    ['  ', undefined],
    ['"done"', 'done'],
    ['done', 'done'],
    ['17', 17],
    ['{"id":1}', { id: 1 }],
  ])('of 2xx to a write is a success: %j', async (text, value) => {
    platform().post(`${api}/admin/groups`).reply(200, text)
    expect(await testClient().client.send(create)).toEqual(value)
  })

  it('of 2xx to a write that is no text is a success of which nothing is known', async () => {
    platform()
      .post(`${api}/admin/groups`)
      .reply(200, Buffer.from([0x22, 0xff, 0x22]))
    expect(await testClient().client.send(create)).toBeUndefined()
  })

  it('of 2xx to a write that is a web page tells nothing of the write', async () => {
    platform().post(`${api}/admin/groups`).reply(200, '<html>fine</html>')
    const error = (await failureOf(testClient().client.send(create))) as PlatformError
    expect(error).toMatchObject({ code: 'SVC3020', kind: 'unreadable', method: 'POST' })
    expect(effectIsUnknown(error)).toBe(true)
  })

  it.each([
    ['<!DOCTYPE html><title>Sign in</title>', 'SVC3020', 'a web page'],
    ['', 'SVC3020', 'empty'],
    ['[1]', 'SVC3020', 'no JSON object'],
    ['"text"', 'SVC3020', 'no JSON object'],
    ['{"groups":[', 'SVC3020', 'no JSON object'],
  ])('of 2xx to a read must be a JSON object: %j', async (text, code, found) => {
    platform().get(`${api}/admin/groups`).times(2).reply(200, text)
    const { client, sleeps } = testClient({ retry: { attempts: 2 } })
    const error = await failureOf(client.send(groups))
    expect(error).toMatchObject({ kind: 'unreadable', code, message: `The answer to GET /admin/groups is ${found}` })
    expect(sleeps).toEqual([500])
  })

  it('that redirects is an error which names the host alone; nothing follows it', async () => {
    platform().get(`${api}/admin/groups`).reply(302, '', { location: 'https://login.test/sso?state=private' })
    const error = await failureOf(testClient().client.send(groups))
    expect(error).toMatchObject({ code: 'SVC3022', status: 302, kind: 'status' })
    expect((error as Error).message).toBe(
      'GET /admin/groups was redirected to login.test, which svcsync does not follow',
    )
  })
})

describe('an answer', () => {
  it('that says no keeps its type, text and number', async () => {
    const body = { type: 'InvalidInput', description: 'Bad\u0007 name\r\nhere', errorGuid: 'g-1' }
    platform().post(`${api}/admin/groups`).reply(400, body, json)
    const error = await failureOf(testClient().client.send(create))
    expect(error).toMatchObject({
      code: 'SVC3030',
      status: 400,
      type: 'InvalidInput',
      errorGuid: 'g-1',
      actor: 'platform',
    })
    expect((error as Error).message).toBe(
      'The platform answered 400 (InvalidInput) to POST /admin/groups: Bad name here',
    )
    expect(effectIsUnknown(error)).toBe(false)
  })

  it('of bare text, as 5.0 sends it, is understood as well', async () => {
    script.post('/api/oauth2/token').reply(200, '{"access_token":"token-one"}')
    script.post('/api/data/v5.0/admin/groups').reply(400, '"No such group"')
    await expect(testClient({ apiVersion: '5.0' }).client.send(create)).rejects.toMatchObject({
      description: 'No such group',
    })
  })

  it.each([
    [409, 'ResourceIsLocked', true, 'SVC3034'],
    [423, undefined, true, 'SVC3034'],
    [409, 'ValidationError', false, 'SVC3033'],
    [404, 'ResourceNotFound', false, 'SVC3031'],
    [405, 'UnsupportedOperation', false, 'SVC3032'],
  ])('of %s %s is locked: %s', async (status, type, locked, code) => {
    platform().post(`${api}/admin/groups`).reply(status, { type, description: 'No.' }, json)
    const error = await failureOf(testClient().client.send(create))
    expect(isLocked(error)).toBe(locked)
    expect(error).toMatchObject({ code, status })
  })

  it('of 403 is for the operator, and says what the token carries', async () => {
    platform().get(`${api}/admin/groups`).reply(403, { type: 'InsufficientAccountPermissions' }, json)
    const { client } = testClient()
    await client.authorise([need('Admin.Groups.Read')])
    const error = await failureOf(client.send(groups))
    expect(error).toBeInstanceOf(AccessError)
    expect(error).toMatchObject({ code: 'SVC3041', status: 403, actor: 'operator' })
    expect((error as PlatformError).hint).toContain('Admin.Groups.Read')
  })

  it('never brings a secret, a token or a query into an error', async () => {
    const echo = `token-one and ${clientSecret} and ${encodeURIComponent(clientSecret)}`
    const body = { type: echo, description: echo, errorGuid: echo }
    platform().post(`${api}/admin/groups?svcId=hidden`).reply(400, body, json)
    const error = await failureOf(testClient().client.send({ ...create, query: { svcId: 'hidden' } }))
    const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)
    for (const secret of ['token-one', 's3cret', 'hidden', 'client-1']) expect(shown).not.toContain(secret)
    expect(shown).toContain('[secret] and [secret] and [secret]')
  })
})
