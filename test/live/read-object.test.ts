// One object as it was asked for: another one, half of one, or a refusal is never taken for it.
import { expect, it } from 'vitest'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind, Location } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { element } from '../../src/kinds/element/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { concernsOne, readObject } from '../../src/live/read-object.ts'

const failure = (status: number, code: string = failureCodes.serverFailed) =>
  new PlatformError(code, `answered ${status}`, { kind: 'status', method: 'GET', path: '/x', status })
const missing = failure(404, failureCodes.notFound)

function read(kind: Kind, at: Location, answer: Json | Error | undefined, more: object = {}, before?: string) {
  const send = async () => {
    if (answer instanceof Error) throw answer
    return answer
  }
  const port = { normalise: (svcId: string) => svcId.toLowerCase(), send, ...more } as unknown as PlatformPort
  return readObject(port, kind, `${kind.name}/x`, at, before)
}
const [members, owners] = [[{ svcId: 'A' }], []]
const clerks = { svcId: 'g', name: 'Clerks', members, owners }
const url = { id: 1, guid: 'g-1', name: 'Url', description: null, groupId: 1, groupName: 'G', common: { value: 'x' } }
const whole = { ...url, dev: {}, test: {}, prod: {} }

it('is read with what it holds, and without keys that are no fields, which are told', async () => {
  const told: string[] = []
  const found = await read(
    group,
    { name: 'g', self: 'g' },
    { ...clerks, strange: 1 },
    {
      onUnknownKey: (key: string) => told.push(key),
    },
  )
  expect(found).toMatchObject({ name: 'g', spec: { name: 'Clerks' }, collections: { members: [{ svcId: 'A' }] } })
  expect(Object.keys(found?.spec ?? {})).not.toContain('undefined')
  expect(told).toEqual(['`strange` of groups'])
  await expect(read(group, { name: 'g', self: 'g' }, { ...clerks, strange: 1 })).resolves.toMatchObject({ self: 'g' })
})

it('keeps its own id in its place, or the one that it was asked by', async () => {
  const privileges = { privileges: [] }
  const at = { dbId: 1, process: 'g-2', name: 'P' }
  expect((await read(process, at, privileges))?.at).toEqual(at)
  expect((await read(constant, { dbId: 1, name: 'Url', self: 'G-1' }, whole))?.at).toMatchObject({ self: 'g-1' })
})

it.each([
  [group, { name: 'g', self: 'g' }, { ...clerks, svcId: '' }, 'is about an empty svcId, but svcsync asked for `g`'],
  [group, { name: 'h', self: 'h' }, clerks, 'is about `g`, but svcsync asked for `h`'],
  [constant, { dbId: 1, name: 'Path', self: 'g-2' }, whole, 'is about `Url` (g-1), but svcsync asked for `Path` (g-2)'],
  [constant, { dbId: 1, self: 'g-2' }, whole, 'is about `Url` (g-1), but svcsync asked for g-2'],
  [group, { name: 'g', self: 'g' }, undefined, 'cannot be read as a group: it is empty'],
  [element, { dbId: 1, name: '1' }, {}, 'cannot be read as an element: '],
  [group, { name: 'g', self: 'g' }, { ...clerks, owners: 5 }, 'cannot be read as a group: '],
] as const)('is not taken for another one, nor half of it for all: %#', async (kind, at, answer, message) => {
  await expect(read(kind, at, answer)).rejects.toThrow(message)
})

it('is gone where it may be, has nothing where its account is gone, and is refused otherwise', async () => {
  expect(await read(group, { name: 'g', self: 'g' }, missing)).toBeUndefined()
  expect(await read(license, { name: 'a', self: 'a' }, missing)).toMatchObject({
    name: 'a',
    self: 'a',
    collections: {},
  })
  expect(await read(license, {}, missing)).toMatchObject({ name: '', self: '', collections: { licenses: [] } })
  await expect(read(process, { dbId: 1, process: 'p' }, missing)).rejects.toBe(missing)
  await expect(read(group, { name: 'g', self: 'g' }, failure(500))).rejects.toThrow('answered 500')
})

it('has its moments in the time zone of the project, and its name from them', async () => {
  const answer = {
    ...{ id: 1, type: 'TaskDelegation', startDate: '2026-07-01T00:00:00', endDate: null, businessEntity: null },
    ...{
      originalPerson: { svcId: 'a' },
      substitutePerson: { svcId: 'b' },
      activeApplications: { allApplications: true },
    },
  }
  const found = await read(substitution, { self: '1' }, answer, { timeZone: 'Europe/Warsaw' })
  expect([found?.name, found?.spec.from]).toEqual(['a→b/TaskDelegation/2026-07-01', '2026-07-01T00:00:00+02:00'])
})

it('concerns one object, and the run where nothing can be asked any more', () => {
  const lost = new PlatformError('SVC3030', 'x', { kind: 'unreachable', method: 'GET', path: '/x' })
  expect([new TypeError('x'), lost, failure(401), failure(403)].map(concernsOne)).toEqual([false, false, false, true])
})
