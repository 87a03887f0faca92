// Entries with bounds in time that begin or end soon, by what they have in common: of many accounts of one set it is said once.
import { groupBy } from '../../core/model/group-by.ts'
import { textWidth } from '../../core/model/text-width.ts'
import type { PlanDocument, UpcomingDocument } from '../../core/plan/plan-document.ts'
import { formatPlace } from '../../errors/index.ts'
import { withPlaces } from '../changes/entry-groups.ts'
import { placedLines } from '../changes/row-lines.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import { type Flow, indent, lineWidth, piece, titled, wrapItems } from '../text/line.ts'
import { sayBase } from './no-longer-declared.ts'

interface UpcomingGroup extends Pick<UpcomingDocument, 'event' | 'address' | 'set'> {
  readonly shown: string
  /** `members`, or `Start (PL01)`. */
  readonly list: string
  /** Where the list names the set. */
  readonly setAt?: string
  /** With the lines that name them: in the list, or in the set. */
  readonly entries: readonly { readonly svcId: string; readonly at: string }[]
}

/** In the order of the plan. */
export function groupUpcoming({ upcoming }: Pick<PlanDocument, 'upcoming'>): UpcomingGroup[] {
  const groups = groupBy(upcoming, (entry) => {
    const { at, shown, event, address, set, place } = entry
    return JSON.stringify([at, shown, event, address, listOf(entry), set, set !== undefined && formatPlace(place)])
  })
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

/** With a base, what it says otherwise is told however late it is. */
export function sayDays({ base }: Pick<PlanDocument, 'base'>): string {
  return `14 days${base ? `, or later and new since ${sayBase(base)}` : ''}`
}

export function upcomingLines(plan: Pick<PlanDocument, 'upcoming'>, verbose: boolean, title: string): Flow[] {
  const groups = groupUpcoming(plan)
  const longest = Math.max(...groups.map(({ shown }) => textWidth(shown)))
  const lines = groups.flatMap((group) => groupLines(group, longest, verbose))
  return titled(title, 'strong', lines)
}

function groupLines(
  { shown, event, list, address, set, setAt, entries }: UpcomingGroup,
  longest: number,
  verbose: boolean,
): Flow[] {
  const head = [
    indent(2),
    piece(`${shown.padEnd(longest)}  `, 'faint'),
    piece(`${event.padEnd(6)}  `, event === 'begins' ? 'add' : 'remove'),
  ]
  const [first, ...others] = entries
  const isOne = others.length === 0
  const who = isOne ? (first?.svcId ?? '') : formatCount(entries.length, 'account')
  const where = [[piece(who)], [piece(`in ${list} of`, 'faint')], [piece(address)]]
  const through = set === undefined ? [] : [[piece(`through set ${set}`, 'faint')], [piece(setAt ?? '', 'faint')]]
  if (isOne) return [wrapItems(head, [...where, ...through, [piece(first?.at ?? '', 'faint')]])]
  const column = lineWidth(head)
  const { shown: named, note } = foldNames(entries, event === 'begins' ? '+' : '-', { whole: verbose })
  const names = named.map(({ svcId, at }) => ({ name: piece(svcId), at }))
  return [
    wrapItems(head, [...where, ...through]),
    placedLines(column, names),
    ...(note === '' ? [] : [[indent(column), piece(note, 'faint')]]),
  ]
}
