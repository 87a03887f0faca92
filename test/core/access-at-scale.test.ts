// Gains and losses in large and odd installations: deep nestings, circles, many ways, many people.
import { expect, it } from 'vitest'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import { Aftermath } from '../../src/core/access/aftermath.ts'
import { describeAccess, throughChain } from '../../src/core/access/describe-access.ts'
import { groupsOf } from '../../src/core/access/graph-model.ts'
import { listAccess } from '../../src/core/access/list-access.ts'
import { accessChanges, type Holding, type Side } from '../harness/access-sides.ts'
import { expectQuick } from '../harness/any-speed.ts'
import { quickly } from '../harness/slow-access.ts'

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
    const graph = accessGraphOf(changes)
    const [block, ...others] = accessDifference(graph)
    expect(others).toEqual([])
    expect(block && groupsOf(block.via())).toHaveLength(size)
    const aftermath = new Aftermath(changes)
    expect(aftermath.groupsWith('u', 'after').size).toBe(size + 1)
    for (const group of aftermath.groups.keys()) expect(aftermath.standsForSomebody(group, 'after')).toBe(true)
    // A list of everybody in all of them would have fifty million names.
    const [entry] = listAccess(graph, 'after', [graph.numbers.get('u') as number])
    expect(entry).toMatchObject({ skipped: size - 100, level: 'Start' })
    expect([entry?.via.length, entry?.via[49], entry?.via[50], entry?.via[99]]).toEqual([100, 'g49', 'g9950', 'g9999'])
    expect(entry && throughChain(entry)).toBe('through g0 › g1 › g2 › g3 › 9,992 more › g9996 › g9997 › g9998 › g9999')
  }
})

it('passes on what a business entity limits by its own way, if a longer one gives the same for all', () => {
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

it('passes on what a group without a level has as a substitute', () => {
  const before: Side = {
    users: ['u0', 'u1'],
    groups: { g: ['u0'], h: ['g'] },
    holdings: [start('u1')],
    standIns: [{ of: 'u1', by: 'h', until: '2026-05-01', places: [], company: null }],
  }
  const told = quickly(before, { ...before, standIns: [] }, [])
  expect(told).toEqual(['lose | u0 | process/x Start  | g>h>u1 until 2026-05-01'])
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
    const graph = accessGraphOf(changes)
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
    blocks = accessDifference(accessGraphOf(changes))
  })
  expect(blocks.length).toBeGreaterThan(10_000)
})
