// Entries with bounds in time that begin or end soon, for the terminal.

import { textWidth } from '../core/model/text-width.ts'
import type { PlanDocument } from '../core/plan/plan-document.ts'
import { foldNames } from './fold-names.ts'
import { formatCount } from './format-count.ts'
import { indent, type Line, lineWidth, piece } from './line.ts'
import { placedLines } from './row-lines.ts'
import { groupUpcoming, type UpcomingGroup } from './upcoming-groups.ts'
import { wrapItems } from './wrap.ts'

export function upcomingLines(plan: PlanDocument, width: number, verbose: boolean): Line[] {
  const groups = groupUpcoming(plan)
  if (groups.length === 0) return []
  const longest = Math.max(...groups.map(({ shown }) => textWidth(shown)))
  return [[piece('Within 14 days', 'strong')], ...groups.flatMap((group) => groupLines(group, longest, width, verbose))]
}

function groupLines(
  { shown, event, list, address, set, setAt, entries }: UpcomingGroup,
  longest: number,
  width: number,
  verbose: boolean,
): Line[] {
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
  if (isOne) return wrapItems(head, [...where, ...through, [piece(first?.at ?? '', 'faint')]], width)
  const column = lineWidth(head)
  const { shown: named, note } = foldNames(entries, event === 'begins' ? '+' : '-', { whole: verbose })
  const names = named.map(({ svcId, at }) => ({ name: piece(svcId), at }))
  return [
    ...wrapItems(head, [...where, ...through], width),
    ...placedLines(column, names, width),
    ...(note === '' ? [] : [[indent(column), piece(note, 'faint')]]),
  ]
}
