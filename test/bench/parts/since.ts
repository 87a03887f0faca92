// (i) What a base costs: `plan --since` of the organisation over `plan`, and opening 100,000 objects with another
// 100,000 as they were over opening them alone.
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { latencyMs, organisationFolder, runCommand } from '../organisation.ts'
import { startPlatform } from '../platform-process.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'
import { expectObjects, megabytes, peakOf, writtenProject } from './huge-manifests.ts'

export async function measureSince(context: BenchContext): Promise<readonly Measure[]> {
  return [...(await measurePlan(context)), ...(await measureOpening(context))]
}

async function measurePlan(context: BenchContext): Promise<readonly Measure[]> {
  const folder = join(context.folder, 'organisation')
  cpSync(organisationFolder(context), folder, { recursive: true })
  commitAndChange(folder)
  const platform = await startPlatform(context.command, ['--tenant', join(folder, 'tenant.yaml')])
  try {
    await runCommand(context, platform.url, ['apply', '--yes', '--quiet'], folder)
    await platform.setLatency(latencyMs)
    const counts = { plan: 0, since: 0 }
    const run = async (which: keyof typeof counts, ...more: readonly string[]): Promise<ProcessRun> => {
      await platform.emptyLog()
      const args = ['plan', '--detailed-exitcode', '--no-unmanaged', ...more]
      const result = await runCommand(context, platform.url, args, folder)
      counts[which] = (await platform.requests()).length
      return result
    }
    const runs = await interleave(context.rounds, {
      plan: () => run('plan'),
      since: () => run('since', '--since', 'HEAD'),
    })
    const [planMs, sinceMs] = [medianMs(runs.plan), medianMs(runs.since)]
    const measure = { part: 'i', unit: '×' } as const
    return [
      {
        ...measure,
        what: 'no-op plan of the organisation with a base: time over that without',
        value: sinceMs / planMs,
        limit: 1.1,
        from: `${ms(sinceMs)} / ${ms(planMs)}`,
      },
      {
        ...measure,
        what: 'no-op plan of the organisation with a base: requests over those without',
        value: counts.since / counts.plan,
        limit: 1,
        from: `${counts.since} / ${counts.plan}`,
      },
    ]
  } finally {
    await platform.close()
  }
}

async function measureOpening(context: BenchContext): Promise<readonly Measure[]> {
  const project = writtenProject(context, 'since', 1)
  commitAndChange(project.folder)
  const peakHook = context.programs['peak-memory']
  const open = (...more: readonly string[]) =>
    runNode([context.programs['open-project'], project.folder, ...more], { peakHook })
  const runs = await interleave<ProcessRun, 'alone' | 'since'>(context.rounds, {
    alone: () => open(),
    since: () => open('HEAD'),
  })
  expectObjects(runs.since, project)
  const [aloneMs, sinceMs] = [medianMs(runs.alone), medianMs(runs.since)]
  return [
    {
      part: 'i',
      what: 'open and check 100,000 objects with a base of 100,000: time over that without',
      value: sinceMs / aloneMs,
      limit: 2.1,
      unit: '×',
      from: `${ms(sinceMs)} / ${ms(aloneMs)}; ${megabytes(project)}`,
    },
    {
      part: 'i',
      what: 'open and check 100,000 objects with a base of 100,000: peak memory',
      value: peakOf(runs.since),
      limit: 450,
      unit: 'MB',
      from: `without: ${peakOf(runs.alone).toFixed(0)} MB`,
    },
  ]
}

/** What is committed, and then one file after it: nothing of that one is as it was. */
function commitAndChange(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], { cwd: folder })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--no-gpg-sign', '-m', 'before')
  const [file = ''] = readdirSync(join(folder, 'manifests'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  )
  appendFileSync(join(folder, 'manifests', file), '# later\n')
}
