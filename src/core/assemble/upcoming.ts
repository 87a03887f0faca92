// Finds the beginnings and ends of accounts in a list. An account with several lines counts while any of them does.
import type { AssemblySettings, DesiredCollection, EntryPlaces, OutsideEntry, UpcomingEntry } from '../model/desired.ts'
import { type KeyedElement, type ListedSubject, listedSubject } from '../model/elements.ts'
import { countsAt, isoMoment, shownBound, type TimeBounds } from '../model/time-bounds.ts'

export const upcomingMs = 14 * 86_400_000

export interface TimedElement {
  readonly element: KeyedElement
  readonly span: { readonly bounds: TimeBounds; readonly places: EntryPlaces }
}

/** `isAlways`: elements that are listed without bounds besides. */
export function upcomingIn(
  timed: ReadonlyMap<string, readonly TimedElement[]>,
  isAlways: (key: string) => boolean,
  { nowMs, timeZone }: AssemblySettings['time'],
  holder: string,
): UpcomingEntry[] {
  const upcoming: UpcomingEntry[] = []
  for (const [key, spans] of timed) {
    if (isAlways(key)) continue
    const told = new Set<string>()
    for (const { element, span } of spans) {
      const { fromMs, untilMs, fromText = '', untilText = '' } = span.bounds
      const announce = (event: UpcomingEntry['event'], ms: number, text: string): void => {
        if (fromMs >= untilMs || ms <= nowMs || !Number.isFinite(ms)) return
        // Another line may name the account just before it begins here, or after it ends.
        if (spans.some(({ span: { bounds } }) => coversMoment(bounds, event, ms)) || told.has(`${event} ${ms}`)) return
        told.add(`${event} ${ms}`)
        upcoming.push({
          ...listedSubject(element, holder),
          event,
          at: isoMoment(ms),
          shown: shownBound(text, timeZone),
          ...span.places,
        })
      }
      announce('begins', fromMs, fromText)
      announce('ends', untilMs, untilText)
    }
  }
  return upcoming
}

function coversMoment(other: TimeBounds, event: UpcomingEntry['event'], ms: number): boolean {
  return event === 'ends' ? countsAt(other, ms) : other.fromMs < ms && other.untilMs >= ms
}

const withoutLevel = ({ level: _, company: __, ...listed }: ListedSubject): Omit<ListedSubject, 'level' | 'company'> =>
  listed

/** Listed elements outside their time, by element key: when they ended last, or else when they begin first. */
export function elementsOutsideTime(
  timed: ReadonlyMap<string, readonly TimedElement[]>,
  counting: ReadonlyMap<string, unknown>,
  { nowMs, timeZone }: AssemblySettings['time'],
  holder: string,
): ReadonlyMap<string, OutsideEntry> {
  const outside = new Map<string, OutsideEntry>()
  for (const [key, elements] of timed) {
    if (counting.has(key)) continue
    const [first] = elements
    if (first === undefined) continue
    const spans = elements.map(({ span }) => span).filter(({ bounds }) => bounds.fromMs < bounds.untilMs)
    const ended = spans.filter(({ bounds }) => bounds.untilMs <= nowMs)
    const [last] = ended.sort((a, b) => b.bounds.untilMs - a.bounds.untilMs)
    const [next] = spans.sort((a, b) => a.bounds.fromMs - b.bounds.fromMs)
    const span = last ?? next
    if (span === undefined) continue
    const { fromMs, untilMs, fromText = '', untilText = '' } = span.bounds
    outside.set(key, {
      ...withoutLevel(listedSubject(first.element, holder)),
      event: last === undefined ? 'begins' : 'ended',
      at: isoMoment(last === undefined ? fromMs : untilMs),
      shown: shownBound(last === undefined ? fromText : untilText, timeZone),
      ...span.places,
    })
  }
  return outside
}

/** Elements that count now but not always, and since when without a gap. `isAlways` as in `upcomingIn`. */
export function begunTimes(
  timed: ReadonlyMap<string, readonly TimedElement[]>,
  isAlways: (key: string) => boolean,
  { nowMs, timeZone }: AssemblySettings['time'],
): NonNullable<DesiredCollection['begun']> {
  const begun = new Map<string, { readonly ms: number; readonly shown: string }>()
  for (const [key, elements] of timed) {
    if (isAlways(key)) continue
    const spans = elements.map(({ span }) => span.bounds).filter(({ fromMs, untilMs }) => fromMs < untilMs)
    let since: Pick<TimeBounds, 'fromMs' | 'fromText'> = { fromMs: nowMs }
    // A line may begin where another ends.
    for (;;) {
      const { fromMs } = since
      const [earlier] = spans
        .filter((each) => each.fromMs < fromMs && each.untilMs >= fromMs)
        .sort((a, b) => (a.fromMs < b.fromMs ? -1 : 1))
      if (earlier === undefined) break
      since = earlier
    }
    const counts = spans.some((bounds) => countsAt(bounds, nowMs))
    const { fromMs: ms, fromText = '' } = since
    if (counts && Number.isFinite(ms)) begun.set(key, { ms, shown: shownBound(fromText, timeZone) })
  }
  return begun
}
