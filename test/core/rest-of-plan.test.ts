// What is left of a plan once some of its steps began: by requests, by what is live, and by what nothing shows.
import { expect, it } from 'vitest'
import type { Change } from '../../src/core/compare/change.ts'
import { documentTexts } from '../../src/core/plan/plan-digest.ts'
import { preconditionOf } from '../../src/core/plan/precondition.ts'
import { checkPreconditions } from '../../src/core/saved/check-preconditions.ts'
import { group } from '../../src/kinds/group/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'

const { comparable } = documentTexts('ignore-case')
const source = { file: 'a', placeAt: () => ({ file: 'a', line: 1, column: 1 }) }

/** The change of one object, as if a manifest declared what is to be. */
function changeOf(address: string, before: Partial<Side>, after: Partial<Side>): Change {
  const none: Side = { users: [], groups: {}, holdings: [] }
  const found = accessChanges({ ...none, ...before }, { ...none, ...after }).find((each) => each.address === address)
  const kind = address.startsWith('group/') ? group : process
  const declarations = [{ kind, section: kind.sections[0], item: {}, source }]
  const placed = (each: object) => ({ ...each, path: [], declaration: declarations[0] })
  const lists = Object.entries(found?.desired?.collections ?? {}).map(([name, list]) => {
    const elements = [...list.elements].map(([key, each]) => [key, placed(each)] as const)
    return [name, { ...list, elements: new Map(elements) }]
  })
  const desired = found?.desired && { ...found.desired, declarations, collections: Object.fromEntries(lists) }
  const collections = found?.collections.map((each) => ({ ...each, added: each.added.map(placed) }))
  return { ...found, collections, ...(desired && { desired }) } as unknown as Change
}
const clerks = (before: readonly string[] | undefined, after: readonly string[] | undefined): Change =>
  changeOf('group/g', { groups: { g: before } }, { groups: { g: after } })

interface Given {
  readonly planned: readonly object[]
  readonly begun?: Readonly<Record<string, string>>
  /** The change when it was planned, and the one now. */
  readonly was?: Change
  readonly now?: Change
  readonly left?: readonly object[]
}
function check({ planned, begun = {}, was, now, left = [] }: Given) {
  const basis = was && preconditionOf(was, [])
  const digest = basis === undefined ? '' : String([comparable(basis)])
  const document = { steps: planned.map((step) => ({ liveDigest: digest, ...step })), changes: [], upcoming: [] }
  const objects = basis === undefined ? [] : [{ address: was?.address, basis }]
  const preconditions = { svcIds: 'ignore-case', objects, accounts: [], behind: [], later: [] }
  const plan = { steps: left, changes: now === undefined ? [] : [now], problems: [], unreadable: [] }
  const work = { document, preconditions, begun: new Map(Object.entries(begun)) }
  const settings = { digest: String, nowMs: 0, unreadable: 'skip' }
  const { differences, steps, ...rest } = checkPreconditions(work as never, { plan } as never, settings as never)
  return {
    ids: steps.map(({ id }) => id),
    ...Object.fromEntries(Object.entries(rest).filter(([, ids]) => ids.length > 0)),
    said: differences.map(({ remark, added, removed }) => remark ?? JSON.stringify([added, removed])),
  }
}
const step = (id: string, verb: string, fields: object = {}) => ({
  ...{ id, verb, address: 'group/g', kind: 'group', at: { name: 'g' }, dependsOn: [] },
  ...fields,
})
const member = (id: string, svcId: string, verb = 'add') =>
  step(id, verb, { collection: 'members', elements: [{ svcId }] })

it('is refused where an object that nothing was done to is to get another request, or is another', () => {
  const change = clerks(['a'], ['a', 'b'])
  const planned = [member('1', 'b')]
  const begun = { 9: 'done' }
  expect(check({ planned, begun, was: change, now: change, left: [member('7', 'b')] })).toEqual({
    ids: ['1'],
    said: [],
  })
  const [said] = check({ planned, begun, was: change, now: change, left: [member('7', 'b'), member('8', 'c')] }).said
  expect(said).toMatch(/^would send add .*"c".*; planned was nothing more$/)
  const other = clerks(['a', 'z'], ['a', 'b', 'z'])
  expect(check({ planned, begun, was: change, now: other, left: [member('7', 'b')] }).said).not.toEqual([])
  expect(check({ planned, begun, now: change, left: [member('7', 'b')] }).said).toEqual([
    'the file does not hold its state at planning',
  ])
  expect(check({ planned, begun, was: change, left: [member('7', 'b')] }).said).toEqual(['no longer has this address'])
})

it('takes a step of which nobody knew for undone while it is still to be sent, and looks at its object then', () => {
  const change = clerks(['a'], ['a', 'b', 'c'])
  const planned = [member('1', 'b'), member('2', 'c')]
  const left = [member('7', 'b'), member('8', 'c')]
  const unknown = { 1: 'unknown' }
  expect(check({ planned, begun: unknown, was: change, now: change, left })).toEqual({
    ...{ ids: ['1', '2'], foundNotDone: ['1'], said: [] },
  })
  const other = clerks(['a', 'z'], ['a', 'b', 'c', 'z'])
  expect(check({ planned, begun: unknown, was: change, now: other, left }).said).not.toEqual([])
  // It was carried out: the object is touched, and may be otherwise.
  const after = clerks(['a', 'b', 'z'], ['a', 'b', 'c', 'z'])
  expect(check({ planned, begun: unknown, was: change, now: after, left: [member('8', 'c')] })).toEqual({
    ...{ ids: ['2'], foundDone: ['1'], said: [] },
  })
  // Work that was done would be done again.
  const again = check({ planned, begun: { 1: 'done' }, was: change, now: change, left })
  expect(again.said).toEqual([JSON.stringify([[], [{ svcId: 'b' }]])])
  // What nobody planned is refused, and what needs nothing any more is left out.
  const more = [member('8', 'c'), member('9', 'z')]
  expect(check({ planned, begun: { 1: 'done' }, was: change, now: after, left: more }).said).toHaveLength(1)
  expect(check({ planned, begun: { 1: 'done' }, was: change, now: clerks(['a', 'b', 'c'], ['a', 'b', 'c']) })).toEqual({
    ...{ ids: [], needless: ['2'], said: [] },
  })
})

