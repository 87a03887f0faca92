// Stops sending to a platform that is down: requests wait while single probes look for it, and fail when it stays away.
import { failureCodes, PlatformError } from '../errors/index.ts'
import type { ClientSettings } from './client-options.ts'

/** What stands in a row of failures: a platform that answers at all, even with a refusal, is not down. */
const downCodes: ReadonlySet<string> = new Set([
  failureCodes.unreachable,
  failureCodes.nameNotFound,
  failureCodes.proxyFailed,
  failureCodes.connectionLost,
  failureCodes.timedOut,
])
const downStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** So many failures in a row, whichever requests they are of, and no further request starts. */
const failuresInARow = 8
const firstDelayMs = 500

type BreakerSettings = Pick<
  ClientSettings,
  'attempts' | 'maxDelayMs' | 'deadlineMs' | 'clock' | 'sleep' | 'random' | 'signal' | 'onEvent'
>

export interface AttemptOutcome {
  /** Undefined: it was answered well. */
  readonly error?: PlatformError | undefined
  readonly retryAfterMs?: number | undefined
  readonly isScout: boolean
}

interface Waiting {
  readonly method: string
  readonly path: string
  go(isScout: boolean): void
  fail(error: PlatformError): void
}

export interface CircuitBreaker {
  /** Whether requests are held back. */
  readonly isOpen: () => boolean
  /**
   * Resolves when the request may be sent, with whether it is the scout: the one that finds out. Rejects with the
   * PlatformError `platformDown` when the platform stays away.
   */
  admit(call: { readonly method: string; readonly path: string }): Promise<boolean>
  /** What became of each attempt; `retryAfterMs`: the platform said when to come again, so it is there. */
  record(outcome: AttemptOutcome): void
  /** Looks no more: nobody is left who waits. */
  close(): void
}

/**
 * `probe` repeats a request that has worked before, so that one broken path does not pass for the whole platform; it gives
 * the error, or undefined where the platform answered. Undefined instead of a promise: nothing has worked yet, and a
 * request that waits is let through in its place.
 */
export function createCircuitBreaker(
  settings: BreakerSettings,
  probe: () => Promise<PlatformError | undefined> | undefined,
): CircuitBreaker {
  const { clock, signal, onEvent } = settings
  let state: 'closed' | 'open' | 'down' = 'closed'
  let failures = 0
  let last: PlatformError | undefined
  let probes = 0
  let openedAtMs = 0
  let downUntilMs = 0
  /** The same for all who are refused, so that it can be shown once. */
  let sentence = ''
  /** It is time to look, and nobody was waiting. */
  let wantsScout = false
  let waiting: Waiting[] = []

  const takeAll = (): readonly Waiting[] => {
    const all = waiting
    waiting = []
    return all
  }
  const letGo = (): void => {
    for (const { go } of takeAll()) go(false)
  }
  const over = new AbortController()
  // Who waits sees by itself that the run was interrupted.
  const interrupt = (): void => {
    over.abort()
    letGo()
  }
  signal?.addEventListener('abort', interrupt, { once: true })
  const recovered = (): void => {
    if (state !== 'closed') onEvent?.({ kind: 'platform-back' })
    state = 'closed'
    failures = 0
    wantsScout = false
    letGo()
  }
  const giveUp = (): void => {
    state = 'down'
    downUntilMs = clock() + settings.maxDelayMs
    onEvent?.({ kind: 'platform-down', reason: reasonOf(last), failures })
    sentence = sentenceOf(failures, last)
    for (const { fail, method, path } of takeAll()) fail(downError(method, path, sentence))
  }
  const probeFailed = (): void => {
    probes++
    if (probes >= settings.attempts || clock() - openedAtMs >= settings.deadlineMs) giveUp()
    else void lookLater()
  }
  const lookLater = async (): Promise<void> => {
    const longestMs = Math.min(settings.maxDelayMs, firstDelayMs * 2 ** probes)
    // At least half of it: no pause would be no relief.
    const delayMs = Math.round(longestMs * (0.5 + settings.random() / 2))
    onEvent?.({ kind: 'platform-silent', delayMs, failures, reason: reasonOf(last) })
    await settings.sleep(delayMs, over.signal).catch(() => undefined)
    if (state !== 'open' || over.signal.aborted) return
    const answer = probe()
    if (answer === undefined) {
      const scout = waiting.shift()
      wantsScout = scout === undefined
      scout?.go(true)
      return
    }
    const error = await answer.catch(() => last)
    if (state !== 'open' || over.signal.aborted) return
    if (error === undefined) recovered()
    else probeFailed()
  }
  const open = (): void => {
    state = 'open'
    probes = 0
    openedAtMs = clock()
    void lookLater()
  }

  return {
    isOpen: () => state !== 'closed',
    async admit({ method, path }) {
      if (state === 'down' && clock() < downUntilMs) throw downError(method, path, sentence)
      if (state === 'down') open()
      if (state === 'closed' || over.signal.aborted) return false
      if (wantsScout) {
        wantsScout = false
        return true
      }
      return new Promise((go, fail) => waiting.push({ method, path, go, fail }))
    },
    record({ error, retryAfterMs, isScout }) {
      if (error === undefined || retryAfterMs !== undefined || !isSignOfDown(error)) {
        if (failures > 0 || state !== 'closed') recovered()
        return
      }
      failures++
      last = error
      if (isScout) probeFailed()
      else if (state === 'closed' && failures >= failuresInARow) open()
    },
    close() {
      over.abort()
      signal?.removeEventListener('abort', interrupt)
    },
  }
}

export function isSignOfDown({ code, status }: PlatformError): boolean {
  return downCodes.has(code) || (status !== undefined && downStatuses.has(status))
}

function reasonOf(error: PlatformError | undefined) {
  return { code: error?.code ?? '', status: error?.status }
}

const causes: Readonly<Record<string, string>> = {
  [failureCodes.unreachable]: 'it cannot be reached',
  [failureCodes.nameNotFound]: 'its host was not found',
  [failureCodes.proxyFailed]: 'the proxy opened no way to it',
  [failureCodes.connectionLost]: 'the connection broke',
  [failureCodes.timedOut]: 'no answer came in time',
}

function sentenceOf(failures: number, last: PlatformError | undefined): string {
  const why = last?.status === undefined ? causes[last?.code ?? ''] : `it answered ${last.status}`
  return `The platform is down: ${failures} requests in a row failed, the last because ${why ?? 'it did not answer'}`
}

/** Of what was not sent. */
function downError(method: string, path: string, sentence: string): PlatformError {
  return new PlatformError(
    failureCodes.platformDown,
    sentence,
    { kind: 'unreachable', method, path },
    { hint: 'Run again when it is back.' },
  )
}
