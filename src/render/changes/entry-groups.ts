// Groups elements by reason, with their places, so that each reason appears once.

import { listedElement, showElement } from '@svcsync/core/model/elements.ts'
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { Element } from '@svcsync/core/model/kind.ts'
import type { DifferenceDocument } from '@svcsync/core/plan/plan-document.ts'
import { comparePlaces, formatPlace, type Place } from '@svcsync/errors/index.ts'
import type { DifferenceRow } from '../blocks/difference.ts'

type EntryGroup = DifferenceRow<'entries'>['groups'][number]

interface EntryReason {
  readonly who: Element
  readonly sign: EntryGroup['sign']
  readonly reason: readonly string[]
  readonly at: Place
}

/** Groups one list, or one level: additions through sets, and removals of entries that are over or have not begun. */
export function entryGroups(
  { throughSets = [], outsideTime = [] }: DifferenceDocument,
  level: string | undefined,
): EntryGroup[] {
  const added = throughSets
    .filter((entry) => entry.level === level)
    .sort((a, b) => comparePlaces(a.place, b.place))
    .map(({ set, place, listedAt, ...who }): EntryReason => {
      return { who, sign: '+', reason: ['through', ...setItems({ set, place })], at: listedAt }
    })
  const removed = outsideTime
    .filter((entry) => entry.level === level)
    .map(({ event, at: _, shown, set, place, listedAt, ...who }): EntryReason => {
      const time = `${event} ${shown}`
      const reason = set === undefined ? [time] : [`${time},`, ...setItems({ set, place })]
      return { who: listedElement(who), sign: '-', reason, at: listedAt ?? place }
    })
  const groups = groupBy([...added, ...removed], ({ sign, reason }) => `${sign} ${reason.join(' ')}`)
  return [...groups.values()].map((placed) => {
    const [{ sign, reason }] = placed as [EntryReason]
    const entries = withPlaces(placed, ({ at }) => at).map(([entry, at]) => ({
      text: showElement(entry.who, 'level'),
      at,
    }))
    return { sign, reason, entries }
  })
}

/** Names the sets of a list that loses entries of other sets; an unlisted level is managed whole. */
export function setsWithout(
  { notInSets = [], throughSets = [], unlisted = [] }: DifferenceDocument,
  level: string | undefined,
): string[] {
  if (level !== undefined && unlisted.includes(level)) return ['level not listed:', 'managed whole']
  const sets = notInSets.filter((each) => each.level === level)
  // The place stands below where somebody comes in through the set.
  const knownSets = new Set(throughSets.filter((each) => each.level === level).map((each) => setItems(each).join(' ')))
  const items = sets.map((each) => (knownSets.has(setItems(each).join(' ')) ? [`set ${each.set}`] : setItems(each)))
  return items.flatMap((item, index) => {
    const end = index === items.length - 1 ? '' : ','
    return [...(index === 0 ? ['not in'] : []), ...item.slice(0, -1), `${item.at(-1)}${end}`]
  })
}

const setItems = ({ set, place }: NonNullable<DifferenceDocument['notInSets']>[number]): [string, string] => [
  `set ${set}`,
  formatPlace(place),
]

/** In order of their places, each with its own, in which a file that was just named is left out. */
export function withPlaces<T>(entries: readonly T[], placeOf: (entry: T) => Place): [T, string][] {
  let file: string | undefined
  return [...entries]
    .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)))
    .map((entry) => {
      const place = placeOf(entry)
      const text = place.file === file ? `:${place.line}:${place.column}` : formatPlace(place)
      file = place.file
      return [entry, text]
    })
}
