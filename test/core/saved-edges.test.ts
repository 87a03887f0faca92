// What a plan in a file, or an apply that was broken off, may go on with, where the platform or the file is not as
// mostly.
import { expect, it } from 'vitest'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { checkPreconditions } from '../../src/core/saved/check-preconditions.ts'
import { comparePreconditions, differencesAfter, otherRequests } from '../../src/core/saved/compare-preconditions.ts'
import { discrepancySentence } from '../../src/core/saved/plan-refusal.ts'
import { restoreItem, saveItem } from '../../src/core/saved/saved-item.ts'
import { sentWork } from '../../src/core/saved/sent-work.ts'

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

const keyOf = (element: object): string => JSON.stringify(element)
const [anna, bob, carl] = ['anna', 'bob', 'carl'].map((name) => ({ svcId: `${name}@example.com` }))
const [equal, differs] = [true, false].map((equal) => ({ secret: { reference: '${env:A}', equal } }))
it.each([
  ['nothing', {}, {}, []],
  ['that it goes', {}, { exists: false }, ['x: was there, and is gone']],
  ['that it came', { exists: false }, {}, ['x: did not exist, and is there now']],
  ['another object', { self: '1' }, { self: '2' }, ['x: is another object of the same name (1 → 2)']],
  ['another name', { name: 'A' }, { name: 'B' }, ['x: name: was "A", and is "B" now']],
  ['a name that was not known', {}, { name: 'B' }, ['x: name: was not set, and is "B" now']],
  ['a name that is not known', { name: 'A' }, {}, ['x: name: was "A", and is not set now']],
  [
    'a field',
    { fields: { b: 1, a: 1 } },
    { fields: { b: 2, a: 2 } },
    ['x: a: was 1, and is 2 now', 'x: b: was 1, and is 2 now'],
  ],
  ['a cleared field', { fields: { a: 1 } }, { fields: { a: null } }, ['x: a: was 1, and is not set now']],
  ['what another field carries', { fields: { a: 1 } }, { fields: { b: 2 } }, []],
  [
    'a field of what is taken as a whole',
    { whole: true, fields: {} },
    { whole: true, fields: { b: 2 } },
    ['x: b: was not set, and is 2 now'],
  ],
  [
    'a secret',
    { fields: equal },
    { fields: differs },
    ['x: secret: the live value was equal to it, and differs now (${env:A})'],
  ],
  [
    'a secret again',
    { fields: differs },
    { fields: equal },
    ['x: secret: the live value differed from it, and is equal now (${env:A})'],
  ],
  [
    'a new secret',
    { whole: true },
    { whole: true, fields: equal },
    ['x: secret: the live value was not compared with it, and is equal now (${env:A})'],
  ],
  [
    'a lost secret',
    { whole: true, fields: equal },
    { whole: true },
    ['x: secret: the live value was equal to it, and differs now (${env:A})'],
  ],
  [
    'no secret',
    { fields: { a: { reference: 'r' } } },
    { fields: { a: { equal: true } } },
    ['x: a: was {"reference":"r"}, and is {"equal":true} now'],
  ],
  [
    'who came and went',
    { collections: { members: [anna, bob] } },
    { collections: { members: [bob, carl] } },
    ['x: members: is without anna@example.com and with carl@example.com now'],
  ],
  ['who came', {}, { collections: { members: [anna] } }, ['x: members: is with anna@example.com now']],
  [
    'who went',
    { collections: { members: [anna, bob] } },
    {},
    ['x: members: is without anna@example.com, bob@example.com now'],
  ],
])('a precondition tells %s', (_what, planned, found, said) => {
  const told = comparePreconditions(
    'x',
    { exists: true, ...planned } as never,
    { exists: true, ...found } as never,
    keyOf,
  )
  expect(told.map(discrepancySentence)).toEqual(said)
})

it('requests that differ are told by what each would send', () => {
  const other = (planned: string[], now: string[]) => otherRequests('x', planned, now).map(discrepancySentence)
  expect(other(['a', 'b'], ['a', 'b'])).toEqual([])
  expect(other(['a', 'b'], ['a', 'c', 'd'])).toEqual(['x: would send c; d; planned was b'])
  expect(other(['a'], ['a', 'c'])).toEqual(['x: would send c; planned was nothing more'])
})

it.each([
  ['was written, and is gone', {}, 'create', [], ['x: was written, and is gone']],
  ['was deleted, and is there again', {}, 'delete', [], ['x: was deleted, and is there again']],
  [
    'has another value',
    {},
    'update',
    [{ path: 'name', before: 'B', after: 'A' }],
    ['x: name: was to be "A", and is "B" now'],
  ],
  ['has another secret', {}, 'update', [{ path: 'p', masked: true, after: 'r' }], ['x: p: is another value now']],
  [
    'lost who was added',
    { collection: 'members', elements: [anna] },
    'update',
    [{ path: 'members', added: [anna, bob], removed: [carl] }],
    ['x: members: is without anna@example.com now'],
  ],
  [
    'has who was removed',
    { collection: 'members', elements: [carl] },
    'update',
    [{ path: 'members', added: [bob], removed: [carl] }],
    ['x: members: is with carl@example.com now'],
  ],
  [
    'is about another list',
    { collection: 'owners', elements: [carl] },
    'update',
    [{ path: 'members', added: [bob], removed: [] }],
    ['x: is not as its steps leave it'],
  ],
  ['is about nothing that shows', {}, 'update', undefined, ['x: is not as its steps leave it']],
])('what was done tells what %s', (_what, step, action, differences, said) => {
  const change = differences && { address: 'x', action, differences }
  const told = differencesAfter('x', [step] as never, change as never, { comparable: keyOf } as never)
  expect(told.map(discrepancySentence)).toEqual(said)
})

