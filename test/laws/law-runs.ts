// How often each law is tried: SVCSYNC_LAW_RUNS, or few enough for every run of the tests. SVCSYNC_LAW_SEED and
// SVCSYNC_LAW_PATH repeat the case that a failure has printed.
import type { Parameters } from 'fast-check'

/** `share`: laws that take long are tried less often. A failure prints the seed and the path to repeat it with. */
export function lawRuns<T>(share = 1): Parameters<T> {
  const { SVCSYNC_LAW_RUNS, SVCSYNC_LAW_SEED, SVCSYNC_LAW_PATH } = process.env
  const runs = Number(SVCSYNC_LAW_RUNS ?? 40)
  const again = {
    ...(SVCSYNC_LAW_SEED !== undefined && { seed: Number(SVCSYNC_LAW_SEED) }),
    ...(SVCSYNC_LAW_PATH !== undefined && { path: SVCSYNC_LAW_PATH }),
  }
  return {
    numRuns: Math.max(1, Math.round(runs * share)),
    endOnFailure: false,
    interruptAfterTimeLimit: 60_000,
    ...again,
  }
}
