// (j) Who gains what by a first plan of 10,000 people in 2,000 groups in groups with 5,000 privileges.
import { interleave, median } from '../interleave.ts'
import type { BenchContext, Measure } from '../measure.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

export async function measureAccess(context: BenchContext): Promise<readonly Measure[]> {
  const peakHook = context.programs['peak-memory']
  const program = context.programs['access-of-tenant']
  const runs = await interleave<ProcessRun, 'access' | 'without'>(context.rounds, {
    access: () => runNode([program], { peakHook }),
    without: () => runNode([program, 'without'], { peakHook }),
  })
  const tookMs = median(runs.access.map(({ stdout }) => Number(stdout.split(' ')[0])))
  const told = Number(runs.access[0]?.stdout.split(' ')[1])
  if (told < 100_000) throw new Error(`only ${told} levels are gained by the plan that is measured`)
  const peakOf = (some: readonly ProcessRun[]) => median(some.map(({ peakMb }) => peakMb ?? Number.NaN))
  const part = 'j'
  return [
    {
      part,
      what: 'who gains what, 10,000 people: time',
      value: tookMs / 1000,
      limit: 0.5,
      unit: 's',
      from: `${told.toLocaleString('en')} levels gained, 2,000 groups, 5,000 privileges`,
    },
    {
      part,
      what: 'the same: peak memory over that of the changes',
      value: peakOf(runs.access) - peakOf(runs.without),
      limit: 150,
      unit: 'MB',
      from: `${peakOf(runs.access).toFixed(0)} MB − ${peakOf(runs.without).toFixed(0)} MB`,
    },
  ]
}
