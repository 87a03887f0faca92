// Guard `last-administrator`: no application or process is left without an Administrator.
import { byCount, formatCount, inCode } from '@svcsync/errors/index.ts'
import { type Time, times } from '../access/aftermath.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { accountsIn, type KeyedElement, subjectKey } from '../model/elements.ts'
import { quoted } from '../model/near-misses.ts'
import { defineGuard, type Finding, isDeletion } from './guard.ts'

export const lastAdministratorGuard = defineGuard({
  name: 'last-administrator',
  counts: false,
  truth: 'Every application and process that has an Administrator keeps one.',
  on: 'removals',
  needs: ['changes', 'aftermath'],
  find({ changes, aftermath }) {
    return changes.flatMap((change): Finding[] => {
      const { address, live } = change
      const { collection, level } = kindOf(change).administeredBy ?? {}
      if (collection === undefined || level === undefined || live === undefined || isDeletion(change)) return []
      const left = new Set(aftermath.elements(change, collection, 'after'))
      const isDeclared = declaresLevel(change, collection, level)
      // A privilege of unknown level may be this one. If the level is declared, declared accounts and its losers count.
      const isHolder = (element: KeyedElement): boolean =>
        element.svcId !== undefined &&
        (element.level === level || (element.level === undefined && !(isDeclared && left.has(element))))
      const holders = (time: Time) => aftermath.elements(change, collection, time).filter(isHolder)
      // A group counts while there is somebody in it; unread ones and directory accounts count as they stand.
      const [before, after] = times.map((time) =>
        holders(time).filter((element) => aftermath.standsForSomebody(subjectKey(element), time)),
      ) as [KeyedElement[], KeyedElement[]]
      const isLost = after.length === 0 && before.length > 0
      // An Administrator for one company alone does not administer the whole object.
      const isNarrowed = !after.some(isUnlimited) && before.some(isUnlimited)
      if (!isLost && !isNarrowed) return []
      const empty = accountsIn(holders('after').filter((each) => each.level !== undefined && !after.includes(each)))
      const others = empty.length === 0 ? '' : ` ${quoted(empty)} would keep the level, but have no members.`
      const what = isLost
        ? `would have no ${level} left`
        : `would have no ${level} left but for single business entities`
      // A group is one entry, whoever is in it.
      const entries = formatCount(before.length, 'entry', 'entries')
      return [
        {
          sentence:
            `${inCode(address)} ${what}; ` +
            `${entries} ${byCount(before.length, 'gives', 'give')} that level now.${others}`,
          numbers: { before: before.length, after: after.length },
          addresses: [address],
          allow: address,
        },
      ]
    })
  },
})

/** Now, or before. */
function declaresLevel({ desired, live }: Change, collection: string, level: string): boolean {
  const parts = desired?.collections[collection]?.parts
  const isListed = parts === 'all' || parts?.includes(level) === true
  return isListed || live?.collections[collection]?.some((element) => element.level === level) === true
}

const isUnlimited = ({ company }: KeyedElement): boolean => company == null
