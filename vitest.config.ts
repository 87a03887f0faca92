// How the tests run: what takes long comes first, and files that change nothing for others share the modules they load.
import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const files = globSync('test/**/*.test.ts', { ignore: 'test/bench/**' })

/** What a file changes for those that come after it in the same worker: intercepted requests, mocks, limits, variables. */
const changesShared = /from 'nock'|\bvi\b|\bprocess\.env\.\w+ = |law-runs\.ts|apply-lanes\.ts/
const alone = files.filter((file) => changesShared.test(readFileSync(file, 'utf8')))
const together = files.filter((file) => !alone.includes(file))

/** With the longest last, one worker would wait for the other. */
const longestFirst = [/laws\/apply-under-/, /\/faults\//, /\/(?:laws|e2e|editor)\//]

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longestFirst.findIndex((pattern) => pattern.test(moduleId))
      return found < 0 ? longestFirst.length : found
    }
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'together', include: together, isolate: false } },
    ],
  },
})
