// When what synchronises is looked for: on a clock of its own, for platforms that take any time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLookTimes, nextLookMs } from '../../src/apply/look-times.ts'
import { Synchronisation } from '../../src/apply/synchronisation.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { PlatformPort, PlatformRequest } from '../../src/core/model/platform-port.ts'
import { group } from '../../src/kinds/group/index.ts'

interface Wait {
  readonly endedMs: number
  readonly looks: number
}

/** Waits for one object that takes `tookMs`, by looks that take no time. */
function waitFor(times: ReturnType<typeof createLookTimes>, tookMs: number): Wait {
  let lookedMs: number | undefined
  for (let looks = 1; looks < 1000; looks++) {
    const nowMs: number = times.nextMs('group', lookedMs)
    if (nowMs >= tookMs) {
      times.learn('group', lookedMs ?? 0, nowMs)
      return { endedMs: nowMs, looks }
    }
    lookedMs = nowMs
  }
  throw new TypeError('it is looked for without an end')
}

const anyTimeMs = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 600_000 }))

describe('the first object', () => {
  it('is looked for at once, and then after at most 15 % of the time waited so far', () => {
    fc.assert(
      fc.property(anyTimeMs, (tookMs) => {
        const { endedMs, looks } = waitFor(createLookTimes(), tookMs)
        expect(endedMs).toBeLessThanOrEqual(Math.max(tookMs * 1.15, tookMs + 25))
        expect(looks).toBeLessThanOrEqual(9 + Math.max(0, Math.log(tookMs / 167) / Math.log(1.15)))
      }),
    )
  })
})

describe('those after it', () => {
  it('are seen within 1.10 times of what they take, by six looks, where all take the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 600_000 }), fc.integer({ min: 2, max: 20 }), (tookMs, levels) => {
        const times = createLookTimes()
        waitFor(times, tookMs)
        for (let level = 2; level <= levels; level++) {
          const { endedMs, looks } = waitFor(times, tookMs)
          expect(endedMs).toBeLessThanOrEqual(tookMs * 1.1)
          expect(looks).toBeLessThanOrEqual(6)
        }
      }),
    )
  })

  it('are never kept waiting for more than twice what they take, or half of what the one before took', () => {
    fc.assert(
      fc.property(fc.array(anyTimeMs, { minLength: 2, maxLength: 40 }), (all) => {
        const times = createLookTimes()
        let lastMs = 0
        for (const tookMs of all) {
          const { endedMs, looks } = waitFor(times, tookMs)
          expect(endedMs).toBeLessThanOrEqual(Math.max(tookMs * 2.1, tookMs + 25, lastMs / 2))
          expect(looks).toBeLessThanOrEqual(12 + Math.max(0, Math.log(tookMs / 167) / Math.log(1.15)))
          lastMs = endedMs
        }
      }),
    )
  })

  it('do not wait for one that took long', () => {
    const times = createLookTimes()
    for (const tookMs of [2000, 500_000, 400_000]) waitFor(times, tookMs)
    expect(waitFor(times, 2000).endedMs).toBeLessThanOrEqual(2200)
  })

  it('are looked for anew where the platform has become quicker: soon as closely as before', () => {
    const times = createLookTimes()
    for (let level = 0; level < 10; level++) waitFor(times, 10_000)
    expect(waitFor(times, 1000).endedMs).toBeLessThan(5000)
    const later = [1, 2, 3, 4].map(() => waitFor(times, 1000).endedMs)
    expect(later.at(-1)).toBeLessThanOrEqual(1100)
  })

  it('learn that the platform has become slower', () => {
    const times = createLookTimes()
    for (let level = 0; level < 10; level++) waitFor(times, 1000)
    const slow = Array.from({ length: 10 }, () => waitFor(times, 10_000))
    for (const { endedMs } of slow) expect(endedMs).toBeLessThanOrEqual(11_500)
    expect(slow.at(-1)?.endedMs).toBeLessThanOrEqual(11_000)
    expect(slow.at(-1)?.looks).toBeLessThanOrEqual(6)
  })
})

