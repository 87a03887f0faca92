// (d) What the command takes to start, over a Node that does nothing.
import { join } from 'node:path'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { runNode } from '../timed-process.ts'

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
  ]
}
