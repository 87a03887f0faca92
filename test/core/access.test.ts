// Who can do what before a plan and after it, held against a second implementation: slow, plain, by every way there is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { aftermathOf } from '../../src/core/access/aftermath.ts'
import { type AccessEntry, describeAccess, throughSaid } from '../../src/core/access/describe-access.ts'
import { listAccess, otherWays } from '../../src/core/access/list-access.ts'
import { type Chain, groupsOf, substitutionsIn } from '../../src/core/access/walk.ts'
import { accessChanges, type Holding, type Side, type StandingIn } from '../harness/access-sides.ts'
import { expectQuick } from '../harness/any-speed.ts'

/** Rights that somebody has, each with the ways by which: the groups from the first to the one that holds it. */
type Ways = Map<string, { readonly holding: Holding; readonly groups: readonly string[] }[]>

const limitOf = ({ company }: Holding): string => (company === undefined ? '?' : (company ?? ''))
const nameOf = (holding: Holding): string => `${holding.address} ${holding.level ?? '?'} ${limitOf(holding)}`

/** By every way that meets no group twice. */
function waysOf(account: string, { groups, holdings, standIns = [] }: Side): Ways {
  const ways: Ways = new Map()
  const visit = (here: string, way: readonly string[], limits: readonly StandingIn[]): void => {
    for (const held of holdings) {
      const holding = limited(held, limits)
      if (held.svcId === here && holding !== undefined)
        ways.set(nameOf(holding), [...(ways.get(nameOf(holding)) ?? []), { holding, groups: way }])
    }
    const met = [account, ...way.map((each) => each.split(' ')[0])]
    for (const [group, members] of Object.entries(groups)) {
      if (members?.includes(here) && !met.includes(group)) visit(group, [...way, group], limits)
    }
    for (const each of standIns) {
      if (each.by === here && !met.includes(each.of)) visit(each.of, [...way, saidOf(each)], [each, ...limits])
    }
  }
  visit(account, [], [])
  // What is limited to a business entity is not told of a substitute who has the same without.
  for (const [name, all] of ways) {
    const [{ holding }] = all as unknown as [{ holding: Holding }]
    if (holding.company != null && ways.has(widerOf(holding))) {
      const own = all.filter((way) => substitutions(way.groups) === 0)
      if (own.length === 0) ways.delete(name)
    }
  }
  return ways
}

const saidOf = ({ of, until }: Pick<StandingIn, 'of' | 'until'>): string => `${of} until ${until}`
const substitutions = (way: readonly string[]): number => way.filter((each) => each.includes(' until ')).length

/** What comes of it through all these, of who is stood in for last first. */
function limited(held: Holding, limits: readonly StandingIn[]): Holding | undefined {
  let holding = held
  for (const { places, company } of limits) {
    if (places.length > 0 && !places.includes(held.address)) return undefined
    if (company === null || holding.company === undefined) continue
    if (holding.company !== null && holding.company !== company) return undefined
    holding = { ...holding, company }
  }
  return holding
}

const inOrder = (a: readonly string[], b: readonly string[]): number => {
  if (substitutions(a) !== substitutions(b)) return substitutions(a) - substitutions(b)
  if (a.length !== b.length) return a.length - b.length
  const at = a.findIndex((group, index) => group !== b[index])
  return at < 0 ? 0 : (a[at] as string) < (b[at] as string) ? -1 : 1
}

/** The same for every company; two levels that are not told may be two. */
const widerOf = (holding: Holding): string =>
  nameOf(holding.level === undefined ? holding : { ...holding, company: null })

/** The shortest chain to a right, or to the same without a company; of those the first. */
function chainTo(ways: Ways, holding: Holding): readonly string[] | undefined {
  const all = [...(ways.get(nameOf(holding)) ?? []), ...(ways.get(widerOf(holding)) ?? [])].map(({ groups }) => groups)
  return all.sort(inOrder)[0]
}

/** What a right may turn out to be, where the platform does not tell levels or companies. */
function mayBe(held: Holding, wanted: Holding): boolean {
  if (held.address !== wanted.address) return false
  if (nameOf(held) === nameOf(wanted)) return true
  if (held.level === undefined) return true
  return held.level === wanted.level && held.company == null
}

