// Access in cases that a search over small installations seldom meets: ids in other letters, other databases, leavers.
import { describe, expect, it } from 'vitest'
import { exceptionFinder, judgeAccess } from '../../src/core/access/accepted-access.ts'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { Aftermath } from '../../src/core/access/aftermath.ts'
import { containersOf } from '../../src/core/access/containers.ts'
import {
  type AccessEntry,
  chainNames,
  describeAccess,
  stepsSaid,
  unlimited,
} from '../../src/core/access/describe-access.ts'
import { isStill } from '../../src/core/access/graph-model.ts'
import { listAccess } from '../../src/core/access/list-access.ts'
import { outsideOf } from '../../src/core/access/outside.ts'
import type { Change } from '../../src/core/compare/change.ts'
import type { AccessException } from '../../src/core/model/exception.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { application } from '../../src/kinds/application/index.ts'
import { element } from '../../src/kinds/element/index.ts'
import { formType } from '../../src/kinds/form-type/index.ts'
import { group } from '../../src/kinds/group/index.ts'
import { license } from '../../src/kinds/license/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
import { quickly, slowly } from '../harness/slow-access.ts'
import { calm, holding, place, standsIn, told, toldOf } from '../harness/told-access.ts'

it('is told apart of two in the same groups who have levels of their own', () => {
  const side = (...holders: string[]): Side => ({
    users: ['anna', 'jan', 'eva'],
    groups: {},
    holdings: holders.map((svcId, at) => ({ ...holding(svcId), address: `process/${at}` })),
  })
  const [before, after] = [side('anna', 'jan', 'anna'), { ...side('jan', 'anna', 'anna'), standIns: [standsIn()] }]
  for (const [from, to] of [
    [before, after],
    [after, before],
    [{ ...before, standIns: [{ ...standsIn(), by: 'eva' }] }, before],
  ] as const)
    expect(quickly(from, to, [])).toEqual(slowly(from, to, from.users))
})

it('comes to whoever moves, where others hold the same through groups that stay', () => {
  const side = (members: string[], ...more: Side['holdings']): Side => ({
    ...{ users: ['anna', 'jan'], groups: { g: members, h: ['jan'] } },
    holdings: [holding('g'), holding('h'), ...more],
  })
  const [before, after] = [side([]), side(['anna'], { ...holding('jan'), address: 'process/other' })]
  for (const inTurn of [undefined, 0])
    expect(quickly(before, after, [], { inTurn })).toEqual(slowly(before, after, before.users))
})

it('comes by the shorter way of the same for all', () => {
  const side = (...holdings: Side['holdings']): Side => ({
    ...{ users: ['anna'], groups: { g: ['anna'], h: ['anna'], i: ['h'] }, holdings },
  })
  const [before, after] = [side(), side(holding('g'), holding('i', 'AB'))]
  const ways = [`gain | anna | ${place} Start  | g`, `gain | anna | ${place} Start AB | g`]
  for (const inTurn of [undefined, 0]) expect(quickly(before, after, [], { inTurn })).toEqual(ways)
})

it('ends with whoever inherits it, beside what others hold themselves', () => {
  const side = { ...calm, holdings: [holding('jan')] }
  const inherited = accessChanges(side, side).find(({ address }) => address === place)?.live?.collections
  const inherits = (change: Change): Change =>
    change.address === place ? ({ ...change, live: { ...change.live, inherited } } as Change) : change
  expect(told(calm, { ...calm, users: ['anna'] }, inherits)).toEqual(['lose jan for all'])
})

it('is still where no group, level or substitution differs', () => {
  const base: Side = { ...calm, groups: { g: [] } }
  const still = (after: Side): boolean => {
    const changes = accessChanges(base, after)
    return isStill(accessGraphOf(changes))
  }
  const moved = [{ groups: { g: ['jan'] } }, { holdings: [] }, { standIns: [standsIn()] }]
  expect([still(base), ...moved.map((more) => still({ ...base, ...more }))]).toEqual([true, false, false, false])
})

