// Privileges on applications, processes and form types of workflows, and the ways installations keep them.
import { describe, expect, test } from 'vitest'
import { type Platform, startPlatform } from './start-platform.ts'

const tenant = {
  users: [{ svcId: 'anna@x', name: 'Anna' }, { svcId: 'jan@x' }],
  databases: [
    {
      id: 1,
      businessEntities: [
        { code: 'PL01', name: 'Poland' },
        { code: 'DE01', name: 'Germany' },
      ],
      applications: [
        {
          name: 'A',
          processes: [
            {
              name: 'P',
              formTypes: [{ name: 'Invoice' }, { name: 'Memo' }],
              workflows: [{ name: 'W', formTypes: ['Invoice'] }],
            },
          ],
        },
      ],
    },
  ],
}
const process = '/db/1/processes/1/admin/privileges'
const start = { svcId: 'anna@x', level: 'Start' }
const modify = { svcId: 'anna@x', level: 'Modify' }

async function levels({ get }: Platform, path = process): Promise<string[]> {
  const { body } = await get(path)
  return body.privileges.map(({ svcId, level }: { svcId: string; level: string }) => `${svcId} ${level}`)
}

test.each([
  ['/db/1/applications/1/admin/privileges', 'MetadataAccess'],
  ['/api/data/v5.0/db/1/application/1/admin/privileges', 'PortalDesigner'],
  [process, 'ManageArchive'],
  ['/db/1/workflows/1/associatedFormTypes/1/admin/privileges', 'ReadOnly'],
])('%s: add, list, remove', async (path, level) => {
  const platform = await startPlatform({ tenant })
  const body = { svcId: 'ANNA@x', level }
  expect((await platform.post(`${path}/add`, body)).status).toBe(200)
  expect((await platform.post(`${path}/add`, body)).status).toBe(200)
  expect((await platform.get(path)).body).toEqual({ privileges: [{ svcId: 'anna@x', username: 'Anna', level }] })
  expect((await platform.post(`${path}/remove`, body)).status).toBe(200)
  expect((await platform.post(`${path}/remove`, body)).status).toBe(200)
  expect(await levels(platform, path)).toEqual([])
})

test.each([
  ['/db/1/applications/1', { svcId: 'anna@x', level: 'Start' }, 400, 'InvalidBodyParameterValue'],
  ['/db/1/applications/1', { svcId: 'anna@x', level: 'ReadOnly', company: { id: 1 } }, 400, 'InvalidInput'],
  ['/db/1/processes/1', { svcId: 'anna@x', level: 'MetadataAccess' }, 400, 'InvalidBodyParameterValue'],
  ['/db/1/processes/1', { svcId: 'nobody', level: 'Start' }, 409, 'InvalidData'],
  ['/db/1/processes/1', { ...start, company: { id: 9 } }, 409, 'InvalidData'],
  ['/db/1/processes/1', { ...start, company: { code: 'PL01' } }, 400, 'InvalidInput'],
  ['/db/1/workflows/1/associatedFormTypes/2', start, 409, 'InvalidData'],
  ['/db/1/processes/7', start, 404, 'ResourceNotFound'],
])('%s refuses %j with %i %s', async (path, body, status, type) => {
  const { post } = await startPlatform({ tenant })
  expect(await post(`${path}/admin/privileges/add`, body)).toMatchObject({ status, body: { type } })
})

test('a privilege can be limited to a business entity', async () => {
  const { get, post, emulator } = await startPlatform({ tenant })
  const { businessEntities } = (await get('/admin/db/1/businessentities')).body
  const [poland, germany] = businessEntities
  await post(`${process}/add`, start)
  await post(`${process}/add`, { ...start, company: { id: poland.id, guid: poland.guid } })
  await post(`${process}/add`, { ...start, company: { guid: germany.guid } })
  await post(`${process}/remove`, { ...start, company: { id: germany.id } })
  const [wide, narrow, ...others] = (await get(process)).body.privileges
  expect(wide).not.toHaveProperty('company')
  expect(narrow.company).toEqual({ id: poland.id, guid: poland.guid })
  expect(others).toEqual([])
  emulator.setBehaviour({ privilegeCompany: 'omitted' })
  expect((await get(process)).body.privileges[1]).not.toHaveProperty('company')
})

