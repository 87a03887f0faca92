// Runs the tests that come upon each planted fault, one after the other, in this process. `run.ts` starts it, since a fault may
// make it hang. Prints a line of JSON for each fault: whether a test noticed it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node'
import { type PlantedFault, plantFaults } from './plant-faults.ts'

export interface Trial {
  readonly sources: readonly string[]
  readonly tests: readonly string[]
  /** For what is kept between two starts. */
  readonly folder: string
  /** The first fault to try. */
  readonly from: number
  /** Every how many. */
  readonly every: number
}

export type Line =
  | { readonly total: number }
  /** `limitMs`: what takes longer hangs. */
  | { readonly trying: number; readonly limitMs: number }
  | { readonly fault: PlantedFault & { readonly file: string }; readonly noticed: boolean }

/** Of test files that are run for one fault, by what they took before; the quickest come first. */
const mostMs = 20_000
const say = (line: Line): void => void process.stdout.write(`@${JSON.stringify(line)}\n`)
const trial = JSON.parse(process.argv[2] as string) as Trial
const sources = new Map<string, { code: string; faults: readonly PlantedFault[] }>()
const faults: (PlantedFault & { file: string })[] = []
for (const file of trial.sources) {
  const planted = plantFaults(readFileSync(file, 'utf8'), faults.length)
  sources.set(resolve(file), planted)
  faults.push(...planted.faults.map((fault) => ({ ...fault, file })))
}
const vitest = await createVitest(
  'test',
  {
    config: false,
    watch: false,
    include: [...trial.tests],
    setupFiles: [join(import.meta.dirname, 'planted.setup.ts')],
    pool: 'threads',
    maxWorkers: 2,
    bail: 1,
    reporters: [{}],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  { plugins: [{ name: 'planted-faults', enforce: 'pre', load: (id) => sources.get(id)?.code }], logLevel: 'silent' },
)
const hits = join(trial.folder, 'hits')
const project = vitest.getRootProject()
project.provide('hits', hits)

async function run(specifications: TestSpecification[], planted: number) {
  project.provide('planted', planted)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  return {
    testModules,
    hasFailed: unhandledErrors.length > 0 || testModules.some((module) => module.state() !== 'passed'),
  }
}

function firstFailure(modules: readonly TestModule[]): string {
  const errors = modules.flatMap((module) => [
    ...module.errors(),
    ...[...module.children.allTests('failed')].flatMap((test) => test.result().errors ?? []),
  ])
  return errors[0]?.stack ?? errors[0]?.message ?? 'of itself'
}

const timesFile = join(trial.folder, 'times.json')
const all = await vitest.globTestSpecifications()
if (!existsSync(timesFile)) {
  const { testModules, hasFailed } = await run(all, -1)
  if (hasFailed) throw new TypeError(`The tests fail without any fault: ${firstFailure(testModules)}`)
  const times = testModules.map((module) => [module.moduleId, module.diagnostic().duration])
  writeFileSync(timesFile, JSON.stringify(Object.fromEntries(times)))
}
const times = JSON.parse(readFileSync(timesFile, 'utf8')) as Record<string, number>
const hitBy = new Map<number, string[]>()
for (const file of readdirSync(hits)) {
  for (const number of JSON.parse(readFileSync(join(hits, file), 'utf8')) as number[]) {
    hitBy.set(number, [...(hitBy.get(number) ?? []), file.replaceAll('%', '/')])
  }
}
say({ total: faults.length })
for (const fault of faults) {
  if (fault.number < trial.from || fault.number % trial.every !== 0) continue
  const files = (hitBy.get(fault.number) ?? []).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0))
  say({ trying: fault.number, limitMs: 40_000 + 20 * files.reduce((sum, file) => sum + (times[file] ?? 0), 0) })
  let noticed = false
  let spentMs = 0
  for (const file of files) {
    spentMs += times[file] ?? 0
    if (noticed || (spentMs > mostMs && file !== files[0])) break
    const specifications = all.filter(({ moduleId }) => moduleId === file)
    noticed = (await run(specifications, fault.number)).hasFailed
  }
  say({ fault, noticed })
}
await vitest.close()
process.exit(0)
