// Carries one call through its attempts: slot of the limiter, circuit breaker, shared pause, deadline, backoff.
import { failureCodes, PlatformError } from '../errors/index.ts'
import type { createCircuitBreaker } from './circuit-breaker.ts'
import type { ClientSettings } from './client-options.ts'
import { createLimiter } from './limiter.ts'
import { nextDelayMs } from './retry-delay.ts'

export type Attempt<T> =
  | { readonly value: T }
  | { readonly error: PlatformError; readonly retryAfterMs?: number | undefined }

interface Call<T> {
  readonly method: string
  readonly path: string
  /** Without one, the call waits for no slot: it is made for one that has a slot, and may be repeated like a read. */
  readonly turn?: 'read' | 'write'
  /** Sends once, within the given time. */
  attempt(timeoutMs: number): Promise<Attempt<T>>
}

export function createRetrying(settings: ClientSettings, breaker: ReturnType<typeof createCircuitBreaker>) {
  const { signal, timer, onEvent } = settings
  const limiter = createLimiter(settings.concurrency)
  let retries = 0
  let pausedUntilMs = 0

  async function pause(delayMs: number, call: Call<unknown>): Promise<void> {
    try {
      await settings.sleep(delayMs, signal)
    } catch {
      throw interrupted(call)
    }
  }

  /** One client is one caller in the platform's eyes: when it asks one request to wait, all of them hold back. */
  async function waitOutPause(call: Call<unknown>, remainingMs: number): Promise<void> {
    let awaitedMs = 0
    while (pausedUntilMs > Math.max(timer(), awaitedMs)) {
      const delayMs = pausedUntilMs - timer()
      if (delayMs >= remainingMs) throw heldBack(call, delayMs)
      // Remembered, so that a timer that stands still ends the wait as well.
      awaitedMs = pausedUntilMs
      await pause(delayMs, call)
    }
  }

  return {
    retries: () => retries,
    /** Does something within a slot of the limiter. */
    within: limiter.run,
    /** Again and again, until it is answered or not worth another attempt: then it rejects with the PlatformError of the last. */
    async send<T>(call: Call<T>): Promise<T> {
      let failures = 0
      let waitedMs = 0
      let startedMs: number | undefined
      const remainingMs = (): number => {
        // The time in the queue does not count: thousands of calls may stand there.
        startedMs ??= timer()
        return settings.deadlineMs - Math.max(timer() - startedMs, waitedMs)
      }
      const attemptOnce = async (): Promise<Attempt<T>> => {
        if (signal?.aborted) throw interrupted(call)
        if (pausedUntilMs > 0) await waitOutPause(call, remainingMs())
        const timeoutMs = (): number => Math.max(1, Math.min(settings.timeoutMs, remainingMs()))
        // A request for a token is made by one that was let through, and stands for it.
        if (call.turn === undefined) return call.attempt(timeoutMs())
        if (breaker.isOpen()) await breaker.admit(call)
        if (signal?.aborted) throw interrupted(call)
        try {
          const outcome = await call.attempt(timeoutMs())
          breaker.record('value' in outcome ? {} : outcome)
          return outcome
        } catch (error) {
          // What it needed before it could be sent did not come.
          breaker.record(error instanceof PlatformError ? { error } : {})
          throw error
        }
      }
      for (;;) {
        const turn = failures > 0 ? 'repeat' : call.turn
        const outcome = await (call.turn === undefined || turn === undefined
          ? attemptOnce()
          : limiter.run(attemptOnce, turn))
        if ('value' in outcome) return outcome.value
        const { error, retryAfterMs } = outcome
        failures += 1
        const { attempts, maxDelayMs, random } = settings
        const state = { failures, attempts, maxDelayMs, remainingMs: remainingMs(), retryAfterMs, random }
        if (retryAfterMs !== undefined && retryAfterMs > 0) {
          const untilMs = timer() + retryAfterMs
          if (untilMs > pausedUntilMs) {
            pausedUntilMs = untilMs
            onEvent?.({ kind: 'paused', delayMs: retryAfterMs })
          }
        }
        const delayMs = nextDelayMs(error, call.turn === 'write' ? 'writes' : 'reads', state)
        if (delayMs === undefined) throw error
        retries += 1
        const reason = { kind: error.kind, code: error.code, status: error.status }
        onEvent?.({ kind: 'retry', method: call.method, path: call.path, attempt: failures, delayMs, reason })
        waitedMs += delayMs
        await pause(delayMs, call)
      }
    },
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
