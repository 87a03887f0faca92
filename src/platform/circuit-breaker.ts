// Stops sending to a platform that is down: requests wait while one probe at a time looks for it. Pure states.
import { failureCodes, PlatformError } from '@svcsync/errors/index.ts'
import type { ClientSettings } from './client-options.ts'

/** Codes that count towards an outage, and what each says: a platform that answers, even with a refusal, is up. */
const causes: Readonly<Record<string, string>> = {
  [failureCodes.unreachable]: 'it cannot be reached',
  [failureCodes.nameNotFound]: 'its host was not found',
  [failureCodes.proxyFailed]: 'the proxy opened no way to it',
  [failureCodes.connectionLost]: 'the connection broke',
  [failureCodes.timedOut]: 'no answer came in time',
  [failureCodes.notHttp]: 'what came was no HTTP',
}
const downStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** Twice as many each time that a probe was answered meanwhile: what fails then are single paths. */
const failuresInARow = 8

interface Row {
  readonly failures: number
  readonly last: PlatformError | undefined
  readonly tolerated: number
}

/** `closed`: requests are sent. `open`: they wait for probes. `down`: they fail until a time. */
type BreakerState =
  | (Row & { readonly phase: 'closed' })
  | (Row & { readonly phase: 'open'; readonly probes: number; readonly openedAtMs: number })
  | (Row & { readonly phase: 'down'; readonly untilMs: number })

type BreakerEvent =
  | { readonly type: 'answered' | 'probe-answered' }
  | { readonly type: 'failed'; readonly error: PlatformError; readonly nowMs: number }
  /** Somebody wants to send. */
  | { readonly type: 'asked' | 'probe-failed'; readonly nowMs: number }

interface BreakerLimits {
  /** The number of failed probes in a row after which the platform counts as down. */
  readonly attempts: number
  readonly deadlineMs: number
  readonly maxDelayMs: number
}

export const closedBreaker: BreakerState = {
  ...{ phase: 'closed', failures: 0, last: undefined, tolerated: failuresInARow },
}

export function afterEvent(state: BreakerState, event: BreakerEvent, limits: BreakerLimits): BreakerState {
  switch (event.type) {
    case 'answered':
      return closedBreaker
    case 'probe-answered':
      return { ...closedBreaker, tolerated: state.tolerated * 2 }
    case 'failed': {
      const failed = { ...state, failures: state.failures + 1, last: event.error }
      return failed.phase === 'closed' && failed.failures >= failed.tolerated ? opened(failed, event.nowMs) : failed
    }
    case 'asked':
      return state.phase === 'down' && event.nowMs >= state.untilMs ? opened(state, event.nowMs) : state
    case 'probe-failed': {
      if (state.phase !== 'open') return state
      const { failures, last, tolerated, openedAtMs } = state
      const probes = state.probes + 1
      const isOver = probes >= limits.attempts || event.nowMs - openedAtMs >= limits.deadlineMs
      if (!isOver) return { ...state, probes }
      return { phase: 'down', failures, last, tolerated, untilMs: event.nowMs + limits.maxDelayMs }
    }
  }
}

function opened({ failures, last, tolerated }: Row, openedAtMs: number): BreakerState {
  return { phase: 'open', failures, last, tolerated, probes: 0, openedAtMs }
}

export function isSignOfDown({ code, status }: PlatformError): boolean {
  return Object.hasOwn(causes, code) || (status !== undefined && downStatuses.has(status))
}

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

interface WaitingRequest {
  readonly method: string
  readonly path: string
  go(): void
  fail(error: PlatformError): void
}

/** `probe` asks what no failed request need resemble. Undefined: the platform answered. */
export class CircuitBreaker {
  readonly #settings: BreakerSettings
  readonly #probe: () => Promise<PlatformError | undefined>
  readonly #over = new AbortController()
  #state: BreakerState = closedBreaker
  /** The same for all who are refused, so that it can be shown once. */
  #sentence = ''
  #waiting: WaitingRequest[] = []

