// Guard `deletions`: one run deletes no more objects of a kind than the project allows, in number and in share.
import { byCount, formatCount } from '@svcsync/errors/index.ts'
import { kindOf } from '../compare/change.ts'
import { groupBy } from '../model/group-by.ts'
import { defineGuard, type Finding, isDeletion } from './guard.ts'
import { exceeds, minimumForShares, percentText } from './limits.ts'

export const deletionsGuard = defineGuard({
  name: 'deletions',
  counts: true,
  truth: 'No more objects of a kind are deleted than the limits say.',
  on: 'removals',
  needs: ['changes', 'totals', 'limits'],
  find({ changes, totals, limits: { deletions: limits } }) {
    const all = changes.filter(isDeletion)
    return [...groupBy(all, kindOf)].flatMap(([kind, own]): Finding[] => {
      const count = own.length
      // A whole that was not listed is not known, and then there are too few for a share to count.
      const total = totals.get(kind.name)
      if (exceeds(count, total ?? Number.POSITIVE_INFINITY, limits) === undefined) return []
      const title = kind.title.toLowerCase()
      const what =
        total === undefined
          ? `${byCount(count, 'One of the', count)} ${title} would be deleted`
          : `${count} of ${total} ${title} would be deleted (${percentText(count, total)})`
      const others = all.length > count ? `, of ${formatCount(all.length, 'object')} in all` : ''
      return [
        {
          sentence:
            `${what}${others}. The limits of one run are ${limits.max} of a kind, ` +
            `and ${limits.percent} % from ${minimumForShares} on.`,
          numbers: { count, ...(total !== undefined && { total }), max: limits.max, percent: limits.percent },
          addresses: own.map(({ address }) => address),
          // All of this plan: another plan may delete others, never more.
          allow: all.length,
        },
      ]
    })
  },
})