function slowly(before: Side, after: Side, singles: readonly string[]): string[] {
  const everybody = new Set(
    [before, after].flatMap(({ groups, holdings, users, standIns = [] }) => [
      ...users,
      ...standIns.flatMap(({ of, by }) => [of, by]),
      ...Object.keys(groups),
      ...Object.values(groups).flatMap((members) => members ?? []),
      ...holdings.map(({ svcId }) => svcId),
    ]),
  )
  const isRead = (account: string): boolean => [before, after].some(({ groups }) => groups[account] != null)
  const told: string[] = []
  for (const account of everybody) {
    if (isRead(account)) continue
    const had = waysOf(account, before)
    const has = waysOf(account, after)
    const say = (event: string, holding: Holding, ...chains: (readonly string[])[]) =>
      told.push([event, account, nameOf(holding), ...chains.map((chain) => chain.join('>'))].join(' | '))
    const others = (side: Side): string[] =>
      [...everybody].filter(
        (each) => side.groups[each] == null && !isRead(each) && !singles.includes(each) && each !== account,
      )
    /** Seen of somebody else who may be a group, or of the account itself in a way that does not tell enough. */
    const maybe = (side: Side, own: Ways, wanted: Holding): boolean => {
      if (!side.users.includes(account) && [before, after].some(({ users }) => users.includes(account))) return false
      const possible = (ways: Ways) =>
        [...ways.values()].some((each) => each.some(({ holding }) => mayBe(holding, wanted)))
      return possible(own) || others(side).some((other) => possible(waysOf(other, side)))
    }
    for (const [name, [way]] of has) {
      const { holding } = way as { holding: Holding }
      const now = chainTo(has, holding) as readonly string[]
      const then = chainTo(had, holding)
      if (then === undefined) {
        say(maybe(before, had, holding) ? 'may gain' : 'gain', holding, now)
        continue
      }
      const whole = [name, widerOf(holding)].some((each) =>
        has.get(each)?.some(({ groups }) => inOrder(groups, then) === 0),
      )
      if (!whole) say('keep', holding, then, now)
    }
    for (const [, [way]] of had) {
      const { holding } = way as { holding: Holding }
      if (chainTo(has, holding) !== undefined) continue
      const then = chainTo(had, holding) as readonly string[]
      say(maybe(after, has, holding) ? 'may lose' : 'lose', holding, then)
    }
  }
  return told.sort()
}

/** `inTurn`: 0 of the search that goes down from those that hold something. */
function quickly(before: Side, after: Side, singles: readonly string[], inTurn?: number): string[] {
  const changes = accessChanges(before, after)
  const graph = accessGraphOf(changes, aftermathOf(changes), singles)
  const names = (chain: Chain): string => {
    const said = new Map(substitutionsIn(chain).map(({ of, person, until }) => [of, saidOf({ of: person, until })]))
    return groupsOf(chain)
      .map((each) => said.get(each) ?? graph.svcIds[each])
      .join('>')
  }
  return accessDifference(graph, inTurn)
    .flatMap(({ effect, certain, subjects, rights, via, ...rest }) =>
      subjects.flatMap((subject) =>
        rights.map((number) => {
          const right = graph.rights[number] as Holding & (typeof graph.rights)[number]
          const holding = {
            ...right,
            svcId: '',
            company: right.company === null ? null : right.company?.guid,
          } as Holding
          const was = effect === 'keep' ? [names(rest.before?.())] : []
          return [
            certain ? effect : `may ${effect}`,
            graph.svcIds[subject],
            nameOf(holding),
            ...was,
            names(via()),
          ].join(' | ')
        }),
      ),
    )
    .sort()
}

/** Who does not tell the level tells no company. */
const wholly = (holding: Holding): Holding =>
  holding.level === undefined ? { ...holding, company: undefined } : holding

