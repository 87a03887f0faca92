// The objects at each address and version, and the refusals.
import { expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const tenant = {
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          groupName: 'Finance',
          dashboards: [{ name: 'Overview' }],
          reports: [{ name: 'Open', views: [{ name: 'Mine' }] }],
          processes: [
            {
              name: 'Invoices',
              formTypes: [{ name: 'Invoice', fields: [{ name: 'Amount', type: 'Decimal' }] }, { name: 'Memo' }],
              workflows: [{ name: 'Main', formTypes: ['Invoice'] }],
            },
          ],
        },
      ],
    },
  ],
}

test.each([
  ['/applications', 'applications', 'Purchasing'],
  ['/applications/1/dashboards', 'dashboards', 'Overview'],
  ['/applications/1/processes', 'processes', 'Invoices'],
  ['/applications/1/reports', 'reports', 'Open'],
  ['/reports/1/views', 'views', 'Mine'],
  ['/processes/1/formtypes', 'formTypes', 'Invoice'],
  ['/processes/1/workflows', 'workflows', 'Main'],
  ['/workflows/1/steps', 'steps', 'Start'],
  ['/workflows/1/associatedFormTypes', 'associatedFormTypes', 'Invoice'],
  ['/steps/1/paths', 'paths', 'Submit'],
])('%s lists { %s }', async (path, key, name) => {
  const { get, emulator } = await startPlatform({ tenant })
  const { status, body } = await get(`/db/1${path}`)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual([key])
  const links = [{ href: expect.stringContaining('/api/data/v6.0/db/1/'), method: 'GET', rel: 'self' }]
  expect(body[key][0]).toMatchObject({ id: 1, guid: expect.any(String), name, links })
  expect(body[key][0]).not.toHaveProperty('description')
  emulator.setBehaviour({ metadataListItems: 'whole' })
  expect((await get(`/db/1${path}`)).body[key][0]).toMatchObject({ name, description: null })
})

test.each(['applications', 'processes', 'workflows', 'steps', 'paths', 'formtypes', 'reports'])(
  'an object of %s is found by id and by guid, in any case',
  async (segment) => {
    const { get } = await startPlatform({ tenant })
    const byId = await get(`/db/1/${segment}/1`)
    expect(byId.status).toBe(200)
    expect((await get(`/db/1/${segment}/${byId.body.guid.toUpperCase()}`)).body).toEqual(byId.body)
    expect((await get(`/db/1/${segment}/99`)).status).toBe(404)
    expect((await get(`/db/2/${segment}/1`)).status).toBe(404)
    expect((await get(`/db/main/${segment}/1`)).status).toBe(400)
  },
)

test('the layout of a form has its fields and the ways out of the step', async () => {
  const { get } = await startPlatform({ tenant })
  const { body } = await get('/db/1/formlayout?step=1&formType=1')
  expect(body).toMatchObject({
    fields: [{ name: 'Amount', type: 'Decimal' }],
    itemLists: [],
    paths: [{ name: 'Submit' }],
  })
  expect(await get('/db/1/formlayout?step=1')).toMatchObject({
    status: 400,
    body: { type: 'MissingRequiredQueryParameter' },
  })
})

test.each(['/db/1/processes/1/formtypes', '/db/1/workflows/1/steps', '/db/1/applications/1/admin/privileges'])(
  '5.0 does not have %s',
  async (path) => {
    const { get } = await startPlatform({ tenant })
    expect((await get(path)).status).toBe(200)
    expect((await get(`/api/data/v5.0${path}`)).status).toBe(404)
  },
)

test.each([
  '/db/1/processes/1/workflows',
  '/db/1/reports/1/views',
  '/db/1/workflows/1/associatedFormTypes',
  '/db/1/workflows/1/associatedFormTypes/1/admin/privileges',
  '/urlMetadata?url=/',
])('5.0 has %s, and tells what 6.0 does', async (path) => {
  const { get } = await startPlatform({ tenant })
  const [newer, older] = [await get(path), await get(`/api/data/v5.0${path}`)]
  expect([newer.status, older.status]).toEqual([200, 200])
  expect(JSON.stringify(older.body).replaceAll('v5.0', 'v6.0')).toBe(JSON.stringify(newer.body))
})

