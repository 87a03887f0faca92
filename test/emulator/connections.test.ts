// Data connections: six types, inheritance, and credentials that nobody gets to see again.
import { describe, expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const path = '/db/1/admin/connections'
const login = { user: 'erp', password: 'pa55' }

test.each([
  ['SQL', 'sql', { server: 's', database: 'd', integratedAuthentication: false }, login],
  ['DbB', 'dbb', { serviceName: 's', integratedAuthentication: true }, login],
  ['SOAP', 'soap', { url: 'u', skipHttpsCertificateValidation: true, keepAlive: false, binding: 'HttpsBasic' }, login],
  [
    'REST',
    'rest',
    {
      authenticationUrl: 'a',
      baseUrl: 'b',
      skipHttpsCertificateValidation: false,
      authentication: 'OAuth2App',
      connectAs: 'Application',
    },
    { ...login, clientId: 'c', clientSecret: 'pa55' },
  ],
  ['DocPortal', 'docportal', { url: 'u', environment: 'Portal2019', credentials: 'UserDefined' }, login],
])('a %s connection is created and read back without credentials', async (type, node, settings, secrets) => {
  const { post, get, emulator } = await startPlatform()
  const created = await post(path, { name: 'C', type, [node]: { common: { ...settings, ...secrets } } })
  expect(created.status).toBe(200)
  expect(created.body).toEqual({ id: 1, guid: expect.any(String) })
  expect((await get(`${path}/1`)).body).toEqual({
    ...created.body,
    name: 'C',
    type,
    [node]: { common: { ...settings, breakInheritance: true } },
  })
  expect((await get(path)).body.connections).toEqual([{ ...created.body, name: 'C', type, links: [expect.anything()] }])
  expect(JSON.stringify(emulator.state())).not.toContain('pa55')
})

test('mail connections hold their credentials inside the way they connect', async () => {
  const { post, get } = await startPlatform()
  const mailserver = {
    common: { serverType: 'EwsBasicAuth', mailWebService: { url: 'u', ...login } },
    prod: {
      breakInheritance: true,
      serverType: 'DirectoryGraph',
      directoryGraph: { tenantId: 't', applicationId: 'a', clientSecret: 's' },
    },
  }
  expect((await post(path, { name: 'M', type: 'MailServer', mailserver })).status).toBe(200)
  expect((await get(`${path}/1`)).body.mailserver).toEqual({
    common: {
      serverType: 'EwsBasicAuth',
      mailWebService: { url: 'u' },
      directoryGraph: null,
      breakInheritance: true,
    },
    prod: {
      serverType: 'DirectoryGraph',
      mailWebService: null,
      directoryGraph: { tenantId: 't' },
      breakInheritance: true,
    },
  })
})

const sql = { common: { server: 's', database: 'd' } }
test.each([
  [{ type: 'SQL', sql }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'C', sql }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'C', type: 'SQL' }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'C', type: 'FTP', sql }, 400, 'InvalidBodyParameterValue'],
  [{ name: 'C', type: 'SQL', rest: { common: {} } }, 400, 'InvalidInput'],
  [{ name: 'C', type: 'SQL', sql, rest: { common: {} } }, 400, 'InvalidInput'],
  [{ name: 'C', type: 'SQL', sql: { common: { host: 's' } } }, 400, 'InvalidInput'],
  [{ name: 'C', type: 'SQL', sql: { common: {}, stage: {} } }, 400, 'InvalidInput'],
  [{ name: 'C', type: 'SQL', sql: { common: { server: 7 } } }, 400, 'InvalidBodyParameterValue'],
  [{ name: 'C', type: 'SQL', sql: { common: { trustCertificate: true } } }, 400, 'InvalidInput'],
])('creating %j answers %i %s', async (body, status, type) => {
  const { post } = await startPlatform()
  expect(await post(path, body)).toMatchObject({ status, body: { type } })
})

describe('an update', () => {
  const connections = [{ name: 'C', type: 'SQL' as const, sql: { ...sql, test: { server: 'st' } } }]
  const tenant = { databases: [{ id: 1, connections }] }

  test('keeps what it does not mention, and follows inheritance', async () => {
    const { patch, get } = await startPlatform({ tenant })
    const change = {
      common: { server: 's2' },
      dev: { server: 'ignored' },
      test: { breakInheritance: false },
      prod: { breakInheritance: true, server: 'sp' },
    }
    expect((await patch(`${path}/1`, { name: 'D', sql: change })).status).toBe(200)
    expect((await get(`${path}/1`)).body).toMatchObject({ name: 'D', type: 'SQL' })
    expect((await get(`${path}/1`)).body.sql).toEqual({
      common: { server: 's2', database: 'd', integratedAuthentication: false, breakInheritance: true },
      prod: { server: 'sp', database: null, integratedAuthentication: false, breakInheritance: true },
    })
  })

  test('cannot change the type', async () => {
    const { patch } = await startPlatform({ tenant })
    expect((await patch(`${path}/1`, { type: 'REST' })).status).toBe(409)
    expect((await patch(`${path}/1`, { rest: { common: {} } })).status).toBe(400)
  })

  test('of a password shows in the digest that the state keeps, and nowhere else', async () => {
    const { patch, emulator } = await startPlatform({ tenant })
    const digest = async (password: string) => {
      await patch(`${path}/1`, { sql: { common: { password } } })
      return emulator.state().databases?.[0]?.connections?.[0]?.sql?.common?.password
    }
    expect(await digest('one')).toMatch(/^sha256:/)
    expect(await digest('two')).not.toBe(await digest('one'))
  })
})

test('later installations speak of the type of SQL connections; 5.0 never does', async () => {
  const { post, get } = await startPlatform({ behaviour: { sqlConnections: 'connectionType' } })
  const common = { server: 's', connectionType: 'ADPassword', trustCertificate: true }
  expect((await post(path, { name: 'C', type: 'SQL', sql: { common } })).status).toBe(200)
  const refused = { name: 'D', type: 'SQL', sql: { common: { integratedAuthentication: true } } }
  expect((await post(path, refused)).status).toBe(400)
  expect((await get(`${path}/1`)).body.sql.common).toMatchObject(common)
  expect((await get(`/api/data/v5.0${path}/1`)).body.sql.common).toEqual({
    server: 's',
    database: null,
    integratedAuthentication: true,
    breakInheritance: true,
  })
})

test('the service account is understood in both spellings, and spelt as the installation does', async () => {
  const { post, get, emulator } = await startPlatform()
  const docportal = { common: { credentials: 'ServiceAccoount' } }
  await post(path, { name: 'P', type: 'DocPortal', docportal })
  const spelt = async () => (await get(`${path}/1`)).body.docportal.common.credentials
  expect(await spelt()).toBe('ServiceAccount')
  emulator.setBehaviour({ serviceAccountSpelling: 'ServiceAccoount' })
  expect(await spelt()).toBe('ServiceAccoount')
})
