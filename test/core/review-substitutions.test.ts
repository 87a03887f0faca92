// Substitutions of the same two people: which may stand beside each other.
import { expect, it } from 'vitest'
import { reviewSubstitutions } from '../../src/kinds/substitution/index.ts'

type Declared = Parameters<typeof reviewSubstitutions>[0][number]
const declared = (from: string, to: string, item: object = {}) =>
  ({ item, spec: { person: 'anna', substitute: 'jan', type: 'TaskDelegation', from, to } }) as unknown as Declared
const clash = (...all: readonly Declared[]) => reviewSubstitutions(all, String).map(({ of, other }) => [of, other?.of])

const [june, july] = [
  ['2026-06-01T00:00:00Z', '2026-07-15T00:00:00Z'],
  ['2026-07-01T00:00:00Z', '2026-07-31T00:00:00Z'],
] as const
const limits = [{ applications: ['Sales'] }, { processes: ['Orders'] }, { businessEntity: 'PL01' }]

it.each(limits)('one that is limited overlaps one that is not, whichever begins first: %o', (limit) => {
  expect(clash(declared(...june, limit), declared(...july))).toEqual([[1, 0]])
  expect(clash(declared(...june), declared(...july, limit))).toEqual([[1, 0]])
  expect(clash(declared(...june, limit), declared(...july, limit))).toEqual([[1, 0]])
})

it('limited to different things they do not', () => {
  expect(clash(declared(...june, { businessEntity: 'PL01' }), declared(...july, { businessEntity: 'DE01' }))).toEqual(
    [],
  )
  expect(clash(declared(...june, { applications: ['A'] }), declared(...july, { applications: ['B'] }))).toEqual([])
})

it('one that begins at the very moment at which the other one ends overlaps it', () => {
  const [, end] = june
  expect(clash(declared(...june), declared(end, '2026-08-01T00:00:00Z'))).toEqual([[1, 0]])
  expect(clash(declared(...june), declared('2026-07-15T00:00:00.001Z', '2026-08-01T00:00:00Z'))).toEqual([])
})
