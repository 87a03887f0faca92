// Accounts that may be groups, against every way there is: what they hold, and which of them are worth a look.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accessDifference } from '../../src/core/access/access-difference.ts'
import { accessGraphOf } from '../../src/core/access/access-graph.ts'
import type { AccessEntry } from '../../src/core/access/describe-access.ts'
import { heldBy } from '../../src/core/access/list-access.ts'
import {
  groupsWithoutMembers,
  heldUnseen,
  movesBetweenGroups,
  unseenHolders,
  worthALook,
} from '../../src/core/access/unseen.ts'
import type { Change } from '../../src/core/compare/change.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
import { accounts, everybody, keptOf, side } from '../harness/random-sides.ts'
import { chainTo, nameOf, quickly, waysOf } from '../harness/slow-access.ts'

const law = (check: (before: Side, after: Side, singles: readonly string[]) => void): void =>
  fc.assert(
    fc.property(side, side, fc.subarray(accounts), (before, other, singles) =>
      check(before, keptOf(before, other), singles),
    ),
    { numRuns: 30 },
  )
const graphOf = (before: Side, after: Side, singles: readonly string[]) => {
  const changes = accessChanges(before, after)
  return accessGraphOf(changes, undefined, singles)
}
/** Neither read as groups, nor known to be users or applications. */
const openIn = (sides: readonly Side[], singles: readonly string[]): string[] =>
  everybody.filter(
    (each) =>
      !singles.includes(each) &&
      sides.every(({ users, groups }) => !users.includes(each) && groups[each] === undefined),
  )
/** An entry does not say what is not told. */
const plain = (name: string): string => name.replaceAll('?', '')
const nameIn = ({ address, level, company }: AccessEntry): string =>
  plain(nameOf({ svcId: '', address, level: level ?? undefined, company }))

it('what they hold before and after is held by anybody, by the way of after', () => {
  law((before, after, singles) => {
    const expected = openIn([before, after], singles).flatMap((account) => {
      const [had, has] = [waysOf(account, before), waysOf(account, after)]
      return [...has].flatMap(([name, [way]]) =>
        had.has(name) && way !== undefined
          ? [[account, plain(name), ...(chainTo(has, way.holding) ?? [])].join(' ')]
          : [],
      )
    })
    const told = heldUnseen(graphOf(before, after, singles))
    const said = told.map(({ unseen, via, substitutions = [], ...entry }) => {
      const names = via.map((each) => {
        const until = substitutions.find(({ person }) => person === each)?.until
        return until === undefined ? each : `${each} until ${until}`
      })
      return [unseen, nameIn({ ...entry, via }), ...names].join(' ')
    })
    expect(said.sort()).toEqual(expected.sort())
    expect(told.every(({ subject }) => subject === null)).toBe(true)
    const keys = told.map(({ unseen, address, level, company }) => JSON.stringify([unseen, address, level, company]))
    expect(keys).toEqual([...keys].sort())
  })
})

it('they hold something by any way, and matter to a plan that touches it or moves groups', () => {
  law((before, after, singles) => {
    const graph = graphOf(before, after, singles)
    const open = openIn([before, after], singles)
    const holders = (where: Side, address = '') =>
      open.filter((each) => [...waysOf(each, where).keys()].some((name) => name.startsWith(address)))
    expect(heldBy(graph).sort()).toEqual(holders(before).sort())
    const found = unseenHolders(graph, 'after', ({ address }) => address === 'process/x')
    expect([...new Set(found)].sort()).toEqual(holders(after, 'process/x').sort())
    const touched = quickly(before, after, singles).flatMap((line) => {
      const [event = '', account = ''] = line.split(' | ')
      return event === 'keep' || !open.includes(account) ? [] : account
    })
    const behind = accessDifference(graph).flatMap(({ through }) =>
      through === undefined ? [] : (graph.svcIds[through] as string),
    )
    const look = (moves: boolean) => worthALook(graph, moves).map((each) => graph.svcIds[each])
    const [still, moving] = [look(false), look(true)]
    const expected = new Set([...touched, ...behind.filter((each) => open.includes(each))])
    expect(still.sort()).toEqual([...expected].sort())
    expect(moving.sort()).toEqual([...new Set([...expected, ...holders(before), ...holders(after)])].sort())
  })
})

it('groups count whose members nobody told, and changes of lists in which groups may be', () => {
  const holding = (svcId: string) => ({ svcId, address: 'process/x', level: 'Start', company: null })
  const world: Side = { users: ['u0'], groups: { g: ['u0'], h: [] }, holdings: [] }
  const other = { users: ['u1'], groups: { g: ['u1'], h: [], i: ['u1'] }, holdings: [] }
  const standIns = [{ of: 'u0', by: 'u1', until: '2026-05-01', places: [], company: null }]
  const changes = accessChanges(world, { ...other, standIns })
  expect(changes.filter(movesBetweenGroups).map(({ address }) => address)).toEqual([
    ...['user/u0', 'group/g', 'substitution/u0→u1'],
  ])
  const gone = accessChanges({ ...world, holdings: [holding('g')] }, world).map((change): Change => {
    return change.address === 'process/x' ? { ...change, action: 'delete' } : change
  })
  expect(gone.filter(movesBetweenGroups)).toEqual([])
  const held = accessChanges({ ...world, standIns }, { ...world, standIns })
  expect(held.filter(movesBetweenGroups)).toEqual([])
  const bases = changes.map((change) => {
    const collections = change.address === 'group/g' ? { members: { elements: new Map() } } : {}
    return { ...change, desired: { ...change.desired, since: { base: { collections } } } } as typeof change
  })
  expect(groupsWithoutMembers(bases)).toEqual(['h', 'i'])
  const graph = graphOf({ ...world, holdings: [holding('g')] }, world, [])
  const all = () => true
  expect(unseenHolders(graph, 'before', all)).toEqual([])
  expect(unseenHolders(graph, 'before', all, ['g', 'gone'])).toEqual(['g'])
})
