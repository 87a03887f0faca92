// The control endpoint: the request log, the whole state, edits behind the client's back, settings.
import { describe, expect, test } from 'vitest'
import { startPlatform } from './start-platform.ts'

const tenant = {
  users: [{ svcId: 'anna@x', name: 'Anna' }],
  groups: [{ svcId: 'staff@x', name: 'Staff', members: ['anna@x'] }],
  databases: [
    {
      id: 1,
      constants: [{ name: 'C', common: 'c' }],
      connections: [{ name: 'ERP', type: 'SQL' as const, sql: { common: { server: 's' } } }],
      applications: [
        {
          name: 'A',
          processes: [{ name: 'P', formTypes: [{ name: 'F' }], workflows: [{ name: 'W', formTypes: ['F'] }] }],
        },
      ],
    },
  ],
}

describe('the request log', () => {
  test('tells what was asked, by whom, and how it ended, without secrets', async () => {
    const { get, post, control } = await startPlatform({ tenant })
    await get('/admin/users?size=5')
    await post('/db/1/admin/connections', { name: 'X', type: 'SQL', sql: { common: { password: 'pa55' } } })
    await post('/admin/users', { svcId: 'anna@x' })
    const { requests } = (await control('GET', '/requests')).body
    expect(requests).toHaveLength(4)
    expect(requests[0]).toMatchObject({ path: '/api/oauth2/token', body: { client_secret: '***' }, status: 200 })
    expect(requests[1]).toMatchObject({
      number: 2,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      method: 'GET',
      path: '/api/data/v6.0/admin/users',
      query: { size: '5' },
      body: null,
      status: 200,
      carriedOut: null,
      scopes: expect.arrayContaining(['Admin.Users.Read']),
    })
    expect(requests[2]).toMatchObject({ body: { sql: { common: { password: '***' } } }, carriedOut: true })
    expect(requests[3]).toMatchObject({ status: 409, carriedOut: false })
    expect(JSON.stringify(requests)).not.toMatch(/pa55|svcsync-secret/)
  })

  test('can be emptied, and does not record control requests', async () => {
    const { get, control } = await startPlatform()
    await get('/me')
    await control('DELETE', '/requests')
    await control('GET', '/state')
    expect((await control('GET', '/requests')).body.requests).toEqual([])
  })
})

test('the state goes out and comes in as a tenant document', async () => {
  const first = await startPlatform({ tenant, behaviour: { emptyMembers: 'null' } })
  const { body: state } = await first.control('GET', '/state')
  expect(state.users).toMatchObject([{ svcId: 'anna@x', name: 'Anna' }])
  const second = await startPlatform()
  expect((await second.control('PUT', '/state', state)).status).toBe(200)
  expect((await second.control('GET', '/state')).body).toEqual(state)
  expect((await second.get('/db/1/processes/1')).body).toEqual((await first.get('/db/1/processes/1')).body)
  const refused = await second.control('PUT', '/state', { users: [{ name: 'Nobody' }] })
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('tenant.users[0].svcId') } })
  expect((await second.get('/admin/users')).body.users).toHaveLength(1)
})

