// Undo of an apply's changes to one object, if the platform is unusual.
import { expect, it } from 'vitest'
import type { Live } from '../../src/core/model/live.ts'
import { invertWork } from '../../src/core/saved/invert-work.ts'
import type { SentWork } from '../../src/core/saved/sent-work.ts'
import { kinds } from '../../src/kinds/index.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')
const normalise = (svcId: string): string => svcId.toLowerCase()

/** The undo for an object with this one change. */
function taken(kind: string, sent: object, live?: object) {
  const [lists, svcId] = [{ added: new Map(), removed: new Map() }, 'c@example.com']
  const work = { address: 'x', line: 1, kind, at: { name: svcId }, fields: [], specs: [], ...lists, ...sent }
  const definition = kinds.find(({ name }) => name === kind)
  const told = live && { name: svcId, collections: {}, kind: definition, ...live }
  const { item, held, left } = invertWork(
    work as unknown as SentWork,
    definition as never,
    told as Live,
    normalise,
    nowMs,
  )
  return { item, said: left.map(({ text }) => text), ...(held && { held }) }
}

const environment = { database: 'd', integratedAuthentication: true }
it.each([
  ['an environment that inherits again already', 't', { common: environment }, undefined, []],
  ['an environment of its own', 't', { common: environment, test: { server: 't' } }, { sql: { test: null } }, []],
  [
    'an environment that somebody changed since',
    't',
    { common: environment, test: { server: 'x' } },
    undefined,
    ['`sql.test.server` is `"x"` now'],
  ],
])('undo tells %s from the others', (_what, after, sql, item, said) => {
  const sent = { fields: [{ path: 'sql.test.server', before: null, after }], before: { fields: { 'sql.test': null } } }
  const { item: found, said: told } = taken('connection', sent, { spec: { sql } })
  expect(told).toEqual(said)
  if (item === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(item)
})

it('undo says that an environment comes back without its credentials', () => {
  const sent = { fields: [{ path: 'sql.test', before: environment, after: null }], before: { fields: {} } }
  expect(taken('connection', sent, { spec: { sql: { common: environment } } }).said).toEqual([
    '`sql.test` comes back without its credentials, which svcsync does not know',
  ])
})

it('undo creates a deleted group again of which no list was known', () => {
  const sent = { life: { verb: 'delete', state: 'done' }, before: { fields: { name: 'Clerks' } } }
  expect(taken('group', sent).item).toEqual({ name: 'Clerks' })
})

it('undo names the level that it gave to somebody whose levels are not told', () => {
  const [bob] = [{ svcId: 'bob@example.com' }]
  const added = new Map([['privileges', [{ element: { ...bob, level: 'ReadOnly' }, isSure: true }]]])
  const live = { spec: {}, collections: { privileges: [] } }
  expect(taken('element', { added, before: { collections: { privileges: [bob] } } }, live).said).toEqual([
    '`bob@example.com` was in its privileges before, with levels that the platform does not tell: ' +
      'svcsync does not know whether it had ReadOnly: it stays',
  ])
})

it('undo gives nothing back to somebody of whom the removal took nothing', () => {
  const [carol, reader] = [{ svcId: 'carol@example.com' }, { svcId: 'carol@example.com', level: 'ReadOnly' }]
  const removed = new Map([['privileges', [{ element: reader, isSure: true }]]])
  const before = { collections: { privileges: [reader] } }
  const privileges = [carol]
  expect(taken('element', { removed, before }, { spec: {}, collections: { privileges } })).toMatchObject({
    item: undefined,
    said: ['`carol@example.com` is in its privileges now, with a level that the platform does not tell'],
  })
})

const on = (level: string, svcId = 'a') => ({ svcId, level })
const list = (name: string, ...elements: readonly object[]) =>
  new Map([[name, elements.map((element) => ({ element, isSure: true }))]])
const privileges = (...elements: readonly object[]) => list('privileges', ...elements)
const doubtful = new Map([['privileges', [{ element: on('Start'), isSure: false }]]])
const had = (...elements: readonly object[]) => ({ exists: true, collections: { privileges: elements } })
const [start, modify, other] = [on('Start'), on('Modify'), on('Modify', 'b')]

it.each([
  ['takes back the only one with a level', { added: privileges(start) }, [start, other], { Start: [] }, []],
  ['takes nobody else of a level with it', { added: privileges(modify) }, [modify, other], { Modify: ['b'] }, []],
  [
    'leaves who holds one of two levels alone',
    { added: privileges(start, modify) },
    [start],
    undefined,
    ['`a` is as a (Start) in its privileges now'],
  ],
  ['takes nothing back of what is gone', { added: privileges(start), before: had(modify) }, [modify], undefined, []],
  ['has nothing to take back of what did not come', { added: doubtful }, [other], undefined, []],
  ['takes back what came after all', { added: doubtful }, [start, other], { Start: [] }, []],
  ['gives back what went', { removed: privileges(start), before: had(start) }, [other], { Start: ['a'] }, []],
  [
    'gives back all that went',
    { removed: privileges(start, modify), before: had(start, modify) },
    [other],
    { Start: ['a'], Modify: ['b', 'a'] },
    [],
  ],
  [
    'has nothing to give back of what is there',
    { removed: privileges(start), before: had(start) },
    [start, other],
    undefined,
    [],
  ],
  ['has nothing to give back of what stayed', { removed: doubtful, before: had(start) }, [start], undefined, []],
  ['gives back what went after all', { removed: doubtful, before: had(start) }, [], { Start: ['a'] }, []],
  [
    'changes a level back',
    { added: privileges(modify), removed: privileges(start), before: had(start) },
    [modify],
    { Modify: [], Start: ['a'] },
    [],
  ],
  [
    'leaves a third level alone',
    { added: privileges(modify), removed: privileges(start), before: had(start) },
    [on('Administrator')],
    undefined,
    ['`a` is as a (Administrator) in its privileges now'],
  ],
  [
    'leaves who has none now',
    { added: privileges(modify), removed: privileges(start), before: had(start) },
    [],
    undefined,
    ['`a` is not in its privileges now'],
  ],
  [
    'keeps what was given anew',
    { added: privileges(start), removed: privileges(start, modify), before: had(start, modify) },
    [start, other],
    { Modify: ['b', 'a'] },
    [],
  ],
  [
    'names a level that was taken along',
    { added: privileges(start), before: had(modify) },
    [start],
    { Start: [] },
    ['`a` was in its privileges as a (Modify) too, but is not now'],
  ],
])('undo of privileges %s', (_what, sent, live, item, said) => {
  const found = taken('process', { before: { exists: true }, ...sent }, { spec: {}, collections: { privileges: live } })
  expect(found).toEqual({ item: item && { privileges: item }, said })
})

it.each([
  [
    'given',
    { added: privileges(on('ReadOnly')), before: had(other) },
    ['a', 'b', 'z'],
    { ReadOnly: [], Modify: ['b'] },
    { ReadOnly: ['a'], Modify: ['b'] },
  ],
  [
    'taken',
    { removed: privileges(on('ReadOnly')), before: had(on('ReadOnly'), other) },
    ['b', 'z'],
    { ReadOnly: ['a'], Modify: ['b'] },
    { ReadOnly: [], Modify: ['b'] },
  ],
  [
    'changed',
    {
      added: privileges(modify),
      removed: privileges(on('ReadOnly')),
      before: had(on('ReadOnly'), other, on('ReadOnly', 'c')),
    },
    ['a', 'b'],
    { ReadOnly: ['a'], Modify: ['b'] },
    { ReadOnly: [], Modify: ['a', 'b'] },
  ],
] as const)(
  'undo of a level that the platform does not tell and that was %s goes one by one',
  (_what, sent, names, item, held) => {
    const live = { spec: {}, collections: { privileges: names.map((svcId) => ({ svcId })) } }
    const found = taken('element', sent, live)
    expect(found).toEqual({
      item: { privileges: item, manage: { privileges: 'additive' } },
      held: { privileges: held },
      said: [],
    })
  },
)

it('undo of levels goes by what the platform tells, and not by what a plan believed', () => {
  const sent = { added: privileges(start), before: had() }
  const [believed, asTold] = [{ privileges: [start, modify] }, { privileges: [start] }]
  expect(taken('process', sent, { spec: {}, collections: believed, asTold })).toEqual({
    item: { privileges: { Start: [] } },
    said: [],
  })
  const instead = taken('process', { ...sent, added: privileges(modify) }, { spec: {}, collections: believed, asTold })
  expect(instead).toEqual({ item: undefined, said: ['`a` is as a (Start) in its privileges now'] })
})

const changed = (path: string, before: unknown, after: unknown) => ({
  fields: [{ path, before, after }],
  before: { exists: true },
})
const credentials = [{ sql: { common: { server: 'b', password: { reference: 'r' } } } }]
const [pair, own] = [{ database: 'd', server: 's' }, { sql: { test: null } }]
it.each([
  ['what is there no more', 'group', changed('name', 'A', 'B'), undefined, undefined, ['It is not there any more']],
  ['a name', 'group', changed('name', 'A', 'B'), { name: 'B' }, { name: 'A' }, []],
  ['a name that is as before', 'group', changed('name', 'A', 'B'), { name: 'A' }, undefined, []],
  [
    'a name that is another',
    'group',
    changed('name', 'A', 'B'),
    { name: 'C' },
    undefined,
    ['`name` is `"C"` now, and `"B"` was written'],
  ],
  ['an empty text', 'user', changed('jobTitle', '', 'n'), { jobTitle: 'n' }, { jobTitle: null }, []],
  ['a cleared text', 'user', changed('jobTitle', 'n', null), { jobTitle: '' }, { jobTitle: 'n' }, []],
  ['a manager', 'user', changed('managerSvcId', 'm', 'n'), { managerSvcId: 'n' }, { managerSvcId: 'm' }, []],
  [
    'a manager in other letters',
    'user',
    changed('managerSvcId', 'm', 'N'),
    { managerSvcId: 'n' },
    { managerSvcId: 'm' },
    [],
  ],
  ['no manager', 'user', changed('managerSvcId', null, 'n'), { managerSvcId: 'n' }, { managerSvcId: null }, []],
  [
    'a secret',
    'constant',
    { fields: [{ path: 'common', masked: true, after: 'r' }] },
    { common: 'n' },
    undefined,
    ['`common` holds a secret: svcsync does not know the former value'],
  ],
  [
    'a rotation',
    'connection',
    { fields: [{ path: 'sql.common.password', rotates: true }], specs: credentials },
    { sql: { common: {} } },
    undefined,
    [],
  ],
  [
    'a server, and a secret with it',
    'connection',
    { ...changed('sql.common.server', 'a', 'b'), specs: credentials },
    { type: 'SQL', sql: { common: { server: 'b' } } },
    { type: 'SQL', sql: { common: { server: 'a' } } },
    ['`sql.common.password` was sent: svcsync does not know the former value'],
  ],
  [
    'the name of a group of constants by its id',
    'constant',
    { fields: [...changed('groupName', 'a', 'b').fields, ...changed('groupId', 1, 2).fields] },
    { groupName: 'b', groupId: 2 },
    { groupId: 1 },
    [],
  ],
  ['an unknown field', 'user', changed('extra', { a: 1 }, { b: [1] }), { extra: { b: [1] } }, { extra: { a: 1 } }, []],
  [
    'an unknown field that is another',
    'user',
    changed('extra', { a: 1 }, { b: [1] }),
    { extra: { b: [2] } },
    undefined,
    ['`extra` is `{"b":[2]}` now, and `{"b":[1]}` was written'],
  ],
  ['an environment', 'connection', changed('sql.test', null, pair), { sql: { test: pair } }, own, []],
  [
    'an environment that started from another',
    'connection',
    changed('sql.test', null, {}),
    { sql: { test: pair } },
    own,
    [],
  ],
  [
    'an environment with a login, which no answer tells',
    'connection',
    {
      fields: ['server', 'user'].map((field) => ({ path: `sql.test.${field}`, after: 's' })),
      before: { exists: true, fields: { 'sql.test': null } },
    },
    { sql: { test: pair } },
    own,
    [],
  ],
  [
    'a server, and a login with it',
    'connection',
    { ...changed('sql.common.server', 'a', 'b'), specs: [{ sql: { common: { server: 'b', user: 'u' } } }] },
    { type: 'SQL', sql: { common: { server: 'b' } } },
    { type: 'SQL', sql: { common: { server: 'a' } } },
    ['`sql.common.user` was sent: svcsync does not know the former value'],
  ],
  [
    'a login alone',
    'connection',
    changed('sql.common.user', 'a', 'b'),
    { type: 'SQL', sql: { common: {} } },
    undefined,
    ['`sql.common.user` was sent: svcsync does not know the former value'],
  ],
  [
    'an environment that is another',
    'connection',
    changed('sql.test', null, { server: 't' }),
    { sql: { test: pair } },
    undefined,
    ['`sql.test` is `{"database":"d","server":"s"}` now, and `{"server":"t"}` was written'],
  ],
  [
    'an environment that came since',
    'connection',
    changed('sql.test', pair, null),
    { sql: { test: { server: 't' } } },
    undefined,
    ['`sql.test` is `{"server":"t"}` now, and not set was written'],
  ],
])('undo knows %s', (_what, kind, sent, spec, item, said) => {
  expect(taken(kind, { before: { exists: true }, ...sent }, spec && { spec })).toEqual({ item, said })
})

it.each([
  ['is there under it', 'B', { previously: 'B' }, []],
  ['has its own again', 'A', undefined, []],
  ['has a third one', 'C', undefined, ['It is called `C` now']],
])('undo of a new name finds what %s', (_what, name, item, said) => {
  expect(taken('constant', { ...changed('name', 'A', 'B') }, { name, spec: {} })).toEqual({ item, said })
})

const created = (...specs: object[]) => ({ life: { verb: 'create', state: 'done' }, specs, before: { exists: false } })
const deleted = (state: string, fields?: object, collections?: object) => ({
  life: { verb: 'delete', state },
  before: { exists: true, fields, collections },
})
const period = { person: 'a', substitute: 'b', type: 'FullSubstitution', from: '2025-12-01T00:00:00Z' }
const again = 'It is created again, without what it had in lists outside the plan'
it.each([
  ['a creation', 'group', created({ name: 'B' }), { spec: { name: 'B' } }, { absent: true }, []],
  [
    'a creation that a second step completed',
    'user',
    created({ name: 'B', jobTitle: 'J' }, { managerSvcId: 'm' }),
    { spec: { name: 'B', jobTitle: '', managerSvcId: 'm' } },
    { absent: true },
    [],
  ],
  ['a creation of what is gone', 'group', created({}), undefined, undefined, []],
  [
    'a creation that failed',
    'group',
    { life: { verb: 'create', state: 'failed' } },
    { spec: {} },
    undefined,
    ['Its creation failed, but it exists: svcsync cannot tell who created it'],
  ],
  [
    'a creation of what cannot be deleted',
    'connection',
    created({ type: 'SQL' }),
    { spec: { type: 'SQL' } },
    undefined,
    ['It was created, but the platform offers no deletion: it stays'],
  ],
  [
    'a creation of what was changed since',
    'user',
    created({ name: 'B' }, { managerSvcId: 'm' }),
    { spec: { name: 'B', managerSvcId: 'z' } },
    undefined,
    ['Its `managerSvcId` has changed since it was created: it stays'],
  ],
  [
    'a creation of what has gained members',
    'group',
    { ...created({}), added: list('members', { svcId: 'a' }) },
    { spec: {}, collections: { members: [{ svcId: 'a' }, { svcId: 'z' }] } },
    undefined,
    ['Its members gained z since it was created: it stays'],
  ],
  [
    'a creation with its members',
    'group',
    { ...created({}), added: list('members', { svcId: 'a' }) },
    { spec: {}, collections: { members: [{ svcId: 'a' }] } },
    { absent: true },
    [],
  ],
  [
    'a deletion',
    'group',
    deleted('done', { name: 'A', id: 7, 'x.y': 1 }, { members: [{ svcId: 'a' }], owners: [] }),
    undefined,
    { name: 'A', members: ['a'] },
    [again],
  ],
  [
    'a deletion of what is there again',
    'group',
    deleted('done'),
    { spec: {} },
    undefined,
    ['It was deleted, and is there again'],
  ],
  ['a deletion that did not happen', 'group', deleted('unknown'), { spec: {} }, undefined, []],
  [
    'a deletion of what goes on',
    'substitution',
    deleted('done', { ...period, to: '2026-06-01T00:00:00Z' }),
    undefined,
    { ...period, to: '2026-06-01T00:00:00Z' },
    [],
  ],
  [
    'a deletion of what is over',
    'substitution',
    deleted('done', { ...period, to: '2025-12-31T00:00:00Z' }),
    undefined,
    undefined,
    ['It has ended since, and is not created again'],
  ],
])('undo knows %s', (_what, kind, sent, live, item, said) => {
  expect(taken(kind, sent, live)).toEqual({ item, said })
})
