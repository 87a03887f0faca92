// (d) What the command takes to start, over a Node that does nothing.
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { rootCertificates } from 'node:tls'
import { writeBenchProject } from '../bench-project.ts'
import { userLine } from '../generate-manifests.ts'
import { interleave, median, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { startPlatform } from '../platform-process.ts'
import { type ProcessOptions, type ProcessRun, runNode } from '../timed-process.ts'

/** These are short and many: a millisecond counts. */
const runsPerRound = 8

/** The manifests refer to credentials; any will do, since nothing is sent. */
const credentials = [
  'SVCSYNC_CLIENT_ID',
  'SVCSYNC_CLIENT_SECRET',
  'ERP_PASSWORD',
  'ERP_TEST_PASSWORD',
  'SUPPLIERS_CLIENT_SECRET',
  'VAT_PASSWORD',
  'MAIL_CLIENT_SECRET',
]

export async function measureStartUp(context: BenchContext): Promise<readonly Measure[]> {
  const cwd = join(context.examples, 'quickstart')
  const env = Object.fromEntries(credentials.map((name) => [name, 'any']))
  const runs = await interleave(context.rounds * runsPerRound, {
    node: () => runNode(['-e', '0']),
    version: () => runNode([context.command, '--version']),
    validate: () => runNode([context.command, 'validate'], { cwd, env }),
  })
  const nodeMs = medianMs(runs.node)
  const over = (what: string, wallMs: number, limit: number): Measure => ({
    part: 'd',
    what,
    value: wallMs - nodeMs,
    limit,
    unit: 'ms',
    from: `${ms(wallMs)} − ${ms(nodeMs)}`,
  })
  return [
    over('`svcsync --version` over `node -e 0`', medianMs(runs.version), 15),
    over('`svcsync validate` of the quickstart over `node -e 0`', medianMs(runs.validate), 70),
    ...(await ofSmallPlan(context)),
    ...(await ofExecutable(context, { cwd, env })),
  ]
}

/** With certificates of its own as well, which node reads at its start. */
async function ofSmallPlan({ command, programs, folder, rounds }: BenchContext): Promise<readonly Measure[]> {
  const cwd = join(folder, 'small-plan')
  const platform = await startPlatform(command, [])
  try {
    writeBenchProject(cwd, platform.url, '', { 'users.yaml': `users:\n${userLine(1)}` })
    const roots = join(cwd, 'roots.pem')
    writeFileSync(roots, rootCertificates.join('\n'))
    const run = (certificates: string, ...args: string[]) =>
      runNode(args, { cwd, peakHook: programs['peak-memory'], env: { NODE_EXTRA_CA_CERTS: certificates } })
    const runs = await interleave(rounds * runsPerRound, {
      node: () => run('', '-e', '0'),
      plan: () => run('', command, 'plan'),
      nodeWithRoots: () => run(roots, '-e', '0'),
      planWithRoots: () => run(roots, command, 'plan'),
    })
    const cpuMs = (of: readonly ProcessRun[]): number => median(of.map((each) => each.cpuMs ?? Number.NaN))
    const over = (what: string, plan: number, node: number): Measure => ({
      ...{ part: 'd', what, value: plan - node, limit: 150, unit: 'ms', from: `${ms(plan)} − ${ms(node)}` },
    })
    const peak = median(runs.planWithRoots.map(({ peakMb }) => peakMb ?? Number.NaN))
    return [
      over('plan of one user over `node -e 0`: processor time', cpuMs(runs.plan), cpuMs(runs.node)),
      over('the same with NODE_EXTRA_CA_CERTS', cpuMs(runs.planWithRoots), cpuMs(runs.nodeWithRoots)),
      { part: 'd', what: 'the same: peak memory', value: peak, limit: 70, unit: 'MB', from: `${peak.toFixed(1)} MB` },
    ]
  } finally {
    await platform.close()
  }
}

/** Only after `npm run executable`. */
async function ofExecutable(context: BenchContext, options: ProcessOptions): Promise<readonly Measure[]> {
  const program = resolve(`release/svcsync-${process.platform}-${process.arch}`)
  if (!existsSync(program)) return []
  const runs = await interleave(context.rounds * runsPerRound, {
    alone: () => runNode(['validate'], { ...options, program }),
    withNode: () => runNode([context.command, 'validate'], options),
  })
  const [alone, withNode] = [medianMs(runs.alone), medianMs(runs.withNode)]
  return [
    {
      part: 'd',
      what: 'single executable, `svcsync validate` of the quickstart: time over that with Node',
      ...{ value: alone / withNode, limit: 1.1, unit: '×', from: `${ms(alone)} / ${ms(withNode)}` },
    },
  ]
}
