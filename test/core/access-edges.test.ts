// Access in cases that a search over small installations seldom meets: ids in other letters, other databases, leavers.
import { describe, expect, it } from 'vitest'
import { exceptionFinder, judgeAccess } from '../../src/core/access/accepted-access.ts'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { aftermathOf } from '../../src/core/access/aftermath.ts'
import { containersOf } from '../../src/core/access/containers.ts'
import {
  type AccessEntry,
  describeAccess,
  sayWay,
  stepsSaid,
  unlimited,
} from '../../src/core/access/describe-access.ts'
import { listAccess } from '../../src/core/access/list-access.ts'
import { outsideOf } from '../../src/core/access/outside.ts'
import type { Change } from '../../src/core/compare/change.ts'
import type { AccessException } from '../../src/core/model/exception.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { application } from '../../src/kinds/application/index.ts'
import { element } from '../../src/kinds/element/index.ts'
import { formType } from '../../src/kinds/form-type/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
import { quickly, slowly } from '../harness/slow-access.ts'

const place = 'process/main/A/P'
const holding = (svcId: string, company: string | null = null) => ({ svcId, address: place, level: 'Start', company })
const standsIn = (company: string | null = null, places: readonly string[] = []) => ({
  ...{ of: 'anna', by: 'jan', until: '2100-01-01' },
  ...{ places, company },
})
const calm: Side = { users: ['anna', 'jan'], groups: {}, holdings: [holding('anna')] }

/** `edit`: of the changes, what a side does not tell. */
function told(before: Side, after: Side, edit = (change: Change): Change => change, nowMs = 0): string[] {
  return toldOf(accessChanges(before, after).map(edit), nowMs)
}

function toldOf(changes: readonly Change[], nowMs = 0): string[] {
  const graph = accessGraphOf(changes, aftermathOf(changes), [], nowMs)
  return accessDifference(graph).flatMap(({ effect, certain, subjects, rights }) =>
    subjects.flatMap((each) =>
      rights.map(
        (right) =>
          `${certain ? '' : 'may '}${effect} ${graph.svcIds[each]} ${graph.rights[right]?.company?.guid ?? 'for all'}`,
      ),
    ),
  )
}

describe('a substitute', () => {
  const now = { ...calm, standIns: [standsIn()] }

  it('loses what comes of somebody who is deleted, though the substitution stays', () => {
    expect(told(now, { ...now, users: ['jan'] }).sort()).toEqual(['lose anna for all', 'lose jan for all'])
    expect(told(now, { ...now, users: ['anna'] })).toEqual(['lose jan for all'])
  })

  it('loses what somebody inherits who is deleted, as they do themselves', () => {
    const inherits = (change: Change): Change => {
      if (change.address !== place || change.live === undefined) return change
      const inherited = { privileges: change.live.collections.privileges ?? [] }
      return { ...change, live: { ...change.live, inherited } } as unknown as Change
    }
    expect(told(now, { ...now, users: ['jan'] }, inherits).sort()).toEqual(['lose anna for all', 'lose jan for all'])
  })

  it('can do nothing in another database, whatever ids it has', () => {
    const guid = 'a0000000-0000-4000-8000-00000000000a'
    const limited = { ...calm, standIns: [standsIn(null, [guid])] }
    const inDatabase =
      (dbId: number, process: string) =>
      (change: Change): Change => {
        if (change.address !== place) return change
        const at = { name: place, dbId, process }
        return { ...change, live: { ...change.live, at }, desired: { ...change.desired, at } } as unknown as Change
      }
    expect(told(calm, limited, inDatabase(1, guid.toUpperCase()))).toEqual(['gain jan for all'])
    expect(told(calm, limited, inDatabase(2, guid))).toEqual([])
    expect(told(calm, limited, inDatabase(1, guid.replace('a0', 'b0')))).toEqual([])
  })

  it('has it up to the last moment of the substitution', () => {
    const last = Date.parse('2100-01-01')
    expect(told(calm, now, undefined, last)).toEqual(['gain jan for all'])
    expect(told(calm, now, undefined, last + 1)).toEqual([])
  })

  it('keeps it by the new way of whom they stand in for', () => {
    const of = (group: string): Side => ({
      ...now,
      groups: { g: group === 'g' ? ['anna'] : [], h: group === 'h' ? ['anna'] : [] },
      holdings: [holding('g'), holding('h')],
    })
    expect(told(of('g'), of('h')).sort()).toEqual(['keep anna for all', 'keep jan for all'])
  })

  it('keeps it where other words tell the same days, by other days and by another substitution in a new way', () => {
    const until = (day: string): Side => ({ ...now, standIns: [{ ...standsIn(), until: day }] })
    expect(told(now, until('2100-01-01T00:00:00.000Z'))).toEqual([])
    expect(told(now, until('2100-01-02'))).toEqual(['keep jan for all'])
    const other = accessChanges(calm, now).map((change) => ({ ...change, address: `${change.address}, later` }))
    const changes = [...accessChanges(now, calm), ...other.filter(({ action }) => action === 'create')]
    expect(toldOf(changes)).toEqual(['keep jan for all'])
    expect(told({ ...now, groups: { g: [] } }, { ...now, groups: { g: ['jan'] } })).toEqual([])
  })

  it('stands in for nobody where the platform names nobody', () => {
    const changes = accessChanges(calm, { ...calm, standIns: [{ ...standsIn(), of: '' }] })
    expect(accessGraphOf(changes, aftermathOf(changes), [], 0).svcIds).toEqual(['anna', 'jan'])
  })

  it('has it by the first of two substitutions for one person', () => {
    const changes = accessChanges(now, now)
    const substitution = changes.find(({ address }) => address.startsWith('substitution/')) as Change
    const first = { ...substitution, address: 'substitution/a' }
    for (const all of [
      [...changes, first],
      [first, ...changes],
    ]) {
      const graph = accessGraphOf(all, aftermathOf(all), [], 0)
      const [entry] = listAccess(graph, 'after', [graph.numbers.get('jan') as number])
      expect(entry).toMatchObject({ via: ['anna'], substitutions: [{ address: 'substitution/a', person: 'anna' }] })
    }
  })

  it('is limited to a business entity whose guid is written in other letters', () => {
    const held = { ...calm, holdings: [holding('anna', 'AB')] }
    expect(told(held, { ...held, standIns: [standsIn('ab')] })).toEqual(['gain jan AB'])
    expect(told(held, { ...held, standIns: [standsIn('ac')] })).toEqual([])
    const both = { ...calm, holdings: [holding('anna'), holding('jan', 'AB')] }
    expect(told(both, { ...both, standIns: [standsIn('ab')] })).toEqual([])
  })
})

