// (e) Ten thousand users on a platform that takes 20 ms for every answer, ten requests in flight, against a loop that
// sends the same writes and reads.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBenchProject } from '../bench-project.ts'
import { userLine } from '../generate-manifests.ts'
import { median, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { startPlatform } from '../platform-process.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'
import { leastOf } from './first-apply.ts'

const users = 10_000
const usersPerFile = 500
const latencyMs = 20
const inFlight = 10

export async function measureManyUsers(context: BenchContext): Promise<readonly Measure[]> {
  const cwd = join(context.folder, 'many-users')
  const platform = await startPlatform(context.command, ['--latency', `${latencyMs}ms`])
  try {
    writeProject(cwd, platform.url)
    const empty = await platform.control('GET', '/state')
    const run = (...args: string[]): Promise<ProcessRun> =>
      runNode([context.command, ...args], { cwd, peakHook: context.programs['peak-memory'] })
    const applies: ProcessRun[] = []
    const plans: ProcessRun[] = []
    const loops: ProcessRun[] = []
    const task = join(context.folder, 'many-users.json')
    for (let round = 0; round < context.rounds; round++) {
      await platform.control('PUT', '/state', empty)
      await platform.emptyLog()
      applies.push(await run('apply', '--yes', '--quiet'))
      const requests = leastOf(await platform.requests())
      const by = { clientId: 'svcsync', clientSecret: process.env.SVCSYNC_CLIENT_SECRET }
      writeFileSync(task, JSON.stringify({ url: platform.url, ...by, inFlight, requests }))
      plans.push(await run('plan', '--detailed-exitcode'))
      await platform.control('PUT', '/state', empty)
      loops.push(await runNode([context.programs['bare-apply'], task]))
    }
    const peaks = (runs: readonly ProcessRun[]): number => median(runs.map(({ peakMb }) => peakMb ?? Number.NaN))
    const floorMs = (users * latencyMs) / inFlight
    const [applyMs, planMs, loopMs] = [medianMs(applies), medianMs(plans), medianMs(loops)]
    const part = 'e'
    return [
      {
        part,
        what: '10,000 users: first apply, read back: time',
        value: applyMs / loopMs,
        limit: 1.08,
        unit: '×',
        from: `${ms(applyMs)} / ${ms(loopMs)}, floor ${ms(floorMs)}`,
      },
      { part, what: '10,000 users: no-op plan', value: planMs / 1000, limit: 1.5, unit: 's', from: ms(planMs) },
      {
        part,
        what: '10,000 users: peak memory',
        value: Math.max(peaks(applies), peaks(plans)),
        limit: 130,
        unit: 'MB',
        from: `apply ${peaks(applies).toFixed(0)} MB, plan ${peaks(plans).toFixed(0)} MB`,
      },
    ]
  } finally {
    await platform.close()
  }
}

function writeProject(folder: string, url: string): void {
  const manifests: Record<string, string> = {}
  for (let start = 0; start < users; start += usersPerFile) {
    const lines = Array.from({ length: usersPerFile }, (_, index) => userLine(start + index))
    manifests[`users-${start / usersPerFile}.yaml`] = `users:\n${lines.join('')}`
  }
  writeBenchProject(folder, url, `settings: { concurrency: ${inFlight} }`, manifests)
}