describe('levels of nested groups', () => {
  /**
   * What `perLevel` groups a level took, each level begun when the one before was seen; `latencyMs` for each answer.
   */
  async function climb(levels: number, perLevel: number, tookMs: number, latencyMs: number): Promise<readonly Wait[]> {
    let nowMs = 0
    let requests = 0
    const readyAtMs = new Map<string, number>()
    const shown = (svcId: string, askedMs: number) => ({
      svcId,
      name: svcId,
      email: null,
      status: askedMs < (readyAtMs.get(svcId) ?? 0) ? 'WaitingForSynchronization' : 'Synchronized',
    })
    const answer = async ({ path, query }: PlatformRequest) => {
      const askedMs = nowMs
      requests++
      await clock.sleep(latencyMs)
      if (path === '/admin/group') return { ...shown(String(query?.svcId), askedMs), members: [], owners: [] }
      return { groups: query?.page === 0 ? [...readyAtMs.keys()].map((svcId) => shown(svcId, askedMs)) : [] }
    }
    const clock = virtualClock((ms) => {
      nowMs = ms
    })
    const send = answer as PlatformPort['send']
    const normalise = normaliserOf('ignore-case')
    const port: PlatformPort = { send, normalise, authorise: async () => {}, apiVersion: '6.0' }
    const synchronisation = new Synchronisation({
      port,
      pageSize: 200,
      timeoutMs: 600_000,
      timer: () => nowMs,
      sleep: clock.sleep,
      onWaiting: () => {},
      onPlatformDown: () => {},
    })
    synchronisation.hurry(true)
    const waits: Wait[] = []
    for (let level = 0; level < levels; level++) {
      const [startedMs, before] = [nowMs, requests]
      const names = Array.from({ length: perLevel }, (_, index) => `g${level}-${index}@example.com`)
      for (const svcId of names) readyAtMs.set(svcId, nowMs + tookMs)
      await Promise.all(
        names.map((svcId) =>
          synchronisation.wait({
            kind: group,
            address: `group/${svcId}`,
            at: { self: svcId, name: svcId },
            until: 'ready',
            urgent: true,
          }),
        ),
      )
      waits.push({ endedMs: nowMs - startedMs, looks: requests - before })
    }
    return waits
  }

  it.each([1, 2, 40])('take 1.10 times what the platform takes from the second level on: %i in each', async (many) => {
    const [, ...later] = await climb(6, many, 2000, 20)
    expect(later).toHaveLength(5)
    for (const { endedMs, looks } of later) {
      expect(endedMs).toBeLessThanOrEqual(2200)
      // Many are looked for by the list: two pages a look.
      expect(looks).toBeLessThanOrEqual(many === 1 ? 6 : 12)
    }
  })
})

/** Time that goes on when nothing else can. */
function virtualClock(onNow: (nowMs: number) => void) {
  const sleepers: { readonly untilMs: number; readonly wake: () => void }[] = []
  let nowMs = 0
  let turning = false
  const turn = (): void => {
    const next = sleepers.sort((a, b) => a.untilMs - b.untilMs).shift()
    turning = next !== undefined
    if (next === undefined) return
    nowMs = Math.max(nowMs, next.untilMs)
    onNow(nowMs)
    next.wake()
    setImmediate(turn)
  }
  return {
    sleep: (delayMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const sleeper = { untilMs: nowMs + delayMs, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', () => {
          const at = sleepers.indexOf(sleeper)
          if (at >= 0) sleepers.splice(at, 1)
          resolve()
        })
        if (turning) return
        turning = true
        setImmediate(turn)
      }),
  }
}

describe('the next look of a watch', () => {
  const waited = (dueMs: number, urgent = false, sinceMs = 0) => ({ sinceMs, dueMs, urgent })

  it('comes when the first is due, but no sooner than others can do without its requests', () => {
    expect(nextLookMs({ startedMs: 0 }, false, [waited(10, true), waited(900, true)])).toBe(300)
    expect(nextLookMs({ startedMs: 0, lookedAtMs: 1000 }, false, [waited(10, true)])).toBe(1300)
    expect(nextLookMs({ startedMs: 0 }, false, [waited(900, true)])).toBe(900)
  })

  it('can wait for those for whom nobody waits, unless somebody does for another', () => {
    expect(nextLookMs({ startedMs: 0 }, false, [waited(10)])).toBe(15_000)
    expect(nextLookMs({ startedMs: 0 }, false, [waited(10), waited(20, true)])).toBe(300)
  })

  it('comes at once where nothing else can go on, and then after a share of the time that was waited', () => {
    expect(nextLookMs({ startedMs: 5 }, true, [waited(0), waited(0)])).toBe(5)
    expect(nextLookMs({ startedMs: 5, lookedAtMs: 1000 }, true, [waited(0), waited(0, false, 900)])).toBe(1025)
    expect(nextLookMs({ startedMs: 5, lookedAtMs: 1000 }, true, [waited(0)])).toBe(1060)
  })

  it('never comes where nobody waits', () => {
    expect(nextLookMs({ startedMs: 0 }, true, [])).toBe(Number.POSITIVE_INFINITY)
  })
})
