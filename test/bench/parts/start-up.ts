// (d) What the command takes to start, over a Node that does nothing.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { type ProcessOptions, runNode } from '../timed-process.ts'

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
    over('`svcsync validate` of the quickstart over `node -e 0`', medianMs(runs.validate), 60),
    ...(await ofExecutable(context, { cwd, env })),
  ]
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
