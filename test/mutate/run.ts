// `npm run mutate`: plants faults in the sources, one at a time, and says which of them no test notices.
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { globSync } from 'tinyglobby'
import { equivalentFaults } from './equivalent-faults.ts'
import { choose, planTrials, readSurvey, type Survey } from './plan-trials.ts'
import { type PlantedFault, plantFaults } from './plant-faults.ts'
import type { Outcome, Planting, Times, Trial } from './try-faults.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true, default: ['test'] },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'most-seconds': { type: 'string', default: '120' },
    workers: { type: 'string', default: '2' },
    /** `src/core/guards/limits.ts:15`: the faults of one line, with what notices them. */
    line: { type: 'string', multiple: true },
    /** A folder for what each test comes upon, to be used again while sources and tests stay as they are. */
    survey: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
})
/** The goal's rooms first. Faults are planted in all of them, so that a survey serves for each. */
const allRooms = [
  ...['src/core/guards', 'src/core/access', 'src/core/saved', 'src/ledger', 'src/apply', 'src/live', 'src/platform'],
  ...['src/journal', 'src/core'],
]
const lines = values.line ?? []
const showsAll = values.all || lines.length > 0
/** Tests that start the built command, or do not check its behaviour. */
const otherTests = [
  'test/{e2e,docs,architecture,editor,bench,emulator,yaml-suite,scaffold,cli}/**',
  'test/contract/new-kind.test.ts',
  // It waits for the smallest case, which no law looks for here.
  'test/laws/law-runs.test.ts',
]
const inAll = (paths: readonly string[], ending: string): string[] =>
  paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*${ending}`))
const sources = globSync(inAll(allRooms, '.ts'), { ignore: '**/*.d.ts' }).sort()
const tests = globSync(inAll(values.tests, '.test.ts'), { ignore: otherTests }).sort()

export interface Fault extends PlantedFault {
  readonly file: string
  readonly room: string
}

const within = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`)
const rooms = values.only ?? allRooms
const faults: Fault[] = []
const read = createHash('sha256').update(readFileSync(join(import.meta.dirname, 'plant-faults.ts')))
for (const file of sources) {
  const room = rooms.find((each) => within(file, each)) ?? ''
  const source = readFileSync(file, 'utf8')
  read.update(source)
  for (const fault of plantFaults(source, faults.length).faults) faults.push({ ...fault, file, room })
}
const linesOf = new Map(sources.map((file) => [file, readFileSync(file, 'utf8').split('\n')]))
const equivalent = equivalentFaults.map((listed) =>
  faults.filter(
    ({ file, before, after, line }) =>
      file === listed.file &&
      (listed.before === undefined || oneLine(before) === listed.before) &&
      (listed.after === undefined || oneLine(after) === listed.after) &&
      (listed.line === undefined || linesOf.get(file)?.[line - 1]?.trim() === listed.line),
  ),
)
const stale = equivalentFaults.filter((_, index) => equivalent[index]?.length === 0)
if (stale.length > 0) {
  throw new TypeError(`equivalent-faults.ts lists what is not there any more: ${JSON.stringify(stale, null, 2)}`)
}
const reasons = new Map(
  equivalentFaults.flatMap(({ why }, index) => (equivalent[index] ?? []).map((each) => [each, why])),
)
const chosen = rooms.flatMap((room) => {
  const own = faults.filter((fault) => fault.room === room)
  const ofLines = own.filter(({ file, line }) => lines.length === 0 || lines.includes(`${file}:${line}`))
  return choose(ofLines, Number(values.sample ?? Number.POSITIVE_INFINITY), Number(values.seed))
})

const folder = values.survey ?? mkdtempSync(join(tmpdir(), 'svcsync-mutate-'))
const surveyOf = join(folder, read.digest('hex').slice(0, 12))
mkdirSync(surveyOf, { recursive: true })
const children = new Set<ChildProcess>()

