// A list of objects: each item once, two that differ both, and one that cannot be read beside the others.
import { expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind, LivePart } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { connection } from '../../src/kinds/connection/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { howToTellApart, readItem, readList } from '../../src/live/read-list.ts'

async function read(kind: Kind, pages: readonly Json[], more: object = {}) {
  let sent = 0
  const told: LivePart[][] = []
  const port = {
    normalise: (svcId: string) => svcId.toLowerCase(),
    timeZone: 'Europe/Warsaw',
    send: () => Promise.resolve(pages[sent++] ?? pages.at(-1)),
    ...more,
  } as unknown as PlatformPort
  const list = kind.requests.list?.({ dbId: 1 })
  const onAsk = () => (parts: readonly LivePart[]) => void told.push([...parts])
  const parts = await readList(port, kind, { dbId: 1 }, list as NonNullable<typeof list>, { pageSize: 2, onAsk })
  const names = [...parts].map(([key, all]) => `${key}: ${all.map(({ self }) => self).join()}`)
  return { names, pages: parts.pages, told, parts, sent }
}
const person = (svcId: string, name: Json = svcId) => ({
  ...{ svcId, name, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})

it('counts pages by the longest, and tells readers of a page what could be read', async () => {
  const of = (...users: Json[]) => ({ users })
  const found = await read(user, [of(person('a'), person('b', 5)), of(person('A'), person('c')), of(person('a')), of()])
  expect(found.names).toEqual(['a: a,A', 'b: b', 'c: c'])
  expect([found.pages, found.told.map(({ length }) => length)]).toEqual([2, [1, 2, 1]])
  expect((await read(user, [of(person('a')), of()])).pages).toBe(1)
})

it('tells which keys of its items are no fields, and refuses a list in which one is no object', async () => {
  const keys: string[] = []
  await read(user, [{ users: [{ ...person('a'), strange: 1 }] }], { onUnknownKey: (key: string) => keys.push(key) })
  expect([...new Set(keys)]).toEqual(['`strange` of users'])
  for (const connections of [['x'], [{ id: 1, guid: 'g', name: 'a' }, 'x']])
    await expect(read(connection, [{ connections }])).rejects.toThrow(`Item ${connections.length} of connections`)
  await expect(read(connection, [{ page: 1, strange: [] }])).rejects.toThrow(/holds no list of connections: ./)
  await expect(read(connection, ['x'])).rejects.toThrow(/holds no list of connections$/)
  await expect(read(connection, [{ connections: 'x' }])).rejects.toThrow(/holds no list of connections$/)
})

it('takes an item that comes twice for one, and two of a name for two', async () => {
  const item = (id: number) => ({ id, guid: `g-${id}`, name: 'ERP', type: 'SQL' })
  const found = await read(connection, [{ connections: [item(1), item(1), item(2)] }])
  expect([found.names.map((each) => each.split(': ')[1]), found.pages]).toEqual([['g-1,g-2'], 1])
})

it('knows items of a paged list by their ids, and their moments in the time zone of the project', async () => {
  const substitutes = (id: number, startDate: string) => ({
    ...{ id, type: 'TaskDelegation', startDate, endDate: null, businessEntity: null },
    ...{
      originalPerson: { svcId: 'a' },
      substitutePerson: { svcId: 'b' },
      activeApplications: { allApplications: true },
    },
  })
  const [first, second] = [substitutes(1, '2026-07-01T00:00:00'), substitutes(2, '2026-08-01T12:00:00')]
  const found = await read(substitution, [{ substitutions: [first, second] }, { substitutions: [first] }])
  expect(found.names).toHaveLength(2)
  const [july, august] = ['2026-07-01T00:00:00+02:00', '2026-08-01T12:00:00+02:00']
  expect(found.told.flat().slice(0, 2)).toMatchObject([{ spec: { from: july } }, { spec: { from: august } }])
})

it('keeps of objects that it has told no more than who they are', async () => {
  const { parts } = await read(user, [{ users: [person('a', 'Anna'), person('b', 5)] }, { users: [] }])
  const misread = { name: 'b', self: 'b', misread: expect.any(String) }
  expect([...parts.values()]).toEqual([
    [{ name: 'a', self: 'a', spec: {}, collections: {}, ready: true }],
    [expect.objectContaining(misread)],
  ])
})

it('takes an answer that is the object itself for a list of one, where it can be read as one', async () => {
  const one = await read(connection, [{ id: 1, guid: 'g-1', name: 'ERP', type: 'SQL' }])
  expect(one.names.map((each) => each.split(': ')[1])).toEqual(['g-1'])
  await expect(read(connection, [{ id: 1, name: 'ERP' }])).rejects.toThrow('holds no list of connections')
  const licence = { userSvcId: 'a' }
  await expect(read(license, [licence])).rejects.toThrow('holds no list of assignedLicenses')
  expect(readItem({}, group, { svcId: 'g', name: 'G' }, {})).toMatchObject({ name: 'g', self: 'g' })
})

it.each([
  [user, 'They differ in case'],
  [connection, 'Give them different names'],
  [substitution, 'Delete all but one'],
] as const)('tells two apart by what makes the name: %#', (kind, hint) => {
  expect(howToTellApart(kind)).toContain(hint)
})
