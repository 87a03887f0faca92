// Guard `deletions`: one run deletes no more objects of a kind than the project allows, in number and in share.
import { append } from '../model/group-by.ts'
import type { Kind } from '../model/kind.ts'
import { type Finding, type Guard, isDeletion } from './guard.ts'
import { exceeds, fewest, percentText } from './share.ts'

export const deletionsStayUnderLimit: Guard = {
  name: 'deletions',
  counts: true,
  truth: 'No more objects of a kind are deleted than the limits say.',
  find({ changes, totals }, { deletions: limits }) {
    const all = changes.filter(isDeletion)
    const byKind = new Map<Kind, string[]>()
    for (const { live, address } of all) {
      const kind = live?.kind
      if (kind !== undefined) append(byKind, kind, address)
    }
    return [...byKind].flatMap(([kind, addresses]): Finding[] => {
      const count = addresses.length
      // A whole that was not listed is not known, and then there are too few for a share to count.
      const total = totals.get(kind.name)
      if (exceeds(count, total ?? Number.POSITIVE_INFINITY, limits) === undefined) return []
      const title = kind.title.toLowerCase()
      const what =
        total === undefined
          ? `${count === 1 ? 'One of the' : count} ${title} would be deleted`
          : `${count} of ${total} ${title} would be deleted (${percentText(count, total)})`
      const others = all.length > count ? `, of ${all.length} objects in all` : ''
      return [
        {
          sentence: `${what}${others}. The limits of one run are ${limits.max} of a kind, and ${limits.percent} % from ${fewest} on.`,
          numbers: { count, ...(total !== undefined && { total }), max: limits.max, percent: limits.percent },
          addresses,
          // All of this plan: another plan may delete others, never more.
          allow: all.length,
        },
      ]
    })
  },
}
