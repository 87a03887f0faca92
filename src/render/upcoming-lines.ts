// Entries with bounds in time that begin or end soon, for the terminal.
import type { PlanDocument } from '../core/plan-document.ts'
import { formatPlace } from '../errors/index.ts'
import { indent, type Line, piece } from './line.ts'
import { wrapItems } from './wrap.ts'

export function upcomingLines({ upcoming }: PlanDocument, width: number): Line[] {
  if (upcoming.length === 0) return []
  const longest = Math.max(...upcoming.map(({ at, shown = at }) => shown.length))
  return [
    [piece('Within 14 days', 'strong')],
    ...upcoming.flatMap(({ at, shown = at, event, svcId, level, collection, address, place }) =>
      wrapItems(
        [
          indent(2),
          piece(`${shown.padEnd(longest)}  `, 'faint'),
          piece(`${event.padEnd(6)}  `, event === 'begins' ? 'add' : 'remove'),
        ],
        [
          [piece(svcId)],
          [piece(`in ${level ?? collection} of`, 'faint')],
          [piece(address)],
          [piece(formatPlace(place), 'faint')],
        ],
        width,
      ),
    ),
  ]
}
