// The token endpoint, and what tokens are good for.
import { expect, test } from 'vitest'
import { form, manualClock, startPlatform } from './start-platform.ts'

test('credentials give a token with all scopes, whose lifetime is told or not', async () => {
  const { token, emulator, get } = await startPlatform()
  const { status, body } = await token()
  expect(status).toBe(200)
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 })
  expect((await get('/admin/users')).status).toBe(200)
  emulator.setBehaviour({ tokenExpiry: 'notReported', tokenContentType: 'text/plain' })
  const second = await token()
  expect(second.body).not.toHaveProperty('expires_in')
  expect(second.headers['content-type']).toBe('text/plain')
})

test.each([
  [{ ...form, client_secret: 'wrong' }, {}, 401, 'AuthenticationFailed'],
  [{ ...form, client_id: 'nobody' }, {}, 401, 'AuthenticationFailed'],
  [{ ...form, scope: 'Admin.Everything' }, {}, 400, 'InvalidScope'],
  [{ ...form, scope: 'openid Admin.Read.All' }, {}, 400, 'InvalidScope'],
  [{ ...form, grant_type: 'password' }, {}, 400, 'InvalidBodyParameterValue'],
  [{ client_id: 'svcsync', client_secret: 'x' }, {}, 400, 'MissingRequiredBodyParameter'],
  [{ ...form, audience: 'x' }, {}, 400, 'InvalidInput'],
  [form, { accept: 'text/html' }, 400, 'UnsupportedHeader'],
  [form, { 'content-type': 'application/json' }, 400, 'UnsupportedContentType'],
])('the form %j with the headers %j answers %i %s', async (fields, headers, status, type) => {
  const { token } = await startPlatform()
  expect(await token(fields as Record<string, string>, headers)).toMatchObject({ status, body: { type } })
})

test.each([{ accept: 'application/json' }, { accept: '*/*' }, {}])(
  'gives a token for %j, unless only text will do',
  async (headers) => {
    const { emulator } = await startPlatform()
    const ask = () =>
      fetch(`${emulator.url}/api/oauth2/token`, {
        method: 'POST',
        headers: { ...headers },
        body: new URLSearchParams(form),
      })
    expect((await ask()).status).toBe(200)
    emulator.setBehaviour({ tokenAccept: 'textPlain' })
    expect((await ask()).status).toBe(400)
  },
)

test('secrets with special characters survive the form', async () => {
  const application = { name: 'x', clientId: 'a+b', clientSecret: 'p&=%+ ż' }
  const { token } = await startPlatform({ tenant: { apiApplications: [application] } })
  expect((await token({ ...form, client_id: 'a+b', client_secret: 'p&=%+ ż' })).status).toBe(200)
})

test('any one of the scopes that an endpoint lists is enough, and none is too few', async () => {
  const { token, send } = await startPlatform()
  const status = async (scope: string, method: string, path: string, body?: unknown) => {
    const reply = await token({ ...form, scope })
    return (await send(method, path, { token: reply.body.access_token, body })).status
  }
  expect(await status('Admin.Users.Read', 'GET', '/admin/users')).toBe(200)
  expect(await status('Admin.Read.All', 'GET', '/admin/users')).toBe(200)
  expect(await status('Admin.Users.Read Admin.Groups.Read', 'GET', '/admin/groups')).toBe(200)
  expect(await status('Admin.Groups.ReadWrite', 'GET', '/admin/users')).toBe(403)
  expect(await status('Admin.Users.Read', 'POST', '/admin/users', { svcId: 'x' })).toBe(403)
  expect(await status('Admin.Users.ReadWrite', 'POST', '/admin/users', { svcId: 'x' })).toBe(200)
  expect(await status('Admin.ReadWrite.All', 'GET', '/db/1/applications')).toBe(403)
  expect(await status('App.Metadata.Read', 'GET', '/db/1/applications')).toBe(200)
  expect(await status('Admin.Users.Read', 'GET', '/me')).toBe(200)
  expect(await status('Admin.Users.Read', 'GET', '/api/data/beta/me')).toBe(403)
  expect(await status('User.Data', 'GET', '/api/data/beta/me')).toBe(200)
})

test('an application only gets the scopes it is configured for', async () => {
  const application = { name: 'x', clientId: 'svcsync', clientSecret: 'svcsync-secret', scopes: ['Admin.Users.Read'] }
  const { token, get } = await startPlatform({ tenant: { apiApplications: [application] } })
  expect((await token({ ...form, scope: 'Admin.Groups.Read' })).status).toBe(400)
  expect((await get('/admin/users')).status).toBe(200)
  expect(await get('/admin/groups')).toMatchObject({
    status: 403,
    body: { type: 'InsufficientAccountPermissions', description: expect.any(String), errorGuid: expect.any(String) },
  })
})

test('process constants ask for the scopes of one document or the other', async () => {
  const applications = [{ name: 'A', processes: [{ name: 'P' }] }]
  const { emulator, token, send } = await startPlatform({ tenant: { databases: [{ id: 1, applications }] } })
  const status = async (scope: string) => {
    const reply = await token({ ...form, scope })
    return (await send('GET', '/db/1/processes/1/admin/constants', { token: reply.body.access_token })).status
  }
  const both = async () => [await status('App.Metadata.Read'), await status('Admin.ProcessConstants.Read')]
  expect(await both()).toEqual([200, 403])
  emulator.setBehaviour({ processConstantScopes: 'admin' })
  expect(await both()).toEqual([403, 200])
  emulator.setBehaviour({ processConstantScopes: 'either' })
  expect(await both()).toEqual([200, 200])
})

test('tokens end: by time, before their time, or all at once', async () => {
  const clock = manualClock()
  const { get, send, token, emulator, control } = await startPlatform({ clock })
  expect((await get('/me')).status).toBe(200)
  clock.advance(3_600_000)
  expect(await get('/me')).toMatchObject({ status: 401, body: { type: 'InvalidAuthenticationToken' } })
  emulator.setBehaviour({ tokenRejectedAfterMs: 1000 })
  const early = (await token()).body.access_token
  expect((await send('GET', '/me', { token: early })).status).toBe(200)
  clock.advance(1000)
  expect((await send('GET', '/me', { token: early })).status).toBe(401)
  const last = (await token()).body.access_token
  await control('DELETE', '/tokens')
  expect((await send('GET', '/me', { token: last })).status).toBe(401)
})

test.each([undefined, 'nonsense'])('the token %s is refused', async (token) => {
  const { send } = await startPlatform()
  expect(await send('GET', '/admin/users', { token })).toMatchObject({ status: 401 })
})

test('applications of user context, and those that impersonate, administer nothing', async () => {
  const base = { clientSecret: 's', scopes: ['Admin.Users.Read'] }
  const apiApplications = [
    { ...base, name: 'u', clientId: 'u', context: 'User' as const },
    { ...base, name: 'i', clientId: 'i', impersonates: 'anna@x' },
  ]
  const { token, send } = await startPlatform({
    tenant: { apiApplications, users: [{ svcId: 'anna@x', name: 'Anna' }] },
  })
  const tokenOf = async (id: string) => (await token({ ...form, client_id: id, client_secret: 's' })).body.access_token
  expect((await send('GET', '/admin/users', { token: await tokenOf('u') })).status).toBe(403)
  const impersonating = await tokenOf('i')
  expect((await send('GET', '/admin/users', { token: impersonating })).status).toBe(405)
  expect((await send('GET', '/me', { token: impersonating })).body).toEqual({
    svcId: 'anna@x',
    name: 'Anna',
    email: null,
    impersonated: true,
    impersonatingApplication: 'i',
  })
})
