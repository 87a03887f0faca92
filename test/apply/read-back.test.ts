// The object itself proves a write: too little is written again, too much would be called done.
import { expect, it } from 'vitest'
import { effectIsThere, readBack } from '../../src/apply/read-back.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { Json, JsonObject } from '../../src/core/model/json.ts'
import type { Element, Kind, Location } from '../../src/core/model/kind.ts'
import { liveOf } from '../../src/core/model/live.ts'
import type { PlatformPort, PlatformRequest } from '../../src/core/model/platform-port.ts'
import type { Step } from '../../src/core/model/step.ts'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { constant } from '../../src/kinds/constant/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { substitution } from '../../src/kinds/substitution/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const normalise = normaliserOf('ignore-case')
type Lists = Readonly<Record<string, readonly Element[]>>
const accounts = (...svcIds: string[]): Element[] => svcIds.map((svcId) => ({ svcId }))
const places = (...names: string[]): Element[] =>
  names.map((name) => ({ item: 'process', about: { guid: name, name, dbId: 1 } }))
const start = { svcId: 'jan@x', level: 'Start', company: null }
const keyed = (elements: readonly Element[]) => elements.map((each) => keyedElement(each, normalise))

const live = (kind: Kind, collections: Lists, spec: JsonObject = {}, name = 'g@x') =>
  liveOf(
    { name, self: name, spec, collections, ready: true },
    { kind, address: `${kind.name}/${name}`, at: {} },
    normalise,
  )
const step = (verb: Step['verb'], more: Partial<Step> & { readonly lists?: Lists } = {}): Step => {
  const { lists, ...rest } = more
  const collections = lists && Object.fromEntries(Object.entries(lists).map(([name, each]) => [name, keyed(each)]))
  return { id: '1', address: 'a', kind: 'k', verb, at: {}, dependsOn: [], ...(collections && { collections }), ...rest }
}
const members = (verb: 'add' | 'remove', ...svcIds: string[]) =>
  step(verb, { collection: 'members', elements: keyed(accounts(...svcIds)) })
const privileges = (verb: 'add' | 'remove') => step(verb, { collection: 'privileges', elements: keyed([start]) })
const both = live(group, { members: accounts('a@x', 'B@x'), owners: [] })

it.each([
  ['who was added', members('add', 'a@x', 'b@x'), group, both, true],
  ['one of two who were added', members('add', 'a@x', 'c@x'), group, both, false],
  ['one of two who were removed', members('remove', 'a@x', 'c@x'), group, both, false],
  ['none of those who were removed', members('remove', 'c@x', 'd@x'), group, both, true],
  ['an added list that is not told', members('add', 'a@x'), group, live(group, {}), false],
  ['a removed list that is not told', members('remove', 'a@x'), group, live(group, {}), true],
  ['a privilege', privileges('add'), process, live(process, { privileges: [start] }), true],
  ['no privilege', privileges('remove'), process, live(process, { privileges: accounts('ola@x') }), true],
  ['an account at no known level', privileges('add'), process, live(process, { privileges: accounts('Jan@x') }), false],
  ['one that may be left', privileges('remove'), process, live(process, { privileges: accounts('Jan@x') }), false],
  ['a group with an account', members('remove', 'c@x'), group, live(group, { members: accounts('a@x') }), true],
  ['what is to be gone', step('delete'), group, both, false],
  ['nothing of what is to be gone', step('delete'), group, undefined, true],
  ['nothing of what was added', members('add', 'a@x'), group, undefined, false],
  ['nothing of what was removed', members('remove', 'a@x'), group, undefined, false],
  ['nothing of what was changed', step('update'), group, undefined, false],
  ['a field', step('update', { spec: { name: 'G' } }), group, live(group, {}, { name: 'G' }), true],
  ['another value', step('update', { spec: { name: 'G' } }), group, live(group, {}, { name: 'H' }), false],
  ['its name', step('update', { spec: { name: 'New' } }), constant, live(constant, {}, {}, 'New'), true],
  ['its old name', step('update', { spec: { name: 'New' } }), constant, live(constant, {}, {}, 'Old'), false],
  ['what it was made with', step('create', { lists: { members: accounts('a@x') } }), group, both, true],
  ['less than that', step('create', { lists: { members: accounts('a@x', 'c@x') } }), group, both, false],
  ['a list that is not told', step('create', { lists: { owners: accounts('a@x') } }), group, live(group, {}), false],
  [
    'all its places',
    step('update', { lists: { processes: places('p') } }),
    substitution,
    live(substitution, { processes: places('p') }),
    true,
  ],
  [
    'more places than it may hold for',
    step('update', { lists: { processes: places('p') } }),
    substitution,
    live(substitution, { processes: places('p', 'q') }),
    false,
  ],
] as const)('%s: is it done?', (_what, given, kind, there, isThere) => {
  expect(effectIsThere(given, kind, there)).toBe(isThere)
  expect(effectIsThere({ ...given, rotates: ['sql.prod'] }, kind, there)).toBe(false)
})

