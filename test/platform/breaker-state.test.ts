// The transitions of the circuit breaker, without any request.
import { describe, expect, it } from 'vitest'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { afterEvent, CircuitBreaker, closedBreaker, isSignOfDown } from '../../src/platform/circuit-breaker.ts'

type BreakerState = typeof closedBreaker
type BreakerEvent = Parameters<typeof afterEvent>[1]

const limits = { attempts: 3, deadlineMs: 1000, maxDelayMs: 500 }
const error = new PlatformError(failureCodes.timedOut, 'no answer', { kind: 'lost', method: 'GET', path: '/me' })
const failed = (nowMs = 0): BreakerEvent => ({ type: 'failed', error, nowMs })
const through = (state: BreakerState, ...events: readonly BreakerEvent[]): BreakerState =>
  events.reduce((before, event) => afterEvent(before, event, limits), state)
const failures = (count: number, nowMs = 0) => Array.from({ length: count }, () => failed(nowMs))
const open = through(closedBreaker, ...failures(8, 100))

describe('a circuit breaker', () => {
  it('opens at the eighth failure in a row, and not before', () => {
    expect(through(closedBreaker, ...failures(7))).toMatchObject({ phase: 'closed', failures: 7 })
    expect(open).toMatchObject({ phase: 'open', failures: 8, last: error, probes: 0, openedAtMs: 100 })
    expect(through(closedBreaker, ...failures(7), { type: 'answered' }, ...failures(7)).phase).toBe('closed')
  })

  it('counts on while it is open, and closes with whatever is answered', () => {
    expect(through(open, failed())).toMatchObject({ phase: 'open', failures: 9 })
    expect(through(open, { type: 'answered' })).toEqual(closedBreaker)
  })

  it('tolerates twice as many each time that nothing but a probe was answered', () => {
    const again = through(open, { type: 'probe-answered' })
    expect(again).toMatchObject({ phase: 'closed', failures: 0, tolerated: 16 })
    expect(through(again, ...failures(15)).phase).toBe('closed')
    expect(through(again, ...failures(16), { type: 'probe-answered' }).tolerated).toBe(32)
    expect(through(again, { type: 'answered' }).tolerated).toBe(8)
  })

  it('gives up after so many probes, or so much time', () => {
    const probe = (nowMs: number): BreakerEvent => ({ type: 'probe-failed', nowMs })
    expect(through(open, probe(200), probe(300))).toMatchObject({ phase: 'open', probes: 2 })
    expect(through(open, probe(200), probe(300), probe(400))).toMatchObject({
      phase: 'down',
      untilMs: 900,
      failures: 8,
    })
    expect(through(open, probe(1100))).toMatchObject({ phase: 'down', untilMs: 1600 })
    expect(through(closedBreaker, probe(0))).toEqual(closedBreaker)
  })

  it('looks again for a platform that was down when somebody asks after the time', () => {
    const down = through(open, { type: 'probe-failed', nowMs: 1100 })
    expect(through(down, { type: 'asked', nowMs: 1599 })).toEqual(down)
    expect(through(down, { type: 'asked', nowMs: 1600 })).toMatchObject({ phase: 'open', probes: 0, openedAtMs: 1600 })
    expect(through(open, { type: 'asked', nowMs: 5000 })).toEqual(open)
  })
})

it('only what does not answer at all, and 500, 502, 503 and 504, is a sign that the platform is down', () => {
  const status = (of: number) =>
    new PlatformError(failureCodes.notFound, 'no', { kind: 'status', method: 'GET', path: '/', status: of })
  expect([500, 502, 503, 504].every((of) => isSignOfDown(status(of)))).toBe(true)
  expect([400, 401, 404, 409, 429, 501].some((of) => isSignOfDown(status(of)))).toBe(false)
  expect(isSignOfDown(error)).toBe(true)
})

const refusal = new PlatformError(failureCodes.credentialsRefused, 'no', { kind: 'status', method: 'POST', path: '/' })
it.each([
  ['a token is refused', refusal, ['platform-silent', 'platform-back']],
  ['it fails as before', error, ['platform-silent', 'platform-silent', 'platform-silent', 'platform-down']],
  ['svcsync fails', new TypeError('x'), ['platform-silent', 'platform-silent', 'platform-silent', 'platform-down']],
])('a probe that is rejected since %s tells %#', async (_why, rejected, expected) => {
  const told: { readonly kind: string; readonly delayMs?: number }[] = []
  const settings = { ...limits, timer: () => 0, sleep: async () => undefined, random: () => 0.5, signal: undefined }
  const breaker = new CircuitBreaker({ ...settings, onEvent: (event) => told.push(event) }, () =>
    Promise.reject(rejected),
  )
  for (let count = 0; count < 8; count++) breaker.record({ error })
  await breaker.admit({ method: 'GET', path: '/x' }).catch(() => undefined)
  expect(told.map(({ kind }) => kind)).toEqual(expected)
  expect(told[0]).toMatchObject({ delayMs: 375, failures: 8, reason: { code: failureCodes.timedOut } })
})

it('sleeps and probes no more once it is closed: nothing keeps a process from ending', async () => {
  const done: string[] = []
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(void done.push('slept'))))
  const settings = { ...limits, timer: () => 0, sleep, random: () => 1, signal: undefined, onEvent: undefined }
  const breaker = new CircuitBreaker(settings, async () => void done.push('probed'))
  for (let count = 0; count < 8; count++) breaker.record({ error })
  expect(breaker.isOpen()).toBe(true)
  breaker.close()
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual(['slept'])
})

it('says nothing of a probe that is answered once it is closed', async () => {
  const told: string[] = []
  let answer: (found: PlatformError) => void = () => undefined
  const probe = () => new Promise<PlatformError>((resolve) => (answer = resolve))
  const times = { ...limits, timer: () => 0, sleep: async () => undefined, random: () => 1, signal: undefined }
  const breaker = new CircuitBreaker({ ...times, onEvent: ({ kind }) => told.push(kind) }, probe)
  for (let count = 0; count < 8; count++) breaker.record({ error })
  await new Promise((resolve) => setImmediate(resolve))
  breaker.close()
  answer(error)
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toEqual(['platform-silent'])
})
