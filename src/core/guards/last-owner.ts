// Guard `last-owner`: no group loses its last owner, unless its list is written `[]`.
import { findEmptied } from './emptied-lists.ts'
import { defineGuard } from './guard.ts'

export const lastOwnerGuard = defineGuard({
  name: 'last-owner',
  counts: false,
  truth: 'Every group that has an owner keeps one, unless `owners: []` is declared.',
  on: 'removals',
  needs: ['changes', 'aftermath'],
  find: ({ changes, aftermath }) =>
    findEmptied(changes, aftermath, (change, collection) => {
      const part = change.live?.kind.administeredBy
      return part?.collection === collection && part.level === undefined
    }),
})
