// What undo takes back, and what it leaves, where a plan tells less than usual, or the platform more.
import { expect, it } from 'vitest'
import type { Live } from '../../src/core/model/live.ts'
import { manifestValue } from '../../src/core/saved/invert-lists.ts'
import { invertWork } from '../../src/core/saved/invert-work.ts'
import { type SentWork, sentWork } from '../../src/core/saved/sent-work.ts'
import { kinds } from '../../src/kinds/index.ts'

const kindOf = (name: string) => kinds.find((each) => each.name === name) as (typeof kinds)[number]

function taken(name: string, sent: object, live?: object) {
  const kind = kindOf(name)
  const work = { address: 'x', line: 1, at: { name: 'c' }, fields: [], specs: [], added: new Map(), removed: new Map() }
  const told = live && { name: 'c', collections: {}, spec: {}, kind, ...live }
  const whole = { ...work, before: { exists: true }, ...sent } as unknown as SentWork
  const { item, left, held } = invertWork(whole, kind, told as Live, (svcId) => svcId.toLowerCase(), 0)
  return { item, said: left.map(({ why, text }) => `${why}: ${text}`), ...(held && { held }) }
}
const created = (...specs: object[]) => ({ life: { verb: 'create', state: 'done' }, specs, before: { exists: false } })
const change = (path: string, before: unknown, after: unknown, more: object = {}) => ({ path, before, after, ...more })
const members = (...svcIds: string[]) => svcIds.map((svcId) => ({ svcId }))
const sent = (list: string, ...elements: readonly object[]) =>
  new Map([[list, elements.map((element) => ({ element, isSure: true }))]])

it('deletes what it created, whatever the platform gave it beside', () => {
  const gone = { item: { absent: true }, said: [] }
  expect(taken('user', created({ name: 'B' }), { spec: { name: 'B', jobTitle: 'J' } })).toEqual(gone)
  expect(taken('user', created({ name: 'B' }, { jobTitle: 'J' }), { spec: { name: 'B', jobTitle: 'J' } })).toEqual(gone)
  expect(taken('user', created({ name: 'A' }, { name: 'B' }), { spec: { name: 'B' } })).toEqual(gone)
  expect(taken('user', created({ name: 'A' }, { name: 'B' }), { spec: { name: 'C' } }).item).toBeUndefined()
})

it('creates again what was deleted, of which nothing was known', () => {
  const again = 'lost: It is created again, without what it had in lists outside the plan'
  const deleted = { life: { verb: 'delete', state: 'done' } }
  expect(taken('group', deleted)).toEqual({ item: {}, said: [again] })
  expect(taken('substitution', deleted)).toEqual({ item: {}, said: [] })
})

it('takes a field and a list back together', () => {
  const both = { fields: [change('name', 'A', 'B')], added: sent('members', ...members('a')) }
  const live = { spec: { name: 'B' }, collections: { members: members('a', 'b'), owners: [] } }
  expect(taken('group', both, live)).toEqual({ item: { name: 'A', members: ['b'] }, said: [] })
})

it('says which values nobody can clear, and of which secrets it does not know the former ones', () => {
  const fields = [change('groupId', undefined, 2), change('common', undefined, 'x')]
  expect(taken('constant', { fields }, { spec: { groupId: 2, common: 'x' } })).toEqual({
    item: { groupId: null },
    said: ['lost: `common` had no value, and the platform cannot clear it'],
  })
  const secret = { reference: 'r' }
  const specs = [{ sql: { common: { password: secret }, test: { password: secret } } }]
  const test = change('sql.test.server', null, 't')
  const password = change('sql.common.password', undefined, 'r', { masked: true })
  const before = { exists: true, fields: { 'sql.test': null } }
  const found = taken(
    'connection',
    { fields: [test, password], specs, before },
    { spec: { sql: { test: { server: 't' } } } },
  )
  expect(found).toEqual({
    item: { sql: { test: null } },
    said: ['lost: `sql.common.password` holds a secret: svcsync does not know the former value'],
  })
  const masked = [test, change('sql.test.password', undefined, 'r', { masked: true })]
  const inherits = taken(
    'connection',
    { fields: masked, specs: [], before },
    { spec: { sql: { test: { server: 't' } } } },
  )
  expect(inherits).toEqual({ item: { sql: { test: null } }, said: [] })
})