it('counts who may be a group and holds something, where a plan changes anything', () => {
  const side = { ...calm, holdings: [...calm.holdings, holding('directory')] }
  const unread = (after: Side) => {
    const changes = accessChanges(side, after)
    const graph = accessGraphOf(changes)
    const blocks = accessDifference(graph)
    return [blocks.length, describeAccess(graph, blocks, 'full', {}).unread]
  }
  expect([unread(side), unread({ ...side, holdings: [holding('directory')] })]).toEqual([
    [0, 0],
    [1, 1],
  ])
})

it('may be anything on an object that nobody read, once somebody comes, goes or stands in', () => {
  const unknown = (after: Side): number => {
    const changes = accessChanges(calm, after)
    const graph = accessGraphOf(changes)
    return describeAccess(graph, [], 'full', { unread: ['process/z'] }).unknown.length
  }
  const users = [['jan'], ['anna', 'jan', 'eva'], ['anna', 'eva'], ['anna', 'jan']]
  expect(users.map((each) => unknown({ ...calm, users: each }))).toEqual([1, 1, 1, 0])
  expect(unknown({ ...calm, standIns: [standsIn()] })).toBe(1)
})

it('lists the first objects where it is cut, counts the rest, and asks for room before each', () => {
  const after = { ...calm, holdings: [...calm.holdings, ...['jan', 'eva'].map((svcId) => holding(svcId))] }
  const other = { ...holding('jan'), address: 'process/main/A/Q' }
  const changes = accessChanges({ ...calm, holdings: [] }, { ...after, holdings: [other, ...after.holdings].reverse() })
  const graph = accessGraphOf(changes, undefined, ['eva'])
  const asked: number[] = []
  const beside = { unread: ['process/y', 'process/z'], unclear: ['process/x'] }
  const described = (entries: number, held: readonly AccessEntry[] = []) =>
    describeAccess(
      { ...graph, created: new Set([0]) },
      accessDifference(graph),
      'full',
      { ...beside, held, checkRoom: (made) => void asked.push(made) },
      { ...unlimited, entries },
    )
  const [cut, whole] = [described(1), described(4)]
  expect(asked).toEqual([0, 0, 1, 2, 3])
  expect([cut.gained[0]?.address, cut.more.gained]).toEqual([place, 3])
  expect(whole.gained.map(({ address }) => address)).toEqual([place, place, place, other.address])
  expect(cut.unknown.map(({ address }) => address)).toEqual(['process/x'])
  expect([cut.more.unknown, whole.more.unknown]).toEqual([2, 0])
  const [held] = whole.gained
  const more = described(4, held && [held, held])
  expect([more.unknown.length, more.more.unknown]).toEqual([4, 1])
})

it('of an owner is no level, holds for all, and comes between Administrators and others', () => {
  const listed = { svcId: 'anna' }
  const base = { kind: group, address: 'group/g', key: 'g', at: { name: 'g' }, name: 'g', spec: {}, fieldKeys: {} }
  const live = { ...base, collections: { members: [], owners: [listed] } }
  const change = {
    ...{ address: base.address, action: 'none', fields: [], collections: [] },
    live,
  } as unknown as Change
  const graph = accessGraphOf([change])
  expect(listAccess(graph, 'before', [graph.numbers.get('anna') as number])).toEqual([
    { subject: 'anna', level: 'owner', address: 'group/g', company: null, via: [], kind: 'owner' },
  ])
  expect(graph.rights).toMatchObject([{ rank: 1, covering: -1, vague: [] }])
})

it('is known to be of nobody else where the list of a group tells who may be groups', () => {
  const side: Side = { users: [], groups: { g: ['a', 'b', 'h'], h: [] }, holdings: [] }
  const changes = accessChanges(side, side).map((change): Change => {
    const live = { ...change.live, perhapsGroups: ['b'] }
    return change.address === 'group/g' ? ({ ...change, live } as unknown as Change) : change
  })
  const { single, svcIds } = accessGraphOf(changes, undefined, ['b', 'h', 'nobody'])
  expect([...single].map((each) => svcIds[each]).sort()).toEqual(['a', 'b'])
  const told = accessGraphOf(changes)
  expect([...told.single].map((each) => told.svcIds[each])).toEqual(['a'])
})

