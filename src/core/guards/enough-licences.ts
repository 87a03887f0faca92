// Guard `enough-licences`: a plan gives no more licences of a type than are there, with those that it frees itself.
import { byCount, formatCount } from '@svcsync/errors/index.ts'
import { shortagesOf } from '../compare/stock.ts'
import { firstFew } from '../model/near-misses.ts'
import { defineGuard, type Finding } from './guard.ts'

export const enoughLicencesGuard = defineGuard({
  name: 'enough-licences',
  counts: true,
  truth: 'The installation has enough licences of each type.',
  on: 'anything',
  needs: ['changes', 'stocks'],
  find({ changes, stocks }) {
    const shortages = stocks.flatMap((stock) => shortagesOf(changes, stock))
    const missing = shortages.reduce((sum, { without }) => sum + without.length, 0)
    return shortages.map((shortage) => findingOf(shortage, missing))
  },
})

const mostNamed = 5

function findingOf(shortage: ReturnType<typeof shortagesOf>[number], missing: number): Finding {
  const { item, total, given, free, freed, deleted, without } = shortage
  const lack = `${formatCount(without.length, 'licence')} of type ${item} ${byCount(without.length, 'is', 'are')}`
  const left =
    free < 0 ? `${total - free} of ${total} are assigned` : `${free} of ${total} ${byCount(free, 'is', 'are')} free`
  const supply = `${given} would be given, ${left}, and the plan frees ${freed}`
  const leavers =
    deleted === 0
      ? ''
      : ` ${byCount(deleted, 'An account that is', `${deleted} accounts that are`)} deleted would hold one, ` +
        'and the deletion may not free it.'
  return {
    sentence: `${lack} missing: ${supply}. Without one would be ${firstFew(without, mostNamed)}.${leavers}`,
    numbers: { count: without.length, total, given, free, freed, ...(deleted > 0 && { deleted }) },
    addresses: without,
    allow: missing,
  }
}
