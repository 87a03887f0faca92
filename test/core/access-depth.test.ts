// The cost of gains in deep nestings: the tests count steps, since time depends on the machine.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { Aftermath, times } from '../../src/core/access/aftermath.ts'
import { describeAccess, unlimited } from '../../src/core/access/describe-access.ts'
import { findDownward } from '../../src/core/access/downward.ts'
import { type Chain, groupsOf } from '../../src/core/access/graph-model.ts'
import { GroupWalk } from '../../src/core/access/group-walk.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
import { side as lent } from '../harness/random-sides.ts'
import { tryLaw } from '../laws/law-runs.ts'

const shapes: Readonly<Record<string, (index: number, size: number) => readonly number[]>> = {
  'a chain': (index) => (index > 0 ? [index - 1] : []),
  'a circle': (index, size) => [(index + size - 1) % size],
  'a ladder of two groups each': (index) => [index - 1, index - 2, index - 3].filter((each) => each >= 0),
  'a tree': (index, size) => [2 * index + 1, 2 * index + 2].filter((each) => each < size),
}

const nameOf = (index: number): string => `g${String(index).padStart(6, '0')}`

const holding = { address: 'process/x', level: 'Start', company: null }

/** A person in each group. */
function sideOf(size: number, inner: (index: number, size: number) => readonly number[]): Side {
  const groups = Array.from({ length: size }, (_, index) => [
    nameOf(index),
    [`u${index}`, ...inner(index, size).map(nameOf)],
  ])
  const users = Array.from({ length: size }, (_, index) => `u${index}`)
  return { users, groups: Object.fromEntries(groups), holdings: [] }
}

/** One level on the last, or on the root. */
function nested(size: number, inner: (index: number, size: number) => readonly number[], holder: number) {
  const before = sideOf(size, inner)
  const changes = accessChanges(before, { ...before, holdings: [{ ...holding, svcId: nameOf(holder) }] })
  return accessGraphOf(changes)
}

const stepsOf = (graph: ReturnType<typeof nested>): number => {
  const classes = [...graph.single].map((first) => [first])
  const search = findDownward(graph, classes, () => new Map())
  let steps = 0
  for (let { done, value } = search.next(); !done; { done, value } = search.next()) steps += value as number
  return steps
}

it.each(Object.keys(shapes))('grows with the number of groups, and no faster, in %s', (shape) => {
  const inner = shapes[shape] as (typeof shapes)['a chain']
  const of = (size: number) => nested(size, inner, shape === 'a tree' ? 0 : size - 1)
  const [small, large] = [of(500), of(2000)]
  expect(stepsOf(large)).toBeLessThan(4.2 * stepsOf(small))
  // Both searches say the same, and so does the one that begins upwards and gives up.
  const told = (inTurn: number) => describeAccess(small, accessDifference(small, { inTurn }), 'full', {})
  expect(told(0)).toEqual(told(Number.POSITIVE_INFINITY))
  expect(told(100)).toEqual(told(0))
  expect(told(0).gained.length + told(0).more.gained).toBe(500)
})

it('tells both ways where a step in the middle of a chain goes, and a longer one is there', () => {
  const groups = { a: ['u'], b: ['a'], c: ['b', 'd'], d: [] as string[] }
  const before: Side = { users: ['u'], groups, holdings: [{ ...holding, svcId: 'c' }] }
  const changes = accessChanges(before, { ...before, groups: { ...groups, c: ['d'], d: ['b'] } })
  const graph = accessGraphOf(changes)
  const { changed } = describeAccess(graph, accessDifference(graph, { inTurn: 0 }), 'full', {})
  expect(changed).toMatchObject([{ subject: 'u', before: ['a', 'b', 'c'], via: ['a', 'b', 'd', 'c'] }])
})

it('tells the new way where the group of the first number is left for one in it', () => {
  const before: Side = { users: ['u'], groups: { a: ['u'], b: [] }, holdings: [{ ...holding, svcId: 'a' }] }
  const changes = accessChanges(before, { ...before, groups: { a: ['b'], b: ['u'] } })
  const graph = accessGraphOf([...changes.slice(1), ...changes.slice(0, 1)], undefined, [], new Aftermath(changes))
  expect(graph.numbers.get('a')).toBe(0)
  const { changed } = describeAccess(graph, accessDifference(graph, { inTurn: 0 }), 'full', {})
  expect(changed).toMatchObject([{ subject: 'u', before: ['a'], via: ['b', 'a'] }])
})

it('is the same upwards and downwards in a circle of more ways than groups remember', () => {
  const { groups: round } = sideOf(130, shapes['a circle'] as (typeof shapes)['a chain'])
  const holders = Object.keys(round)
  const side = (groups: Side['groups']): Side => {
    const holdings = holders.map((svcId, at) => ({ ...holding, svcId, address: `process/${at}` }))
    return { users: ['u0', 'u7'], groups, holdings }
  }
  const before = Object.fromEntries(
    Object.entries(round).map(([name, members]) => [
      name,
      members?.filter((each) => !each.startsWith('u') || /^u[07]$/.test(each)),
    ]),
  )
  const [cut, joined] = [nameOf(90), nameOf(60)]
  const after = { ...before, [cut]: [], [joined]: [...(before[joined] ?? []), nameOf(3)] }
  const changes = accessChanges(side(before), side(after))
  const graph = accessGraphOf(changes)
  const told = (inTurn: number) => describeAccess(graph, accessDifference(graph, { inTurn }), 'full', {}, unlimited)
  expect(told(Number.POSITIVE_INFINITY)).toEqual(told(0))
  expect(told(0).lost.length + told(0).changed.length).toBeGreaterThan(50)
})