const gone = new PlatformError(failureCodes.notFound, 'gone', { kind: 'status', method: 'GET', path: '/', status: 404 })
const url = { id: 7, guid: 'guid-7', name: 'Url', groupId: 1, groupName: 'G', description: null }
const asked: PlatformRequest[] = []
/** An object without an answer does not exist. */
const portOf = (answers: Readonly<Record<string, Json>>): PlatformPort => ({
  apiVersion: '6.0',
  normalise,
  authorise: async () => undefined,
  async send(request) {
    asked.push(request)
    const answer = answers[`${request.path}${request.query?.svcId ?? ''}`]
    if (answer === undefined) throw gone
    return answer
  },
})
const list = '/db/1/admin/constants'
const read = (kind: Kind, at: Location, answers: Readonly<Record<string, Json>>, before?: string) => {
  asked.length = 0
  return readBack(portOf(answers), kind, 'constant/main/Url', at, { pageSize: 10, before })
}

it('finds what was made, and told no id, by its name in the list', async () => {
  const at = { dbId: 1, name: 'Url' }
  expect(await read(constant, at, { [list]: { constants: [] } })).toBeUndefined()
  const whole = { ...url, common: { value: 'x' }, dev: { value: null }, test: { value: null }, prod: { value: null } }
  const found = await read(constant, at, { [list]: { constants: [url] }, [`${list}/guid-7`]: whole })
  expect(found).toMatchObject({ name: 'Url', self: 'guid-7' })
  expect(asked.map(({ path }) => path)).toEqual([list, `${list}/guid-7`])
  // Taken for absent, it would be made a second time.
  await expect(read(constant, at, { [list]: { constants: [url] } })).rejects.toThrow('is listed, but answers 404')
  expect(await read(constant, { ...at, self: 'guid-7' }, { [`${list}/guid-7`]: whole })).toMatchObject({ name: 'Url' })
  expect(asked).toHaveLength(1)
})

it('takes a name that the object may still bear for its own, and no other', async () => {
  const at = { dbId: 1, name: 'New', self: 'guid-7' }
  const answers = {
    [`${list}/guid-7`]: {
      ...url,
      common: { value: 'x' },
      dev: { value: null },
      test: { value: null },
      prod: { value: null },
    },
  }
  expect(await read(constant, at, answers, 'Url')).toMatchObject({ name: 'Url' })
  await expect(read(constant, at, answers)).rejects.toMatchObject({ code: failureCodes.otherObject })
})

it('asks for an account by the identifier that it is to have', async () => {
  const jan = { svcId: 'jan@x', name: 'J', email: null, phoneNumber: null, managerSvcId: null, jobTitle: null }
  const answers = { '/admin/userjan@x': { ...jan, status: 'Synchronized' } }
  expect(await read(user, { name: 'jan@x' }, answers)).toMatchObject({ name: 'jan@x' })
  expect(await read(user, { name: 'Jan', self: 'jan@x' }, answers, 'jan@x')).toMatchObject({ self: 'jan@x' })
  expect(await read(user, { name: 'ola@x' }, answers)).toBeUndefined()
})