it('believes that a level was given of which the platform tells none', () => {
  const held = (svcId: string, level?: string) => ({ svcId, address: 'process/x', level, company: null })
  const users = { users: ['a', 'b'] }
  const change = changeOf('process/x', { ...users, holdings: [] }, { ...users, holdings: [held('a', 'Start')] })
  const told = (level?: string): Change => {
    const asTold = { privileges: [{ svcId: 'b', level }] }
    return { ...change, live: change.live && { ...change.live, asTold } } as unknown as Change
  }
  const at = { address: 'process/x', kind: 'process', at: { name: 'x' } }
  const give = (id: string) =>
    step(id, 'add', { ...at, collection: 'privileges', elements: [{ svcId: 'a', level: 'Start' }] })
  const given = { planned: [give('1')], begun: { 1: 'done' }, was: change, left: [give('7')] }
  expect(check({ ...given, now: told() })).toEqual({ ids: [], said: [] })
  expect(check({ ...given, now: told('Start') }).said).toHaveLength(1)
  // Of one that may not have been sent, nothing is known: it is sent.
  expect(check({ ...given, begun: { 1: 'unknown' }, now: told() })).toEqual({
    ...{ ids: ['1'], foundNotDone: ['1'], said: [] },
  })
})

it.each([
  ['gets', { mode: 'additive' }, ['Start'], ['Start', 'Modify']],
  ['loses', { mode: 'exclusive', parts: ['Modify'] }, ['Start', 'Modify'], ['Start']],
])('rests on all levels of an account that %s one, and on none of another', (_does, how, before, after) => {
  const held = (svcId: string, levels: readonly string[]) =>
    levels.map((level) => ({ svcId, address: 'process/x', level, company: null }))
  const sides = [before, after].map((levels) => ({ holdings: [...held('a', levels), ...held('b', ['Start'])] }))
  const change = changeOf('process/x', sides[0] as Partial<Side>, sides[1] as Partial<Side>)
  const privileges = { elements: new Map(), ...how }
  const partial = { ...change, desired: { ...change.desired, collections: { privileges } } }
  const rests = preconditionOf(partial as unknown as Change, []).collections?.privileges
  expect(rests?.map(({ svcId, level }) => `${svcId} ${level}`).sort()).toEqual(
    before.map((level) => `a ${level}`).sort(),
  )
})

it('counts accounts that were deleted for gone from lists that nothing else was done to', () => {
  const [was, now] = [clerks(['x', 'y'], ['b', 'y']), clerks(['y'], ['b', 'y'])]
  const gone = step('2', 'delete', { address: 'user/X', kind: 'user', at: { name: 'X' } })
  const given = { planned: [member('1', 'b'), gone], was, now, left: [member('7', 'b')] }
  for (const state of ['done', 'unknown']) expect(check({ ...given, begun: { 2: state } }).said).toEqual([])
  const still = check({ ...given, planned: [member('1', 'b'), { ...gone, verb: 'update' }], begun: { 2: 'done' } })
  expect(still.said).toEqual([JSON.stringify([[], [{ svcId: 'x' }]])])
  const other = clerks(['z'], ['b', 'z'])
  expect(check({ ...given, now: other, begun: { 2: 'done' } }).said).toEqual([
    JSON.stringify([[{ svcId: 'z' }], [{ svcId: 'y' }]]),
  ])
})

it('sends credentials anew once, which nothing live shows to be done', () => {
  const rotates = (change: Change): Change => {
    const fields = [{ path: ['rotation'], before: undefined, after: 'x', rotates: true }]
    return { ...change, action: 'update', fields, collections: [] } as unknown as Change
  }
  const now = rotates(clerks(['a'], ['a']))
  const [first, second] = ['1', '2'].map((id) => step(id, 'update', { spec: { name: id }, rotates: ['r'] }))
  const given = { planned: [first as object, second as object], was: now, now }
  expect(
    check({
      ...given,
      begun: { 1: 'done' },
      left: [
        { ...first, id: '7' },
        { ...second, id: '8' },
      ],
    }),
  ).toEqual({
    ...{ ids: ['2'], said: [] },
  })
  // They went along with a part that shows: the rest of it is no new work.
  const other = step('9', 'update', { spec: { name: '9' }, rotates: ['r'] })
  expect(check({ ...given, begun: { 1: 'done', 2: 'done' }, left: [other] })).toEqual({ ids: [], said: [] })
  expect(check({ ...given, begun: { 9: 'done' }, left: [other] }).said).not.toEqual([])
  const visible = clerks(['a'], ['a', 'b'])
  expect(check({ ...given, now: visible, begun: { 1: 'done', 2: 'done' }, left: [other] }).said).not.toEqual([])
})
