// Objects are read by list, or by themselves: an object is absent only if both agree, and each is requested once.
import { expect, it } from 'vitest'
import { normaliserOf, objectAddress } from '../../src/core/model/address.ts'
import type { Desired } from '../../src/core/model/desired.ts'
import { nameKey } from '../../src/core/model/identity.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind, Location } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import { AccessError, failureCodes, PlatformError } from '../../src/errors/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { element } from '../../src/kinds/element/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { ObjectLists } from '../../src/live/object-lists.ts'
import { readLive } from '../../src/live/read-live.ts'

const normalise = normaliserOf('ignore-case')

function wantedOf(kind: Kind, name: string, more: Partial<Desired> = {}): Desired {
  const isOwn = kind.scope === 'installation' && kind.key === undefined
  const at: Location = { name, ...(isOwn ? { self: name } : { dbId: 1 }) }
  const address = objectAddress(kind, name, { database: 'main' })
  const made = { kind, at, address, key: nameKey(kind, name, normalise), spec: {}, collections: {}, ...more }
  return made as unknown as Desired
}

const failed = (status: number, code: string = failureCodes.serverFailed) =>
  new PlatformError(code, `answered ${status}`, { kind: 'status', method: 'GET', path: '/x', status })
const lacking = new PlatformError('SVC3033', 'no', {
  ...{ kind: 'status', method: 'GET', path: '/x', status: 405, type: 'UnsupportedLicensingType' },
})
const refused = new AccessError(failureCodes.tokenRefused, 'no', {
  ...{ kind: 'status', method: 'GET', path: '/x', status: 401 },
})

