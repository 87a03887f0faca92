// The policy of repetition, by itself: what may be repeated, and when.
import { describe, expect, it } from 'vitest'
import { failureCodes, PlatformError } from '../../src/errors/index.ts'
import { nextDelayMs, parseRetryAfter } from '../../src/platform/retry-delay.ts'

const state = {
  failures: 1,
  attempts: 5,
  maxDelayMs: 3000,
  remainingMs: 60_000,
  retryAfterMs: undefined,
  random: () => 1,
}

function failure(kind: PlatformError['kind'], status?: number, code = 'SVC3001'): PlatformError {
  return new PlatformError(code, 'x', { kind, method: 'POST', path: '/x', status })
}

describe('nextDelayMs', () => {
  it.each([
    ['unreachable', undefined, true, true],
    ['lost', undefined, true, false],
    ['unreadable', 200, true, false],
    ['status', 429, true, true],
    ['status', 503, true, false],
    ['status', 500, true, false],
    ['status', 502, true, false],
    ['status', 504, true, false],
    ['status', 400, false, false],
    ['status', 404, false, false],
    ['status', 409, false, false],
  ] as const)('%s %s: reads %s, writes %s', (kind, status, reads, writes) => {
    expect(nextDelayMs(failure(kind, status), 'reads', state) !== undefined).toBe(reads)
    expect(nextDelayMs(failure(kind, status), 'writes', state) !== undefined).toBe(writes)
  })

  it('repeats a write after 503 where it says when to come again: without that, it may have been carried out', () => {
    const failure = { kind: 'status', method: 'POST', path: '/x', status: 503, asksToWait: true } as const
    expect(nextDelayMs(new PlatformError('SVC3034', 'x', failure), 'writes', state)).toBeGreaterThan(0)
  })

  it('never repeats what an untrusted certificate or an interrupt ended', () => {
    expect(nextDelayMs(failure('unreachable', undefined, 'SVC3003'), 'reads', state)).toBeUndefined()
    expect(nextDelayMs(failure('lost', undefined, 'SVC3005'), 'reads', state)).toBeUndefined()
  })

  it('doubles up to the cap, with jitter over the whole width', () => {
    const delays = [1, 2, 3, 4].map((failures) => nextDelayMs(failure('lost'), 'reads', { ...state, failures }))
    expect(delays).toEqual([500, 1000, 2000, 3000])
    expect(nextDelayMs(failure('lost'), 'reads', { ...state, random: () => 0 })).toBe(0)
    expect(nextDelayMs(failure('lost'), 'reads', { ...state, failures: 5 })).toBeUndefined()
  })

  it('waits as long as it is told, unless the deadline comes first', () => {
    const told = { ...state, retryAfterMs: 45_000 }
    expect(nextDelayMs(failure('status', 429), 'writes', told)).toBe(45_000)
    expect(nextDelayMs(failure('status', 429), 'writes', { ...told, remainingMs: 45_000 })).toBeUndefined()
  })

  it('is more patient with an answer that says when to come back, but not without end', () => {
    const told = { ...state, retryAfterMs: 1000 }
    const busy = failure('status', 429)
    expect(nextDelayMs(busy, 'reads', { ...told, failures: 20 })).toBeGreaterThan(0)
    expect(nextDelayMs(busy, 'reads', { ...told, failures: 49 })).toBe(3000)
    expect(nextDelayMs(busy, 'reads', { ...told, failures: 50 })).toBeUndefined()
    expect(nextDelayMs(busy, 'reads', { ...told, attempts: 1 })).toBeUndefined()
  })
})

describe('nextDelayMs', () => {
  it.each([
    [failureCodes.unreachable, 'unreachable', true],
    [failureCodes.nameNotFound, 'unreachable', true],
    [failureCodes.proxyFailed, 'unreachable', true],
    [failureCodes.tlsFailed, 'unreachable', false],
    [failureCodes.timedOut, 'lost', true],
    [failureCodes.interrupted, 'lost', false],
    [failureCodes.cutShort, 'unreadable', true],
    [failureCodes.tooLarge, 'unreadable', false],
  ] as const)('%s of the kind %s: repeated %s', (code, kind, expected) => {
    const error = failure(kind as PlatformError['kind'], undefined, code)
    expect(nextDelayMs(error, 'reads', state) !== undefined).toBe(expected)
  })

  it('doubles up to the longest, by chance less, and never beyond the time that is left', () => {
    const delayOf = (more: Partial<typeof state> | { readonly retryAfterMs: number }) =>
      nextDelayMs(failure('lost'), 'reads', { ...state, attempts: 9, ...more } as typeof state)
    expect([1, 2, 3, 4, 8, 9].map((failures) => delayOf({ failures }))).toEqual([
      500,
      1000,
      2000,
      3000,
      3000,
      undefined,
    ])
    expect(delayOf({ random: () => 0.5 })).toBe(250)
    expect(delayOf({ retryAfterMs: 400 })).toBe(500)
    expect(delayOf({ retryAfterMs: 600 })).toBe(600)
    expect([500, 501].map((remainingMs) => delayOf({ remainingMs }))).toEqual([undefined, 500])
  })
})

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  it.each([
    ['7', 7000],
    ['1.5', 1500],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 12:00:09 GMT', 9000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['-3', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j means %s ms', (header, delayMs) => {
    expect(parseRetryAfter(header, now)).toBe(delayMs)
  })
})
