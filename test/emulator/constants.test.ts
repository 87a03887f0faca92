// Constants: the five rules, global and in processes, and checkouts.
import { describe, expect, test } from 'vitest'
import { manualClock, type Platform, startPlatform } from './start-platform.ts'

const tenant = {
  databases: [
    {
      id: 1,
      constantGroups: [{ id: 4, name: 'ERP' }],
      constants: [{ name: 'ErpUrl', groupId: 4, common: 'c', test: 't' }],
      applications: [{ name: 'A', processes: [{ name: 'P', constants: [{ name: 'Limit', common: '1' }] }] }],
    },
  ],
}
const all = '/db/1/admin/constants'
const one = `${all}/1`

describe.each([
  ['global', all],
  ['process', '/db/1/processes/1/admin/constants'],
])('%s constants', (_, path) => {
  test('are created, listed, read and changed', async () => {
    const { get, post, patch } = await startPlatform({ tenant })
    const created = await post(path, {
      name: 'New',
      common: { value: '' },
      prod: { value: 'p', breakInheritance: true },
    })
    expect(created).toMatchObject({ status: 200, body: { id: expect.any(Number), guid: expect.any(String) } })
    const { id, guid } = created.body
    const list = (await get(path)).body.constants
    expect(list.at(-1)).toEqual({ id, guid, name: 'New', links: [expect.objectContaining({ rel: 'self' })] })
    expect((await get(list.at(-1).links[0].href)).body.id).toBe(id)
    expect((await patch(`${path}/${guid}`, { name: 'Newer', common: { value: 'c' } })).body).toEqual({ id, guid })
    expect((await get(`${path}/${id}`)).body).toEqual({
      id,
      guid,
      name: 'Newer',
      description: null,
      groupId: null,
      groupName: null,
      common: { value: 'c' },
      prod: { value: 'p', breakInheritance: true },
    })
  })
})

test.each([
  [{ common: { value: 'x' } }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'X' }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'X', common: {} }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'X', common: { value: 'x' }, test: { breakInheritance: true } }, 400, 'MissingRequiredBodyParameter'],
  [{ name: 'X', common: { value: 'x' }, groupId: 9 }, 409, 'InvalidData'],
  [{ name: 'ErpUrl', common: { value: 'x' } }, 409, 'InvalidData'],
  [{ name: 'X', common: { value: 1 } }, 400, 'InvalidBodyParameterValue'],
  [{ name: 'X', common: 'x' }, 400, 'InvalidBodyParameterValue'],
  [{ name: 'X', common: { value: 'x' }, groupName: 'ERP' }, 400, 'InvalidInput'],
])('creating %j answers %i %s', async (body, status, type) => {
  const { post, get } = await startPlatform({ tenant })
  expect(await post(all, body)).toMatchObject({ status, body: { type } })
  expect((await get(all)).body.constants).toHaveLength(1)
})

describe('an update of an environment', () => {
  const readBack = async ({ patch, get }: Platform, body: unknown) => {
    expect((await patch(one, body)).status).toBe(200)
    return (await get(one)).body
  }

  test('changes a value where inheritance is broken', async () => {
    const body = await readBack(await startPlatform({ tenant }), { test: { value: 't2' } })
    expect(body.test).toEqual({ value: 't2', breakInheritance: true })
  })

  test('is ignored where it is not', async () => {
    const body = await readBack(await startPlatform({ tenant }), { prod: { value: 'p' } })
    expect(body).not.toHaveProperty('prod')
  })

  test('breaks inheritance, and needs the value for it', async () => {
    const platform = await startPlatform({ tenant })
    expect((await platform.patch(one, { prod: { breakInheritance: true }, name: 'Other' })).status).toBe(400)
    expect((await platform.get(one)).body.name).toBe('ErpUrl')
    const body = await readBack(platform, { prod: { value: '', breakInheritance: true } })
    expect(body.prod).toEqual({ value: '', breakInheritance: true })
  })

  test('restores inheritance', async () => {
    const body = await readBack(await startPlatform({ tenant }), { test: { breakInheritance: false } })
    expect(body).not.toHaveProperty('test')
  })
})

test('the group stays when it is not mentioned, and goes when it is null', async () => {
  const { patch, get } = await startPlatform({ tenant })
  await patch(one, { description: 'd' })
  expect((await get(one)).body).toMatchObject({ description: 'd', groupId: 4, groupName: 'ERP' })
  await patch(one, { groupId: null })
  expect((await get(one)).body).toMatchObject({ groupId: null, groupName: null })
})

test('environments that inherit are left out, or shown with what they inherit', async () => {
  const { get } = await startPlatform({ tenant, behaviour: { inheritedEnvironments: 'shown' } })
  expect((await get(one)).body).toMatchObject({
    common: { value: 'c' },
    dev: { value: 'c', breakInheritance: false },
    test: { value: 't', breakInheritance: true },
  })
})

test('empty and null descriptions read back as the installation likes', async () => {
  const { emulator, get, patch } = await startPlatform({ tenant })
  await patch(one, { description: '' })
  expect((await get(one)).body.description).toBe('')
  emulator.setBehaviour({ emptyText: 'asNull' })
  expect((await get(one)).body.description).toBeNull()
  emulator.setBehaviour({ emptyText: 'asEmptyText' })
  await patch(one, { description: null })
  expect((await get(one)).body.description).toBe('')
})

test('names can be taken twice where the installation accepts it', async () => {
  const { post } = await startPlatform({ tenant, behaviour: { duplicateNames: 'accepted' } })
  expect((await post(all, { name: 'ErpUrl', common: { value: '' } })).status).toBe(200)
})

describe('a process that is checked out', () => {
  const path = '/db/1/processes/1/admin/constants'
  const write = async ({ patch }: Platform) => await patch(`${path}/2`, { common: { value: 'new' } })

  test('refuses writes to its constants, and to no others, until the checkout ends', async () => {
    const platform = await startPlatform({ tenant })
    await platform.control('POST', '/edits', { checkOut: { process: 'P', by: 'jan@x' } })
    expect(await write(platform)).toMatchObject({ status: 409, body: { type: 'ResourceIsLocked' } })
    expect((await platform.post(path, { name: 'X', common: { value: '' } })).status).toBe(409)
    expect((await platform.patch(one, { description: 'x' })).status).toBe(200)
    expect((await platform.get(`${path}/2`)).status).toBe(200)
    await platform.control('POST', '/edits', [{ endCheckout: { process: 'P' } }])
    expect((await write(platform)).status).toBe(200)
  })

  test('is free again after a time, or after a number of attempts', async () => {
    const clock = manualClock()
    const platform = await startPlatform({ tenant, clock })
    await platform.control('POST', '/edits', { checkOut: { process: 'P', by: 'jan@x', endsAfterMs: 500 } })
    expect((await write(platform)).status).toBe(409)
    clock.advance(500)
    expect((await write(platform)).status).toBe(200)
    await platform.control('POST', '/edits', { checkOut: { process: 'P', by: 'jan@x', endsAfterAttempts: 2 } })
    expect([await write(platform), await write(platform), await write(platform)].map((each) => each.status)).toEqual([
      409, 409, 200,
    ])
  })
})
