// The states of the circuit breaker, and their transitions.
import { failureCodes, type PlatformError } from '@svcsync/errors/index.ts'

/** Codes that count towards an outage: a platform that answers, even with a refusal, is up. */
const downCodes: ReadonlySet<string> = new Set([
  failureCodes.unreachable,
  failureCodes.nameNotFound,
  failureCodes.proxyFailed,
  failureCodes.connectionLost,
  failureCodes.timedOut,
  failureCodes.notHttp,
])
const downStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** Twice as many each time that a probe was answered meanwhile: what fails then are single paths. */
const failuresInARow = 8

interface Row {
  readonly failures: number
  readonly last: PlatformError | undefined
  readonly tolerated: number
}

/** `closed`: requests are sent. `open`: they wait for probes. `down`: they fail until a time. */
export type BreakerState =
  | (Row & { readonly phase: 'closed' })
  | (Row & { readonly phase: 'open'; readonly probes: number; readonly openedAtMs: number })
  | (Row & { readonly phase: 'down'; readonly untilMs: number })

export type BreakerEvent =
  | { readonly type: 'answered' | 'probe-answered' }
  | { readonly type: 'failed'; readonly error: PlatformError; readonly nowMs: number }
  /** Somebody wants to send. */
  | { readonly type: 'asked' | 'probe-failed'; readonly nowMs: number }

interface BreakerLimits {
  /** Probes in a row, how long they go on, and how long a platform that stays away counts as down. */
  readonly attempts: number
  readonly deadlineMs: number
  readonly maxDelayMs: number
}

export const closedBreaker: BreakerState = {
  ...{ phase: 'closed', failures: 0, last: undefined, tolerated: failuresInARow },
}

export function afterEvent(state: BreakerState, event: BreakerEvent, limits: BreakerLimits): BreakerState {
  switch (event.type) {
    case 'answered':
      return closedBreaker
    case 'probe-answered':
      return { ...closedBreaker, tolerated: state.tolerated * 2 }
    case 'failed': {
      const failed = { ...state, failures: state.failures + 1, last: event.error }
      return failed.phase === 'closed' && failed.failures >= failed.tolerated ? opened(failed, event.nowMs) : failed
    }
    case 'asked':
      return state.phase === 'down' && event.nowMs >= state.untilMs ? opened(state, event.nowMs) : state
    case 'probe-failed': {
      if (state.phase !== 'open') return state
      const { failures, last, tolerated, openedAtMs } = state
      const probes = state.probes + 1
      const isOver = probes >= limits.attempts || event.nowMs - openedAtMs >= limits.deadlineMs
      if (!isOver) return { ...state, probes }
      return { phase: 'down', failures, last, tolerated, untilMs: event.nowMs + limits.maxDelayMs }
    }
  }
}

function opened({ failures, last, tolerated }: Row, openedAtMs: number): BreakerState {
  return { phase: 'open', failures, last, tolerated, probes: 0, openedAtMs }
}

export function isSignOfDown({ code, status }: PlatformError): boolean {
  return downCodes.has(code) || (status !== undefined && downStatuses.has(status))
}
