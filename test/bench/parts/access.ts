// (j) Who gains what by a first plan of 10,000 people in 2,000 groups in groups with 5,000 privileges; and what saying
// it costs the first plan of the example organisation.
import { appendFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, median, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { latencyMs, organisationFolder, runCommand } from '../organisation.ts'
import { startPlatform } from '../platform-process.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

export async function measureAccess(context: BenchContext): Promise<readonly Measure[]> {
  return [...(await measureTenant(context)), ...(await measurePlan(context))]
}

async function measurePlan(context: BenchContext): Promise<readonly Measure[]> {
  const silent = join(context.folder, 'without-access')
  cpSync(organisationFolder(context), silent, { recursive: true })
  appendFileSync(join(silent, 'svcsync.yaml'), '\naccess: none\n')
  const platform = await startPlatform(context.command, ['--tenant', join(silent, 'tenant.yaml')])
  try {
    await platform.setLatency(latencyMs)
    const counts = { access: 0, without: 0 }
    const run = async (which: keyof typeof counts, folder?: string): Promise<ProcessRun> => {
      await platform.emptyLog()
      const result = await runCommand(context, platform.url, ['plan'], folder)
      counts[which] = (await platform.requests()).length
      return result
    }
    const runs = await interleave<ProcessRun, keyof typeof counts>(context.rounds, {
      access: () => run('access'),
      without: () => run('without', silent),
    })
    const [accessMs, withoutMs] = [medianMs(runs.access), medianMs(runs.without)]
    return [
      {
        part: 'j',
        what: 'first plan of the organisation: time over that with `access: none`',
        value: accessMs / withoutMs,
        limit: 1.15,
        unit: '×',
        from: `${ms(accessMs)} / ${ms(withoutMs)}, ${counts.access - counts.without} requests more`,
      },
    ]
  } finally {
    await platform.close()
  }
}

async function measureTenant(context: BenchContext): Promise<readonly Measure[]> {
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
