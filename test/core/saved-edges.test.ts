// The conditions to resume a saved plan or an aborted apply, if the platform or the file is unusual.
import { expect, it } from 'vitest'
import { Sensitive } from '../../src/core/model/sensitive.ts'
import { checkPreconditions } from '../../src/core/saved/check-preconditions.ts'
import { restoreItem, saveItem } from '../../src/core/saved/saved-plan.ts'
import { sentWork } from '../../src/core/saved/sent-work.ts'

/** Two objects of which nothing is known but their steps. */
function check(begun: Readonly<Record<string, string>>, given: Readonly<Record<string, unknown>> = {}) {
  const {
    now = [],
    unread = [],
    upcoming = [],
    unreadable = 'skip',
    steps: planned = [a, a2, b],
    observed,
    ...more
  } = given
  const preconditions = { svcIds: 'ignore-case', objects: [], accounts: [], behind: [], later: [], ...more }
  const work = {
    document: { steps: planned, changes: [], upcoming },
    preconditions,
    begun: new Map(Object.entries(begun)),
  }
  const plan = { steps: now, changes: [], problems: [], unreadable: unread }
  const settings = { digest: String, nowMs: Date.parse('2026-01-02T00:00:00Z'), unreadable }
  const found = checkPreconditions(work as never, { plan, observed } as never, settings as never)
  const { differences, ...rest } = found
  return { ...rest, said: differences.map(({ subject, remark }) => `${subject}: ${remark}`) }
}
const step = (id: string, name: string, fields: object, dependsOn: string[] = []) => ({
  ...{
    id,
    address: `group/${name}`,
    kind: 'group',
    verb: 'update',
    at: { name },
    dependsOn,
    liveDigest: '{"exists":true}',
  },
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
  expect(check({ 1: 'done' }, { upcoming, steps: [a, a2] }).said).toEqual([])
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

const [anna, bob, carl] = ['anna', 'bob', 'carl'].map((name) => ({ svcId: `${name}@example.com` }))

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
  const common = { column: 1, kind: 'group', at, fields: [], specs: [], before: { exists: true } }
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

const unreadB = [{ address: 'group/b', reason: 'gone', isNew: true }]
const basis = { exists: true }
it.each([
  ['of which the file holds nothing', {}, 'group/a: the file does not hold its state at planning'],
  [
    'of which the file holds something else',
    { objects: [{ address: 'group/a', basis: { exists: false } }] },
    'group/a: the file does not hold its state at planning',
  ],
  ['that is no more', { objects: [{ address: 'group/a', basis }] }, 'group/a: no longer has this address'],
  [
    'that could not be read when it was planned',
    { objects: [{ address: 'group/a', basis }], unread: [{ address: 'group/a', reason: 'no right' }] },
    'group/a: could not be read: no right',
  ],
])('a plan is refused for an object %s', (_what, more, said) => {
  expect(
    check(
      { 2: 'unknown', 3: 'done' },
      {
        ...more,
        now: [
          { ...a, id: '1' },
          { ...a2, id: '2' },
        ],
      },
    ).said,
  ).toEqual([said])
})

it('a plan is refused for a write that it has no step for', () => {
  expect(check(allDone, { now: [step('9', 'c', { spec: { name: 'C' } })] }).said).toEqual([
    'group/c: needs a write now, but the plan has no step for it',
  ])
})

it('steps that were begun are settled by what is left to do', () => {
  const found = (begun: Readonly<Record<string, string>>, now: object[], more: object = {}) => {
    const { said, steps, ...lists } = check(begun, { now, ...more })
    expect(said).toEqual([])
    return { ...lists, left: steps.map(({ id, dependsOn, follows }) => [id, dependsOn, follows]) }
  }
  const none = { foundDone: [], foundNotDone: [], unsettled: [], needless: [], left: [] }
  expect(found(allDone, [])).toEqual(none)
  expect(found({ 1: 'done', 2: 'unknown', 3: 'unchanged' }, [])).toEqual({ ...none, foundDone: ['2'] })
  expect(found({ 1: 'done', 3: 'done' }, [])).toEqual({ ...none, needless: ['2'] })
  expect(found({ 1: 'done', 2: 'unknown', 3: 'done' }, [{ ...a2, id: '7' }])).toEqual({
    ...none,
    foundNotDone: ['2'],
    left: [['2', [], undefined]],
  })
  expect(found({ 1: 'done', 2: 'done', 3: 'unknown' }, [], { unread: unreadB })).toEqual({
    ...none,
    unsettled: ['3'],
    left: [['3', [], undefined]],
  })
  expect(found(allDone, [], { unread: unreadB })).toEqual(none)
  // Under the ids of the plan, with what they depend on.
  const a3 = step('4', 'a', { spec: { email: 'a' } })
  const [first, second] = [
    { ...a2, id: '7' },
    { ...a3, id: '8', dependsOn: ['7'], follows: ['7', '6'] },
  ]
  expect(found({ 1: 'done', 2: 'unknown', 4: 'unknown' }, [first, second], { steps: [a, a2, a3] }).left).toEqual([
    ['2', [], undefined],
    ['4', ['2'], ['2']],
  ])
})

it('a step that needs what cannot be read any more still does', () => {
  const steps = [
    a,
    { ...a2, dependsOn: ['3'] },
    { ...b, collections: { members: [{ svcId: 'X' }] }, elements: [{ svcId: 'Y' }], collection: 'owners' },
  ]
  const found = check({ 1: 'done', 2: 'unknown' }, { steps, now: [{ ...a2, id: '8' }], unread: unreadB })
  expect(found.steps).toMatchObject([
    {
      id: '3',
      restsOn: 'group/b',
      dependsOn: [],
      collections: { members: [{ svcId: 'X' }] },
      elements: [{ svcId: 'Y' }],
    },
    { id: '2', dependsOn: ['3'] },
  ])
  expect(
    check({ 1: 'done', 2: 'done' }, { unread: unreadB, unreadable: 'refuse', objects: [{ address: 'group/b', basis }] })
      .said,
  ).toEqual(['group/b: could not be read: gone'])
})

it('the time of an entry counts from its moment on, where the object is written', () => {
  const at = '2026-01-02T00:00:00Z'
  const bound = { address: 'group/a', collection: 'members', svcId: 'x', event: 'begins', at }
  const [missing] = check({}).said
  expect(check({}, { upcoming: [bound] }).said).toContain(`group/a: the time of \`x\` began at ${at}`)
  expect(check({}, { later: [{ ...bound, event: 'ends' }] }).said).toContain(
    `group/a: the time of \`x\` ended at ${at}`,
  )
  for (const other of [
    { ...bound, at: '2026-01-02T00:00:00.001Z' },
    { ...bound, address: 'group/c' },
  ])
    expect(check({}, { upcoming: [other] }).said[0]).toBe(missing)
})

it('accounts that steps need are there, and lists that guards look at can be read', () => {
  const of = (unreadable: 'skip' | 'refuse', found: object) => {
    const observed = { objects: new Map(), unreadable: new Map(), problems: [], ...found }
    return check(allDone, { accounts: ['user/x'], behind: ['group/y'], observed, unreadable }).said
  }
  const all = new Map([['user/x', {}]])
  const [noAccount, noList] = ['user/x', 'group/y'].map((each) => new Map([[each, { reason: 'no right' }]]))
  expect(of('skip', { objects: all })).toEqual([])
  expect(of('skip', {})).toEqual(['user/x: was there, and is gone; steps refer to it'])
  expect(of('skip', { unreadable: noAccount })).toEqual([])
  expect(of('refuse', { unreadable: noAccount })).toEqual(['user/x: could not be read: no right'])
  expect(of('skip', { objects: all, unreadable: noList })).toEqual(['group/y: could not be read: no right'])
  const place = { file: 'a.yaml', line: 2, column: 3 }
  const problems = [{ severity: 'warning' }, { address: 'user/z', place }, { place }, {}].map((each) => ({
    severity: 'error',
    message: 'is wrong',
    ...each,
  }))
  expect(of('skip', { objects: all, problems })).toEqual(['user/z: is wrong', 'a.yaml:2:3: is wrong', 'plan: is wrong'])
})
