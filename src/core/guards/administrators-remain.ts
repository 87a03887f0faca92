// Guard `last-administrator`: who can give access stays able to. No application or process is left without an Administrator.

import { inCode } from '../../errors/index.ts'
import type { Aftermath, Time } from '../access/aftermath.ts'
import { type Change, kindOf } from '../compare/change.ts'
import { subjectKey } from '../model/elements.ts'
import type { Element } from '../model/kind.ts'
import { type Finding, type Guard, isDeletion } from './guard.ts'

export const administratorsRemain: Guard = {
  name: 'last-administrator',
  counts: false,
  truth: 'Every application and process that has an Administrator keeps one.',
  find({ changes, aftermath }) {
    return changes.flatMap((change): Finding[] => {
      const part = kindOf(change).administeredBy
      if (part?.level === undefined || change.live === undefined || isDeletion(change)) return []
      const before = administrators(change, part.collection, part.level, aftermath, 'before')
      const after = administrators(change, part.collection, part.level, aftermath, 'after')
      const { address } = change
      const isLost = after.length === 0 && before.length > 0
      // Whoever administers for one company alone does not administer the whole.
      const isNarrowed = !after.some(isUnlimited) && before.some(isUnlimited)
      if (!isLost && !isNarrowed) return []
      const noun = part.level
      const empty = standingEmpty(change, part.collection, part.level, aftermath)
      const others = empty.length === 0 ? '' : ` ${empty.join(', ')} would keep the level, with nobody left behind it.`
      const what = isLost ? `would have no ${noun} left` : `would have no ${noun} left but for single business entities`
      return [
        {
          sentence: `${inCode(address)} ${what}; there ${before.length === 1 ? 'is 1' : `are ${before.length}`} now.${others}`,
          numbers: { before: before.length, after: after.length },
          addresses: [address],
          allow: address,
        },
      ]
    })
  },
}

const isUnlimited = ({ company }: Element): boolean => company == null

/** A privilege whose level is not told may be this one. A group counts while there is somebody in it; one that was not read, and a directory account, count as they stand. */
function administrators(change: Change, collection: string, level: string, aftermath: Aftermath, time: Time) {
  return aftermath
    .elements(change, collection, time)
    .filter(
      (element) =>
        element.svcId !== undefined &&
        (element.level ?? level) === level &&
        aftermath.standsForSomebody(subjectKey(element), time),
    )
}

function standingEmpty(change: Change, collection: string, level: string, aftermath: Aftermath): string[] {
  return aftermath
    .elements(change, collection, 'after')
    .filter((element) => element.level === level && !aftermath.standsForSomebody(subjectKey(element), 'after'))
    .map(({ svcId }) => inCode(svcId))
}
