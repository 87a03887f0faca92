// Edits that give a level and cuts that end it, where groups are in each other in thousands, and in circles.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findCuts, findGrants, standingOf } from '../../src/core/access/find-edits.ts'
import { smallestCuts } from '../../src/core/access/smallest-cut.ts'
import { effectOf, type LinkEdit, settled } from '../../src/core/access/what-if.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import { process } from '../../src/kinds/process/index.ts'
import { accessChanges, type Holding, type Side } from '../harness/access-sides.ts'
import { expectQuick } from '../harness/any-speed.ts'

const lower = (svcId: string): string => svcId.toLowerCase()
const size = 20_000
const shapes: Readonly<Record<string, (index: number) => readonly number[]>> = {
  'a chain': (index) => (index > 0 ? [index - 1] : []),
  'a circle': (index) => [(index + size - 1) % size],
}

/** A person in each group; the last one has the level. Somebody else is in the first one, or in none. */
function standing(inner: (index: number) => readonly number[], isIn: boolean) {
  const groups = Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      `g${index}`,
      [`u${index}`, ...(index === 0 && isIn ? ['Anna'] : []), ...inner(index).map((each) => `g${each}`)],
    ]),
  )
  const side: Side = {
    users: [...Array.from({ length: size }, (_, index) => `u${index}`), 'Anna'],
    groups,
    holdings: [{ svcId: `g${size - 1}`, address: 'process/x', level: 'Start', company: null }],
  }
  return standingOf(settled(accessChanges(side, side)), lower, 0)
}

const wanted = { person: 'ANNA', level: 'Start', object: 'process/x', company: null }
const said = ({ is, address, element }: LinkEdit): string => `${is} ${element.svcId} ${address}`

it.each(Object.keys(shapes))('finds what gives a level in %s of 20,000 groups', (shape) => {
  const of = standing(shapes[shape] as (index: number) => readonly number[], false)
  let found: ReturnType<typeof findGrants> = []
  expectQuick(() => {
    found = findGrants(of, wanted)
  }, 400)
  expect(found.slice(0, 2).map(({ way, edit }) => `${way}: ${said(edit)}`)).toEqual([
    `group: added ANNA group/g${size - 1}`,
    'direct: added ANNA process/x',
  ])
})

let chain: ReturnType<typeof standing> | undefined
it.each([
  ['exclusive', [['group/g0'], ['process/x']], 0],
  // An apply takes nobody out of these.
  ['additive', [], size + 1],
] as const)('cuts a chain of lists that are %s', (mode, cuts, fixed) => {
  chain ??= standing(shapes['a chain'] as (index: number) => readonly number[], true)
  const of = chain
  const changes = of.changes.map((change): typeof change => {
    const { desired } = change
    if (desired === undefined) return change
    const lists = Object.entries(desired.collections).map(([name, list]) => [name, { ...list, mode }])
    return { ...change, desired: { ...desired, collections: Object.fromEntries(lists) } }
  })
  const found = findCuts({ ...of, changes }, wanted)
  expect(found.cuts.map((cut) => cut.map(({ address }) => address))).toEqual(cuts)
  expect(found.fixed).toHaveLength(fixed)
})

const nodes = 4
const edge: fc.Arbitrary<Parameters<typeof smallestCuts>[0][number]> = fc.record({
  from: fc.nat(nodes - 1),
  to: fc.nat(nodes - 1),
  isFixed: fc.boolean(),
})

function reach(edges: readonly Parameters<typeof smallestCuts>[0][number][]): ReadonlySet<number> {
  const found = new Set([0])
  for (const node of found) for (const { from, to } of edges) if (from === node) found.add(to)
  return found
}
const leads = (edges: readonly Parameters<typeof smallestCuts>[0][number][]): boolean => reach(edges).has(nodes - 1)

it('cuts with the fewest edges that can be taken, near the start and near the end', () => {
  let cuts = 0
  fc.assert(
    fc.property(fc.array(edge, { minLength: 4, maxLength: 8 }), (edges) => {
      const fixed = edges.filter(({ isFixed }) => isFixed)
      const loose = edges.filter(({ isFixed }) => !isFixed)
      const subsets = Array.from({ length: 2 ** loose.length }, (_, mask) =>
        loose.filter((_each, at) => mask & (1 << at)),
      )
      const fewest = (all: readonly (readonly Parameters<typeof smallestCuts>[0][number][])[]): number =>
        Math.min(...all.map(({ length }) => length))
      const cutting = subsets.filter((taken) => !leads(edges.filter((each) => !taken.includes(each))))
      const found = smallestCuts(edges, 0, nodes - 1)
      expect(found === undefined).toBe(leads(fixed))
      if (found === undefined) return
      for (const cut of [found.near, found.far]) {
        expect(cut.some(({ isFixed }) => isFixed)).toBe(false)
        expect(leads(edges.filter((each) => !cut.includes(each)))).toBe(false)
        expect(cut).toHaveLength(fewest(cutting))
      }
      // None of the other cuts of that size is nearer: what leads from the start to a near one is not cut by another.
      const least = cutting.filter(({ length }) => length === fewest(cutting))
      const startsOf = (cut: readonly Parameters<typeof smallestCuts>[0][number][]) =>
        reach(edges.filter((each) => !cut.includes(each)))
      expect(startsOf(found.near).size).toBe(Math.min(...least.map((cut) => startsOf(cut).size)))
      expect(startsOf(found.far).size).toBe(Math.max(...least.map((cut) => startsOf(cut).size)))
      if (found.near.length > 0) cuts++
    }),
    { numRuns: 300 },
  )
  expect(cuts).toBeGreaterThan(10)
})

