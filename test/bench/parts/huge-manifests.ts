// (f) One file of 100,000 objects against the yaml package's documents of it, and ten such files against one.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Written, writeHugeManifests } from '../generate-manifests.ts'
import { interleave, median, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

/** A million objects take seconds each time, and differ little between runs. */
const maxManyRuns = 3

export async function measureHugeManifests(context: BenchContext): Promise<readonly Measure[]> {
  const one = written(context, 'one-file', 1)
  const ten = written(context, 'ten-files', 10)
  const peakHook = context.programs['peak-memory']
  const load = (folder: string) => runNode([context.programs['load-manifests'], folder], { peakHook })
  const runs = await interleave<ProcessRun, 'load' | 'parse'>(context.rounds, {
    load: () => load(one.folder),
    parse: () => runNode([context.programs['parse-document'], one.folder], { peakHook }),
  })
  const manyRuns = Math.min(context.rounds, maxManyRuns)
  const { many } = await interleave(manyRuns, { many: () => load(ten.folder) }, false)
  expectObjects(runs.load, one)
  expectObjects(many, ten)
  const [loadMs, parseMs, manyMs] = [medianMs(runs.load), medianMs(runs.parse), medianMs(many)]
  const part = 'f'
  return [
    {
      part,
      what: "load 100,000 objects in one file: time over the yaml package's documents",
      value: loadMs / parseMs,
      limit: 0.25,
      unit: '×',
      from: `${ms(loadMs)} / ${ms(parseMs)}; ${megabytes(one)}`,
    },
    {
      part,
      what: 'load 100,000 objects in one file: peak memory',
      value: peakOf(runs.load),
      limit: 400,
      unit: 'MB',
      from: `the yaml package: ${peakOf(runs.parse).toFixed(0)} MB`,
    },
    {
      part,
      what: 'load 1,000,000 objects: time over that of 100,000',
      value: manyMs / loadMs,
      limit: 12,
      unit: '×',
      from: `${ms(manyMs)} / ${ms(loadMs)}, ${manyRuns} runs; ${megabytes(ten)}, peak ${peakOf(many).toFixed(0)} MB`,
    },
  ]
}

interface InFolder extends Written {
  readonly folder: string
}

function written(context: BenchContext, name: string, files: number): InFolder {
  const folder = join(context.folder, name)
  mkdirSync(folder)
  return { folder, ...writeHugeManifests(folder, files) }
}

function expectObjects(runs: readonly ProcessRun[], { objects }: Written): void {
  const loaded = Number(runs[0]?.stdout.split(' ')[0])
  if (loaded !== objects) throw new Error(`loaded ${loaded} objects of ${objects}`)
}

function peakOf(runs: readonly ProcessRun[]): number {
  return median(runs.map(({ peakMb }) => peakMb ?? Number.NaN))
}

function megabytes({ bytes, files }: Written): string {
  return `${(bytes / 1e6).toFixed(1)} MB in ${files} ${files === 1 ? 'file' : 'files'}`
}