it.each(Object.keys(shapes))('lists everybody in %s in linear time', (shape) => {
  const inner = shapes[shape] as (typeof shapes)['a chain']
  const stepsOfList = (size: number): number => {
    const graph = nested(size, inner, shape === 'a tree' ? 0 : size - 1)
    const walk = new GroupWalk(graph, 'after')
    return [...graph.single].reduce((steps, each) => steps + (walk.from(each).length > 0 ? walk.steps() : 0), 0)
  }
  expect(stepsOfList(2000)).toBeLessThan(4.2 * stepsOfList(500))
})

const names = Array.from({ length: 12 }, (_, index) => `g${String(index).padStart(2, '0')}`)
const deep: fc.Arbitrary<Side> = fc
  .record({
    inside: fc.array(fc.subarray(names), { minLength: 12, maxLength: 12 }),
    holders: fc.subarray(names),
    goesRound: fc.boolean(),
  })
  .map(({ inside, holders, goesRound }) => ({
    users: ['u0', 'u1'],
    // Each in the next, and some elsewhere: ways are long, join, and at times go round.
    groups: Object.fromEntries(
      names.map((name, at) => [
        name,
        [
          `u${at % 2}`,
          ...names.slice(Math.max(0, at - 1), at),
          ...(inside[at] ?? []).filter((each) => goesRound || each < name),
        ],
      ]),
    ),
    holdings: holders.map((svcId, at) => ({ ...holding, svcId, address: `process/${at % 3}` })),
  }))

/** Group by group, with nothing remembered: each right with the groups to it. */
function waysOf({ within, held }: ReturnType<typeof nested>, account: number): [number, number[]][] {
  const ways = new Map([[account, [] as number[]]])
  const found = new Map<number, number[]>()
  // The map grows while it is walked through.
  for (const [each, way] of ways) {
    for (const right of held.after[each] ?? []) if (!found.has(right)) found.set(right, way)
    for (const group of within.after[each] ?? []) if (!ways.has(group)) ways.set(group, [...way, group])
  }
  return [...found]
}

/** With room for so many remembered ways, and two groups at each end of a long one. */
function expectSameWays(graph: ReturnType<typeof nested>, room: number): void {
  const walk = new GroupWalk(graph, 'after', { room, ends: 2 })
  const later: (() => Chain)[] = []
  const told = [...graph.svcIds.keys()].map((account) =>
    walk.from(account).map((right) => {
      const place = walk.placeOf(right) as number
      later.push(walk.wayLater(account, place))
      const isRemembered = walk.reachedBy(place) !== undefined
      return { right, way: groupsOf(walk.wayTo(place)), ends: walk.endsOf(place), isRemembered }
    }),
  )
  const expected = [...graph.svcIds.keys()].map((account) =>
    waysOf(graph, account).map(([right, way], at) => {
      const skipped = way.length - 4
      const ends = skipped < 2 ? undefined : { groups: [...way.slice(0, 2), ...way.slice(-2)], skipped }
      const isSure = room === 0 || room === enough
      return { right, way, ends, isRemembered: isSure ? room > 0 && way.length > 0 : told[account]?.[at]?.isRemembered }
    }),
  )
  expect(told).toEqual(expected)
  const ways = expected.flat().map(({ way }) => way)
  for (const _time of times) expect(later.map((via) => groupsOf(via()))).toEqual(ways)
}

const enough = 10_000
const rooms = fc.constantFrom(0, 1, 3, 8, 20, 40, enough)

it('goes the same ways in a circle in which each has a level, and out of one', () => {
  for (const size of [12, 5]) {
    const { users, groups: round } = sideOf(size, shapes['a circle'] as (typeof shapes)['a chain'])
    const groups = { ...round, x: [nameOf(1)], y: ['x', nameOf(3)], z: ['y'] }
    const holders = size === 5 ? ['z', 'x', 'z', 'y'] : Object.keys(groups)
    const holdings = holders.map((svcId, at) => ({ ...holding, svcId, address: `process/${at}` }))
    const changes = accessChanges({ users, groups, holdings }, { users, groups, holdings })
    const graph = accessGraphOf(changes)
    for (const room of [0, 1, 20, 60, enough]) expectSameWays(graph, room)
  }
})

it('goes the same way through a long chain, asked at once or later, whether groups remember it or not', () => {
  for (const room of [0, enough])
    expectSameWays(nested(120, shapes['a chain'] as (typeof shapes)['a chain'], 119), room)
})

it('goes the same ways whether groups remember what they come to or not', () =>
  tryLaw(
    fc.property(deep, rooms, (side, room) => {
      const changes = accessChanges(side, side)
      expectSameWays(accessGraphOf(changes), room)
    }),
    4,
  ))

it('goes the same ways of substitutes, whether groups remember what they come to or not', () =>
  tryLaw(
    fc.property(lent, rooms, (side, room) => {
      const changes = accessChanges(side, side)
      const graph = accessGraphOf(changes)
      const told = (limits: object): unknown[] => {
        const walk = new GroupWalk(graph, 'after', { ends: 1, ...limits })
        return [...graph.svcIds.keys()].map((account) =>
          walk.from(account).map((right) => {
            const place = walk.placeOf(right) as number
            return [right, walk.wayTo(place), walk.endsOf(place), walk.wayLater(account, place)()]
          }),
        )
      }
      expect(told({ room })).toEqual(told({}))
    }),
    4,
  ))
