// Runs tests in this process while one planted fault is on. `run.ts` starts it, since a fault may make it hang, and
// says which.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { createVitest, type PoolOptions, type TestModule, type TestSpecification } from 'vitest/node'
import config from '../../vitest.config.ts'
import { createKeptThread, type KeptThread } from './kept-thread.ts'
import { plantFaults } from './plant-faults.ts'

export interface Planting {
  readonly sources: readonly string[]
  readonly tests: readonly string[]
  /** The file with the faults that each test reaches. */
  readonly survey: string
}

/** Some tests of a file. */
export interface Slice {
  readonly file: string
  readonly ids: readonly string[]
}

/** Without slices all tests are run and no fault is on: that is the survey. */
export interface Trial {
  readonly planted: number
  readonly slices?: readonly Slice[]
  /** It is come upon as modules are loaded: they have to be loaded with it. */
  readonly loads?: boolean
}

export interface Outcome {
  /** The first test that failed, with what it said. */
  readonly failed?: string
  /**
   * A file some of whose tests fail without any fault, where those before them were left out: it says nothing but as a
   * whole.
   */
  readonly whole?: string
  /** The message of the failure. */
  readonly why?: string
  readonly times?: Times
}

/** How long each file takes to load, and each test. */
export type Times = Readonly<
  Record<string, { readonly loadMs: number; readonly tests: Readonly<Record<string, number>> }>
>

const { sources, tests, survey } = JSON.parse(process.argv[2] as string) as Planting
const isSurvey = process.argv[3] === 'survey'
const code = new Map<string, string>()
let first = 0
for (const file of sources) {
  const planted = plantFaults(readFileSync(file, 'utf8'), first)
  code.set(resolve(file), planted.code)
  first += planted.faults.length
}

const wanted = new Set(tests.map((file) => resolve(file)))
const plugins = [
  ...(config.plugins ?? []),
  { name: 'planted-faults', enforce: 'pre' as const, load: (id: string) => code.get(id) },
]
let kept: KeptThread | undefined
const keep = (options: PoolOptions): KeptThread => {
  kept ??= createKeptThread(options)
  return kept
}
const given = (config.test?.projects ?? []) as TestProjectInlineConfiguration[]
const projects = given.map(({ test }) => ({
  plugins,
  test: {
    ...test,
    include: (test?.include ?? []).filter((file) => wanted.has(resolve(file))),
    setupFiles: [join(import.meta.dirname, 'planted.setup.ts')],
    pool: isSurvey || test?.isolate !== false ? ('threads' as const) : { name: 'kept', createPoolWorker: keep },
    maxWorkers: isSurvey ? 2 : 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Git alone may take the second that is usual.
    expect: { poll: { timeout: 10_000 } },
    // An isolated file shows its own loads.
    ...(isSurvey && { isolate: true }),
  },
}))
class AsGiven {
  sort = (specifications: TestSpecification[]) => specifications
  shard = this.sort
}
const vitest = await createVitest(
  'test',
  {
    config: false,
    watch: false,
    projects,
    maxWorkers: isSurvey ? 2 : 1,
    bail: isSurvey ? 0 : 1,
    update: 'none',
    reporters: [{}],
    sequence: { sequencer: AsGiven as never },
  },
  { logLevel: 'silent' },
)
const all = await vitest.globTestSpecifications()

interface Failure {
  readonly text: string
  /** Undefined where nobody knows which one it was. */
  readonly file?: string
}

function firstFailure(modules: readonly TestModule[]): Failure | undefined {
  for (const module of modules) {
    const file = module.moduleId
    for (const { message } of module.errors()) return { text: `${module.relativeModuleId}: ${message}`, file }
    for (const test of module.children.allTests('failed')) {
      const text = `${module.relativeModuleId} > ${test.fullName}: ${test.result().errors?.[0]?.message}`
      return { text, file }
    }
    if (module.state() === 'failed') return { text: module.relativeModuleId, file }
  }
  return undefined
}

async function runOnce(planted: number, slices: readonly Slice[] | undefined) {
  for (const project of vitest.projects) {
    project.provide('planted', planted)
    project.provide('faults', first)
    project.provide('survey', survey)
  }
  const specifications = slices?.flatMap(({ file, ids }) => {
    const found = all.filter(({ moduleId }) => moduleId === file)
    for (const specification of found) specification.testIds = [...ids]
    return found
  })
  const chosen = specifications ?? all
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen)
  // The result also holds files of earlier runs, with their old outcomes.
  const files = new Set(chosen.map(({ moduleId }) => moduleId))
  const own = testModules.filter(({ moduleId }) => files.has(moduleId))
  const [unhandled] = unhandledErrors
  const failure = firstFailure(own) ?? (unhandled === undefined ? undefined : { text: String(unhandled) })
  return { own, failure }
}

/** A number that no fault has. */
const none = 2 ** 30

async function run({ planted, slices, loads = false }: Trial): Promise<Outcome> {
  if (loads) await kept?.end()
  const isFirst = kept?.isUsed() !== true
  const { own, failure } = await runOnce(planted, slices)
  if (slices === undefined) return { ...(failure && { failed: failure.text }), times: timesOf(own) }
  vitest.state.filesMap.clear()
  if (loads) await kept?.end()
  if (failure === undefined) return {}
  const failed = { failed: failure.text }
  const { file } = failure
  if (file === undefined) return failed
  const alone = slices.filter((slice) => slice.file === file)
  if ((await whyFails(alone)) === undefined) return failed
  // The fault, or one before it, may have left something behind in the modules.
  await kept?.end()
  if (!isFirst) return run({ planted, slices, loads })
  const why = await whyFails(alone)
  return why === undefined ? failed : { whole: file, why }
}

/** A test that fails with a fault must pass without any: undefined. */
async function whyFails(slices: readonly Slice[]): Promise<string | undefined> {
  const { failure } = await runOnce(none, slices)
  vitest.state.filesMap.clear()
  return failure?.text
}

function timesOf(modules: readonly TestModule[]): Times {
  const times = modules.map((module) => {
    const { collectDuration, prepareDuration, setupDuration } = module.diagnostic()
    const each = [...module.children.allTests('passed')].map((test) => [test.id, test.diagnostic()?.duration ?? 0])
    const loadMs = collectDuration + prepareDuration + setupDuration
    return [module.moduleId, { loadMs, tests: Object.fromEntries(each) }]
  })
  return Object.fromEntries(times)
}

process.on('message', (trial: Trial) => {
  run(trial).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => process.send?.({ failed: String(error) } satisfies Outcome),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.({} satisfies Outcome)