it('ends with whoever inherits it, beside what others hold themselves', () => {
  const side = { ...calm, holdings: [holding('jan')] }
  const inherited = accessChanges(side, side).find(({ address }) => address === place)?.live?.collections
  const inherits = (change: Change): Change =>
    change.address === place ? ({ ...change, live: { ...change.live, inherited } } as Change) : change
  expect(told(calm, { ...calm, users: ['anna'] }, inherits)).toEqual(['lose jan for all'])
})

it('may be anything on an object that nobody read, once somebody comes, goes or stands in', () => {
  const unknown = (after: Side): number => {
    const changes = accessChanges(calm, after)
    const graph = accessGraphOf(changes, aftermathOf(changes))
    return describeAccess(graph, [], 'full', { unread: ['process/z'] }).unknown.length
  }
  const users = [['jan'], ['anna', 'jan', 'eva'], ['anna', 'eva'], ['anna', 'jan']]
  expect(users.map((each) => unknown({ ...calm, users: each }))).toEqual([1, 1, 1, 0])
  expect(unknown({ ...calm, standIns: [standsIn()] })).toBe(1)
})

it('ranks Administrators first, then levels as their kind lists them, and what is not told last', () => {
  const levels = ['Administrator', 'Modify', 'Start', undefined]
  const side = { ...calm, holdings: levels.map((level) => ({ ...holding('anna'), level })) }
  const changes = accessChanges(side, side)
  const ranks = new Map(accessGraphOf(changes, aftermathOf(changes)).rights.map(({ level, rank }) => [level, rank]))
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
  const aftermath = aftermathOf(changes)
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
    const graph = accessGraphOf(changes, aftermathOf(changes))
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
  })
})

it('is told by its whole way, and of a long one by its ends and how many are between', () => {
  const groups = (count: number) => Array.from({ length: count }, (_, index) => `g${index}`)
  expect(sayWay({ via: [] }, String, 2)).toEqual([])
  expect(sayWay({ via: groups(4) }, String, 2)).toEqual(groups(4))
  // One name takes no more room than its count.
  expect(sayWay({ via: groups(5) }, String, 2)).toEqual(groups(5))
  expect(sayWay({ via: groups(6) }, String, 2)).toEqual(['g0', 'g1', '2 more', 'g4', 'g5'])
  expect(sayWay({ via: groups(4), skipped: 1000 }, String, 2)).toEqual(['g0', 'g1', '1,000 more', 'g2', 'g3'])
  const standIn = (from: string, until: string) => [{ address: 'substitution/x', person: 'anna', from, until }]
  const days = standIn('2026-07-01T00:00:00.000Z', '2026-07-15T23:59:59.999Z')
  const said = 'as substitute of *anna* from 2026-07-01 until 2026-07-15'
  const show = (text: string): string => `*${text}*`
  expect(sayWay({ via: ['anna', 'g'], substitutions: days }, show)).toEqual([said, '*g*'])
  const hours = standIn('2026-07-01T12:30:00.000Z', '2026-07-15T13:00:00.000Z')
  const [first] = sayWay({ via: ['anna'], substitutions: hours })
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