async function startChild(some: readonly string[], ...args: string[]): Promise<ChildProcess> {
  const planting: Planting = { sources, tests: some, survey: surveyOf }
  const child = fork(join(import.meta.dirname, 'try-faults.ts'), [JSON.stringify(planting), ...args], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.add(child)
  await once(child, 'message')
  return child
}

/** Undefined: it took longer than the limit, or ended. */
async function ask(child: ChildProcess, trial: Trial, limitMs: number): Promise<Outcome | undefined> {
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  try {
    return await new Promise<Outcome | undefined>((resolve) => {
      child.removeAllListeners('message').once('message', (outcome) => resolve(outcome as Outcome))
      child.removeAllListeners('exit').once('exit', () => resolve(undefined))
      child.send(trial)
    })
  } finally {
    clearTimeout(timer)
  }
}

async function survey(): Promise<Survey> {
  const surveyed = (test: string): string => join(surveyOf, resolve(test).replaceAll('/', '%'))
  const timesFile = join(surveyOf, 'times.json')
  const before = existsSync(timesFile) ? (JSON.parse(readFileSync(timesFile, 'utf8')) as Times) : {}
  const missing = tests.filter((test) => !existsSync(surveyed(test)))
  if (missing.length === 0) return readSurvey(tests.map(surveyed), before, faults)
  const child = await startChild(missing, 'survey')
  const outcome = await ask(child, { planted: -1 }, 3_600_000)
  child.kill()
  if (outcome?.times === undefined) throw new TypeError(`The tests could not be run: ${outcome?.failed}`)
  if (outcome.failed !== undefined) print(`Left out is what fails without any fault, first ${oneLine(outcome.failed)}`)
  const times = { ...before, ...outcome.times }
  writeFileSync(timesFile, JSON.stringify(times))
  return readSurvey(tests.map(surveyed).filter(existsSync), times, faults)
}

interface Result {
  readonly fault: Fault
  readonly by?: string
  /** A process that hung or died with it. */
  readonly hung: boolean
  /** True if all tests that reach it were run. */
  readonly complete: boolean
}

const wholeFile = join(surveyOf, 'whole.json')
/** Files that fail without any fault even so. */
const useless = new Set<string>()
/** Files whose tests need those before them. */
const whole = new Set<string>(existsSync(wholeFile) ? (JSON.parse(readFileSync(wholeFile, 'utf8')) as string[]) : [])

async function tryFaults(queue: Fault[], known: Survey, done: (result: Result) => void): Promise<void> {
  let child: ChildProcess | undefined
  for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
    const asWhole = new Set(whole)
    const limits = { mostMs: 1000 * Number(values['most-seconds']), whole: asWhole }
    const useful = known.filter(({ file }) => !useless.has(file))
    const { batches, complete } = planTrials(fault, useful, limits)
    let found: Outcome | undefined = {}
    for (const { slices, loads, costMs } of batches) {
      child ??= await startChild(tests)
      found = await ask(child, { planted: fault.number, slices, loads }, 30_000 + 10 * costMs)
      if (found === undefined) child = undefined
      if (found === undefined || found.failed !== undefined || found.whole !== undefined) break
    }
    if (found?.whole !== undefined) {
      if (asWhole.has(found.whole)) {
        print(`Left out is what fails without any fault in a thread that is kept: ${oneLine(found.why ?? '')}`)
        useless.add(found.whole)
      }
      whole.add(found.whole)
      writeFileSync(wholeFile, JSON.stringify([...whole]))
      queue.unshift(fault)
      continue
    }
    done({ fault, hung: found === undefined, complete, ...(found?.failed !== undefined && { by: found.failed }) })
  }
  child?.kill()
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
const print = (text: string) => void process.stdout.write(`${text}\n`)

function show({ fault, by, hung, complete }: Result): void {
  const isNoticed = hung || by !== undefined
  if (isNoticed && !showsAll) return
  const how = isNoticed ? `noticed by ${hung ? 'hanging' : oneLine(by ?? '').slice(0, 300)}` : 'not noticed'
  const listed = reasons.has(fault) ? 'listed' : 'not listed'
  print(`${shown(fault)}  [${complete || isNoticed ? how : `${how} in the time it was given`}, ${listed}]`)
}

const shown = ({ file, line, before, after }: Fault): string =>
  `${file}:${line}  ${oneLine(before)}  →  ${oneLine(after)}`

try {
  const startedMs = Date.now()
  const known = await survey()
  print(
    `${faults.length} faults in ${sources.length} files; ` +
      `the tests took ${Math.round((Date.now() - startedMs) / 1000)} s without any`,
  )
  const results: Result[] = []
  // `--line` and `--all` also try what is listed: a test may notice it by now.
  const queue = chosen.filter((fault) => showsAll || !reasons.has(fault))
  const workers = Array.from({ length: Number(values.workers) }, () =>
    tryFaults(queue, known, (result) => {
      results.push(result)
      show(result)
    }),
  )
  await Promise.all(workers)
  const listed = chosen.filter((fault) => reasons.has(fault))
  if (listed.length > 0) print('\nListed in test/mutate/equivalent-faults.ts, and not counted:')
  for (const fault of listed) print(`${shown(fault)}  [${reasons.get(fault)}]`)
  print(`\n| room | faults | tried | listed | noticed | of these by hanging | score |\n|${' --- |'.repeat(7)}`)
  for (const room of rooms) {
    const own = results.filter(({ fault }) => fault.room === room && !reasons.has(fault))
    const noticed = own.filter(({ hung, by }) => hung || by !== undefined).length
    const share = own.length === 0 ? '–' : `${((100 * noticed) / own.length).toFixed(1)} %`
    const hung = own.filter((result) => result.hung).length
    const [all, left] = [faults, listed].map((each) => each.filter((fault) => fault.room === room).length)
    print(`| ${room} | ${all} | ${own.length} | ${left} | ${noticed} | ${hung} | ${share} |`)
  }
} finally {
  for (const child of children) child.kill('SIGKILL')
  if (values.survey === undefined) rmSync(folder, { recursive: true, force: true })
}
