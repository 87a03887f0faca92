// (a) A plan of the example organisation that finds nothing to do, against a loop that reads and checks the same
// manifests, and sends the least requests that could tell; and what it costs to count what no manifest declares.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { bareTarget, declaredReads, latencyMs, organisationFolder, runCommand } from '../organisation.ts'
import { startPlatform } from '../platform-process.ts'
import { runNode } from '../timed-process.ts'

export async function measureNoopPlan(context: BenchContext): Promise<readonly Measure[]> {
  const platform = await startPlatform(context.command, ['--tenant', join(organisationFolder(context), 'tenant.yaml')])
  try {
    await runCommand(context, platform.url, ['apply', '--yes', '--quiet'])
    await platform.setLatency(latencyMs)
    const task = join(context.folder, 'bare-reads.json')
    writeFileSync(task, JSON.stringify({ ...bareTarget(platform.url), ...declaredReads(context) }))
    const counts = { plan: 0, whole: 0, bare: 0 }
    const counted = async <T>(which: keyof typeof counts, run: () => Promise<T>): Promise<T> => {
      await platform.emptyLog()
      const result = await run()
      counts[which] = (await platform.requests()).length
      return result
    }
    const command = ['plan', '--detailed-exitcode']
    const runs = await interleave(context.rounds, {
      // Exits with 2, which fails here, should there be a difference.
      plan: () => counted('plan', () => runCommand(context, platform.url, [...command, '--no-unmanaged'])),
      whole: () => counted('whole', () => runCommand(context, platform.url, command)),
      bare: () => counted('bare', () => runNode([context.programs['bare-reads'], task])),
    })
    const [planMs, wholeMs, bareMs] = [medianMs(runs.plan), medianMs(runs.whole), medianMs(runs.bare)]
    const measure = { part: 'a', unit: '×' } as const
    return [
      {
        ...measure,
        what: 'no-op plan of the organisation: time',
        value: planMs / bareMs,
        limit: 1.1,
        from: `${ms(planMs)} / ${ms(bareMs)}`,
      },
      {
        ...measure,
        what: 'no-op plan of the organisation: requests',
        value: counts.plan / counts.bare,
        limit: 1.05,
        from: `${counts.plan} / ${counts.bare}`,
      },
      {
        ...measure,
        what: 'the same, with what no manifest declares counted: time over that without',
        value: wholeMs / planMs,
        limit: 1.05,
        from: `${ms(wholeMs)} / ${ms(planMs)}, ${counts.whole - counts.plan} requests more`,
      },
    ]
  } finally {
    await platform.close()
  }
}
