// Access before and after a plan, compared with a second implementation: slow, plain, by every way there is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AccessBlock } from '../../src/core/access/access-blocks.ts'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { Aftermath, times } from '../../src/core/access/aftermath.ts'
import {
  type AccessEntry,
  accessEvents,
  administratorsIn,
  countAccess,
  describeAccess,
  holdsAccess,
  noAccess,
  unlimited,
} from '../../src/core/access/describe-access.ts'
import { isStill, perhapsGroupsIn } from '../../src/core/access/graph-model.ts'
import { listAccess, otherWays } from '../../src/core/access/list-access.ts'
import { withOtherLevels } from '../../src/core/access/other-levels.ts'
import { group } from '../../src/kinds/group/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { accessChanges, type Holding, type Side } from '../harness/access-sides.ts'
import { accounts, everybody, keptOf, side, users } from '../harness/random-sides.ts'
import { inOrder, nameOf, quickly, slowly, type Ways, waysOf, widerOf } from '../harness/slow-access.ts'

const turns = fc.constantFrom(undefined, 0, 3)
const limits = fc.record({ inTurn: turns, room: fc.constantFrom(undefined, 0, 2) })

describe('the access of a plan', () => {
  it('is what every way there is comes to, with cycles and with what was not read', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(side, side, fc.subarray(accounts), limits, (before, other, singles, limits) => {
        const after = keptOf(before, other)
        const known = [...users, ...singles]
        const expected = slowly(before, after, known)
        for (const each of expected) {
          const how = each.includes(' until ') ? ' as substitute' : ''
          seen.add(each.slice(0, each.indexOf(' |')).replace(/ \(.*/, '') + how)
        }
        expect(quickly(before, after, singles, limits)).toEqual(expected)
        const alone = (one: Side): Side => ({ ...one, standIns: [] })
        const told = quickly(alone(before), alone(after), singles, limits)
        expect(quickly(alone(before), alone(after), singles, { inTurn: 0 })).toEqual(told)
      }),
      { numRuns: 300 },
    )
    const events = ['gain', 'keep', 'lose', 'may gain', 'may lose']
    expect([...seen].sort()).toEqual(events.flatMap((each) => [each, `${each} as substitute`]))
  })

  it('is given back by what undoes the plan', () => {
    fc.assert(
      fc.property(side, side, fc.subarray(accounts), (before, other, singles) => {
        const after = keptOf(before, other)
        const told = (entries: readonly string[], ...events: string[]) =>
          entries.flatMap((each) => {
            const [event = '', ...rest] = each.split(' | ')
            return events.includes(event.replace(/ \(.*/, '')) ? [rest.join(' | ')] : []
          })
        const there = quickly(before, after, singles)
        const back = quickly(after, before, singles)
        expect(told(back, 'lose', 'may lose').sort()).toEqual(told(there, 'gain', 'may gain').sort())
        expect(told(back, 'gain', 'may gain').sort()).toEqual(told(there, 'lose', 'may lose').sort())
      }),
    )
  })

  it('is told by each other group that somebody is in, too, and by the shortest way through it', () => {
    let seen = 0
    fc.assert(
      fc.property(side, (all) => {
        const here = { ...all, standIns: [] }
        const changes = accessChanges(here, here)
        const graph = accessGraphOf(changes)
        for (const user of users) {
          const account = graph.numbers.get(user)
          if (account === undefined) continue
          const ways = waysOf(user, here)
          const rightOf = ({ address, level, company }: AccessEntry, untold: unknown): string =>
            nameOf({
              svcId: '',
              address,
              level: level ?? undefined,
              company: untold === undefined ? company : undefined,
            })
          const best = listAccess(graph, 'before', [account])
          const expected = best.flatMap(({ via: [first], ...entry }) => {
            const name = rightOf({ ...entry, via: [] }, entry.untold ?? (entry.level === null ? 'company' : undefined))
            const own = ways.get(name) as NonNullable<ReturnType<Ways['get']>>
            const firsts = new Set(own.flatMap(({ groups: [group] }) => group ?? []).filter((each) => each !== first))
            return [...firsts].map((group) => {
              const wider = ways.get(widerOf(own[0]?.holding as Holding)) ?? []
              const through = [...own, ...wider].map(({ groups }) => groups).filter((each) => each[0] === group)
              return `${entry.address} ${entry.level} ${through.sort(inOrder)[0]?.join('>')}`
            })
          })
          const told = otherWays(graph, account).map(
            ({ address, level, via }) => `${address} ${level} ${via.join('>')}`,
          )
          seen += told.length
          expect(told.sort()).toEqual(expected.sort())
        }
      }),
    )
    expect(seen).toBeGreaterThan(0)
  })

  it('is nothing where nothing changes', () => {
    fc.assert(
      fc.property(side, (same) => {
        expect(quickly(same, same, [])).toEqual([])
      }),
    )
  })
})