describe('edits', () => {
  test('of users, groups and accounts', async () => {
    const { get, control } = await startPlatform({ tenant, syncDelayMs: 1000 })
    const edits = [
      { upsertUser: { svcId: 'ANNA@x', jobTitle: 'Chief' } },
      { upsertUser: { svcId: 'jan@x', name: 'Jan' } },
      { upsertAccount: { svcId: 'ad@corp', type: 'AdGroup' } },
      { upsertGroup: { svcId: 'new@x', owners: ['anna@x'] } },
      { addMembers: { group: 'new@x', members: ['jan@x', 'ad@corp'] } },
      { removeMembers: { group: 'staff@x', members: ['anna@x'] } },
      { upsertGroup: { svcId: 'staff@x', name: 'Everybody' } },
      { deleteUser: 'jan@x' },
    ]
    expect((await control('POST', '/edits', edits)).status).toBe(200)
    expect((await get('/admin/users')).body.users).toMatchObject([
      { svcId: 'anna@x', name: 'Anna', jobTitle: 'Chief', status: 'Synchronized' },
    ])
    expect((await get('/admin/groups/new@x')).body).toMatchObject({
      members: [{ svcId: 'ad@corp', type: 'AdGroup' }],
      owners: [{ svcId: 'anna@x' }],
    })
    expect((await get('/admin/groups/staff@x')).body).toMatchObject({ name: 'Everybody', members: [] })
    expect((await control('POST', '/edits', { deleteGroup: 'staff@x' })).status).toBe(200)
    expect((await get('/admin/groups/staff@x')).status).toBe(404)
  })

  test('of constants, connections and privileges', async () => {
    const { get, control } = await startPlatform({ tenant })
    const guid = (await get('/db/1/admin/constants/1')).body.guid
    const privileges = [{ svcId: 'anna@x', level: 'ReadOnly' }]
    const edits = [
      { upsertConstant: { constant: { name: 'C', common: 'new', prod: 'p' } } },
      { upsertConstant: { process: 'P', constant: { name: 'D', common: 'd' } } },
      { upsertConnection: { connection: { name: 'ERP', type: 'SQL', sql: { common: { server: 's2' } } } } },
      { addPrivileges: { application: 'A', privileges } },
      { addPrivileges: { process: 'P', privileges } },
      { addPrivileges: { workflow: 'W', formType: 'F', privileges } },
      { removePrivileges: { process: 'P', privileges } },
    ]
    expect((await control('POST', '/edits', edits)).body).toEqual({})
    expect((await get('/db/1/admin/constants/1')).body).toMatchObject({
      guid,
      common: { value: 'new' },
      prod: { value: 'p' },
    })
    expect((await get('/db/1/processes/1/admin/constants')).body.constants).toMatchObject([{ name: 'D' }])
    expect((await get('/db/1/admin/connections/1')).body.sql.common.server).toBe('s2')
    expect((await get('/db/1/applications/1/admin/privileges')).body.privileges).toHaveLength(1)
    expect((await get('/db/1/processes/1/admin/privileges')).body.privileges).toHaveLength(0)
    expect((await get('/db/1/workflows/1/associatedFormTypes/1/admin/privileges')).body.privileges).toHaveLength(1)
    await control('POST', '/edits', [{ deleteConstant: { name: 'C' } }, { deleteConnection: { name: 'ERP' } }])
    expect((await get('/db/1/admin/constants')).body.constants).toEqual([])
    expect((await get('/db/1/admin/connections')).body.connections).toEqual([])
  })

  test.each([
    [{ explode: {} }, 'edit 0: must have one key'],
    [{ deleteUser: 'nobody' }, 'there is no user "nobody"'],
    [{ upsertUser: { name: 'x' } }, '"svcId" is missing'],
    [{ upsertGroup: { svcId: 'anna@x' } }, 'in use'],
    [{ addPrivileges: { privileges: [] } }, 'privileges need'],
  ])('%j cannot be done', async (edit, error) => {
    const { control } = await startPlatform({ tenant })
    expect(await control('POST', '/edits', edit)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(error) },
    })
  })
})

test('behaviour and settings are read and changed', async () => {
  const { control, get } = await startPlatform({ tenant })
  expect((await control('PATCH', '/behaviour', { privilegeName: 'name' })).body).toMatchObject({
    privilegeName: 'name',
    svcIdCase: 'insensitive',
  })
  expect((await control('PATCH', '/behaviour', { privilegeName: 'nickname' })).status).toBe(400)
  expect((await control('PATCH', '/settings', { latencyMs: 30 })).body).toEqual({ latencyMs: 30, syncDelayMs: 0 })
  const before = performance.now()
  await get('/me')
  expect(performance.now() - before).toBeGreaterThanOrEqual(30)
})

test('other control requests are not found', async () => {
  const { control } = await startPlatform()
  expect((await control('GET', '/secrets')).status).toBe(404)
})
