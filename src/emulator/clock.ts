// Time as the embedded platform sees it, and the machine's clock. Tests bring their own.

export interface Clock {
  /** Milliseconds since 1970: token lifetimes, synchronisation, the request log. */
  now(): number
  /** Milliseconds with fractions, only for differences: when answers are due. */
  elapsed(): number
  /** Resolves once `elapsed()` has reached the time given. */
  until(elapsedMs: number): Promise<void>
}

interface Waiter {
  readonly due: number
  readonly wake: () => void
}

/** Timers are trusted up to this long before the time; the rest is spent turning the event loop. */
const timerSlackMs = 1.3

/** The machine's clock, with waits that end within a fraction of a millisecond: plain timers can be more than one late. */
export function systemClock(): Clock {
  const waiters: Waiter[] = []
  let turning = false
  let timer: NodeJS.Timeout | undefined
  let timerDue = Number.POSITIVE_INFINITY
  const elapsed = () => performance.now()

  function turn(): void {
    const now = elapsed()
    let woken = 0
    while (woken < waiters.length && (waiters[woken]?.due ?? now) <= now) woken++
    for (const waiter of waiters.splice(0, woken)) waiter.wake()
    const next = waiters[0]
    turning = next !== undefined && next.due - now <= timerSlackMs + 1
    if (turning) setImmediate(turn)
    else if (next !== undefined) arm(next.due, now)
  }

  function arm(due: number, now: number): void {
    if (turning || due >= timerDue) return
    clearTimeout(timer)
    timerDue = due
    timer = setTimeout(
      () => {
        timerDue = Number.POSITIVE_INFINITY
        turning = true
        turn()
      },
      Math.max(0, Math.floor(due - now - timerSlackMs)),
    )
  }

  /** Latency is mostly one constant, so that a new waiter nearly always belongs at the end. */
  function insert(waiter: Waiter): void {
    let at = waiters.length
    while (at > 0 && (waiters[at - 1]?.due ?? 0) > waiter.due) at--
    waiters.splice(at, 0, waiter)
  }

  return {
    now: () => Date.now(),
    elapsed,
    until(due) {
      const now = elapsed()
      if (due <= now) return Promise.resolve()
      return new Promise((resolve) => {
        insert({ due, wake: resolve })
        arm(waiters[0]?.due ?? due, now)
      })
    },
  }
}
