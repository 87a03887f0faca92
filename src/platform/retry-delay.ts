// Decides whether a failed attempt may be repeated, and when. Pure; on status, type and kind, never on text.
import { failureCodes, type PlatformError } from '@svcsync/errors/index.ts'

/** Reads may be repeated after any passing failure, writes only when it is certain that nothing was carried out. */
type Repeatable = 'reads' | 'writes'

const passingObstacles: ReadonlySet<string> = new Set([
  failureCodes.unreachable,
  failureCodes.nameNotFound,
  failureCodes.proxyFailed,
])

const passingStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/** An answer with Retry-After is a promise, not a failure: it may come this many times as often as other failures. */
const patience = 10

const firstDelayMs = 500

interface RetryState {
  /** Attempts that have failed so far, at least 1. */
  readonly failures: number
  readonly attempts: number
  readonly maxDelayMs: number
  readonly remainingMs: number
  readonly retryAfterMs: number | undefined
  readonly random: () => number
}

/** Milliseconds until the next attempt, or undefined when the error stands. */
export function nextDelayMs(error: PlatformError, repeatable: Repeatable, state: RetryState): number | undefined {
  if (!mayRepeat(error, repeatable)) return undefined
  const { attempts, failures, retryAfterMs } = state
  const limit = retryAfterMs === undefined || attempts === 1 ? attempts : attempts * patience
  if (failures >= limit) return undefined
  // Full jitter: clients that failed together do not come back together.
  const backoffMs = Math.round(state.random() * Math.min(state.maxDelayMs, firstDelayMs * 2 ** (failures - 1)))
  const delayMs = Math.max(backoffMs, retryAfterMs ?? 0)
  return delayMs < state.remainingMs ? delayMs : undefined
}

function mayRepeat(error: PlatformError, repeatable: Repeatable): boolean {
  switch (error.kind) {
    case 'unreachable':
      // An untrusted certificate stays untrusted, a wrong address for tokens stays wrong, and an interrupt is meant.
      return passingObstacles.has(error.code)
    case 'lost':
      return repeatable === 'reads' && error.code !== failureCodes.interrupted
    case 'unreadable':
      // An answer that is too large stays too large.
      return repeatable === 'reads' && error.code !== failureCodes.tooLarge
    case 'status':
      if (error.status === 429 || (error.status === 503 && error.asksToWait)) return true
      return repeatable === 'reads' && error.status !== undefined && passingStatuses.has(error.status)
  }
}

/** Undefined when it is absent or means nothing. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  // Date.parse takes much that is no date: an HTTP date begins with the name of a day.
  const dateMs = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}
