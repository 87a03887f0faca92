// What begins or ends soon, by what it has in common: of many accounts of one set it is said once.
import type { PlanDocument, UpcomingDocument } from '../core/plan/plan-document.ts'
import { formatPlace } from '../errors/index.ts'
import { withPlaces } from './entry-groups.ts'

export interface UpcomingGroup extends Pick<UpcomingDocument, 'event' | 'address' | 'set'> {
  readonly shown: string
  /** `members`, or `Start (PL01)`. */
  readonly list: string
  /** Where the list names the set. */
  readonly setAt?: string
  /** With the lines that name them: in the list, or in the set. */
  readonly entries: readonly { readonly svcId: string; readonly at: string }[]
}

/** In the order of the plan. */
export function groupUpcoming({ upcoming }: PlanDocument): UpcomingGroup[] {
  const groups = new Map<string, UpcomingDocument[]>()
  for (const entry of upcoming) {
    const { at, shown, event, address, set, place } = entry
    const key = JSON.stringify([at, shown, event, address, listOf(entry), set, set !== undefined && formatPlace(place)])
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [entry])
    else known.push(entry)
  }
  return [...groups.values()].map((entries) => {
    const [first] = entries as [UpcomingDocument]
    const { at, shown = at, event, address, set, place } = first
    return {
      event,
      address,
      shown,
      list: listOf(first),
      ...(set !== undefined && { set, setAt: formatPlace(place) }),
      entries: withPlaces(entries, (entry) => entry.listedAt ?? entry.place).map(([{ svcId }, at]) => ({ svcId, at })),
    }
  })
}

function listOf({ level, collection, company }: UpcomingDocument): string {
  const list = level ?? collection
  return company === undefined ? list : `${list} (${company.name})`
}
