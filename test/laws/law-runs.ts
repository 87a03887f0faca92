// How often each law is tried: SVCSYNC_LAW_RUNS, or few enough for every run of the tests; and with which cases: the
// same each time, others with SVCSYNC_LAW_SEED=random. SVCSYNC_LAW_SEED and SVCSYNC_LAW_PATH repeat the case that a
// failure has printed. A failure is shown soon, and so is a case that hangs.
import fc from 'fast-check'
import { expect } from 'vitest'
import { AuthorError } from '../../src/errors/index.ts'

/** Each law takes its share of SVCSYNC_LAW_RUNS; without it, a third of these (test/harness/seeded-fast-check.ts). */
const asked = Number(process.env.SVCSYNC_LAW_RUNS ?? 18)

export interface LawLimits {
  /** One case: what takes longer than this, and than a hundred times the longest before it, hangs. */
  readonly caseMs: number
  /** How long a smaller case is looked for once one has failed; the one that is being tried ends. */
  readonly shrinkMs: number
}

/** Laws tried so far, by the file of tests. */
const laws = new Map<string, number>()

const usualLimits: LawLimits = { caseMs: 60_000, shrinkMs: 20_000 }

/**
 * Tries a law, each case in turn, and all that were asked for: fewer would be no proof. `share`: laws that take long
 * are tried less often. Rejects with the seed, the path and the smallest case that was found.
 */
export async function tryLaw<T>(property: fc.IRawProperty<T>, share = 1, limits = usualLimits): Promise<void> {
  const { SVCSYNC_LAW_SEED, SVCSYNC_LAW_PATH } = process.env
  const { testPath = '' } = expect.getState()
  const seed = (laws.get(testPath) ?? 0) + 1
  laws.set(testPath, seed)
  await fc.assert(limited(property, limits), {
    includeErrorInReport: true,
    numRuns: Math.max(1, Math.round(asked * share)),
    // Several may try one law side by side: not the same cases.
    ...(SVCSYNC_LAW_SEED === undefined && { seed }),
    ...(SVCSYNC_LAW_PATH !== undefined && { path: SVCSYNC_LAW_PATH }),
  })
}

/** For manifests that come after others: these may name an account that the first ones have deleted, a slip. */
export function skipSlips(error: unknown): never {
  const problems = error instanceof AuthorError ? error.problems.filter(({ severity }) => severity === 'error') : []
  fc.pre(problems.length === 0 || problems.some(({ code }) => code !== 'SVC1403'))
  throw error
}

/** The limits of fast-check end the whole law, whether it has failed or not. */
function limited<T>(property: fc.IRawProperty<T>, { caseMs, shrinkMs }: LawLimits): fc.IRawProperty<T> {
  let shrinkUntilMs = Number.POSITIVE_INFINITY
  // fast-check goes on from a path with all that came after it: to repeat a case is to try that one.
  const isRepeated = process.env.SVCSYNC_LAW_PATH !== undefined
  let tried = 0
  let longestMs = 0
  const judged = (result: Judgement): Judgement => {
    const hasFailed = result !== null && 'error' in result
    if (hasFailed) shrinkUntilMs = Math.min(shrinkUntilMs, performance.now() + shrinkMs)
    return result
  }
  const inTime = (running: Promise<Judgement>): Promise<Judgement> => {
    const startedMs = performance.now()
    const limitMs = Math.max(caseMs, 100 * longestMs)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Judgement>((resolve) => {
      timer = setTimeout(() => {
        // It still has hold of the platform that a smaller case would be tried on.
        shrinkUntilMs = 0
        resolve({ error: new Error(`This case did not end within ${limitMs / 1000} s: something waits for ever.`) })
      }, limitMs)
    })
    return Promise.race([running, late]).finally(() => {
      clearTimeout(timer)
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    })
  }
  return {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value).takeWhile(() => performance.now() < shrinkUntilMs),
    run: (value) => {
      if (isRepeated && ++tried > 1 && shrinkUntilMs === Number.POSITIVE_INFINITY) return null as never
      const result: Judgement | Promise<Judgement> = property.run(value)
      return (result instanceof Promise ? inTime(result).then(judged) : judged(result)) as never
    },
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
  }
}

type Judgement = fc.PreconditionFailure | fc.PropertyFailure | null