it('leaves a field that has become an object, and one that nobody knows', () => {
  const found = taken('constant', { fields: [change('common', 'a', 'b')] }, { spec: { common: { value: 'b' } } })
  expect(found.said).toEqual(['changed: `common` is `{"value":"b"}` now, and `"b"` was written'])
  const unknown = taken('constant', { fields: [change('stranger', 'a', 'b')] }, { spec: { stranger: 'b' } })
  expect(unknown).toEqual({ item: undefined, said: ['changed: `stranger` is `"b"` now, and `"b"` was written'] })
})

it('says what it does not know of an account that lost levels which are not told', () => {
  const removed = sent('privileges', { svcId: 'b', level: 'ReadOnly' })
  const known = { removed, before: { collections: { privileges: members('b') } } }
  expect(taken('element', known, { collections: { privileges: [] } }).said).toEqual([
    'lost: `b` was in its privileges before, ' +
      'with levels that the platform does not tell: svcsync does not know what it lost',
  ])
})

it('holds what it knows of levels whose business entity is not told, of its own accounts alone', () => {
  const company = { guid: 'g', name: 'PL01' }
  const [own, other] = [
    { svcId: 'a', level: 'Modify' },
    { svcId: 'b', level: 'Start' },
  ]
  const added = sent('privileges', { ...own, company })
  const before = { exists: true, collections: { privileges: [{ ...other, company }] } }
  const live = { collections: { privileges: [own, other] } }
  expect(taken('process', { added, before }, live)).toEqual({
    item: { privileges: { Modify: [] } },
    held: { privileges: { Modify: [{ svcId: 'a', company: 'g' }] } },
    said: [],
  })
})

it('puts the one that a substitution was limited to back, by its identifier and database', () => {
  const entity = (guid: string) => ({ item: 'entity', about: { guid, name: guid, dbId: 1 } })
  const [added, removed] = ['new', 'old'].map((guid) => sent('businessEntity', entity(guid)))
  const before = { exists: true, collections: { businessEntity: [entity('old')] } }
  const live = { collections: { businessEntity: [entity('new')] } }
  expect(taken('substitution', { added, removed, before }, live)).toEqual({
    item: { businessEntity: { entity: 'old', database: '1' } },
    said: [],
  })
})

it('replaces one licence by the former one, and leaves those of others alone', () => {
  const licence = (guid?: string) => ({
    ...{ item: 'Power', settings: { type: 'Power' } },
    ...(guid && { about: { guid, name: guid, dbId: 1 } }),
  })
  const [definition] = Object.values(kindOf('substitution').collections)
  const place = { item: 'application', about: { guid: 'g', name: 'Sales', dbId: 7 } }
  expect(JSON.stringify(manifestValue(definition as never, [place as never]))).toMatch(/"g".*7|7.*"g"/)
  const limited = { added: sent('licenses', licence()), removed: sent('licenses', licence('g')) }
  const before = { exists: true, collections: { licenses: [licence('g')] } }
  const found = taken('license', { ...limited, before }, { collections: { licenses: [licence()] } })
  expect(found.said).toEqual([])
  expect(JSON.stringify(found.item)).toContain('"g"')
})

it('counts steps that were sent alone, from the first line that names them', () => {
  const step = (id: string, verb: string, address = 'group/g', more: object = {}) => ({
    ...{ id, verb, address, kind: 'group', at: { name: 'g' } },
    ...more,
  })
  const plan = {
    steps: [
      step('1', 'update'),
      step('2', 'add', 'group/g', { collection: 'members' }),
      step('3', 'update', 'group/h'),
    ],
    changes: [],
  }
  const steps = new Map([
    ['1', { state: 'done', attempts: 1, line: 5 }],
    ['2', { state: 'done', attempts: 1, line: 3 }],
  ])
  const [only, ...others] = sentWork({ plan, preconditions: { objects: [] }, steps } as never)
  expect(others).toEqual([])
  expect(only).toMatchObject({ address: 'group/g', line: 3, fields: [], before: { exists: true } })
  // A copy may know two objects by the line of the plan alone: what is left of them are two problems.
  const late = new Map(['1', '3'].map((id) => [id, { state: 'unknown', attempts: 1, line: 1 }]))
  const found = sentWork({ plan, preconditions: { objects: [] }, steps: late } as never)
  expect(found.map(({ line, column }) => [line, column])).toEqual([
    [1, 1],
    [1, 2],
  ])
})
