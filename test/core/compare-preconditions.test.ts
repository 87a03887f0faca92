// How a plan in a file, and what is live now, are told apart.
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/core/model/json.ts'
import { countChanges } from '../../src/core/plan/build-plan-document.ts'
import {
  compareContents,
  comparePreconditions,
  compareRequests,
  remainingDifferences,
} from '../../src/core/saved/compare-preconditions.ts'
import { discrepancySentence } from '../../src/core/saved/plan-refusal.ts'

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
  const other = (planned: string[], now: string[]) => compareRequests('x', planned, now).map(discrepancySentence)
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
  const told = remainingDifferences('x', [step] as never, change as never, { comparable: keyOf } as never)
  expect(told.map(discrepancySentence)).toEqual(said)
})

describe('what a plan shows', () => {
  const plan = { changes: [], steps: [] } as never
  const change = { address: 'x', differences: [] }
  const shown = { id: '1', address: 'x', kind: 'group', dependsOn: ['2'] }
  const counts = { ...countChanges(plan), none: 3, gained: 1, lost: 0, unknown: 0, released: 2, overwritten: null }
  const document = { changes: [change], steps: [shown], unverifiable: [], counts, kinds: {} }
  const now = { changes: [change], steps: [{ ...shown, follows: [] }] }
  const whole = (what: string) => [`plan: ${what}`]
  it.each([
    ['as it comes out', {}, {}, []],
    [
      'with another change',
      {},
      { changes: [{ ...change, differences: [1] }] },
      ['x: is shown otherwise in the plan than it comes out'],
    ],
    [
      'without a change',
      {},
      { changes: [change, { address: 'y' }] },
      ['y: is shown otherwise in the plan than it comes out'],
    ],
    ['with a change that there is not', {}, { changes: [] }, ['x: is shown otherwise in the plan than it comes out']],
    [
      'in another order',
      {},
      { steps: [{ ...shown, follows: ['2'] }] },
      whole('the order of its requests comes out differently'),
    ],
    ['a change twice', { changes: [change, change] }, {}, whole('it shows a change twice')],
    [
      'what cannot be compared of it',
      { unverifiable: [{ address: 'x', paths: ['p'] }] },
      {},
      whole('the list of incomparable fields is different'),
    ],
    ['what cannot be compared of others', { unverifiable: [{ address: 'y', paths: ['p'] }] }, {}, []],
    ['other counts', { counts: { ...counts, create: 1 } }, {}, whole('its summary comes out differently')],
    ['as many exceptions', { exceptions: { left: [1, 2] }, counts: { ...counts, excepted: 2 } }, {}, []],
    [
      'fewer exceptions',
      { exceptions: { left: [1, 2] }, counts: { ...counts, excepted: 1 } },
      {},
      whole('its summary comes out differently'),
    ],
    ['other kinds', { kinds: { group: 'Groups' } }, {}, whole('its summary comes out differently')],
  ])('is %s', (_what, planned, found, said) => {
    const texts = { change: keyOf, comparable: (value: object) => canonicalJson(value as never) } as never
    const told = (unread: readonly string[]) =>
      compareContents(
        { ...document, ...planned } as never,
        { ...now, ...found } as never,
        plan,
        texts,
        new Set(unread),
      ).map(discrepancySentence)
    expect(told([])).toEqual(said)
    // What is about the whole comes out without what cannot be read any more.
    expect(told(['z'])).toEqual(said.filter((each) => !each.startsWith('plan: ')))
  })
})
