// Entries with bounds in time that will begin or end: which of them a plan tells of.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import { upcomingMs } from '../assemble/upcoming.ts'
import type { Change } from '../compare/change.ts'
import { missingElements } from '../compare/compare-collection.ts'
import { placesOfElement } from '../model/desired.ts'
import type { Plan } from './plan.ts'
import type { UpcomingDocument } from './plan-document.ts'

/**
 * Entries that will begin or end, the next first. Those that really change something: who is in a list that is only added to does not
 * begin there, and a list that is to go has no end.
 */
export function announcedIn(plan: Pick<Plan, 'changes'>): UpcomingDocument[] {
  const result: UpcomingDocument[] = []
  for (const { desired, live, address } of plan.changes) {
    if (desired === undefined || desired.absent) continue
    for (const [collection, { mode, upcoming }] of Object.entries(desired.collections)) {
      const there = mode === 'additive' ? (live?.collections[collection] ?? []) : []
      for (const entry of upcoming) {
        if (entry.event === 'begins' && there.length > 0 && missingElements([entry], there).length === 0) continue
        result.push({ ...entry, address, collection })
      }
    }
  }
  return result.sort((a, b) => (a.at === b.at ? (a.address < b.address ? -1 : 1) : a.at < b.at ? -1 : 1))
}

export const isNear = ({ at }: Pick<UpcomingDocument, 'at'>, nowMs: number): boolean =>
  Date.parse(at) <= nowMs + upcomingMs

/**
 * Of a plan with a base: whether that does not know when somebody begins, or has them end at another time. Nothing else shows it before its
 * day, and by then it was merged long ago.
 */
export function isNews(entry: UpcomingDocument, changeAt: ReadonlyMap<string, Change>): boolean {
  const before = changeAt.get(entry.address)?.desired?.since?.base.collections[entry.collection]?.upcoming ?? []
  const own = before.filter(({ event, ...other }) => event === entry.event && isAlike(other, entry))
  return own.length === 0 ? entry.event === 'begins' : own.every(({ at }) => at !== entry.at)
}

/** Of a plan with a base: who is to stay, and was to go at a time to come. The list is as it was until then, so that no difference shows it. */
export function findEndlessNow(changes: readonly Change[]): Problem[] {
  return changes.flatMap(({ address, desired }) =>
    Object.entries(desired?.since?.base.collections ?? {}).flatMap(([collection, { upcoming }]): Problem[] => {
      const ends = upcoming.filter(({ event }) => event === 'ends')
      const now = desired?.collections[collection]
      if (ends.length === 0 || now === undefined) return []
      const isBounded = (subject: Subject): boolean => now.upcoming.some((each) => isAlike(each, subject))
      return [...now.elements.values()].flatMap((listed): Problem[] => {
        const { svcId, level, company } = listed.element
        if (svcId === undefined) return []
        const subject = { svcId, ...(level && { level }), ...(company && { company }) }
        const before = isBounded(subject) ? undefined : ends.find((each) => isAlike(each, subject))
        if (before === undefined) return []
        return [
          {
            code: 'SVC2195',
            severity: 'warning',
            address,
            message: `${inCode(svcId)} stays in ${level ?? collection} now, although its time ended with ${before.shown ?? before.at}`,
            ...placesOfElement(listed),
          },
        ]
      })
    }),
  )
}

const isAlike = (a: Subject, b: Subject): boolean =>
  a.svcId === b.svcId && a.level === b.level && a.company?.guid === b.company?.guid

type Subject = Pick<UpcomingDocument, 'svcId' | 'level' | 'company'>
