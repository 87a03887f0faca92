// Bounds in time, as manifests write them. A zone is always explicit: in the moment, or in the project's settings.
import { inCode, type Place, type Problem } from '@svcsync/errors/index.ts'
import type { AssemblySettings } from './desired.ts'
import { remembered } from './group-by.ts'

export interface TimeBounds {
  /** Milliseconds since 1970: counts from here on. */
  readonly fromMs: number
  /** Counts up to, and not including, this. */
  readonly untilMs: number
  readonly fromText?: string | undefined
  readonly untilText?: string | undefined
}

const dayMs = 86_400_000
const date = /^[1-9]\d{3}-\d{2}-\d{2}$/
const moment = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

export const unbounded: TimeBounds = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }

/** `2026-11-22`; none is 31 February, which would slip into March. */
export function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`)
  return date.test(text) && Number.isFinite(midnight) && isoDate(midnight) === text
}

/** Undefined: neither a date nor a moment with its offset. A date as an end includes its day. */
export function boundMs(text: string, end: boolean, timeZone: string): number | undefined {
  const day = text.slice(0, 10)
  if (!isDay(day)) return undefined
  const midnight = Date.parse(`${day}T00:00Z`)
  if (day === text) return atLocalTime(end ? midnight + dayMs : midnight, timeZone)
  const ms = moment.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

const withoutOffset = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/

/** To the second: `2026-07-01T00:00:00+02:00`. A date as an end is its last second. Undefined: it is none. */
export function momentIn(text: string, end: boolean, timeZone: string): string | undefined {
  const isLocal = withoutOffset.test(text)
  const read = isLocal ? boundMs(`${text}Z`, end, timeZone) : boundMs(text, end, timeZone)
  if (read === undefined) return undefined
  const lastSecond = end && date.test(text) ? 1000 : 0
  const [time, offset] = localMoment((isLocal ? atLocalTime(read, timeZone) : read) - lastSecond, timeZone)
  return `${time}${offset}`
}

/** `2026-11-01` for a moment, in UTC. */
function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** `2026-11-01` for a moment, in a zone. */
export function calendarDay(ms: number, timeZone: string): string {
  return isoDate(ms + offsetMs(ms, timeZone))
}

/** ISO 8601 in UTC, to the second. */
export function isoMoment(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** `2026-11-30`, `2026-12-01T12:00+01:00`. */
export function shownBound(text: string, timeZone: string): string {
  const ms = date.test(text) ? undefined : boundMs(text, false, timeZone)
  if (ms === undefined) return text
  const [time, offset] = localMoment(ms, timeZone)
  return `${time.replace(/:00$/, '')}${offset}`
}

/** The time that clocks of a zone show then, to the second, and their offset: `2026-07-01T00:00:00` and `+02:00`. */
function localMoment(ms: number, timeZone: string): readonly [time: string, offset: string] {
  const wholeMs = Math.floor(ms / 1000) * 1000
  const offset = offsetMs(wholeMs, timeZone)
  const minutes = Math.abs(Math.round(offset / 60_000))
  const two = (value: number) => String(value).padStart(2, '0')
  const shown = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
  return [new Date(wholeMs + offset).toISOString().slice(0, 19), offset === 0 ? 'Z' : shown]
}

export function intersectBounds(outer: TimeBounds, inner: TimeBounds): TimeBounds {
  // Most entries have no bounds, nor have the objects that contain them.
  if (outer === unbounded) return inner
  if (inner === unbounded) return outer
  const from = inner.fromMs >= outer.fromMs ? inner : outer
  const until = inner.untilMs <= outer.untilMs ? inner : outer
  return { fromMs: from.fromMs, untilMs: until.untilMs, fromText: from.fromText, untilText: until.untilText }
}

export function overlaps(a: TimeBounds, b: TimeBounds): boolean {
  return Math.max(a.fromMs, b.fromMs) < Math.min(a.untilMs, b.untilMs)
}

/** The first moment at which clocks of a zone show what those of UTC show at this one: midnight, for a day. */
function atLocalTime(utcMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return utcMs
  const localMs = (ms: number): number => ms + offsetMs(ms, timeZone)
  // The offset may change on the way, and the time may come twice, or, where clocks go forward then, not at all.
  const [first, second] = [utcMs - dayMs, utcMs + dayMs]
    .map((ms) => utcMs - offsetMs(ms, timeZone))
    .sort((a, b) => a - b) as [number, number]
  if (localMs(first) === utcMs) return first
  if (localMs(second) === utcMs) return second
  let [before, after] = [first, second]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localMs(middle) < utcMs) before = middle
    else after = middle
  }
  return after
}

/** Made once for each zone: that takes longer than using it. */
const formatIn = remembered(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
)

function offsetMs(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const parts = formatIn(timeZone).formatToParts(ms)
  const part = (type: string): number => Number(parts.find((candidate) => candidate.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - Math.floor(ms / 1000) * 1000
}

export function isTimeZone(name: string): boolean {
  // The usual one, without the 12 ms that the first format of a process takes.
  if (name === 'UTC') return true
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export function readBound(
  key: 'from' | 'until',
  text: string,
  place: Place,
  time: AssemblySettings['time'],
  problems: Problem[],
): number | undefined {
  const ms = boundMs(text, key === 'until', time.timeZone)
  if (ms !== undefined) return ms
  problems.push({
    code: 'SVC1310',
    severity: 'error',
    message: `\`${key}\` is neither a date nor a moment with its offset`,
    place,
    hint: 'Write it like `2026-11-01` or `2026-11-01T08:00:00+01:00`.',
  })
  return undefined
}