it('what was sent to an object is told by fields and by lists, with what is sure', () => {
  const at = { name: 'x' }
  const plan = {
    steps: [
      { id: '1', address: 'b', kind: 'group', at, verb: 'update', spec: { name: 'B' } },
      { id: '2', address: 'b', kind: 'group', at, verb: 'add', collection: 'members', elements: [anna] },
      { id: '3', address: 'b', kind: 'group', at, verb: 'remove', collection: 'members', elements: [bob] },
      {
        id: '4',
        address: 'a',
        kind: 'group',
        at,
        verb: 'create',
        spec: { name: 'A' },
        collections: { members: [anna] },
      },
      {
        id: '5',
        address: 'c',
        kind: 'group',
        at,
        verb: 'update',
        collections: { members: [anna, carl], owners: [bob] },
      },
      { id: '6', address: 'd', kind: 'group', at, verb: 'delete' },
      { id: '7', address: 'd', kind: 'group', at, verb: 'remove', collection: 'owners' },
      { id: '8', address: 'e', kind: 'group', at, verb: 'delete' },
    ],
    changes: [
      {
        address: 'b',
        differences: [
          { path: 'name', before: 'A', after: 'B' },
          { path: 'members', added: [anna], removed: [bob] },
        ],
      },
      { address: 'c', differences: [{ path: 'members', added: [carl], removed: [bob] }] },
    ],
  }
  const states = ['done', 'unknown', 'failed', 'done', 'done', 'unknown', 'done', 'failed']
  const steps = new Map(
    states.map((state, index) => [`${index + 1}`, { state, attempts: index === 7 ? 0 : 1, line: 9 - index }]),
  )
  const basis = { exists: true, name: 'D' }
  const sent = sentWork({ plan, preconditions: { objects: [{ address: 'd', basis }] }, steps } as never)
  const common = { kind: 'group', at, fields: [], specs: [], before: { exists: true } }
  const [sure, unsure] = [true, false].map((isSure) => (element: object | undefined) => ({ element, isSure }))
  expect(
    sent.map(({ added, removed, ...rest }) => ({
      ...rest,
      added: Object.fromEntries(added),
      removed: Object.fromEntries(removed),
    })),
  ).toEqual([
    {
      ...common,
      address: 'a',
      line: 6,
      life: { verb: 'create', state: 'done' },
      specs: [{ name: 'A' }],
      added: { members: [sure?.(anna)] },
      removed: {},
    },
    {
      ...common,
      address: 'b',
      line: 7,
      fields: [{ path: 'name', before: 'A', after: 'B' }],
      specs: [{ name: 'B' }],
      added: { members: [unsure?.(anna)] },
      removed: { members: [unsure?.(bob)] },
    },
    { ...common, address: 'c', line: 5, added: { members: [sure?.(carl)] }, removed: { members: [sure?.(bob)] } },
    {
      ...common,
      address: 'd',
      line: 3,
      life: { verb: 'delete', state: 'unknown' },
      before: basis,
      added: {},
      removed: {},
    },
  ])
})

it('an item comes back from a saved plan as it was, with what its references stand for', () => {
  const place = { file: 'a.yaml', line: 1, column: 1 }
  const item = {
    name: 'x',
    none: undefined,
    list: [1, null, { secret: new Sensitive('${env:A}', 'a') }],
    deep: { secret: new Sensitive('${env:B}', 'b') },
  }
  const paths: string[] = []
  const placeOf = (path: readonly (string | number)[]) => {
    paths.push(path.join('.'))
    return place
  }
  const saved = saveItem(item as never, placeOf)
  const reference = (name: string) => ({ reference: `\${env:${name}}`, place })
  expect(saved).toStrictEqual({
    name: 'x',
    list: [1, null, { secret: reference('A') }],
    deep: { secret: reference('B') },
  })
  const found = restoreItem(saved, (template, path, at) => {
    paths.push(path.join('.'))
    expect(at).toEqual(place)
    return template === '${env:A}' ? undefined : new Sensitive(template, 'now')
  })
  expect(found).toMatchObject({ name: 'x', list: [1, null, {}], deep: { secret: { template: '${env:B}' } } })
  expect(paths).toEqual(['list.2.secret', 'deep.secret', 'list.2.secret', 'deep.secret'])
  expect(() => restoreItem({ a: { reference: 1, place } } as never, () => undefined)).toThrow(
    /^The reference `a` in the plan/,
  )
})
