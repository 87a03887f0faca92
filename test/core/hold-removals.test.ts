// What a plan does before it takes somebody from a list, and what it gives a new login before it ends the old one.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Change } from '../../src/core/compare/change.ts'
import type { CollectionDifference } from '../../src/core/compare/compare-collection.ts'
import { keyedElement } from '../../src/core/model/elements.ts'
import type { StepDraft } from '../../src/core/plan/draft-steps.ts'
import { holdRemovals, orderReplaced, replacedAccounts } from '../../src/core/plan/hold-removals.ts'
import { process } from '../../src/kinds/process/index.ts'
import { user } from '../../src/kinds/user/index.ts'

const held = (svcId: string, level: string) => keyedElement({ svcId, level, company: null } as never, String)
const partOf = (element: object): string => (element as { level: string }).level

/** `anna Start`, or several with commas between. */
function draft(what: string, more: object = {}): StepDraft {
  const elements = what.split(', ').map((each) => held(...(each.split(' ') as [string, string])))
  return {
    name: what,
    step: { elements, verb: 'add' },
    after: [],
    needs: [],
    releases: [],
    ...more,
  } as unknown as StepDraft
}
const nameOf = (of: StepDraft): string => (of as unknown as { name: string }).name
const waits = (drafts: readonly StepDraft[]) => drafts.map(({ after }) => after.map(nameOf))

function holdAll(
  drafts: Partial<Parameters<typeof holdRemovals>[2]>,
  live: readonly string[] = [],
  removed: readonly string[] = [],
): void {
  const elements = (all: readonly string[]) => all.map((each) => held(...(each.split(' ') as [string, string])))
  const change = { live: { collections: { privileges: elements(live) } } } as unknown as Change
  const difference = { collection: 'privileges', removed: elements(removed) } as unknown as CollectionDifference
  holdRemovals(change, difference, { additions: [], removals: [], changes: [], ...drafts }, partOf)
}

it('nobody is taken from a level before those who come to it have come, newly or from another one', () => {
  const additions = [draft('anna Start'), draft('eva Modify')]
  const changes = [draft('jan Start')]
  const removals = [draft('old Start'), draft('other Read'), draft('x Start, y Modify')]
  holdAll({ additions, changes, removals })
  expect(waits(removals)).toEqual([['anna Start', 'jan Start'], [], ['anna Start', 'jan Start', 'eva Modify']])
  expect(waits([...additions, ...changes])).toEqual([[], [], []])
  holdAll({ additions, changes, removals })
  expect(removals[0]?.after).toHaveLength(2)
})

it('a removal that followed what it waits for follows nothing any more', () => {
  const [gate, other] = [draft('anna Start'), draft('eva Read')]
  const removals = [draft('old Start', { follows: gate }), draft('new Start', { follows: other })]
  holdAll({ additions: [gate], removals })
  expect(removals.map(({ follows }) => follows && nameOf(follows))).toEqual([undefined, 'eva Read'])
})

it('of accounts that exchange their levels one does not wait, and a level that would be empty is held first', () => {
  const swap = (live: readonly string[]) => {
    const removals = [draft('a Start'), draft('b Modify')]
    const changes = [draft('a Modify', { follows: removals[0] }), draft('b Start', { after: [removals[1]] })]
    holdAll({ changes, removals }, live, ['a Start', 'b Modify'])
    return waits(removals)
  }
  expect(swap(['a Start', 'b Modify', 'c Modify'])).toEqual([['b Start'], []])
  expect(swap(['a Start', 'b Modify', 'c Start'])).toEqual([[], ['a Modify']])
  expect(swap(['a Start', 'b Modify'])).toEqual([['b Start'], []])
})

it('only the first account that comes to a level risks what it had before', () => {
  const levels = (additions: readonly StepDraft[]) => {
    const changes = [draft('a Modify'), draft('b Modify'), draft('c Modify')]
    const removals = [draft('a Start'), draft('b Start'), draft('c Start, d Start'), draft('d Read')]
    holdAll({ additions, changes, removals })
    return waits(removals)
  }
  expect(levels([])).toEqual([[], ['a Modify'], ['a Modify'], []])
  const first = ['new Modify']
  expect(levels([draft('new Modify')])).toEqual([first, first, first, []])
})