it('counts the ways along an edge that nobody can take, so that one of them may come back', () => {
  const edges = '0>3 3>1 2>1 4>5 0=1 3>4 2>5 1=4 3=2 2=1'
    .split(' ')
    .map((edge): Parameters<typeof smallestCuts>[0][number] => {
      const [from = '', sign, to] = edge
      return { from: Number(from), to: Number(to), isFixed: sign === '=' }
    })
  const cut = smallestCuts(edges, 0, 5)
  const shown = (side: readonly Parameters<typeof smallestCuts>[0][number][] = []) =>
    side.map(({ from, to }) => `${from}>${to}`)
  expect([shown(cut?.near), shown(cut?.far)]).toEqual([
    ['0>3', '4>5'],
    ['4>5', '2>5'],
  ])
})

it('takes a way back where a short one is in the way of two long ones', () => {
  const edges = [
    [0, 1],
    [1, 2],
    [2, 7],
    [1, 3],
    [3, 4],
    [4, 7],
    [0, 5],
    [5, 6],
    [6, 2],
  ].map(([from, to]) => ({ from, to, isFixed: false }) as Parameters<typeof smallestCuts>[0][number])
  const cut = smallestCuts(edges, 0, 7)
  const shown = (side: readonly Parameters<typeof smallestCuts>[0][number][] = []) =>
    side.map(({ from, to }) => `${from}>${to}`)
  expect([shown(cut?.near), shown(cut?.far)]).toEqual([
    ['0>1', '0>5'],
    ['2>7', '4>7'],
  ])
})

it('takes a level that nobody listed from all who have it, once a manifest lists somebody there', () => {
  const address = 'process/x'
  const held = (svcId: string, level: string) => ({ svcId, address, level, company: null })
  const side: Side = {
    users: ['a', 'b', 'c'],
    groups: {},
    holdings: [held('a', 'Start'), held('b', 'Start'), held('b', 'Modify'), held('c', 'Modify')],
  }
  const element = keyedElement({ svcId: 'c', level: 'Start', company: null }, lower)
  const declarations = [{ kind: process, section: process.sections[0], item: {} }]
  const lost = (is: LinkEdit['is'], list: object, what = element) => {
    const standing = settled(accessChanges(side, side)).map((change): typeof change => {
      const { desired } = change
      if (change.address !== address || desired === undefined) return change
      const privileges = { ...desired.collections.privileges, elements: new Map(), ...list }
      return {
        ...change,
        desired: { ...desired, declarations, collections: { privileges } },
      } as unknown as typeof change
    })
    const { access, changes } = effectOf(standing, [{ is, address, collection: 'privileges', element: what }], 0)
    const edited = changes.find((change) => change.address === address)?.desired?.collections.privileges
    expect([...(edited?.elements.values() ?? [])].map((each) => each.element)).toEqual(is === 'added' ? [what] : [])
    const said = (entries: typeof access.lost) => entries.map(({ subject, level }) => `${subject} ${level}`).sort()
    return [said(access.gained), said(access.lost)]
  }
  expect(lost('added', { mode: 'exclusive', parts: ['Modify'] })).toEqual([['c Start'], ['a Start', 'b Start']])
  expect(lost('added', { mode: 'exclusive', parts: ['Start'] })).toEqual([['c Start'], []])
  expect(lost('added', { mode: 'exclusive', parts: 'all' })).toEqual([['c Start'], []])
  expect(lost('added', { mode: 'additive', parts: [] })).toEqual([['c Start'], []])
  const own = keyedElement({ svcId: 'B', level: 'Start', company: null }, lower)
  expect(lost('removed', { mode: 'exclusive', parts: [] }, own)).toEqual([[], ['b Start']])
})

const people = ['u0', 'u1', 'u2']
const teams = ['g0', 'g1', 'g2']
const place = 'process/x'
const start = (svcId: string): Holding => ({ svcId, address: place, level: 'Start', company: null })
const someTeams = fc.record(
  Object.fromEntries(teams.map((team) => [team, fc.subarray([...people, ...teams.filter((each) => each !== team)])])),
)
const small: fc.Arbitrary<Side> = fc
  .record({ groups: someTeams, held: fc.subarray([...people, ...teams], { minLength: 1 }) })
  .map(({ groups, held }) => ({ users: people, groups, holdings: held.map(start) }))