describe('installations differ:', () => {
  test('a second level stands beside the first, or takes its place', async () => {
    const platform = await startPlatform({ tenant })
    await platform.post(`${process}/add`, start)
    await platform.post(`${process}/add`, modify)
    expect(await levels(platform)).toEqual(['anna@x Start', 'anna@x Modify'])
    platform.emulator.setBehaviour({ privilegeLevels: 'single' })
    await platform.post(`${process}/add`, { ...start, level: 'ReadOnly' })
    expect(await levels(platform)).toEqual(['anna@x ReadOnly'])
  })

  test('removal takes one level, or all of the subject', async () => {
    const platform = await startPlatform({ tenant })
    await platform.post(`${process}/add`, start)
    await platform.post(`${process}/add`, modify)
    await platform.post(`${process}/add`, { ...modify, level: 'ReadOnly' })
    await platform.post(`${process}/add`, { ...modify, svcId: 'jan@x' })
    await platform.post(`${process}/remove`, modify)
    expect(await levels(platform)).toEqual(['anna@x Start', 'anna@x ReadOnly', 'jan@x Modify'])
    platform.emulator.setBehaviour({ privilegeRemoval: 'allLevels' })
    await platform.post(`${process}/remove`, start)
    expect(await levels(platform)).toEqual(['jan@x Modify'])
  })

  test('the name comes as username or as name', async () => {
    const { get, post } = await startPlatform({ tenant, behaviour: { privilegeName: 'name' } })
    await post(`${process}/add`, start)
    expect((await get(process)).body.privileges).toEqual([{ svcId: 'anna@x', name: 'Anna', level: 'Start' }])
  })
})

describe('on an element', () => {
  const path = '/db/1/elements/7/admin/privileges'
  const whole = structuredClone(tenant)
  Object.assign(whole.databases[0]?.applications[0]?.processes[0] ?? {}, {
    privileges: [{ svcId: 'anna@x', level: 'Start' }],
    elements: [{ id: 7, privileges: [{ svcId: 'jan@x', level: 'ReadOnly' }] }],
  })
  const told = async ({ get }: Platform): Promise<string[]> =>
    (await get(path)).body.elementPrivileges.map(
      (each: { permissionsScope: string; user: { svcId: string }; level: string }) =>
        `${each.permissionsScope} ${each.user.svcId} ${each.level}`,
    )

  test('what comes from the process is told, and stays: only its own can go, all of an account at once', async () => {
    const platform = await startPlatform({ tenant: whole })
    const add = (svcId: string, level: string) => platform.post(path, { user: { svcId }, level })
    expect((await add('anna@x', 'Administrator')).status).toBe(200)
    expect((await add('ANNA@x', 'ReadOnly')).status).toBe(200)
    expect(await told(platform)).toEqual([
      'Process anna@x Start',
      'Element jan@x ReadOnly',
      'Element anna@x Administrator',
      'Element anna@x ReadOnly',
    ])
    const saved = await platform.control('GET', '/state')
    expect((await platform.control('PUT', '/state', saved.body)).status).toBe(200)
    expect((await platform.del(`${path}?svcId=anna%40x`)).status).toBe(200)
    expect(await told(platform)).toEqual(['Process anna@x Start', 'Element jan@x ReadOnly'])
    expect(await platform.del(`${path}?svcId=anna%40x`)).toMatchObject({ status: 409, body: { type: 'InvalidData' } })
  })

  test.each([
    [path, { user: { svcId: 'anna@x' }, level: 'Modify' }, 400],
    [path, { svcId: 'anna@x', level: 'ReadOnly' }, 400],
    [path, { user: { svcId: 'nobody' }, level: 'ReadOnly' }, 409],
    ['/db/1/elements/8/admin/privileges', { user: { svcId: 'anna@x' }, level: 'ReadOnly' }, 404],
    ['/api/data/v5.0/db/1/elements/7/admin/privileges', { user: { svcId: 'anna@x' }, level: 'ReadOnly' }, 200],
  ])('%s answers %j with %i', async (where, body, status) => {
    const { post } = await startPlatform({ tenant: whole })
    expect((await post(where, body)).status).toBe(status)
  })
})

test('business entities are read by id and guid', async () => {
  const { get } = await startPlatform({ tenant })
  const { body } = await get('/admin/db/1/businessentities/1')
  expect(body).toMatchObject({ id: 1, code: 'PL01', name: 'Poland', fullName: { firstLine: '' }, permissions: [] })
  expect((await get(`/admin/db/1/businessentities/${body.guid}`)).body).toEqual(body)
  expect((await get('/admin/db/1/businessentities/3')).status).toBe(404)
})