it('stands for somebody in whom there is anybody after the plan, and a group holds what groups around it hold', () => {
  fc.assert(
    fc.property(side, side, fc.constantFrom(...times), (before, after, time) => {
      const aftermath = new Aftermath(accessChanges(before, after))
      const here = time === 'before' ? before : after
      const isRead = (account: string): boolean => account in before.groups || account in after.groups
      const isGone = (account: string): boolean =>
        time === 'after' && [...before.users, ...Object.keys(before.groups)].includes(account) && !isIn(after, account)
      const isIn = ({ users, groups }: Side, account: string) => users.includes(account) || account in groups
      const stay = (members: readonly string[] = []) => members.filter((each) => !isGone(each))
      const inside = (group: string): ReadonlySet<string> => {
        const found = new Set([group])
        for (const each of found) for (const member of stay(here.groups[each])) found.add(member)
        return found
      }
      for (const account of everybody) {
        const stands = [...inside(account)].some((each) => !isRead(each) && !isGone(each))
        expect([account, aftermath.standsForSomebody(account, time)]).toEqual([account, stands])
        const around = Object.keys(here.groups).filter((group) => inside(group).has(account))
        expect([...aftermath.groupsWith(account, time)].sort()).toEqual([...new Set([account, ...around])].sort())
      }
    }),
  )
})

it('is counted by groups in the order of their keys, and is still where no list differs', () => {
  fc.assert(
    fc.property(side, side, (before, other) => {
      const changes = accessChanges(before, keptOf(before, other))
      const graph = accessGraphOf(changes)
      const { within, held, numbers, standIns } = graph
      const keys = [...numbers.keys()]
      for (const time of times) {
        for (const own of within[time].map((groups) => groups.map((each) => keys[each])))
          expect(own).toEqual([...own].sort())
        for (const own of held[time]) expect(own).toEqual([...own].sort((a, b) => a - b))
      }
      const isSame = [within, held].every(({ before, after }) => JSON.stringify(before) === JSON.stringify(after))
      expect(isStill(graph)).toBe(isSame && standIns === undefined)
    }),
  )
})

describe('a document of access', () => {
  const textOf = ({ subject, address, level, company }: AccessEntry): string =>
    JSON.stringify([subject, address, level, company])
  const rankOf = ({ level }: Pick<AccessEntry, 'level'>) => ['Administrator', 'Start', null].indexOf(level)
  /** Administrators first, then levels that are told, each by the way. */
  const orderOf = ({ via, address, level, company, subject }: AccessEntry): string =>
    [rankOf({ level }), via.join('\n'), address, level, company, subject].join('\n\n')

  it('tells each effect once, and of very many the most serious, with the number of the others', () => {
    const limits = { entries: 2, names: 1000, administrators: { entries: 3, names: 1000 } }
    let cut = 0
    fc.assert(
      fc.property(side, side, fc.subarray(accounts), (before, other, singles) => {
        const changes = accessChanges(before, keptOf(before, other))
        const graph = accessGraphOf(changes, 0, singles)
        const blocks = accessDifference(graph)
        const beside = { standsAlone: true }
        const whole = describeAccess(graph, blocks, 'full', beside, unlimited)
        const expected = (isIn: (block: AccessBlock) => boolean) =>
          blocks.filter(isIn).flatMap(({ subjects, rights }) =>
            subjects.flatMap((each) =>
              rights.map((right) => {
                const { address, level = null, company } = graph.rights[right] as (typeof graph.rights)[number]
                return JSON.stringify([graph.svcIds[each], address, level, company?.name ?? null])
              }),
            ),
          )
        const events = [
          ['gained', 'gain'],
          ['lost', 'lose'],
          ['changed', 'keep'],
        ] as const
        for (const [list, effect] of events)
          expect(whole[list].map(textOf).sort()).toEqual(
            expected((block) => block.certain && block.effect === effect).sort(),
          )
        expect(whole.unknown.map(textOf).sort()).toEqual(expected(({ certain }) => !certain).sort())
        const unseen = blocks.flatMap(({ through }) => (through === undefined ? [] : graph.svcIds[through]))
        expect(new Set(whole.unknown.map((each) => each.unseen))).toEqual(new Set(unseen))
        expect([...whole.gained, ...whole.lost, ...whole.changed].some((each) => 'unseen' in each)).toBe(false)
        const short = describeAccess(graph, blocks, 'full', beside, limits)
        for (const list of ['gained', 'lost', 'changed', 'unknown'] as const) {
          expect(countAccess(short, list)).toBe(whole[list].length)
          const administers = (entry: AccessEntry): boolean => entry.level === 'Administrator'
          const most = whole[list].some(administers) ? 3 : 2
          expect(short[list].length).toBeLessThanOrEqual(most)
          expect(short[list].length).toBeGreaterThanOrEqual(Math.min(2, whole[list].length))
          expect(new Set(whole[list].map(textOf))).toEqual(new Set([...whole[list], ...short[list]].map(textOf)))
          expect(whole[list].map(orderOf)).toEqual(whole[list].map(orderOf).sort())
          const serious = whole[list].slice(0, short[list].length).map(rankOf)
          expect(short[list].map(rankOf)).toEqual(serious)
          cut += short.more[list]
        }
        expect(holdsAccess(whole)).toBe(blocks.length > 0)
        // An account that may be a group gains and loses for certain only the entries that it keeps.
        const cautious = describeAccess(graph, blocks, 'full', {}, unlimited)
        const isSingle = ({ subject }: AccessEntry): boolean =>
          singles.includes(subject ?? '') || users.includes(subject ?? '')
        for (const list of ['gained', 'lost'] as const) expect(cautious[list].every(isSingle)).toBe(true)
        for (const each of cautious.unknown) expect(each.perhapsGroup === true).toBe(!isSingle(each))
        expect(cautious.changed.map(textOf)).toEqual(whole.changed.map(textOf))
      }),
      { numRuns: 100 },
    )
    expect(cut).toBeGreaterThan(5)
  })

  it('counts who may be a group, and tells of unread objects where somebody moves', () => {
    fc.assert(
      fc.property(side, side, fc.subarray(accounts), (before, other, singles) => {
        const changes = accessChanges(before, keptOf(before, other))
        const graph = accessGraphOf(changes, 0, singles)
        const blocks = accessDifference(graph)
        const holding = times.flatMap((time) => listAccess(graph, time, perhapsGroupsIn(graph)))
        const { unread: open } = describeAccess(graph, blocks, 'full', {})
        expect(open).toBe(blocks.length === 0 ? 0 : new Set(holding.map(({ subject }) => subject)).size)
        const unread = ['process/b', 'process/a', 'process/b']
        const { unknown } = describeAccess(graph, [], 'full', { unread, unclear: ['process/c'] }, unlimited)
        const isMoved = changes.some(({ action, address }) => action !== 'none' && !address.startsWith('process/'))
        expect(aboutNobody(unknown)).toEqual([...(isMoved ? ['process/a', 'process/b'] : []), 'process/c'])
      }),
    )
  })

  const aboutNobody = (entries: readonly AccessEntry[]) =>
    entries.flatMap(({ subject, address }) => (subject === null ? [address] : []))
})

