// What is taken back, and what a resumed apply may go on with, where the platform or the file is not as mostly.
import { expect, it } from 'vitest'
import type { Live } from '../../src/core/model/live.ts'
import { checkPreconditions } from '../../src/core/saved/check-preconditions.ts'
import { invertWork } from '../../src/core/saved/invert-work.ts'
import type { SentWork } from '../../src/core/saved/sent-work.ts'
import { kinds } from '../../src/kinds/index.ts'

type Checked = Parameters<typeof checkPreconditions>

/** Two objects of which nothing is known but their steps. */
function check(
  begun: Readonly<Record<string, string>>,
  { now = [] as object[], unread = [] as object[], upcoming = [] as object[] } = {},
) {
  const preconditions = { svcIds: 'ignore-case', objects: [], accounts: [], behind: [], later: [] }
  const document = { steps: [a, a2, b], changes: [], upcoming }
  const planned = { document, preconditions, begun: new Map(Object.entries(begun)) } as unknown as Checked[0]
  const plan = { steps: now, changes: [], problems: [], unreadable: unread }
  const settings = { digest: String, nowMs: Date.parse('2026-01-02T00:00:00Z'), unreadable: 'skip' } as const
  const { differences, steps } = checkPreconditions(planned, { plan } as unknown as Checked[1], settings)
  return { steps, said: differences.map(({ subject, remark }) => `${subject}: ${remark}`) }
}
const step = (id: string, name: string, fields: object, dependsOn: string[] = []) => ({
  ...{ id, address: `group/${name}`, kind: 'group', verb: 'update', at: { name }, dependsOn, liveDigest: '' },
  ...fields,
})
const a = step('1', 'a', { spec: { name: 'A' } })
const a2 = step('2', 'a', { spec: { description: 'of A' } })
const b = step('3', 'b', { spec: { name: 'B' } })
const allDone = { 1: 'done', 2: 'done', 3: 'done' }

it('a resumed apply goes on where the time of an entry has passed since it began', () => {
  const upcoming = [
    { address: 'group/a', collection: 'members', svcId: 'x', event: 'ends', at: '2026-01-01T00:00:00Z' },
  ]
  expect(check(allDone, { upcoming }).said).toEqual([])
  expect(check({}, { upcoming }).said[0]).toBe('group/a: the time of `x` ended at 2026-01-01T00:00:00Z')
})

it('a resumed apply is refused where somebody took back what it had done', () => {
  expect(check(allDone, { now: [a] }).said).toEqual(['group/a: is not as its steps leave it'])
})

it('a resumed apply is refused where a step rests on one that has come in between', () => {
  const unread = [{ address: 'group/b', reason: 'gone', isNew: true }]
  const now = [
    { ...b, id: '7' },
    { ...a2, id: '8', dependsOn: ['7'] },
  ]
  expect(check({ 1: 'done' }, { now, unread }).said).toEqual(['group/a: needs group/b, which has changed'])
})

it('a step of what cannot be read any more is kept with what it sends', () => {
  const unread = [{ address: 'group/b', reason: 'gone', isNew: true }]
  expect(check({ 1: 'done', 2: 'done' }, { unread }).steps).toMatchObject([{ id: '3', spec: { name: 'B' } }])
})

/** Of one object to which only this was sent. */
function taken(kind: string, sent: object, live?: object) {
  const [lists, svcId] = [{ added: new Map(), removed: new Map() }, 'c@example.com']
  const work = { address: 'x', line: 1, kind, at: { name: svcId }, fields: [], specs: [], ...lists, ...sent }
  const definition = kinds.find(({ name }) => name === kind)
  const told = live && { name: svcId, collections: {}, kind: definition, ...live }
  const { item, left } = invertWork(work as unknown as SentWork, definition as never, told as Live, String, 0)
  return { item, said: left.map(({ text }) => text) }
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
    '`bob@example.com` was in its privileges before, with levels that the platform does not tell: svcsync does not know whether it had ReadOnly: it stays',
  ])
})