  constructor(settings: BreakerSettings, probe: () => Promise<PlatformError | undefined>) {
    this.#settings = settings
    this.#probe = probe
    settings.signal?.addEventListener('abort', this.#interrupt)
  }

  isOpen(): boolean {
    return this.#state.phase !== 'closed'
  }

  /** Rejects when the platform stays away. */
  async admit({ method, path }: Pick<WaitingRequest, 'method' | 'path'>): Promise<void> {
    this.#take({ type: 'asked', nowMs: this.#settings.timer() })
    if (this.#state.phase === 'down') throw downError(method, path, this.#sentence)
    if (this.#state.phase === 'closed' || this.#over.signal.aborted) return
    await new Promise<void>((go, fail) => this.#waiting.push({ method, path, go, fail }))
  }

  /** Records the outcome of an attempt; `retryAfterMs`: the platform named a time, so it is up. */
  record({ error, retryAfterMs }: AttemptOutcome): void {
    if (error === undefined || retryAfterMs !== undefined || !isSignOfDown(error)) this.#take({ type: 'answered' })
    // Closing the client fails the attempts under way.
    else if (!this.#over.signal.aborted) this.#take({ type: 'failed', error, nowMs: this.#settings.timer() })
  }

  /** Probes no more: nobody is left who waits. */
  close(): void {
    this.#over.abort()
    this.#settings.signal?.removeEventListener('abort', this.#interrupt)
  }

  // A waiting request notices the interrupt itself.
  readonly #interrupt = (): void => {
    this.#over.abort()
    this.#letGo()
  }

  #take(event: BreakerEvent): void {
    const before = this.#state
    const state = afterEvent(before, event, this.#settings)
    this.#state = state
    if (state.phase === 'closed' && before.phase !== 'closed') {
      this.#settings.onEvent?.({ kind: 'platform-back' })
      this.#letGo()
    } else if (state.phase === 'down' && before.phase !== 'down') this.#giveUp(state)
    else if (state.phase === 'open' && (before.phase !== 'open' || event.type === 'probe-failed'))
      void this.#probeLater(state)
  }

  #letGo(): void {
    for (const { go } of this.#waiting.splice(0)) go()
  }

  #giveUp({ failures, last }: BreakerState): void {
    this.#settings.onEvent?.({ kind: 'platform-down', reason: reasonOf(last), failures })
    this.#sentence = sentenceOf(failures, last)
    for (const { fail, method, path } of this.#waiting.splice(0)) fail(downError(method, path, this.#sentence))
  }

  async #probeLater({ probes, failures, last }: BreakerState & { readonly phase: 'open' }): Promise<void> {
    const { maxDelayMs, random, sleep, timer, onEvent } = this.#settings
    const longestMs = Math.min(maxDelayMs, firstDelayMs * 2 ** probes)
    // At least half of it: no pause would be no relief.
    const delayMs = Math.round(longestMs * (0.5 + random() / 2))
    const isOver = () => this.#state.phase !== 'open' || this.#over.signal.aborted
    onEvent?.({ kind: 'platform-silent', delayMs, failures, reason: reasonOf(last) })
    await sleep(delayMs, this.#over.signal).catch(() => undefined)
    if (isOver()) return
    const error = await this.#probe().catch((reason: unknown) => {
      return reason instanceof PlatformError ? reason : this.#state.last
    })
    if (isOver()) return
    if (error !== undefined && isSignOfDown(error)) this.#take({ type: 'probe-failed', nowMs: timer() })
    else this.#take({ type: 'probe-answered' })
  }
}

function reasonOf(error: PlatformError | undefined) {
  return { code: error?.code ?? '', status: error?.status }
}

function sentenceOf(failures: number, last: PlatformError | undefined): string {
  const why = last?.status === undefined ? causes[last?.code ?? ''] : `it answered ${last.status}`
  return `The platform is down: ${failures} requests in a row failed, the last because ${why}`
}

/** The error of a request that was not sent. */
function downError(method: string, path: string, sentence: string): PlatformError {
  return new PlatformError(
    failureCodes.platformDown,
    sentence,
    { kind: 'unreachable', method, path },
    { hint: 'Run again when it is back.' },
  )
}