const groups = ['g0', 'g1', 'g2', 'g3', 'g4']
const users = ['u0', 'u1']
const accounts = ['a0', 'a1']
const everybody = [...groups, ...users, ...accounts, 'unread']
const members = fc.subarray(everybody, { maxLength: 5 })
const side: fc.Arbitrary<Side> = fc
  .record({
    users: fc.subarray(users, { minLength: 1 }),
    groups: fc.record(
      Object.fromEntries(groups.map((name) => [name, fc.option(members, { freq: 4, nil: undefined })])),
    ),
    holdings: fc.uniqueArray(
      fc.record({
        svcId: fc.constantFrom(...everybody),
        address: fc.constantFrom('process/x', 'process/y'),
        level: fc.constantFrom('Administrator', 'Start', undefined),
        company: fc.constantFrom(null, null, 'p', undefined),
      }),
      {
        maxLength: 8,
        selector: (each) => `${each.svcId} ${nameOf({ ...each, company: wholly(each).company ?? null })}`,
      },
    ),
    standIns: fc.option(
      fc.uniqueArray(
        fc.record({
          of: fc.constantFrom(...users, ...accounts),
          by: fc.constantFrom(...users, ...accounts),
          until: fc.constantFrom('2026-05-01', '2026-06-01'),
          places: fc.subarray(['process/x', 'process/y']),
          company: fc.constantFrom(null, null, 'p', 'q'),
        }),
        { maxLength: 4, selector: ({ of, by }) => `${of} ${by}` },
      ),
      { nil: [], freq: 4 },
    ),
  })
  .map(({ groups: some, ...rest }) => {
    const there = Object.fromEntries(Object.entries(some).filter(([, list]) => list !== undefined))
    const isThere = (each: string) =>
      (!groups.includes(each) && !users.includes(each)) || each in there || rest.users.includes(each)
    return {
      ...rest,
      groups: Object.fromEntries(Object.entries(there).map(([name, list]) => [name, list?.filter(isThere)])),
      holdings: rest.holdings.filter(({ svcId }) => isThere(svcId)).map(wholly),
      standIns: rest.standIns.filter(({ of, by }) => of !== by && isThere(of) && isThere(by)),
    }
  })

/** What a platform does not tell the company of counts as what is declared, and stays. */
function keptOf(before: Side, after: Side): Side {
  const stands = (each: Holding) =>
    before.holdings.find(
      ({ svcId, address, level, company }) =>
        company === undefined && svcId === each.svcId && address === each.address && level === each.level,
    ) ?? (each.company === undefined && each.level !== undefined ? { ...each, company: null } : each)
  return { ...after, holdings: [...new Set(after.holdings.map(stands))] }
}

