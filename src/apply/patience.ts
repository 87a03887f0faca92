// How long a step goes on trying: growing pauses, and an end.

export interface PatienceSettings {
  /** Attempts at what is locked or lost. */
  readonly attempts: number
  readonly maxDelayMs: number
  /** How long objects that synchronise may take to do so: so long, locked, lost and not there yet are worth waiting for. */
  readonly syncTimeoutMs: number
  sleep(delayMs: number): Promise<void>
}

export interface Patience {
  /** Whether there is time for another attempt at what passes. */
  mayWait(attempts: number): boolean
  /** The pause to come. */
  delayMs(): number
  wait(): Promise<void>
}

/** `synchronises`: of objects that the platform takes in and finishes later; there time counts, elsewhere attempts. */
export function createPatience(synchronises: boolean, settings: PatienceSettings): Patience {
  const longestMs = synchronises ? Math.min(2000, settings.maxDelayMs) : settings.maxDelayMs
  let delayMs = Math.min(250, longestMs)
  let waitedMs = 0
  return {
    mayWait: (attempts) => (synchronises ? waitedMs < settings.syncTimeoutMs : attempts < settings.attempts),
    delayMs: () => delayMs,
    async wait() {
      await settings.sleep(delayMs)
      waitedMs += delayMs
      delayMs = Math.min(delayMs * 2, longestMs)
    },
  }
}