it('very many who come and go wait for the last who comes, who waits for all others', () => {
  const many = (level: string, count: number) => Array.from({ length: count }, (_, at) => draft(`${level}${at} Start`))
  for (const [arriving, leaving] of [
    [101, 100],
    [100, 100],
  ] as const) {
    const [additions, removals] = [many('in', arriving), many('out', leaving)]
    holdAll({ additions, removals })
    const isShort = arriving * leaving > 10_000
    expect(removals.map(({ after }) => after.length)).toEqual(removals.map(() => (isShort ? 1 : arriving)))
    expect(additions.at(-1)?.after).toHaveLength(isShort ? arriving - 1 : 0)
  }
})

const before = (of: StepDraft): ReadonlySet<StepDraft> => {
  const found = new Set<StepDraft>()
  const open = [of]
  for (let each = open.pop(); each !== undefined; each = open.pop())
    for (const next of [...each.after, ...(each.follows ? [each.follows] : [])])
      if (!found.has(next)) {
        found.add(next)
        open.push(next)
      }
  return found
}

it('what waits never waits for itself, and whoever leaves waits for all who come, unless they wait for it', () => {
  const level = fc.constantFrom('Start', 'Modify', 'Read')
  const account = fc.constantFrom('a', 'b', 'c', 'd')
  const some = fc.uniqueArray(fc.tuple(account, level, level), { maxLength: 4, selector: ([svcId]) => svcId })
  fc.assert(
    fc.property(some, fc.boolean(), (moves, removesFirst) => {
      const removals = moves.map(([svcId, from]) => draft(`${svcId} ${from}`))
      const changes = moves.map(([svcId, , to], at) =>
        draft(`${svcId} ${to}`, removesFirst ? { after: [removals[at]] } : {}),
      )
      holdAll({ changes, removals })
      for (const each of [...removals, ...changes]) expect(before(each).has(each)).toBe(false)
      for (const [at, [, from]] of moves.entries())
        for (const [other, [, , to]] of moves.entries()) {
          const [leaves, comes] = [removals[at], changes[other]] as [StepDraft, StepDraft]
          if (from === to) expect(before(leaves).has(comes) || before(comes).has(leaves)).toBe(true)
        }
    }),
  )
})

it('a new login has its own before the old one loses anything, but for what it has to wait for', () => {
  const account = (key: string, more: object = {}): Change => {
    const part = { kind: user, address: `user/${key}`, key, at: { name: key }, ...more }
    return { address: part.address, desired: part, live: undefined } as unknown as Change
  }
  const [anna, old] = [account('anna', { replaces: 'old' }), account('old')]
  const replaced = replacedAccounts([
    ...[anna, old, account('x', { replaces: 'x' }), account('gone', { replaces: 'old', absent: true })],
    { ...old, desired: undefined } as Change,
  ])
  expect([...replaced]).toEqual([['anna', 'old']])
  const object = { address: 'process/x', desired: { kind: process, key: 'x' } } as unknown as Change
  const step = (verb: string) => ({ verb, elements: [] })
  const create = draft('create x', { change: anna, step: step('create') })
  const remove = draft('delete x', { change: old, step: step('delete') })
  const [gives, takes, both, rest] = [
    draft('gives x', { change: object, needs: ['anna'] }),
    draft('takes x', { change: object, releases: ['old'] }),
    draft('both x', { change: object, needs: ['anna'], releases: ['old'] }),
    draft('rest x', { change: object, needs: ['eva'], releases: ['jan'] }),
  ]
  const scarce = draft('scarce x', { change: object, needs: ['anna'], after: [takes] })
  const drafts = [create, remove, gives, takes, both, rest, scarce]
  orderReplaced(drafts, replaced)
  const all = ['create x', 'gives x', 'both x']
  expect(waits(drafts)).toEqual([[], [...all, 'scarce x'], [], all, [], [], ['takes x']])
  orderReplaced(drafts, replaced)
  expect(waits([remove, takes])).toEqual([[...all, 'scarce x'], all])
  const others = [
    draft('create y', { change: object, step: step('create') }),
    draft('delete y', { change: object, step: step('delete') }),
  ]
  orderReplaced(others, new Map([['x', 'x']]))
  expect(waits(others)).toEqual([[], []])
})
