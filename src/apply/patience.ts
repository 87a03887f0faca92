// The pauses between attempts of a step, and their end.
import { usualPauseMs } from './look-times.ts'

export interface PatienceSettings {
  readonly attempts: number
  readonly maxDelayMs: number
  /** So long, locked, lost and not there yet are worth waiting for. */
  readonly syncTimeoutMs: number
  sleep(delayMs: number): Promise<void>
}

/** A write that is refused costs the platform more than a look. */
const shortestMs = 250

/** `synchronises`: of objects that the platform takes in and finishes later; there time counts, elsewhere attempts. */
export function createPatience(synchronises: boolean, settings: PatienceSettings) {
  let waitedMs = 0
  let doubledMs = shortestMs
  const delayMs = (): number => {
    const wantedMs = synchronises ? Math.max(shortestMs, usualPauseMs(waitedMs)) : doubledMs
    return Math.min(wantedMs, settings.maxDelayMs)
  }
  return {
    mayWait: (attempts: number): boolean =>
      synchronises ? waitedMs < settings.syncTimeoutMs : attempts < settings.attempts,
    delayMs,
    async wait(): Promise<void> {
      const pauseMs = delayMs()
      await settings.sleep(pauseMs)
      waitedMs += pauseMs
      doubledMs = pauseMs * 2
    },
  }
}
