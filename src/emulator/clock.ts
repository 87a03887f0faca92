// Time as the embedded platform sees it, and the machine's clock. Tests bring their own.
export interface Clock {
  /** Milliseconds since 1970: token lifetimes, synchronisation, the request log. */
  now(): number
  /** Milliseconds with fractions, only for differences: when answers are due. */
  elapsed(): number
  /** Resolves once `elapsed()` has reached the time given. */
  until(elapsedMs: number): Promise<void>
}

/** Timers are trusted up to this long before the time; the rest is spent turning the event loop. */
const timerSlackMs = 1.3

/** The machine's clock. Its waits end within a fraction of a millisecond: plain timers can be more than one late. */
export function systemClock(): Clock {
  const elapsed = () => performance.now()
  return {
    now: () => Date.now(),
    elapsed,
    async until(due) {
      const early = Math.floor(due - elapsed() - timerSlackMs)
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
      while (elapsed() < due) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
