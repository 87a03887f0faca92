// When to look for what the platform synchronises: often at first, and soon near the time that others took.

interface LookDuration {
  readonly aboveMs: number
  readonly uptoMs: number
}

/** Closer to each other, looks tell nothing new. */
const shortestMs = 25

/** The longest pause between two looks at something, after so long. */
export function usualPauseMs(waitedMs: number): number {
  return Math.max(shortestMs, waitedMs * 0.15)
}

/** The shortest pause between two looks for anything, of which something has waited so long. */
function leastPauseMs(waitedMs: number): number {
  return Math.max(shortestMs, waitedMs * 0.06)
}

/** Between two looks while others can work: every look takes requests from them. */
const relaxedMs = 300
/** For what nobody waits for, it is early enough when all is written. */
const unhurriedMs = 15_000

interface Watch {
  readonly startedMs: number
  /** When it last looked; absent: not yet. */
  lookedAtMs?: number
}

interface WaitSpan {
  readonly sinceMs: number
  /** The time by which earlier ones were synchronised, or its limit. */
  readonly dueMs: number
  readonly urgent: boolean
}

/** The time of the next look at waiting steps. `hurried`: no other step can run meanwhile. */
export function nextLookMs({ startedMs, lookedAtMs }: Watch, hurried: boolean, waiting: readonly WaitSpan[]): number {
  const urgent = hurried ? waiting : waiting.filter((each) => each.urgent)
  const pauseMs = urgent.length > 0 ? relaxedMs : unhurriedMs
  const earliestMs = ({ sinceMs }: WaitSpan): number => {
    if (!hurried) return (lookedAtMs ?? startedMs) + pauseMs
    return lookedAtMs === undefined ? startedMs : lookedAtMs + leastPauseMs(lookedAtMs - sinceMs)
  }
  const looks = (urgent.length > 0 ? urgent : waiting).map((each) => Math.max(earliestMs(each), each.dueMs))
  return looks.reduce((soonestMs, each) => Math.min(soonestMs, each), Number.POSITIVE_INFINITY)
}

/** The first look comes a little early, to see it when the platform has become quicker. */
const early = 0.97
/** Longer than this beyond the time that others took, the end is not near any more. */
const beyond = 1.25
/** The number of earlier looks that count. The soonest decides, since one slow object is no reason to look late. */
const remembered = 8

export function createLookTimes() {
  const before = new Map<string, LookDuration[]>()
  return {
    /** `lookedMs`: the time of the last look. */
    nextMs(sort: string, lookedMs: number | undefined): number {
      const known = before.get(sort)?.reduce(soonest)
      if (known === undefined || known.aboveMs === 0) return usual(lookedMs)
      // One look half-way, since this one may be quicker than those before.
      const from = known.aboveMs * early
      if (lookedMs === undefined) return from / 2
      if (lookedMs < from) return from
      if (lookedMs > known.uptoMs * beyond) return usual(lookedMs)
      const width = (known.uptoMs - known.aboveMs) / 3
      return lookedMs + Math.max(leastPauseMs(lookedMs), Math.min(width, usualPauseMs(lookedMs)))
    },
    /** Something of this sort was not there at `aboveMs`, the last look before (0 for none), and was at `uptoMs`. */
    learn(sort: string, aboveMs: number, uptoMs: number): void {
      before.set(sort, [...(before.get(sort) ?? []), { aboveMs, uptoMs }].slice(-remembered))
    },
  }
}

function usual(lookedMs: number | undefined): number {
  return lookedMs === undefined ? 0 : lookedMs + usualPauseMs(lookedMs)
}

/** Both, where they may have taken the same time. */
function soonest(known: LookDuration, next: LookDuration): LookDuration {
  if (next.aboveMs >= known.uptoMs) return known
  if (next.uptoMs <= known.aboveMs) return next
  return { aboveMs: Math.max(known.aboveMs, next.aboveMs), uptoMs: Math.min(known.uptoMs, next.uptoMs) }
}
