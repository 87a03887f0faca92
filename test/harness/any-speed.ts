// Limits of time that hold on a machine of any speed, however busy: against what it needs for work that is known, or
// tried again with more.
import { expect } from 'vitest'

/**
 * Fails when the work takes more than `times` as long as known work does here and now: reading numbers out of 4 MB of
 * JSON, some 50 ms on a machine that is idle.
 */
export function expectQuick(work: () => void, times = 60): void {
  const startedMs = performance.now()
  work()
  const tookMs = performance.now() - startedMs
  // No machine reads the numbers in less than 5 ms.
  if (tookMs < times * 5) return
  // Once more where it seems slow: the machine may have been busy meanwhile.
  if (tookMs >= times * knownWorkMs()) expect(tookMs).toBeLessThan(times * knownWorkMs())
}

const known = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ svcId: `user${index}`, at: index })))

function knownWorkMs(): number {
  const startedMs = performance.now()
  const items = JSON.parse(known) as { readonly at: number }[]
  items.sort((a, b) => b.at - a.at)
  return performance.now() - startedMs
}

/**
 * Tries what needs a short limit of time for answers that never come, and again with ten and forty times as much: on a
 * busy machine an answer that was on its way looks like one that never comes. What fails each time is a failure, and so
 * is at once what does not look late.
 */
export async function withEnoughTime<T>(
  limitMs: number,
  attempt: (limitMs: number) => Promise<T>,
  looksLate: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (const times of [1, 10]) {
    try {
      return await attempt(limitMs * times)
    } catch (error) {
      if (!looksLate(error)) throw error
    }
  }
  return attempt(limitMs * 40)
}