it('a document of access names as Administrators who become one, who may, and where nobody could see', () => {
  const entry = (subject: string | null, level: string | null, more: Partial<AccessEntry> = {}): AccessEntry => ({
    ...{ subject, level, address: 'process/x', company: null, via: [], kind: 'privilege' },
    ...more,
  })
  const access = {
    ...noAccess('full'),
    gained: [entry('a', 'Administrator'), entry('b', 'Start'), entry('c', null, { kind: 'owner' })],
    lost: [entry('d', 'Administrator')],
    changed: [entry('e', 'Administrator')],
    unknown: [
      entry('f', 'Administrator', { may: 'gain' }),
      entry('g', 'Administrator', { may: 'lose' }),
      entry('h', 'Administrator'),
      entry(null, 'Administrator', { unseen: 'i' }),
      entry(null, null),
    ],
  }
  const named = administratorsIn(access, [process, group]).map(({ subject }) => subject)
  expect(named).toEqual(['a', 'f', null])
  expect(accessEvents(access).map(({ effect, certain }) => `${effect}${certain ? '' : '?'}`)).toEqual(
    'gain gain gain lose keep gain? lose? lose? unknown? unknown?'.split(' '),
  )
  expect(holdsAccess(noAccess('full'))).toBe(false)
  for (const list of ['gained', 'lost', 'changed', 'unknown'] as const)
    expect(holdsAccess({ ...noAccess('full'), [list]: [entry('a', 'Start')] })).toBe(true)
})

it('a document of access tells other levels on the object, so that a lower level is no loss of access', () => {
  let [kept, gone] = [0, 0]
  fc.assert(
    fc.property(side, side, fc.subarray(accounts), (before, other, singles) => {
      const changes = accessChanges(before, keptOf(before, other))
      const graph = accessGraphOf(changes, 0, singles)
      const access = withOtherLevels(graph, describeAccess(graph, accessDifference(graph), 'full', {}, unlimited))
      for (const { effect, entry } of accessEvents(access)) {
        if (effect === 'keep' || entry.subject === null) continue
        const time = effect === 'gain' ? 'before' : 'after'
        const held = listAccess(graph, time, [graph.svcIds.indexOf(entry.subject)]).filter(
          ({ address, kind, level }) => address === entry.address && kind !== 'owner' && level !== null,
        )
        const isWhole = (level: unknown) =>
          held.some((each) => each.level === level && each.company === null && !each.untold)
        const others = held.filter(
          ({ level, company }) =>
            (level !== entry.level || company !== entry.company) && (company === null || !isWhole(level)),
        )
        const said = ({ level, company }: Pick<AccessEntry, 'level' | 'company'>) => `${level} ${company}`
        expect(new Set((entry.others ?? []).map(said))).toEqual(new Set(others.map(said)))
        const levels = (entry.others ?? []).map(({ level }) => level)
        // Administrators come first.
        expect(levels).toEqual([...levels].sort())
        if (entry.others === undefined) gone++
        else kept++
      }
    }),
  )
  expect(Math.min(kept, gone)).toBeGreaterThan(0)
})