/** The time in which an entry counts, inside that of its parent; malformed bounds become problems. */
export function readBounds(
  entry: { readonly [Key in 'svcId' | 'set' | 'from' | 'until']?: string | undefined },
  outer: TimeBounds,
  place: (key?: string) => Place,
  time: AssemblySettings['time'],
  problems: Problem[],
): TimeBounds {
  if (entry.from === undefined && entry.until === undefined) return outer
  const read = (key: 'from' | 'until', whenAbsent: number): number => {
    const text = entry[key]
    return (text === undefined ? undefined : readBound(key, text, place(key), time, problems)) ?? whenAbsent
  }
  const who = entry.set === undefined ? inCode(entry.svcId) : `the set \`${entry.set}\``
  const fromMs = read('from', Number.NEGATIVE_INFINITY)
  const untilMs = read('until', Number.POSITIVE_INFINITY)
  if (fromMs >= untilMs) {
    problems.push({
      code: 'SVC1310',
      severity: 'error',
      message: `\`from\` is not before \`until\`: the entry of ${who} never applies`,
      place: place('from'),
      hint: 'Swap the two, or correct one.',
    })
  } else if (untilMs <= time.nowMs) {
    problems.push({
      code: 'SVC1309',
      severity: 'warning',
      message: `The entry of ${who} ended with ${shownBound(entry.until ?? '', time.timeZone)}`,
      place: place('until'),
      hint: 'svcsync treats it as not listed. Remove it once an apply has revoked it.',
    })
  }
  return intersectBounds(outer, { fromMs, untilMs, fromText: entry.from, untilText: entry.until })
}

export function countsAt({ fromMs, untilMs }: TimeBounds, ms: number): boolean {
  return ms >= fromMs && ms < untilMs
}

/** In a base: what has begun by now and was not over when that was applied, by the clock of whoever did. */
export function countsNow(bounds: TimeBounds, { nowMs, appliedMs }: AssemblySettings['time']): boolean {
  if (appliedMs === undefined) return countsAt(bounds, nowMs)
  const { fromMs, untilMs } = bounds
  return fromMs < untilMs && fromMs <= nowMs && untilMs > appliedMs - longestApplyMs
}

/** Entries that begin or end during an apply are due after it; steps already done cost nothing. */
export const longestApplyMs = 3_600_000
