// Entries with bounds in time that will begin or end: which of them a plan tells of.
import { inCode, type Problem } from '@svcsync/errors/index.ts'
import type { Change } from '../compare/change.ts'
import { missingElements } from '../compare/compare-collection.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, placesOfElement } from '../model/desired.ts'
import { listedElement, listedSubject, subjectKey } from '../model/elements.ts'
import { compareBy } from '../model/group-by.ts'
import type { Plan } from './plan.ts'
import { ownCollection, type UpcomingDocument } from './plan-document.ts'

export const upcomingMs = 14 * 86_400_000

/** The next first. Joining an additive list is no beginning, and entries of a list that goes have no end. */
export function findAnnouncements(plan: Pick<Plan, 'changes'>): UpcomingDocument[] {
  const result: UpcomingDocument[] = []
  for (const { desired, live, address } of plan.changes) {
    if (desired === undefined || desired.absent) continue
    result.push(...endOfAccount(desired))
    for (const [collection, { mode, upcoming }] of Object.entries(desired.collections)) {
      const there = mode === 'additive' ? (live?.collections[collection] ?? []) : []
      for (const entry of upcoming) {
        if (entry.event === 'begins' && missingElements([listedElement(entry)], there).length === 0) continue
        result.push({ ...entry, address, collection })
      }
    }
  }
  return result.sort(compareBy(({ at, address }) => `${at} ${address}`))
}

function endOfAccount({ address, kind, end }: Desired): UpcomingDocument[] {
  if (end === undefined || end.isOver || kind.provides === undefined) return []
  const { svcId, at, shown, place } = end
  return [{ address, collection: ownCollection, svcId, event: 'ends', at, shown, place }]
}

export const isNear = ({ at }: Pick<UpcomingDocument, 'at'>, nowMs: number): boolean =>
  Date.parse(at) <= nowMs + upcomingMs

/** True if the base does not have the beginning or end, which otherwise appears only on its day. */
export function isNewAnnouncement(entry: UpcomingDocument, changeAt: ReadonlyMap<string, Change>): boolean {
  const base = changeAt.get(entry.address)?.desired?.since?.base
  if (entry.collection === ownCollection) return base?.end !== undefined && base.end.at !== entry.at
  const before = base?.collections[entry.collection]?.upcoming ?? []
  const own = before.filter(({ event, ...other }) => event === entry.event && isAlike(other, entry))
  return own.length === 0 ? entry.event === 'begins' : own.every(({ at }) => at !== entry.at)
}

/** For a plan with a base: entries that stay, although the base had them end. No difference shows it. */
export function findDroppedEnds(changes: readonly Change[]): Problem[] {
  const accounts = new Map(changes.flatMap((change) => endlessAccount(change)))
  const inLists = changes.flatMap(({ address, desired }) =>
    Object.entries(desired?.since?.base.collections ?? {}).flatMap(([collection, { upcoming }]): Problem[] => {
      const ends = upcoming.filter(({ event }) => event === 'ends')
      const now = desired?.collections[collection]
      if (ends.length === 0 || now === undefined) return []
      const isBounded = (subject: AnnouncedSubject): boolean => now.upcoming.some((each) => isAlike(each, subject))
      const holder = desired?.at.name ?? ''
      return [...now.elements.values()].flatMap((listed): Problem[] => {
        const subject = listedSubject(listed.element, holder)
        const { svcId, level, item } = subject
        const before = isBounded(subject) ? undefined : ends.find((each) => isAlike(each, subject))
        // Said of the account alone, with which all of it was to end.
        const isOfAccount = accounts.has(item === undefined ? subjectKey(listed.element) : (desired?.key ?? ''))
        if (before === undefined || isOfAccount) return []
        const what = item === undefined ? `in ${level ?? collection}` : `with ${item}`
        const message = `${inCode(svcId)} stays ${what} now, although its time ended with ${before.shown ?? before.at}`
        return [{ code: 'SVC2195', severity: 'warning', address, message, ...placesOfElement(listed) }]
      })
    }),
  )
  return [...accounts.values(), ...inLists]
}

function endlessAccount({ address, desired }: Change): [string, Problem][] {
  const end = desired?.since?.base.end
  if (desired === undefined || desired.absent || end === undefined || desired.end !== undefined) return []
  if (desired.kind.provides === undefined) return []
  const { at, key, declarations } = desired
  const message = `The account ${inCode(at.name)} stays now, although its time ended with ${end.shown}`
  const place = placeIn(declarations[0], [])
  return [[key, { code: 'SVC2195', severity: 'warning', address, message, place }]]
}

const isAlike = (a: AnnouncedSubject, b: AnnouncedSubject): boolean =>
  a.svcId === b.svcId &&
  a.level === b.level &&
  a.item === b.item &&
  (a.company ?? a.about)?.guid === (b.company ?? b.about)?.guid

type AnnouncedSubject = Pick<UpcomingDocument, 'svcId' | 'level' | 'company' | 'item' | 'about'>
