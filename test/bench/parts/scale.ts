// (scale) Installations from a hundredth to the whole of 100,000 users, 20,000 groups, 300,000 memberships and 50,000
// privileges: a plan that finds nothing to do, and the list of who can do what. Not part of the usual run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBenchProject } from '../bench-project.ts'
import { median } from '../interleave.ts'
import type { BenchContext, Measure } from '../measure.ts'
import { startPlatform } from '../platform-process.ts'
import { makeInstallation, tenantOf, writeManifests } from '../scale-installation.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

const shares = [0.01, 0.1, 1] as const
const seed = 1

interface Cost {
  readonly cpuMs: number
  readonly peakMb: number
}

export async function measureScale(context: BenchContext): Promise<readonly Measure[]> {
  const plans: Cost[] = []
  let list: Cost | undefined
  for (const share of shares) {
    const found = await measureShare(context, share)
    plans.push(found.plan)
    list = found.list
  }
  const [least, , plan] = plans as [Cost, Cost, Cost]
  if (list === undefined) throw new Error('nothing was measured')
  const part = 'scale'
  const curve = (of: (cost: Cost) => string): string =>
    shares.map((share, at) => `${share}: ${of(plans[at] as Cost)}`).join(', ')
  const seconds = ({ cpuMs }: Cost): string => `${(cpuMs / 1000).toFixed(2)} s`
  const megabytes = ({ peakMb }: Cost): string => `${peakMb.toFixed(0)} MB`
  const growth = plan.cpuMs / least.cpuMs / 100
  return [
    { part, what: 'plan: peak memory', value: plan.peakMb, limit: 700, unit: 'MB', from: curve(megabytes) },
    {
      part,
      what: 'plan: processor time over 100 times 1/100',
      value: growth,
      limit: 1,
      unit: '×',
      from: curve(seconds),
    },
    {
      ...{ part, what: '`access list --format csv`: processor time over that of the plan', limit: 2, unit: '×' },
      value: list.cpuMs / plan.cpuMs,
      from: `${seconds(list)} / ${seconds(plan)}`,
    },
    {
      ...{ part, what: 'the same: peak memory over that of the plan', limit: 200, unit: 'MB' },
      value: list.peakMb - plan.peakMb,
      from: `${megabytes(list)} − ${megabytes(plan)}`,
    },
  ]
}

async function measureShare(
  context: BenchContext,
  share: number,
): Promise<{ readonly plan: Cost; readonly list: Cost }> {
  const cwd = join(context.folder, `scale-${share}`)
  const made = makeInstallation(share, seed)
  mkdirSync(cwd, { recursive: true })
  const tenant = join(cwd, 'tenant.json')
  writeFileSync(tenant, JSON.stringify(tenantOf(made)))
  const platform = await startPlatform(context.command, ['--tenant', tenant])
  try {
    writeBenchProject(cwd, platform.url, '', {})
    writeManifests(join(cwd, 'manifests'), made)
    const costOf = async (args: readonly string[]): Promise<Cost> => {
      const runs: ProcessRun[] = []
      for (let round = 0; round < Math.min(context.rounds, 3); round++)
        runs.push(
          await runNode([context.command, ...args], {
            ...{ cwd, peakHook: context.programs['peak-memory'], timeoutMs: 600_000, isUnread: true },
          }),
        )
      const middle = (of: (run: ProcessRun) => number | undefined): number =>
        median(runs.map((run) => of(run) ?? Number.NaN))
      return { cpuMs: middle(({ cpuMs }) => cpuMs), peakMb: middle(({ peakMb }) => peakMb) }
    }
    return {
      plan: await costOf(['plan', '--detailed-exitcode']),
      list: await costOf(['access', 'list', '--format', 'csv']),
    }
  } finally {
    await platform.close()
  }
}