/** Upwards from somebody: the groups that they are in, themselves first. */
function groupsOf(svcId: string, { groups }: Side): Set<string> {
  const found = new Set([svcId])
  for (const each of found) for (const team of teams) if (groups[team]?.includes(each)) found.add(team)
  return found
}
const has = (svcId: string, side: Side): boolean => side.holdings.some((each) => groupsOf(svcId, side).has(each.svcId))

function edited(side: Side, edits: readonly LinkEdit[]): Side {
  let { groups, holdings } = side
  for (const { is, address, element } of edits) {
    const svcId = element.svcId as string
    const team = address.slice('group/'.length)
    if (address === place) {
      holdings = holdings.filter((each) => each.svcId !== svcId)
      if (is === 'added') holdings = [...holdings, start(svcId)]
    } else {
      const others = (groups[team] ?? []).filter((each) => each !== svcId)
      groups = { ...groups, [team]: is === 'added' ? [...others, svcId] : others }
    }
  }
  return { ...side, groups, holdings }
}
const added = (svcId: string, address: string): LinkEdit => ({
  ...{ is: 'added', address, collection: '', element: keyedElement({ svcId }, lower) },
})
const right = { person: 'u0', level: 'Start', object: place, company: null }

it('finds each single entry that gives a level, and no other; and how many others may gain by it', () => {
  let found = 0
  fc.assert(
    fc.property(small, (side) => {
      fc.pre(!has('u0', side))
      const grants = findGrants(standingOf(settled(accessChanges(side, side)), lower, 0), right)
      for (const { edit, others } of grants) {
        const after = edited(side, [edit])
        expect(has('u0', after)).toBe(true)
        const gaining = people.filter((each) => each !== 'u0' && !has(each, side) && has(each, after))
        expect(gaining.length).toBeLessThanOrEqual(others)
      }
      const own = [...groupsOf('u0', side)]
      const isInside = (inner: string, outer: string): boolean => groupsOf(inner, side).has(outer)
      const entries = own.flatMap((each) =>
        [place, ...teams.map((team) => `group/${team}`)].map((at) => added(each, at)),
      )
      const giving = entries.filter((edit) => {
        const team = edit.address.slice('group/'.length)
        // A group that is in another one is not put the other way round as well.
        const isCircle = edit.address !== place && isInside(team, edit.element.svcId as string)
        return !isCircle && has('u0', edited(side, [edit]))
      })
      expect(grants.map(({ edit }) => said(edit)).sort()).toEqual(giving.map(said).sort())
      // By which the fewest others gain comes first.
      const counts = grants.map(({ others }) => others)
      expect(counts).toEqual([...counts].sort((a, b) => a - b))
      found += grants.length
    }),
    { numRuns: 150 },
  )
  expect(found).toBeGreaterThan(20)
})

it('ends a level by cuts of which each entry is needed, or says what no apply takes away', () => {
  const seen = { cut: 0, fixed: 0 }
  fc.assert(
    fc.property(small, fc.subarray([...teams.map((team) => `group/${team}`), place]), (side, kept) => {
      fc.pre(has('u0', side))
      const changes = settled(accessChanges(side, side)).map((change): typeof change => {
        const { desired, address } = change
        if (desired === undefined) return change
        const mode = kept.includes(address) ? 'additive' : 'exclusive'
        const lists = Object.entries(desired.collections).map(([name, list]) => [name, { ...list, mode }])
        return { ...change, desired: { ...desired, collections: Object.fromEntries(lists) } } as typeof change
      })
      const { cuts, fixed } = findCuts(standingOf(changes, lower, 0), right)
      for (const cut of cuts) {
        expect(cut.some(({ address }) => kept.includes(address))).toBe(false)
        expect(has('u0', edited(side, cut))).toBe(false)
        // Nothing else is taken with it.
        const into = cut.flatMap(({ address }) => (address === place ? [] : [address.slice('group/'.length)]))
        expect(into.every((team) => has(team, side))).toBe(true)
        // The first may be all of the person's own entries, of which some may lead nowhere else.
        const isOwn = cut.every(({ element }) => element.svcId === 'u0')
        for (const one of isOwn ? [] : cut) {
          const others = cut.filter((each) => each !== one)
          expect(has('u0', edited(side, others))).toBe(true)
        }
      }
      if (cuts.length === 0) expect(fixed).not.toEqual([])
      else expect(fixed.every(({ element }) => element.svcId === 'u0')).toBe(true)
      expect(fixed.every(({ address }) => kept.includes(address))).toBe(true)
      const left = {
        ...side,
        groups: Object.fromEntries(
          teams.map((team) => [team, kept.includes(`group/${team}`) ? side.groups[team] : []]),
        ),
        holdings: kept.includes(place) ? side.holdings : [],
      }
      expect(cuts.length === 0).toBe(has('u0', left))
      seen[cuts.length > 0 ? 'cut' : 'fixed']++
    }),
    { numRuns: 150 },
  )
  expect(Math.min(seen.cut, seen.fixed)).toBeGreaterThan(3)
})
