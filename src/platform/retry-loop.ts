// Carries one call through its attempts: slot of the limiter, circuit breaker, shared pause, deadline, backoff.
import { createQueue } from '@svcsync/core/model/queue.ts'
import { failureCodes, PlatformError } from '@svcsync/errors/index.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { ClientSettings } from './client-options.ts'
import { nextDelayMs } from './retry-delay.ts'

interface Failure {
  readonly error: PlatformError
  readonly retryAfterMs?: number | undefined
}
export type Attempt<T> = { readonly value: T } | Failure

interface Call<T> {
  readonly method: string
  readonly path: string
  /** Without one, the call waits for no slot: it is made for one that has a slot, and may be repeated like a read. */
  readonly turn?: 'read' | 'write'
  /** Sends once, within the given time. */
  attempt(timeoutMs: number): Promise<Attempt<T>>
}

interface Progress {
  failures: number
  /** In attempts and pauses: not in the queue, in which thousands may stand, nor in an outage that it waits out. */
  spentMs: number
}

export class RetryLoop {
  readonly #settings: ClientSettings
  readonly #breaker: CircuitBreaker
  readonly #limiter: ReturnType<typeof createLimiter>
  #retries = 0
  #pausedUntilMs = 0

  constructor(settings: ClientSettings, breaker: CircuitBreaker) {
    this.#settings = settings
    this.#breaker = breaker
    this.#limiter = createLimiter(settings.concurrency)
  }

  get retries(): number {
    return this.#retries
  }

  within<T>(task: () => Promise<T>, turn: 'repeat' | 'read' | 'write'): Promise<T> {
    return this.#limiter.run(task, turn)
  }

  /** Until it is answered or not worth another attempt: then it rejects with the error of the last. */
  async send<T>(call: Call<T>): Promise<T> {
    const progress: Progress = { failures: 0, spentMs: 0 }
    const once = () => this.#attempt(call, progress)
    for (;;) {
      const turn = call.turn && (progress.failures > 0 ? 'repeat' : call.turn)
      const outcome = await (turn === undefined ? once() : this.#limiter.run(once, turn))
      if ('value' in outcome) return outcome.value
      await this.#pauseAfter(outcome, call, progress)
    }
  }

  async #attempt<T>(call: Call<T>, progress: Progress): Promise<Attempt<T>> {
    const { signal, timeoutMs: longestMs, timer, deadlineMs } = this.#settings
    if (signal?.aborted) throw interrupted(call)
    if (this.#pausedUntilMs > 0) await this.#waitOutPause(call, progress)
    // A request for a token belongs to one that has passed, and counts as that.
    const isOwn = call.turn !== undefined
    if (isOwn && this.#breaker.isOpen()) await this.#breaker.admit(call)
    if (signal?.aborted) throw interrupted(call)
    const sentMs = timer()
    try {
      const outcome = await call.attempt(Math.min(longestMs, deadlineMs - progress.spentMs))
      if (isOwn) this.#breaker.record('value' in outcome ? {} : outcome)
      return outcome
    } catch (error) {
      // A failed precondition of the request, such as its token.
      if (isOwn) this.#breaker.record(error instanceof PlatformError ? { error } : {})
      throw error
    } finally {
      progress.spentMs += timer() - sentMs
    }
  }

  /** Throws the error where another attempt is not worth it. */
  async #pauseAfter({ error, retryAfterMs }: Failure, call: Call<unknown>, progress: Progress): Promise<void> {
    const { attempts, maxDelayMs, deadlineMs, random, onEvent } = this.#settings
    progress.failures += 1
    if (retryAfterMs !== undefined && retryAfterMs > 0) this.#holdBack(retryAfterMs)
    const remainingMs = deadlineMs - progress.spentMs
    const state = { failures: progress.failures, attempts, maxDelayMs, remainingMs, retryAfterMs, random }
    const delayMs = nextDelayMs(error, call.turn === 'write' ? 'writes' : 'reads', state)
    if (delayMs === undefined) throw error
    this.#retries += 1
    const { method, path } = call
    const reason = { kind: error.kind, code: error.code, status: error.status }
    onEvent?.({ kind: 'retry', method, path, attempt: progress.failures, delayMs, reason })
    progress.spentMs += delayMs
    await this.#pause(delayMs, call)
  }

  /** One client is one caller in the platform's eyes: when it asks one request to wait, all of them hold back. */
  #holdBack(delayMs: number): void {
    const untilMs = this.#settings.timer() + delayMs
    if (untilMs <= this.#pausedUntilMs) return
    this.#pausedUntilMs = untilMs
    this.#settings.onEvent?.({ kind: 'paused', delayMs })
  }

  async #waitOutPause(call: Call<unknown>, progress: Progress): Promise<void> {
    const { timer, deadlineMs } = this.#settings
    let awaitedMs = 0
    while (this.#pausedUntilMs > Math.max(timer(), awaitedMs)) {
      const delayMs = this.#pausedUntilMs - timer()
      if (delayMs >= deadlineMs - progress.spentMs) throw heldBack(call, delayMs)
      progress.spentMs += delayMs
      // Remembered, so that a timer that stands still ends the wait as well.
      awaitedMs = this.#pausedUntilMs
      await this.#pause(delayMs, call)
    }
  }

  async #pause(delayMs: number, call: Call<unknown>): Promise<void> {
    try {
      await this.#settings.sleep(delayMs, this.#settings.signal)
    } catch {
      throw interrupted(call)
    }
  }
}

/** Nothing of the call is under way when this is thrown, so its kind says that nothing was sent. */
function interrupted({ method, path }: Call<unknown>): PlatformError {
  return new PlatformError(failureCodes.interrupted, `${method} ${path} was not sent: the run was interrupted`, {
    kind: 'unreachable',
    method,
    path,
  })
}

function heldBack({ method, path }: Call<unknown>, delayMs: number): PlatformError {
  const seconds = Math.ceil(delayMs / 1000)
  return new PlatformError(
    failureCodes.heldBack,
    `${method} ${path} was not sent: the platform asks for a pause of ${seconds} s, longer than the call may take`,
    { kind: 'unreachable', method, path },
    { hint: 'Run again later, or lower the concurrency.' },
  )
}

type RetryTurn = 'repeat' | 'read' | 'write'

/** If both wait, a write follows after this many reads: repeated looks must not keep out the writes. */
const mostReadsInARow = 3

/** Not p-queue: that takes the highest priority whatever else waits, so that reads could starve the writes. */
export function createLimiter(limit: number) {
  const repeats = createQueue<() => void>()
  const reads = createQueue<() => void>()
  const writes = createQueue<() => void>()
  const waiting = { repeat: repeats, read: reads, write: writes }
  let running = 0
  let readsInARow = 0

  const takeWrite = (): (() => void) | undefined => {
    readsInARow = 0
    return writes.take()
  }
  const next = (): (() => void) | undefined => {
    const repeat = repeats.take()
    if (repeat !== undefined) return repeat
    const write = readsInARow >= mostReadsInARow ? takeWrite() : undefined
    if (write !== undefined) return write
    const read = reads.take()
    readsInARow++
    return read ?? takeWrite()
  }

  return {
    async run<T>(task: () => Promise<T>, turn: RetryTurn): Promise<T> {
      if (running < limit) running++
      else await new Promise<void>((resolve) => waiting[turn].add(resolve))
      try {
        return await task()
      } finally {
        const wake = next()
        // The slot passes on directly: a newcomer cannot slip in between.
        if (wake === undefined) running--
        else wake()
      }
    },
  }
}
