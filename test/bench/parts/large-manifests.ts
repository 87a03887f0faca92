// (c) Reading, checking and planning 100,000 objects without a network, against the parser alone.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeLargeManifests } from '../generate-manifests.ts'
import { interleave, median, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

export async function measureLargeManifests(context: BenchContext): Promise<readonly Measure[]> {
  const folder = join(context.folder, 'large')
  mkdirSync(folder)
  const { bytes, files, objects } = writeLargeManifests(folder)
  const peakHook = context.programs['peak-memory']
  const runs = await interleave<ProcessRun, 'plan' | 'parse'>(context.rounds, {
    plan: () => runNode([context.programs['plan-manifests'], folder], { peakHook }),
    parse: () => runNode([context.programs['parse-events'], folder], { peakHook }),
  })
  const planned = Number(runs.plan[0]?.stdout.split(' ')[0])
  if (planned !== objects) throw new Error(`planned ${planned} objects of ${objects}`)
  const [planMs, parseMs] = [medianMs(runs.plan), medianMs(runs.parse)]
  const size = `${objects.toLocaleString('en')} objects, ${(bytes / 1e6).toFixed(1)} MB in ${files} files`
  return [
    {
      part: 'c',
      what: 'read, check and plan 100,000 objects: time over the parser',
      value: planMs / parseMs,
      limit: 3,
      unit: '×',
      from: `${ms(planMs)} / ${ms(parseMs)}; ${size}`,
    },
    {
      part: 'c',
      what: 'read, check and plan 100,000 objects: peak memory',
      value: median(runs.plan.map(({ peakMb }) => peakMb ?? Number.NaN)),
      limit: 500,
      unit: 'MB',
      from: `the parser alone: ${median(runs.parse.map(({ peakMb }) => peakMb ?? Number.NaN)).toFixed(0)} MB`,
    },
  ]
}
