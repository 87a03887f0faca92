// Two lists of access, the links of one way, and what nobody can say of objects that inherit.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accessGraphOf, unclearHeirs } from '../../src/core/access/access-graph.ts'
import { Aftermath, times } from '../../src/core/access/aftermath.ts'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { grantOf } from '../../src/core/access/find-edits.ts'
import { directHolders, listAccess, otherWays } from '../../src/core/access/list-access.ts'
import { ownLinks } from '../../src/core/access/own-links.ts'
import { smallestCuts } from '../../src/core/access/smallest-cut.ts'
import { settled } from '../../src/core/access/what-if.ts'
import type { Change } from '../../src/core/compare/change.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import { accessBetween } from '../../src/core/plan/diff.ts'
import { element } from '../../src/kinds/element/index.ts'
import { process } from '../../src/kinds/process/index.ts'
import { accessChanges } from '../harness/access-sides.ts'
import { keptOf, side } from '../harness/random-sides.ts'
import { nameOf, quickly, slowly, waysOf, widerOf } from '../harness/slow-access.ts'

const lower = (svcId: string): string => svcId.toLowerCase()
const entry = (subject: string | null, fields: object = {}) =>
  ({
    subject,
    level: 'Start',
    address: 'process/x',
    company: null,
    via: [],
    kind: 'privilege',
    ...fields,
  }) as AccessEntry

it('two lists differ by account, level, object, company and kind, whichever the ways and the letters', () => {
  const first = [entry('b'), entry('A', { via: ['g'] }), entry(null), entry('c', { company: 'PL' }), entry('c')]
  const second = [entry('a'), entry('b', { level: 'Modify' }), entry('c', { kind: 'owner' }), entry('d')]
  const told = accessBetween(first, second, lower).map(({ on, subject, level, company, kind }) =>
    [on, subject, level, company, kind].join(' '),
  )
  expect(told).toEqual([
    'second b Modify  privilege',
    'first b Start  privilege',
    'first c Start PL privilege',
    'second c Start  owner',
    'first c Start  privilege',
    'second d Start  privilege',
    'first  Start  privilege',
  ])
})

it('the links of an account are its own entry, and each group that comes to the right', () => {
  let links = 0
  fc.assert(
    fc.property(side, side, fc.constantFrom(...times), (before, other, time) => {
      const sides = { before, after: keptOf(before, other) }
      const changes = accessChanges(sides.before, sides.after)
      const graph = accessGraphOf(changes)
      const linksOf = ownLinks(graph, time, lower)
      const { groups, holdings } = sides[time]
      for (const each of listAccess(graph, time, [...graph.svcIds.keys()])) {
        if (each.untold !== undefined || each.level === null || each.substitutions !== undefined) continue
        const subject = each.subject as string
        const holding = { ...each, svcId: subject, level: each.level, company: each.company }
        const names = [nameOf(holding), widerOf(holding)]
        const gives = (group: string): boolean => names.some((name) => waysOf(group, sides[time]).has(name))
        const expected = Object.entries(groups).flatMap(([group, members]) =>
          members?.includes(subject) && gives(group) ? [group] : [],
        )
        const isDirect = holdings.some((held) => held.svcId === subject && names.includes(nameOf(held)))
        const found = linksOf({ ...each, subject: subject.toUpperCase() })
        expect([[...found.groups].sort(), found.isDirect]).toEqual([expected.sort(), isDirect])
        links += expected.length
      }
      const none = { groups: [], isDirect: false }
      expect(linksOf(entry(null))).toEqual(none)
      expect(linksOf(entry('u0', { address: 'process/z' }))).toEqual(none)
    }),
    { numRuns: 30 },
  )
  expect(links).toBeGreaterThan(0)
})

it('a way behind a substitution is listed by its ends where it is too long', () => {
  const listed = (length: number, other = false) => {
    const names = Array.from({ length }, (_, index) => `g${String(index).padStart(3, '0')}`)
    const groups = Object.fromEntries(names.map((name, at) => [name, [names[at - 1] ?? 'anna']]))
    const holdings = [{ svcId: names.at(-1) as string, address: 'process/x', level: 'Start', company: null }]
    const standIns = [{ of: 'anna', by: 'jan', until: '2100-01-01', places: [], company: null }]
    const world = { users: ['anna', 'jan'], groups: { ...groups, ...(other && { h: ['jan'], g000: ['anna', 'h'] }) } }
    const changes = accessChanges({ ...world, holdings, standIns }, { ...world, holdings, standIns })
    const graph = accessGraphOf(changes, 0)
    const jan = graph.numbers.get('jan') as number
    return other ? otherWays(graph, jan) : listAccess(graph, 'before', [jan])
  }
  const ends = ({ via, skipped }: AccessEntry) => [via.length, via[0], via[49], via.at(-50), via.at(-1), skipped]
  expect(listed(100).map(ends)).toEqual([[101, 'anna', 'g048', 'g050', 'g099', undefined]])
  expect(listed(101).map(ends)).toEqual([[100, 'anna', 'g048', 'g051', 'g100', 2]])
  expect(listed(3, true).map(({ via }) => via)).toEqual([])
})

