// Writes to users and groups wait for synchronisation, and installations differ in what can be done meanwhile.
import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/index.ts'
import { manualClock, startPlatform } from './start-platform.ts'

const tenant = { users: [{ svcId: 'anna@x' }], groups: [{ svcId: 'staff@x', members: ['anna@x'] }] }

async function startSlow(behaviour: NonNullable<EmulatorOptions['behaviour']> = {}) {
  const clock = manualClock()
  const platform = await startPlatform({ tenant, clock, syncDelayMs: 1000, behaviour })
  const status = async (path: string) => {
    const { status: code, body } = await platform.get(path)
    return code === 200 ? body.status : code
  }
  return { ...platform, clock, status }
}

test('every write starts the wait, and time ends it', async () => {
  const { post, patch, status, clock } = await startSlow()
  const group = '/admin/groups/staff@x'
  const writes = [
    () => patch(group, { name: 'Staff' }),
    () => post(`${group}/members/add`, { members: [{ svcId: 'anna@x' }] }),
    () => post(`${group}/members/remove`, { members: [] }),
    () => post(`${group}/owners/add`, { owners: [{ svcId: 'anna@x' }] }),
    () => post(`${group}/owners/remove`, { owners: [{ svcId: 'anna@x' }] }),
  ]
  for (const write of writes) {
    expect((await write()).status).toBe(200)
    expect(await status(group)).toBe('WaitingForSynchronization')
    clock.advance(999)
    expect(await status(group)).toBe('WaitingForSynchronization')
    clock.advance(1)
    expect(await status(group)).toBe('Synchronized')
  }
  expect(await status('/admin/users/anna@x')).toBe('Synchronized')
})

test('the list shows the same status', async () => {
  const { post, get } = await startSlow()
  await post('/admin/users', { svcId: 'jan@x' })
  const statuses = (await get('/admin/users')).body.users.map((user: { status: string }) => user.status)
  expect(statuses).toEqual(['Synchronized', 'WaitingForSynchronization'])
})

test('what was created may be hidden until it is synchronised', async () => {
  const { post, get, status, clock } = await startSlow({ afterCreate: 'visibleAfterSync' })
  await post('/admin/users', { svcId: 'jan@x' })
  await post('/admin/groups', { svcId: 'new@x' })
  expect([await status('/admin/users/jan@x'), await status('/admin/groups/new@x')]).toEqual([404, 404])
  expect((await get('/admin/users')).body.users).toHaveLength(1)
  expect((await post('/admin/users', { svcId: 'jan@x' })).status).toBe(409)
  clock.advance(1000)
  expect([await status('/admin/users/jan@x'), await status('/admin/groups/new@x')]).toEqual([
    'Synchronized',
    'Synchronized',
  ])
})

test('what was created can be used once it is synchronised, or at once', async () => {
  const { post, clock, emulator } = await startSlow()
  const join = async () => (await post('/admin/groups/staff@x/members/add', { members: [{ svcId: 'jan@x' }] })).status
  await post('/admin/users', { svcId: 'jan@x' })
  expect(await join()).toBe(409)
  clock.advance(1000)
  expect(await join()).toBe(200)
  emulator.setBehaviour({ newSubjects: 'usableAtOnce' })
  await post('/admin/users', { svcId: 'ewa@x' })
  expect((await post('/admin/groups', { svcId: 'g@x', members: [{ svcId: 'ewa@x' }] })).status).toBe(200)
})

test('what was deleted is gone at once, or after synchronisation', async () => {
  const { del, get, post, status, clock, emulator } = await startSlow()
  await del('/admin/users/anna@x')
  expect(await status('/admin/users/anna@x')).toBe(404)
  emulator.setBehaviour({ afterDelete: 'goneAfterSync' })
  await post('/admin/users', { svcId: 'anna@x' })
  clock.advance(1000)
  await post('/admin/groups/staff@x/members/add', { members: [{ svcId: 'anna@x' }] })
  await del('/admin/users/anna@x')
  expect(await status('/admin/users/anna@x')).toBe('WaitingForSynchronization')
  expect((await get('/admin/groups/staff@x')).body.members).toHaveLength(1)
  expect((await post('/admin/users', { svcId: 'anna@x' })).status).toBe(409)
  clock.advance(1000)
  expect(await status('/admin/users/anna@x')).toBe(404)
  expect((await get('/admin/groups/staff@x')).body.members).toEqual([])
})

test('a further write meanwhile is accepted, or refused as locked', async () => {
  const { patch, post, del, clock, emulator } = await startSlow()
  const rename = () => patch('/admin/groups/staff@x', { name: 'Staff' })
  expect([(await rename()).status, (await rename()).status]).toEqual([200, 200])
  emulator.setBehaviour({ writeWhileWaiting: 'locked' })
  const locked = { status: 409, body: { type: 'ResourceIsLocked' } }
  expect(await rename()).toMatchObject(locked)
  expect(await post('/admin/groups/staff@x/members/add', { members: [] })).toMatchObject(locked)
  expect(await del('/admin/groups/staff@x')).toMatchObject(locked)
  clock.advance(1000)
  expect((await rename()).status).toBe(200)
})

test('ids compare with or without case', async () => {
  const { get, post, emulator } = await startPlatform({ tenant })
  expect((await get('/admin/users/ANNA@X')).body.svcId).toBe('anna@x')
  emulator.setBehaviour({ svcIdCase: 'sensitive' })
  expect((await get('/admin/users/ANNA@X')).status).toBe(404)
  expect((await post('/admin/groups/staff@x/members/add', { members: [{ svcId: 'Anna@x' }] })).status).toBe(409)
  expect((await post('/admin/users', { svcId: 'ANNA@X' })).status).toBe(200)
})
