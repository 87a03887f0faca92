// When an entry of a list counts, as it says itself.
import type { Place, Problem } from '../../errors/index.ts'
import type { AssemblySettings } from './desired.ts'
import { type Bounds, boundMs, shownBound, within } from './time-bounds.ts'

/** The time in which an entry counts, inside that of what it stands in; what is wrong with it becomes a problem. */
export function readBounds(
  entry: { readonly [Key in 'svcId' | 'set' | 'from' | 'until']?: string | undefined },
  outer: Bounds,
  place: (key?: string) => Place,
  time: AssemblySettings['time'],
  problems: Problem[],
): Bounds {
  if (entry.from === undefined && entry.until === undefined) return outer
  const read = (key: 'from' | 'until', whenAbsent: number): number => {
    const text = entry[key]
    if (text === undefined) return whenAbsent
    const ms = boundMs(text, key === 'until', time.timeZone)
    if (ms !== undefined) return ms
    problems.push({
      code: 'SVC1310',
      severity: 'error',
      message: `\`${key}\` is no date, and no moment with its offset`,
      place: place(key),
      hint: 'Write it like `2026-11-01` or `2026-11-01T08:00:00+01:00`.',
    })
    return whenAbsent
  }
  const who = entry.set === undefined ? `\`${entry.svcId}\`` : `the set \`${entry.set}\``
  const fromMs = read('from', Number.NEGATIVE_INFINITY)
  const untilMs = read('until', Number.POSITIVE_INFINITY)
  if (fromMs >= untilMs) {
    problems.push({
      code: 'SVC1310',
      severity: 'error',
      message: `\`from\` is not before \`until\`: the entry of ${who} never counts`,
      place: place('from'),
      hint: 'Exchange the two, or correct one.',
    })
  } else if (untilMs <= time.nowMs) {
    problems.push({
      code: 'SVC1309',
      severity: 'warning',
      message: `The entry of ${who} ended with ${shownBound(entry.until ?? '', time.timeZone)}`,
      place: place('until'),
      hint: 'It counts as not listed: take it out.',
    })
  }
  return within(outer, { fromMs, untilMs, fromText: entry.from, untilText: entry.until })
}
