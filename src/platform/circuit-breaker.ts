// Stops sending to a platform that is down: requests wait while half-open probes, one at a time, look for it, and
// fail when it stays away.
import { failureCodes, PlatformError } from '../errors/index.ts'
import type { ClientSettings } from './client-options.ts'

/** What stands in a row of failures: a platform that answers at all, even with a refusal, is not down. */
const downCodes: ReadonlySet<string> = new Set([
  failureCodes.unreachable,
  failureCodes.nameNotFound,
  failureCodes.proxyFailed,
  failureCodes.connectionLost,
  failureCodes.timedOut,
  failureCodes.notHttp,
])
const downStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504])

/**
 * So many failures in a row, whichever requests they are of, and no further request starts. Twice as many each time that
 * a probe was answered while nothing but it was: what fails then are single paths, and more probes would tell no more.
 */
const failuresInARow = 8
const firstDelayMs = 500

type BreakerSettings = Pick<
  ClientSettings,
  'attempts' | 'maxDelayMs' | 'deadlineMs' | 'timer' | 'sleep' | 'random' | 'signal' | 'onEvent'
>

interface AttemptOutcome {
  /** Undefined: it was answered well. */
  readonly error?: PlatformError | undefined
  readonly retryAfterMs?: number | undefined
}

interface Waiting {
  readonly method: string
  readonly path: string
  go(): void
  fail(error: PlatformError): void
}

/**
 * `probe` looks for the platform with a request that none of the failed ones need resemble, so that one broken path does
 * not pass for the whole platform. It gives the error, or undefined where the platform answered; it may reject with what
 * it needed before it could be sent.
 */
export function createCircuitBreaker(settings: BreakerSettings, probe: () => Promise<PlatformError | undefined>) {
  const { timer, signal, onEvent } = settings
  let state: 'closed' | 'open' | 'down' = 'closed'
  let failures = 0
  let tolerated = failuresInARow
  let last: PlatformError | undefined
  let probes = 0
  let openedAtMs = 0
  let downUntilMs = 0
  /** The same for all who are refused, so that it can be shown once. */
  let sentence = ''
  let waiting: Waiting[] = []

  const takeAll = (): readonly Waiting[] => {
    const all = waiting
    waiting = []
    return all
  }
  const letGo = (): void => {
    for (const { go } of takeAll()) go()
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
    letGo()
  }
  const giveUp = (): void => {
    state = 'down'
    downUntilMs = timer() + settings.maxDelayMs
    onEvent?.({ kind: 'platform-down', reason: reasonOf(last), failures })
    sentence = sentenceOf(failures, last)
    for (const { fail, method, path } of takeAll()) fail(downError(method, path, sentence))
  }
  const probeFailed = (): void => {
    probes++
    if (probes >= settings.attempts || timer() - openedAtMs >= settings.deadlineMs) giveUp()
    else void probeLater()
  }
  const probeLater = async (): Promise<void> => {
    const longestMs = Math.min(settings.maxDelayMs, firstDelayMs * 2 ** probes)
    // At least half of it: no pause would be no relief.
    const delayMs = Math.round(longestMs * (0.5 + settings.random() / 2))
    onEvent?.({ kind: 'platform-silent', delayMs, failures, reason: reasonOf(last) })
    await settings.sleep(delayMs, over.signal).catch(() => undefined)
    if (state !== 'open' || over.signal.aborted) return
    const error = await probe().catch((reason: unknown) => (reason instanceof PlatformError ? reason : last))
    if (state !== 'open' || over.signal.aborted) return
    if (error !== undefined && isSignOfDown(error)) return probeFailed()
    tolerated *= 2
    recovered()
  }
  const open = (): void => {
    state = 'open'
    probes = 0
    openedAtMs = timer()
    void probeLater()
  }

  return {
    /** Whether requests are held back. */
    isOpen: () => state !== 'closed',
    /** Resolves when the request may be sent. Rejects with the PlatformError `platformDown` when the platform stays away. */
    async admit({ method, path }: Pick<Waiting, 'method' | 'path'>): Promise<void> {
      if (state === 'down' && timer() < downUntilMs) throw downError(method, path, sentence)
      if (state === 'down') open()
      if (state === 'closed' || over.signal.aborted) return
      return new Promise((go, fail) => waiting.push({ method, path, go, fail }))
    },
    /** What became of each attempt; `retryAfterMs`: the platform said when to come again, so it is there. */
    record({ error, retryAfterMs }: AttemptOutcome): void {
      if (error === undefined || retryAfterMs !== undefined || !isSignOfDown(error)) {
        tolerated = failuresInARow
        recovered()
        return
      }
      failures++
      last = error
      // What was under way when the client was closed fails by that alone.
      if (state === 'closed' && failures >= tolerated && !over.signal.aborted) open()
    },
    /** Probes no more: nobody is left who waits. */
    close(): void {
      over.abort()
      signal?.removeEventListener('abort', interrupt)
    },
  }
}

function isSignOfDown({ code, status }: PlatformError): boolean {
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
  [failureCodes.notHttp]: 'what came was no HTTP',
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
