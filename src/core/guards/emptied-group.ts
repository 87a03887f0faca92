// Guard `emptied-group`: no group loses its last member, unless its list is written `[]`.
import { findEmptied } from './emptied-lists.ts'
import { defineGuard } from './guard.ts'

export const emptiedGroupGuard = defineGuard({
  name: 'emptied-group',
  counts: false,
  truth: 'Every group in which there is somebody keeps a member, unless `members: []` is declared.',
  on: 'removals',
  needs: ['changes', 'aftermath'],
  find: ({ changes, aftermath }) =>
    findEmptied(changes, aftermath, (change, collection) => change.live?.kind.collections[collection]?.nests === true),
})
