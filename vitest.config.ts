// How the tests run: what takes long comes first, and files that change nothing for others share the modules they load.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { globSync } from 'tinyglobby'
import type { Plugin } from 'vitest/config'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepFoldersInMemory } from './test/harness/memory-folder.ts'
import { loadSourcesNatively, nativeSources } from './test/harness/native-sources.ts'
import { nodeFlags } from './test/harness/node-flags.ts'

keepFoldersInMemory()
const files = globSync('test/**/*.test.ts', { ignore: 'test/bench/**' })

/** A module that is replaced stays so for those that come after in the same worker. All else a file puts back itself. */
const changesShared = /\bvi\.mock\(/
const alone = files.filter((file) => changesShared.test(readFileSync(file, 'utf8')))
const together = files.filter((file) => !alone.includes(file))

/**
 * What starts processes: each costs the more, the more memory the worker has taken by then, since its tables are copied.
 * End-to-end tests come after the others: most of their git is started by warm processes, which stay small.
 */
const startsProcesses = /child_process|\/(?:command|repository|git-remote|page-session|protocol-drive)\.ts/
const starting = new Set(files.filter((file) => startsProcesses.test(readFileSync(file, 'utf8'))))

/**
 * With the longest last, one worker would wait for the other. Those that are alone come before all: a worker that is shared
 * ends where the next file is not for it, and another one has to load and to warm up.
 */
const longestFirst = [
  /docs\/pages|e2e\/ledger/,
  /laws\/apply-under-/,
  /\/faults\/|hostile\/mid-apply|secrets-everywhere/,
  /\/(?:laws|editor)\//,
]
class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (project.name === 'alone') return -1
      const found = longestFirst.findIndex((pattern) => pattern.test(moduleId))
      const file = relative(import.meta.dirname, moduleId)
      if (found !== 0 && starting.has(file)) return file.startsWith('test/e2e') ? 0.75 : 0.5
      return found < 0 ? longestFirst.length : found
    }
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b))
  }
}

/** A law takes as long as it is asked for; a case of it has a limit of its own. */
const lawRuns = Number(process.env.SVCSYNC_LAW_RUNS ?? 24)

/** Whoever asks for fast-check gets it with a seed. */
const seeded = join(import.meta.dirname, 'test/harness/seeded-fast-check.ts')
const seededLaws: Plugin = {
  name: 'seeded-laws',
  enforce: 'pre',
  resolveId: (source, importer) => (source === 'fast-check' && importer !== seeded ? seeded : undefined),
}

export default defineConfig({
  plugins: [seededLaws],
  test: {
    // To start a program, the system copies the tables of all memory of the process that starts it: that of one worker is a quarter of all.
    pool: 'forks',
    execArgv: nodeFlags,
    // Twice the cores of a small machine: many tests wait for git, a browser, or a pause.
    maxWorkers: 4,
    // They end what hangs, and nothing that is slow: no test takes a twentieth of that on a machine that is idle.
    testTimeout: Math.max(600_000, lawRuns * 6_000),
    hookTimeout: 120_000,
    // What is waited for comes on a busy machine, too, where git alone may take more than the second that is usual.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        // Who watches the sources wants them as they are at each moment.
        plugins: process.argv.includes('run') ? [await loadSourcesNatively()] : [],
        test: {
          ...{ name: 'together', include: together, isolate: false },
          server: { deps: { external: [nativeSources] } },
        },
      },
    ],
  },
})