test('5.0 has application privileges at the singular, and 6.0 has not', async () => {
  const { get } = await startPlatform({ tenant })
  expect((await get('/api/data/v5.0/db/1/application/1/admin/privileges')).status).toBe(200)
  expect((await get('/db/1/application/1/admin/privileges')).status).toBe(404)
})

test('writes end in a bare string in 5.0, and in nothing in 6.0', async () => {
  const { post } = await startPlatform()
  const old = await post('/api/data/v5.0/admin/users', { svcId: 'a' })
  expect([old.body, old.headers['content-type']]).toEqual(['OK', 'text/plain; charset=utf-8'])
  expect((await post('/admin/users', { svcId: 'b' })).body).toBe('')
})

test.each([
  ['GET', '/nowhere', 404, 'ResourceNotFound'],
  ['GET', '/api/data/v4.0/admin/users', 404, 'ResourceNotFound'],
  ['GET', '/admin/users/', 404, 'ResourceNotFound'],
  ['GET', '/db/1/applications/1/changeRequests', 404, 'ResourceNotFound'],
  ['PUT', '/admin/users', 405, 'UnsupportedOperation'],
  ['POST', '/admin/group?svcId=x', 405, 'UnsupportedOperation'],
  ['DELETE', '/db/1/admin/constants/1', 405, 'UnsupportedOperation'],
  ['POST', '/db/1/admin/constants/1', 405, 'UnsupportedOperation'],
  ['GET', '/api/oauth2/token', 405, 'UnsupportedOperation'],
  ['GET', '/admin/users?sort=name', 400, 'InvalidQueryParameterValue'],
  ['GET', '/admin/users?page=1&page=2', 400, 'InvalidQueryParameterValue'],
  ['GET', '/admin/users/x?size=1', 400, 'InvalidQueryParameterValue'],
  ['GET', '/admin/user', 400, 'MissingRequiredQueryParameter'],
  ['GET', '/admin/user?svcId=', 400, 'MissingRequiredQueryParameter'],
])('%s %s is %i %s', async (method, path, status, type) => {
  const { send } = await startPlatform()
  const error = { type, description: expect.any(String), errorGuid: expect.stringMatching(/^[0-9a-f-]{36}$/) }
  expect(await send(method, path)).toMatchObject({ status, body: error })
})

test('a body must be there, and be called JSON', async () => {
  const { send } = await startPlatform()
  expect((await send('POST', '/admin/users')).body.type).toBe('MissingRequiredBodyParameter')
  const headers = { 'content-type': 'text/plain' }
  expect((await send('POST', '/admin/users', { body: '{"svcId":"x"}', headers })).body.type).toBe(
    'UnsupportedContentType',
  )
})

test('an address of the portal leads to what it names', async () => {
  const { get } = await startPlatform({ tenant })
  const metadata = async (url: string) => (await get(`/urlMetadata?url=${encodeURIComponent(url)}`)).body
  expect(await metadata('https://portal/')).toMatchObject({ mode: 'Home', dbId: null, application: null })
  expect(await metadata('https://portal/db/1/app/1/report/1')).toMatchObject({
    mode: 'Report',
    dbId: 1,
    application: { name: 'Purchasing' },
    report: { name: 'Open' },
  })
  expect((await get('/urlMetadata?url=/db/1/app/9')).status).toBe(404)
})

test('the same tenant gives the same guids', async () => {
  const guids = async () => {
    const { get } = await startPlatform({ tenant })
    return [(await get('/db/1/processes/1')).body.guid, (await get('/db/1/workflows/1')).body.guid]
  }
  expect(await guids()).toEqual(await guids())
})