it('stays with an account whose name a deleted object of another kind has', () => {
  const side: Side = { ...calm, users: ['anna'] }
  const base = { kind: license, address: 'license/anna', key: 'anna', at: { name: 'anna' }, name: 'anna', spec: {} }
  const licences = {
    address: base.address,
    action: 'delete',
    fields: [],
    collections: [],
    live: { ...base, collections: {} },
  }
  expect(toldOf([...accessChanges(side, side), licences as unknown as Change])).toEqual([])
})

it('ranks Administrators first, then levels as their kind lists them, and what is not told last', () => {
  const levels = ['Administrator', 'Modify', 'Start', undefined]
  const side = { ...calm, holdings: levels.map((level) => ({ ...holding('anna'), level })) }
  const changes = accessChanges(side, side)
  const ranks = new Map(accessGraphOf(changes).rights.map(({ level, rank }) => [level, rank]))
  const [administrator, modify = 0, start = 0, untold] = levels.map((level) => ranks.get(level))
  expect([administrator, untold]).toEqual([0, 1000])
  expect([modify > 1, start > 1, modify === start]).toEqual([true, true, false])
})

it('is one right for a business entity whose guid two entries write in other letters', () => {
  const of = (member: string): Side => ({
    users: ['anna'],
    groups: Object.fromEntries(['g', 'h'].map((group) => [group, group === member ? ['anna'] : []])),
    holdings: [holding('g', 'AB'), holding('h', 'ab')],
  })
  expect(told(of('g'), of('h'))).toEqual(['keep anna AB'])
})

it('is anything where a group does not tell its members', () => {
  const side: Side = { users: ['anna'], groups: { g: ['anna'] }, holdings: [holding('g')] }
  const changes = accessChanges(side, side).map((change): Change => {
    if (change.address !== 'group/g' || change.live === undefined) return change
    return { ...change, live: { ...change.live, collections: {} } }
  })
  const aftermath = new Aftermath(changes)
  expect([aftermath.members('g', 'before'), aftermath.standsForSomebody('g', 'after')]).toEqual([undefined, true])
})

it('is kept by one new way for levels that came by two', () => {
  const of = (member: string): Side => ({
    users: ['anna'],
    groups: Object.fromEntries(['g', 'h', 'i'].map((group) => [group, member.includes(group) ? ['anna'] : []])),
    holdings: ['hx', 'iy', 'gx', 'gy'].map(([group = '', object]) => ({
      ...holding(group),
      address: `process/${object}`,
    })),
  })
  const [before, after] = [of('hi'), of('g')]
  const ways = ['anna | process/x Start  | h | g', 'anna | process/y Start  | i | g'].map((each) => `keep | ${each}`)
  expect([quickly(before, after, []), slowly(before, after, ['anna'])]).toEqual([ways, ways])
  const listed = (from: Side, names: number, list: 'changed' | 'gained'): number => {
    const changes = accessChanges(from, after)
    const graph = accessGraphOf(changes)
    const limits = { ...unlimited, names }
    return describeAccess(graph, accessDifference(graph), 'full', { standsAlone: true }, limits)[list].length
  }
  // A list of two names has room for one entry with its former way, or for two without.
  expect([listed(before, 2, 'changed'), listed(before, 3, 'changed')]).toEqual([1, 2])
  expect([listed(of(''), 1, 'gained'), listed(of(''), 2, 'gained')]).toEqual([1, 2])
})

describe('what is accepted', () => {
  const entry = (company: string | null): AccessEntry => ({
    ...{ subject: 'anna', level: 'Start', address: place, company },
    ...{ via: [], kind: 'privilege' },
  })
  const exception = (company?: string): AccessException => ({
    ...{ person: 'anna', level: 'Start', object: place, company },
    ...{ until: '1970-01-02', untilMs: 1000, reason: 'Known' },
    ...{ place: { file: 'a', line: 1, column: 1 }, offset: 0, placeOf: () => ({ file: 'a', line: 1, column: 1 }) },
  })

  it('for one business entity is not accepted for another one, nor for all', () => {
    const all = [entry('PL01'), entry('DE01'), entry(null)]
    const judged = judgeAccess(all, [exception('PL01')], 0, String)
    expect(judged.accepted.map(({ entry: { company } }) => company)).toEqual(['PL01'])
    expect(judged.open.map(({ company }) => company)).toEqual(['DE01', null])
    expect(judgeAccess(all, [exception()], 0, String).open).toEqual([])
    expect(exceptionFinder([exception('PL01')], String)(entry(null))).toEqual([])
    // Nobody can accept what nobody could see.
    const unseen = [
      { ...entry(null), subject: null },
      { ...entry(null), level: null },
    ]
    expect(judgeAccess(unseen, [exception()], 0, (svcId) => svcId.toLowerCase()).open).toEqual(unseen)
  })
})