/** Answers by path, and by `svcId` or page after it. A missing answer means a missing object. */
async function read(wanted: readonly Desired[], answers: Readonly<Record<string, Json | Error>>, more: object = {}) {
  const asked: string[] = []
  const port: PlatformPort = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send({ path, query = {} }) {
      const name = `${path}${query.svcId === undefined ? (query.page ?? '') : ` ${query.svcId}`}`
      asked.push(name)
      const answer = answers[name] ?? failed(404, failureCodes.notFound)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  let told = 0
  const onProgress = (objects: number): void => {
    told += objects
  }
  const live = await readLive(port, wanted, { pageSize: 2, onProgress, ...more })
  expect(told).toBe(wanted.length)
  return { live, asked, there: [...live.objects.keys()].sort(), unreadable: [...live.unreadable.keys()].sort() }
}

const person = (svcId: string) => ({
  ...{ svcId, name: svcId, email: null, phoneNumber: null, managerSvcId: null, jobTitle: null },
  status: 'Synchronized',
})
const page = (...svcIds: string[]) => ({ users: svcIds.map(person) })
const users = (...names: string[]) => names.map((name) => wantedOf(user, name))
const list = '/admin/users'
const one = '/admin/user'

it('reads two by themselves, and more by their list', async () => {
  const few = await read(users('a', 'b'), { [`${one} a`]: person('a') })
  expect([few.asked, few.there, few.unreadable]).toEqual([[`${one} a`, `${one} b`], ['user/a'], []])
  expect(few.live.totals.size).toBe(0)
  const many = await read(users('A', 'b', 'c'), { [`${list}0`]: page('a', 'c'), [`${list}1`]: page() }, { pageSize: 9 })
  // Nobody can have slipped from the only page.
  expect(many.asked).toEqual([`${list}0`, `${list}1`])
  expect(many.there).toEqual(['user/A', 'user/c'])
  expect([...many.live.accounts]).toEqual(['a', 'c'])
  expect(many.live.totals.get('user')).toBe(2)
})

const pages = { [`${list}0`]: page('a', 'x'), [`${list}1`]: page('b', 'y'), [`${list}2`]: page('c') }

it('reads as many by themselves as may have slipped from page to page, and no more', async () => {
  const slipped = await read(users('a', 'b', 'm', 'n', 'o'), { ...pages, [`${one} n`]: person('n') })
  expect(slipped.asked.filter((each) => each.startsWith(`${one} `))).toEqual([`${one} m`, `${one} n`, `${one} o`])
  expect(slipped.there).toEqual(['user/a', 'user/b', 'user/n'])
  const more = await read(users('a', 'b', 'm', 'n', 'o', 'p'), pages)
  expect(more.asked.filter((each) => each.startsWith(`${one} `))).toEqual([])
  expect(more.there).toEqual(['user/a', 'user/b'])
  const two = { ...pages, [`${list}2`]: page() }
  expect((await read(users('a', 'b', 'm'), two)).asked).toContain(`${one} m`)
})

it('reads a list once for all who want it', async () => {
  const lists = new ObjectLists()
  await read(users('a', 'b', 'x'), pages, { lists })
  expect(await read(users('a'), {}, { lists })).toMatchObject({ asked: [], there: ['user/a'] })
})

it('takes one that a list misreads for unreadable, and nobody else', async () => {
  const wrong = { users: [{ ...person('a'), name: 5 }, person('x')] }
  const answers = { [`${list}0`]: wrong, [`${list}1`]: page() }
  const { live, there, unreadable } = await read(users('a', 'b', 'x'), answers, { pageSize: 9 })
  expect([there, unreadable]).toEqual([['user/x'], ['user/a']])
  expect(live.unreadable.get('user/a')?.reason).toContain('cannot be read as a user')
})

it('counts what is within the globs of the target', async () => {
  const { live } = await read(users('a', 'b', 'c'), pages, { within: ['user/a', 'user/x'] })
  expect(live.totals.get('user')).toBe(2)
})

it('does not believe a list without any wanted object before one was asked for by itself', async () => {
  const empty = { [`${list}0`]: page(), [`${list}1`]: page() }
  const gone = wantedOf(user, 'gone', { absent: true })
  const wanted = [gone, ...users('a', 'b')]
  const absent = await read(wanted, empty, { pageSize: 9 })
  expect([absent.there, absent.unreadable]).toEqual([[], []])
  expect(absent.asked.slice(2)).toEqual([`${one} a`])
  const leavers = ['u', 'v', 'w'].map((name) => wantedOf(user, name, { absent: true }))
  expect((await read(leavers, { ...empty, [`${one} u`]: person('u') })).unreadable).toEqual([
    'user/u',
    'user/v',
    'user/w',
  ])
  const disproved = await read(wanted, { ...empty, [`${one} a`]: person('a') })
  expect(disproved.unreadable).toEqual(['user/a', 'user/b', 'user/gone'])
  expect(disproved.live.unreadable.get('user/b')).toMatchObject({
    code: failureCodes.listDisproved,
    reason: expect.stringContaining('none of 3 declared objects'),
  })
  const troubled = await read(wanted, { ...empty, [`${one} a`]: failed(500) })
  expect(troubled.unreadable).toEqual(['user/a', 'user/b', 'user/gone'])
  await expect(read(wanted, { ...empty, [`${one} a`]: refused })).rejects.toBe(refused)
})

it('finds an object under the name that it had before, unless another one has the new name', async () => {
  const renamed = wantedOf(constant, 'New', { previously: 'Old' })
  const url = (name: string, guid: string) => ({ id: 1, guid, name, description: null, groupId: 1, groupName: 'G' })
  const whole = { common: { value: '' }, dev: {}, test: {}, prod: {} }
  const answers = {
    '/db/1/admin/constants': { constants: [url('Old', 'g-1')] },
    '/db/1/admin/constants/g-1': { ...url('Old', 'g-1'), ...whole },
    '/db/1/admin/constants/g-2': { ...url('New', 'g-2'), ...whole },
  }
  expect((await read([renamed], answers)).live.objects.get('constant/main/New')?.self).toBe('g-1')
  const both = { ...answers, '/db/1/admin/constants': { constants: [url('Old', 'g-1'), url('New', 'g-2')] } }
  expect((await read([renamed], both)).live.objects.get('constant/main/New')?.self).toBe('g-2')
  const twice = { ...answers, '/db/1/admin/constants': { constants: [url('New', 'g-1'), url('New', 'g-2')] } }
  const ambiguous = await read([renamed], twice)
  expect(ambiguous.live.unreadable.get('constant/main/New')).toMatchObject({
    reason: '2 live objects are called `New` (g-1, g-2)',
    hint: expect.stringContaining('Give them different names'),
  })
  // It is listed and never deleted: it is there, although it does not answer.
  const silent = await read([renamed], { '/db/1/admin/constants': answers['/db/1/admin/constants'] })
  expect(silent.live.unreadable.get('constant/main/New')?.reason).toContain('but answers 404')
})

it('takes a listed group that is gone when it is read for absent', async () => {
  const groups = ['g', 'h', 'i'].map((name) => wantedOf(group, name))
  const listed = (svcId: string) => ({ svcId, name: svcId, email: null, status: 'Synchronized' })
  const members = { members: [], owners: [] }
  const { there, unreadable } = await read(groups, {
    '/admin/groups0': { groups: [listed('g'), listed('h')] },
    '/admin/groups1': { groups: [] },
    '/admin/group g': { ...listed('g'), ...members },
  })
  expect([there, unreadable]).toEqual([['group/g'], []])
})

it('keeps databases apart', async () => {
  const other = { ...wantedOf(constant, 'Url'), at: { dbId: 2, name: 'Url' }, address: 'constant/other/Url' }
  const { live, asked, unreadable } = await read([wantedOf(constant, 'Url'), other], {
    '/db/1/admin/constants': { constants: [{ id: 1, guid: 'g-1', name: 'Other' }] },
    '/db/2/admin/constants': failed(500),
  })
  expect(asked.sort()).toEqual(['/db/1/admin/constants', '/db/2/admin/constants'])
  expect(unreadable).toEqual(['constant/other/Url'])
  expect([live.accounts.size, live.totals.size]).toEqual([0, 0])
})

it('knows that nobody has what a list does not tell, and reads no privileges that nobody declares', async () => {
  const mode = { members: { elements: new Map(), mode: 'exclusive' } } as unknown as Desired['collections']
  const nobody = await read([wantedOf(license, 'jan@x')], { '/admin/licenses': { assignedLicenses: [] } })
  expect(nobody.live.objects.get('license/jan@x')).toMatchObject({ collections: { licenses: [] } })
  const found = wantedOf(process, 'Approval', { at: { dbId: 1, process: 'p-1', name: 'Approval' } })
  const unasked = await read([found], {})
  expect(unasked.asked).toEqual([])
  expect(unasked.live.objects.get(found.address)?.collections).toEqual({})
  const declared = await read([{ ...found, collections: mode }], {})
  expect([declared.asked.length, declared.unreadable]).toEqual([1, [found.address]])
  expect(declared.live.unreadable.get(found.address)).toMatchObject({ code: failureCodes.notFound })
  expect(declared.live.unreadable.get(found.address)).not.toHaveProperty('isLacking')
  const since = (entries: object) => ({ ...found, since: { entries } as Desired['since'] }) as Desired
  expect((await read([since({ privileges: new Map() })], {})).asked).toHaveLength(1)
  expect((await read([since({})], {})).asked).toEqual([])
})

it('says of an element that it is gone, and of a list that the installation has nothing of its kind', async () => {
  const page = wantedOf(element, '7', { at: { dbId: 1, name: '7', self: '7' } })
  const privileges = { privileges: { elements: new Map(), mode: 'exclusive' } } as unknown as Desired['collections']
  const gone = await read([{ ...page, collections: privileges }], {})
  expect(gone.live.unreadable.get(page.address)).toMatchObject({ code: 'SVC1360', isMissing: true })
  const none = await read([wantedOf(license, 'jan@x')], { '/admin/licenses': lacking })
  expect(none.live.unreadable.get('license/jan@x')).toMatchObject({ code: 'SVC3033', isLacking: true })
})

it('takes nothing for absent beside a substitution that does not tell which one it is', async () => {
  const body = { id: 3, startDate: 'soon', endDate: '2026-08-01T00:00:00', type: 'TaskDelegation' }
  const people = { originalPerson: { svcId: 'a@x' }, substitutePerson: { svcId: 'b@x' } }
  const places = {
    businessEntity: null,
    activeApplications: { allApplications: true, applications: [], processes: [] },
  }
  const wanted = [wantedOf(substitution, 'a@x→c@x/TaskDelegation/2026-07-01', { at: { name: 'a' } })]
  const told = { substitutions: [{ ...body, ...people, ...places, startDate: '2026-07-01T00:00:00' }] }
  const one = { '/admin/substitutions0': told, '/admin/substitutions1': { substitutions: [] } }
  expect((await read(wanted, one)).unreadable).toEqual([])
  const second = { substitutions: [{ ...told.substitutions[0], id: 4, startDate: '2026-07-02T00:00:00' }] }
  const pages = { ...one, '/admin/substitutions1': second, '/admin/substitutions2': { substitutions: [] } }
  const { asked, there } = await read(wanted, pages, { pageSize: 1 })
  expect([asked.length, there]).toEqual([3, []])
  const { originalPerson: _, ...nameless } = { ...body, ...people, ...places }
  // The identity of this one is known.
  const misread = { substitutions: [{ ...told.substitutions[0], endDate: 5 }] }
  expect((await read(wanted, { ...one, '/admin/substitutions0': misread })).unreadable).toEqual([])
  const some = { ...one, '/admin/substitutions0': { substitutions: [nameless] } }
  expect((await read(wanted, some)).unreadable).toHaveLength(1)
})