describe('the access of a plan', () => {
  it('is what every way there is comes to, with cycles and with what was not read', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(side, side, fc.subarray(accounts), (before, other, singles) => {
        const after = keptOf(before, other)
        const known = [...users, ...singles]
        const expected = slowly(before, after, known)
        for (const each of expected) {
          const how = each.includes(' until ') ? ' as substitute' : ''
          seen.add(each.slice(0, each.indexOf(' |')) + how)
        }
        expect(quickly(before, after, singles)).toEqual(expected)
        const alone = (one: Side): Side => ({ ...one, standIns: [] })
        expect(quickly(alone(before), alone(after), singles, 0)).toEqual(quickly(alone(before), alone(after), singles))
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
            return events.includes(event) ? [rest.join(' | ')] : []
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
        const graph = accessGraphOf(changes, aftermathOf(changes))
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

  const start = (svcId: string): Holding => ({ svcId, address: 'process/x', level: 'Start', company: null })

  it('goes through ten thousand groups in each other, and through a circle of them', () => {
    const size = 10_000
    const chain = (closes: boolean): Side => ({
      users: ['u'],
      groups: Object.fromEntries(
        Array.from({ length: size }, (_, index) => [
          `g${index}`,
          index > 0 ? [`g${index - 1}`] : closes ? ['u', `g${size - 1}`] : ['u'],
        ]),
      ),
      holdings: [],
    })
    for (const closes of [false, true]) {
      const before = chain(closes)
      const after = { ...before, holdings: [start(`g${size - 1}`)] }
      const changes = accessChanges(before, after)
      const graph = accessGraphOf(changes, aftermathOf(changes))
      const [block, ...others] = accessDifference(graph)
      expect(others).toEqual([])
      expect(block && groupsOf(block.via())).toHaveLength(size)
      const aftermath = aftermathOf(changes)
      expect(aftermath.groupsWith('u', 'after').size).toBe(size + 1)
      for (const group of aftermath.groups.keys()) expect(aftermath.standsForSomebody(group, 'after')).toBe(true)
      // Of everybody in all of them, a list would have fifty million names.
      const [entry] = listAccess(graph, 'after', [graph.numbers.get('u') as number])
      expect(entry).toMatchObject({ skipped: size - 100, level: 'Start' })
      expect([entry?.via.length, entry?.via[49], entry?.via[50], entry?.via[99]]).toEqual([
        100,
        'g49',
        'g9950',
        'g9999',
      ])
      expect(entry && throughSaid(entry)).toBe('through g0 › g1 › g2 › g3 › 9,992 more › g9996 › g9997 › g9998 › g9999')
    }
  })

  it('passes on what is limited to a business entity by its own, shorter way, where the same is given for all by a longer one', () => {
    const level = { address: 'process/x', level: 'Start' }
    const standIn = { until: '2026-05-01', places: [] }
    const before: Side = {
      users: ['u0', 'u1', 'u2'],
      groups: { g: ['u1'] },
      holdings: [
        { ...level, svcId: 'u1', company: 'p' },
        { ...level, svcId: 'g', company: null },
      ],
      standIns: [
        { ...standIn, of: 'u1', by: 'u2', company: null },
        { ...standIn, of: 'u2', by: 'u0', company: 'p' },
      ],
    }
    const told = quickly(before, { ...before, standIns: [] }, [])
    expect(told).toContain('lose | u0 | process/x Start p | u2 until 2026-05-01>u1 until 2026-05-01')
  })

  it('takes a group that holds itself, and one whose members differ in case only, as one', () => {
    const before: Side = { users: ['U'], groups: { G: ['g', 'u'] }, holdings: [] }
    const told = quickly(before, { ...before, holdings: [start('g')] }, [])
    expect(told).toEqual(['gain | U | process/x Start  | G'])
  })

  it('says nothing of who loses one of five hundred ways', () => {
    const many = Array.from({ length: 500 }, (_, index) => `g${index}`)
    const before: Side = {
      users: ['u'],
      groups: Object.fromEntries(many.map((name) => [name, ['u']])),
      holdings: many.map(start),
    }
    const after = { ...before, groups: { ...before.groups, g0: [] } }
    expect(quickly(before, after, [])).toEqual(['keep | u | process/x Start  | g0 | g1'])
    expect(quickly(before, { ...before, groups: { ...before.groups, g7: [] } }, [])).toEqual([])
  })

  it('lists every Administrator where it is cut, gained and perhaps lost, and counts the others', () => {
    const crowd = (name: string, size: number) => Array.from({ length: size }, (_, index) => `${name}${index}`)
    const groups = { a: crowd('admin', 1200), z: crowd('starter', 1500) }
    const before: Side = { users: Object.values(groups).flat(), groups, holdings: [] }
    const administer = { ...start('a'), level: 'Administrator' }
    const after = { ...before, holdings: [start('z'), administer] }
    const told = (from: Side, to: Side) => {
      const changes = accessChanges(from, to)
      const graph = accessGraphOf(changes, aftermathOf(changes))
      return describeAccess(graph, accessDifference(graph), 'declared', {})
    }
    const gained = told(before, after)
    expect([gained.gained.length, gained.more.gained]).toEqual([1200, 1500])
    expect(new Set(gained.gained.map(({ level }) => level))).toEqual(new Set(['Administrator']))
    // Through an account that may be a group they may keep it.
    const kept = [{ ...administer, svcId: 'directory' }, { ...start('directory') }]
    const lost = told({ ...after, holdings: [...after.holdings, ...kept] }, { ...before, holdings: kept })
    expect([lost.lost, lost.unknown.length, lost.more.unknown]).toEqual([[], 1200, 1500])
    expect(new Set(lost.unknown.map(({ level, may }) => `${may} ${level}`))).toEqual(new Set(['lose Administrator']))
  })

  it('of ten thousand people in two thousand groups is soon known', () => {
    const people = Array.from({ length: 10_000 }, (_, index) => `u${index}`)
    const names = Array.from({ length: 2000 }, (_, index) => `g${index}`)
    const before: Side = {
      users: people,
      groups: Object.fromEntries(
        names.map((name, index) => [
          name,
          [...people.slice(index * 5, index * 5 + 20), `g${index * 2 + 1}`, `g${index * 2 + 2}`],
        ]),
      ),
      holdings: [],
    }
    const holdings = Array.from({ length: 5000 }, (_, index): Holding => {
      const address = `process/x${index % 100}`
      return { svcId: `g${index % 2000}`, address, level: 'Start', company: null }
    })
    const changes = accessChanges(before, { ...before, holdings })
    let blocks: ReturnType<typeof accessDifference> = []
    expectQuick(() => {
      blocks = accessDifference(accessGraphOf(changes, aftermathOf(changes)))
    })
    expect(blocks.length).toBeGreaterThan(10_000)
  })
})