it('is told by its whole way, and of a long one by its ends and how many are between', () => {
  const groups = (count: number) => Array.from({ length: count }, (_, index) => `g${index}`)
  expect(chainNames({ via: [] }, String, 2)).toEqual([])
  expect(chainNames({ via: groups(4) }, String, 2)).toEqual(groups(4))
  // One name takes no more room than its count.
  expect(chainNames({ via: groups(5) }, String, 2)).toEqual(groups(5))
  expect(chainNames({ via: groups(6) }, String, 2)).toEqual(['g0', 'g1', '2 more', 'g4', 'g5'])
  expect(chainNames({ via: groups(4), skipped: 1000 }, String, 2)).toEqual(['g0', 'g1', '1,000 more', 'g2', 'g3'])
  const standIn = (from: string, until: string) => [{ address: 'substitution/x', person: 'anna', from, until }]
  const days = standIn('2026-07-01T00:00:00.000Z', '2026-07-15T23:59:59.999Z')
  const said = 'as substitute of *anna* from 2026-07-01 until 2026-07-15'
  const show = (text: string): string => `*${text}*`
  expect(chainNames({ via: ['anna', 'g'], substitutions: days }, show)).toEqual([said, '*g*'])
  const hours = standIn('2026-07-01T12:30:00.000Z', '2026-07-15T13:00:00.000Z')
  const [first] = chainNames({ via: ['anna'], substitutions: hours })
  expect(first).toBe('as substitute of anna from 2026-07-01T12:30 until 2026-07-15T13:00')
  expect([stepsSaid([]), stepsSaid(['g', 'h']), stepsSaid([said])]).toEqual(['', 'through g › h', said])
})

it('is in the hands of the Administrators of what holds the object: its process, and its application', () => {
  const change = (kind: Kind, address: string, at: object): Change => {
    const part = { kind, address, at, name: address, self: address, spec: {}, collections: {}, key: address }
    return { address, action: 'none', fields: [], collections: [], unverifiable: [], live: part } as unknown as Change
  }
  const inA = { dbId: 1, application: 'a' }
  const inP = { ...inA, process: 'p' }
  const found = containersOf([
    change(application, 'application/A', inA),
    change(process, 'process/P', inP),
    change(formType, 'form/F', { ...inP, workflow: 'w', formType: 'f' }),
    change(process, 'process/elsewhere', { ...inP, dbId: 2 }),
    change(user, 'user/anna', { name: 'anna' }),
    // Nobody knows the ids of what is yet to be created.
    change(application, 'application/new', { dbId: 1 }),
    change(process, 'process/new', { dbId: 1 }),
  ])
  const [a, p] = ['application/A', 'process/P'].map((address) => ({ address, level: 'Administrator' }))
  expect([...found]).toEqual([
    ['process/P', [a]],
    ['form/F', [a, p]],
  ])
})

it('lies outside for accounts of the reviewed file that nobody knows, each named once', () => {
  const entry = (svcId: string) => ({ svcId, role: 'auditors', source: 's', checked: '2026-01-01', place: {} as never })
  const entries = ['anna', 'gone', 'gone'].map(entry)
  const reviewed = { file: 'f', maxAgeDays: 90, checked: '2026-01-01', isOld: false, entries }
  const outside = outsideOf(reviewed, [user, element], (svcId) => svcId === 'anna')
  expect([outside.unknown, outside.unlisted, outside.reviewed]).toEqual([
    ['gone'],
    [element.title.toLowerCase()],
    reviewed,
  ])
  expect(outsideOf(undefined, [], () => false)).toMatchObject({ unknown: [], reviewed: null, roles: { length: 3 } })
})
