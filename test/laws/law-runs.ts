// How often each law is tried: SVCSYNC_LAW_RUNS, or few enough for every run of the tests.
import type { Parameters } from 'fast-check'

/** `share`: laws that take long are tried less often. A failure prints the seed and the path to repeat it with. */
export function lawRuns<T>(share = 1): Parameters<T> {
  const runs = Number(process.env.SVCSYNC_LAW_RUNS ?? 40)
  return { numRuns: Math.max(1, Math.round(runs * share)), endOnFailure: false, interruptAfterTimeLimit: 60_000 }
}
