// Edits that give a level and cuts that end it, where groups are in each other in thousands, and in circles.
import { expect, it } from 'vitest'
import { findCuts, findGrants, standingOf } from '../../src/core/access/find-edits.ts'
import { type LinkEdit, settled } from '../../src/core/access/what-if.ts'
import { accessChanges, type Side } from '../harness/access-sides.ts'
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

it.each([
  ['exclusive', [['group/g0'], ['process/x']], 0],
  // An apply takes nobody out of these.
  ['additive', [], size + 1],
] as const)('cuts a chain of lists that are %s', (mode, cuts, fixed) => {
  const of = standing(shapes['a chain'] as (index: number) => readonly number[], true)
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