it('who holds something by themselves is listed once for it, where they inherit it as well', () => {
  const held = (svcId: string, address: string) => ({ svcId, address, level: 'Start', company: null })
  const world = {
    ...{ users: ['anna', 'jan'], groups: { g: ['anna'] } },
    holdings: [held('anna', 'process/x'), held('g', 'process/x'), held('jan', 'process/y')],
  }
  const changes = accessChanges(world, world).map((change): Change => {
    const live = { ...change.live, inherited: { ...change.live?.collections } }
    return change.address === 'process/x' ? ({ ...change, live } as unknown as Change) : change
  })
  const graph = accessGraphOf(changes)
  const told = directHolders(graph, (address) => address === 'process/x')
  expect(told.map(({ subject, address, via }) => [subject, address, via])).toEqual([
    ['anna', 'process/x', []],
    ['g', 'process/x', []],
  ])
})

it('an edit is judged by how things are once nothing is left to do', () => {
  fc.assert(
    fc.property(side, side, side, (before, other, next) => {
      const after = keptOf(before, other)
      const changes = settled(accessChanges(before, after))
      expect(changes.every(({ action }) => action === 'none')).toBe(true)
      const graph = accessGraphOf(changes)
      const [now, then] = times.map((time) => listAccess(graph, time, [...graph.svcIds.keys()]))
      expect(now).toEqual(then)
      const asRead = accessChanges(after, after)
      const read = accessGraphOf(asRead)
      const said = (entries: readonly AccessEntry[] = []) => entries.map((each) => JSON.stringify(each)).sort()
      expect(said(now)).toEqual(said(listAccess(read, 'before', [...read.svcIds.keys()])))
      // The search downwards sees what every way there is comes to.
      const still = { ...keptOf(after, next), standIns: [] }
      const start = { ...after, standIns: [] }
      expect(quickly(start, still, [], { inTurn: 0 })).toEqual(slowly(start, still, ['u0', 'u1']))
    }),
    { numRuns: 30 },
  )
})

it('a level is given in the list of its kind, and an owner where a kind has owners', () => {
  const held = { svcId: 'a', address: 'process/x', level: 'Start', company: null }
  const world = { users: ['a'], groups: { g: [] }, holdings: [held] }
  const standing = { changes: accessChanges(world, world), normalise: lower } as unknown as Parameters<
    typeof grantOf
  >[0]
  const given = (level: string, object: string) => {
    const grant = grantOf(standing, { person: 'A', level, object, company: null } as never)
    return grant && [grant.collection, grant.entryOf('A').level]
  }
  expect(given('Start', 'process/x')).toEqual(['privileges', 'Start'])
  expect([given('owner', 'group/g'), given('owner', 'process/x')]).toEqual([['owners', undefined], undefined])
  expect([given('owner', 'user/a'), given('Start', 'group/g'), given('Start', 'process/y')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('cuts as few near the end as near the start, behind ways that gave way', () => {
  const edges = [
    [0, 1],
    [1, 2],
    [2, 4],
    [1, 3],
    [3, 4],
  ].map(([from, to]) => ({ from: from as number, to: to as number, isFixed: false }))
  expect(smallestCuts(edges, 0, 4)).toEqual({ near: [edges[0]], far: [edges[0]] })
})

it('an object that inherits is unclear where a level that it tells comes or goes at an origin in its database', () => {
  const change = (kind: Kind, dbId: number, live: object, collections: readonly object[] = []): Change => {
    const part = { kind, address: `${kind.name}/x`, at: { dbId, name: 'x' }, spec: {}, collections: {}, key: 'x' }
    const rest = { fields: [], unverifiable: [], action: 'none', address: part.address }
    return { ...rest, collections, desired: part, live: { ...part, ...live } } as unknown as Change
  }
  const privilege = (level: string) => ({ svcId: 'a', level })
  const heir = change(element, 1, { inherited: { privileges: [privilege('Start')] } })
  const heirs = (origin: Change, of = heir): number => {
    const changes = [of, origin]
    return unclearHeirs(changes, new Aftermath(changes)).length
  }
  const moved = (added: readonly string[], removed: readonly string[]) => [
    {
      collection: 'privileges',
      added: added.map((level) => ({ element: privilege(level) })),
      removed: removed.map(privilege),
    },
  ]
  expect(heirs(change(process, 1, {}, moved(['Modify', 'Start'], [])))).toBe(1)
  expect(heirs(change(process, 1, {}, moved([], ['Modify', 'Start'])))).toBe(1)
  expect(heirs(change(process, 1, {}, moved(['Modify'], ['Modify'])))).toBe(0)
  expect(heirs(change(process, 2, {}, moved(['Start'], [])))).toBe(0)
  expect(heirs(change(element, 1, {}, moved(['Start'], [])))).toBe(0)
  expect(heirs(change(process, 1, {}, moved(['Start'], [])), change(element, 1, {}))).toBe(0)
  const own = change(element, 1, { inherited: { privileges: [] }, collections: { privileges: [privilege('Modify')] } })
  expect(heirs(change(process, 1, {}, moved(['Modify'], [])), own)).toBe(1)
})
