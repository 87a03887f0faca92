// Which tests are run for a planted fault, and in which order: only what comes upon it, and first what is quick and
// about that file.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Hits } from './planted.setup.ts'
import type { Slice, Times } from './try-faults.ts'

interface Numbered {
  readonly number: number
  readonly file: string
}

interface SurveyedFile {
  readonly file: string
  readonly loadMs: number
  /** The milliseconds of tests, by id. */
  readonly ms: Readonly<Record<string, number>>
  /** Faults that each test comes upon. */
  readonly hits: ReadonlyMap<string, ReadonlySet<number>>
  /** Faults reached while loading: every test may depend on them. */
  readonly loads: ReadonlySet<number>
  /** How many faults of a source its tests come upon. */
  readonly closeness: ReadonlyMap<string, number>
}

export type Survey = readonly SurveyedFile[]

export function readSurvey(hitFiles: readonly string[], times: Times, faults: readonly Numbered[]): Survey {
  return hitFiles.map((hitFile): SurveyedFile => {
    const file = basename(hitFile).replaceAll('%', '/')
    const { '': loads = [], ...ofTests } = JSON.parse(readFileSync(hitFile, 'utf8')) as Hits
    const { loadMs = 0, tests = {} } = times[file] ?? {}
    // A test that fails without any fault would notice them all.
    const passed = Object.entries(ofTests).filter(([id]) => tests[id] !== undefined)
    const hits = new Map(passed.map(([id, numbers]) => [id, new Set(numbers)]))
    const closeness = new Map<string, number>()
    for (const number of new Set(Object.values(ofTests).flat())) {
      const source = faults[number]?.file ?? ''
      closeness.set(source, (closeness.get(source) ?? 0) + 1)
    }
    return { file, loadMs, ms: tests, hits, loads: new Set(loads), closeness }
  })
}

interface Candidate extends Slice {
  readonly costMs: number
  readonly rank: number
}

interface Batch {
  readonly slices: readonly Slice[]
  readonly loads: boolean
  readonly costMs: number
}

/** Few tests at first, since one of them will most often do. `complete`: that is all that come upon the fault. */
export function planTrials(
  fault: Numbered,
  survey: Survey,
  { mostMs, whole }: { readonly mostMs: number; readonly whole: ReadonlySet<string> },
): { batches: Batch[]; complete: boolean } {
  const candidates = survey
    .flatMap((each) => slicesOf(fault, each, whole.has(each.file)))
    .sort((a, b) => a.rank - b.rank)
  const batches: { slices: Map<string, string[]>; costMs: number }[] = []
  let spentMs = 0
  let complete = true
  for (const { file, ids, costMs } of candidates) {
    complete = spentMs === 0 || spentMs + costMs <= mostMs
    if (!complete) break
    spentMs += costMs
    let batch = batches.at(-1)
    if (batch === undefined || batch.costMs + costMs > firstBatchMs * 4 ** (batches.length - 1)) {
      batch = { slices: new Map(), costMs: 0 }
      batches.push(batch)
    }
    batch.slices.set(file, [...(batch.slices.get(file) ?? []), ...ids])
    batch.costMs += costMs
  }
  const listed = batches.map(({ slices, costMs }) => ({
    slices: [...slices].map(([file, ids]) => ({ file, ids })),
    loads: survey.some(({ file, loads }) => slices.has(file) && loads.has(fault.number)),
    costMs,
  }))
  return { batches: listed, complete }
}

const firstBatchMs = 3000
const sliceMs = 1000

function slicesOf(
  fault: Numbered,
  { file, loadMs, ms, hits, loads, closeness }: SurveyedFile,
  isWhole: boolean,
): Candidate[] {
  const close = closeness.get(fault.file) ?? 0
  const cut = (all: readonly string[], weight: number): Candidate[] => {
    const found: { ids: string[]; costMs: number }[] = []
    for (const id of [...all].sort((a, b) => (ms[a] ?? 0) - (ms[b] ?? 0))) {
      const last = found.at(-1)
      const costMs = ms[id] ?? 0
      if (last === undefined || last.costMs + costMs > sliceMs) found.push({ ids: [id], costMs })
      else {
        last.ids.push(id)
        last.costMs += costMs
      }
    }
    return found.map((slice) => ({ file, ...slice, rank: (loadMs / 4 + slice.costMs) / (1 + weight) }))
  }
  const own = [...hits.keys()].filter((id) => hits.get(id)?.has(fault.number))
  // Loading them came upon it: whatever they test may depend on it.
  const others = loads.has(fault.number) ? [...hits.keys()].filter((id) => !own.includes(id)) : []
  if (isWhole && own.length + others.length > 0) {
    const ids = [...hits.keys()]
    const costMs = ids.reduce((sum, id) => sum + (ms[id] ?? 0), 0)
    return [{ file, ids, costMs, rank: (loadMs / 4 + costMs) / (1 + close) }]
  }
  return [...cut(own, close), ...cut(others, close / 2)]
}

/** The same `count` of them for the same seed. */
export function choose<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all]
  const chosen: T[] = []
  let state = seed
  while (left.length > 0 && chosen.length < count) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    chosen.push(...left.splice(Math.floor((state / 2 ** 32) * left.length), 1))
  }
  return chosen
}
