// (f) A project of one file of 100,000 objects, opened and checked as a whole, against the yaml package's documents of
// the file, and one of ten such files against it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hugeVariables, type Written, writeHugeManifests } from '../generate-manifests.ts'
import { interleave, median, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

/** A million objects take seconds each time, and differ little between runs. */
const maxManyRuns = 3

export async function measureHugeManifests(context: BenchContext): Promise<readonly Measure[]> {
  const one = writtenProject(context, 'one-file', 1)
  const ten = writtenProject(context, 'ten-files', 10)
  const peakHook = context.programs['peak-memory']
  const open = (folder: string) => runNode([context.programs['open-project'], folder], { peakHook })
  const runs = await interleave<ProcessRun, 'open' | 'parse'>(context.rounds, {
    open: () => open(one.folder),
    parse: () => runNode([context.programs['parse-document'], join(one.folder, manifests)], { peakHook }),
  })
  const manyRuns = Math.min(context.rounds, maxManyRuns)
  const { many } = await interleave(manyRuns, { many: () => open(ten.folder) }, false)
  expectObjects(runs.open, one)
  expectObjects(many, ten)
  const [openMs, parseMs, manyMs] = [medianMs(runs.open), medianMs(runs.parse), medianMs(many)]
  const part = 'f'
  return [
    {
      part,
      what: "open and check 100,000 objects in one file: time over the yaml package's documents",
      value: openMs / parseMs,
      limit: 0.3,
      unit: '×',
      from: `${ms(openMs)} / ${ms(parseMs)}; ${megabytes(one)}`,
    },
    {
      part,
      what: 'open and check 100,000 objects in one file: peak memory',
      value: peakOf(runs.open),
      limit: 400,
      unit: 'MB',
      from: `the yaml package: ${peakOf(runs.parse).toFixed(0)} MB`,
    },
    {
      part,
      what: 'open and check 1,000,000 objects: time over that of 100,000',
      value: manyMs / openMs,
      limit: 12,
      unit: '×',
      from: `${ms(manyMs)} / ${ms(openMs)}, ${manyRuns} runs; ${megabytes(ten)}, peak ${peakOf(many).toFixed(0)} MB`,
    },
  ]
}

export interface InFolder extends Written {
  readonly folder: string
}

/** A project in a folder of its own. */
export function writtenProject(context: BenchContext, name: string, files: number): InFolder {
  const folder = join(context.folder, name)
  mkdirSync(join(folder, manifests), { recursive: true })
  const target = { baseUrl: 'https://svc.example.com', databases: { main: 1 }, variables: hugeVariables }
  // JSON is YAML.
  const project = { version: 1, manifests: [manifests], targets: { bench: target } }
  writeFileSync(join(folder, 'svcsync.yaml'), JSON.stringify(project))
  return { folder, ...writeHugeManifests(join(folder, manifests), files) }
}

const manifests = 'manifests'

export function expectObjects(runs: readonly ProcessRun[], { objects }: Written): void {
  const opened = Number(runs[0]?.stdout.split(' ')[0])
  if (opened !== objects) throw new Error(`opened ${opened} objects of ${objects}`)
}

export function peakOf(runs: readonly ProcessRun[]): number {
  return median(runs.map(({ peakMb }) => peakMb ?? Number.NaN))
}

export function megabytes({ bytes, files }: Written): string {
  return `${(bytes / 1e6).toFixed(1)} MB in ${files} ${files === 1 ? 'file' : 'files'}`
}
