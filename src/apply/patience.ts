// How long a step goes on trying: growing pauses, and an end.
import { usualPauseMs } from './look-times.ts'

export interface PatienceSettings {
  /** Attempts at what is locked or lost. */
  readonly attempts: number
  readonly maxDelayMs: number
  /** How long objects that synchronise may take to do so: so long, locked, lost and not there yet are worth waiting for. */
  readonly syncTimeoutMs: number
  sleep(delayMs: number): Promise<void>
}

interface Patience {
  /** Whether there is time for another attempt at what passes. */
  mayWait(attempts: number): boolean
  /** The pause to come. */
  delayMs(): number
  wait(): Promise<void>
}

/** A write that is refused costs the platform more than a look. */
const shortestMs = 250

/** `synchronises`: of objects that the platform takes in and finishes later; there time counts, elsewhere attempts. */
export function createPatience(synchronises: boolean, settings: PatienceSettings): Patience {
  let waitedMs = 0
  let doubledMs = shortestMs
  const delayMs = (): number => {
    const wantedMs = synchronises ? Math.max(shortestMs, usualPauseMs(waitedMs)) : doubledMs
    return Math.min(wantedMs, settings.maxDelayMs)
  }
  return {
    mayWait: (attempts) => (synchronises ? waitedMs < settings.syncTimeoutMs : attempts < settings.attempts),
    delayMs,
    async wait() {
      const pauseMs = delayMs()
      await settings.sleep(pauseMs)
      waitedMs += pauseMs
      doubledMs = pauseMs * 2
    },
  }
}
