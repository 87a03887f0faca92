// Guard `acting-application`: the account as which svcsync writes stays, with its privileges and groups.
import { inCode } from '@svcsync/errors/index.ts'
import { type Aftermath, type Time, times } from '../access/aftermath.ts'
import type { Change } from '../compare/change.ts'
import { accountKeys, type KeyedElement, subjectKey } from '../model/elements.ts'
import { defineGuard, type Finding, isDeletion, isNotTold } from './guard.ts'

export const actingApplicationGuard = defineGuard({
  name: 'acting-application',
  counts: false,
  truth: 'The account that svcsync writes as keeps its privileges and groups.',
  on: 'removals',
  needs: ['changes', 'aftermath', 'acting'],
  find({ changes, aftermath, acting }) {
    if (isNotTold(acting)) {
      const why = `The platform did not tell which account svcsync writes as (${acting.notTold})`
      const sentence = `${why}: svcsync cannot tell whether this plan removes its own access.`
      return [{ sentence, numbers: {}, addresses: [], allow: 'unknown' }]
    }
    const { svcId } = acting
    if (svcId === '') return []
    const own = subjectKey(acting)
    const selves = { before: aftermath.groupsWith(own, 'before'), after: aftermath.groupsWith(own, 'after') }
    return changes.flatMap((change): Finding[] => {
      const what = lossOf(change, own, selves, aftermath)
      if (what === undefined) return []
      const { address } = change
      const sentence = `svcsync writes as ${inCode(svcId)}, and ${what}.`
      return [{ sentence, numbers: {}, addresses: [address], allow: address }]
    })
  },
})

type OwnAccounts = Readonly<Record<Time, ReadonlySet<string>>>

function lossOf(change: Change, own: string, selves: OwnAccounts, aftermath: Aftermath): string | undefined {
  const { live, address } = change
  if (live === undefined) return undefined
  if (isDeletion(change) && live.kind.provides !== undefined && live.key === own) {
    return `${inCode(address)} would be deleted`
  }
  // The other object's finding covers what its change takes.
  if (change.action === 'none') return undefined
  const isIn = (collection: string, time: Time): boolean =>
    live.kind.collections[collection]?.nests
      ? selves[time].has(live.key)
      : accountKeys(aftermath.elements(change, collection, time)).includes(own)
  for (const [collection, { part }] of Object.entries(live.kind.collections)) {
    if (part === undefined) {
      if (!isIn(collection, 'before') || isIn(collection, 'after')) continue
      return isDeletion(change)
        ? `${inCode(address)}, with it among the ${collection}, would be deleted`
        : `would no longer be among the ${collection} of ${inCode(address)}`
    }
    const [before, after] = times.map((time) =>
      aftermath.elements(change, collection, time).filter((element) => selves[time].has(subjectKey(element))),
    ) as [KeyedElement[], KeyedElement[]]
    const highest = live.kind.administeredBy?.level
    // An Administrator may do everything that other levels allow; an unlimited right covers each business entity.
    const lost = before.filter(
      ({ level, company }) =>
        !after.some((kept) => [level, highest ?? level].includes(kept.level) && coversCompany(kept, company)),
    )
    if (lost.length === 0) continue
    const levels = new Set(lost.map((element) => part(element)))
    const gone = [...levels].filter((level) => !after.some((kept) => part(kept) === level))
    return gone.length > 0
      ? `would lose ${gone.join(', ')} on ${inCode(address)}`
      : `would have ${[...levels].join(', ')} on ${inCode(address)} for fewer business entities`
  }
  return undefined
}

function coversCompany(kept: KeyedElement, company: KeyedElement['company']): boolean {
  return kept.company == null || kept.company.guid.toLowerCase() === company?.guid.toLowerCase()
}
