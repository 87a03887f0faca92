// (l) A plan of ten thousand licences that finds nothing to do, against the fewest requests that tell them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBenchProject } from '../bench-project.ts'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { startPlatform } from '../platform-process.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

const licenses = 10_000

export async function measureManyLicenses(context: BenchContext): Promise<readonly Measure[]> {
  const cwd = join(context.folder, 'many-licenses')
  const svcIds = Array.from({ length: licenses }, (_, index) => `user-${index}@example.com`)
  const platform = await startPlatform(context.command, ['--latency', '20ms'])
  try {
    const lines = svcIds.map((svcId) => `  - { svcId: ${svcId}, licenses: [{ type: PowerUser }] }\n`)
    writeBenchProject(cwd, platform.url, '', { 'licenses.yaml': `licenses:\n${lines.join('')}` })
    await platform.control('PUT', '/state', {
      databases: [{ id: 1 }],
      users: svcIds.map((svcId) => ({ svcId, name: svcId })),
      licenses: { assigned: svcIds.map((svcId) => ({ svcId, licenses: ['PowerUser'] })) },
    })
    const bare = join(context.folder, 'bare-licenses.mjs')
    writeFileSync(bare, bareLoop(platform.url))
    const counts = { plan: 0, bare: 0 }
    const counted = async (which: keyof typeof counts, args: readonly string[]): Promise<ProcessRun> => {
      await platform.emptyLog()
      const run = await runNode(args, { cwd })
      counts[which] = (await platform.requests()).length
      return run
    }
    const runs = await interleave(context.rounds, {
      plan: () => counted('plan', [context.command, 'plan', '--detailed-exitcode', '--no-unmanaged']),
      bare: () => counted('bare', [bare]),
    })
    const what = '10,000 licences: no-op plan'
    const [planMs, bareMs] = [medianMs(runs.plan), medianMs(runs.bare)]
    return [
      {
        ...{ part: 'l', what: `${what}: requests`, unit: '×', limit: 1.1 },
        value: counts.plan / counts.bare,
        from: `${counts.plan} / ${counts.bare}`,
      },
      {
        ...{ part: 'l', what, unit: 's', limit: 1.5 },
        value: planMs / 1000,
        from: `${ms(planMs)}; the loop, which reads no manifests and compares nothing: ${ms(bareMs)}`,
      },
    ]
  } finally {
    await platform.close()
  }
}

/** A token, and the one list. */
function bareLoop(url: string): string {
  return `const form = { grant_type: 'client_credentials', client_id: 'svcsync', client_secret: 'svcsync-secret', scope: 'Admin.Licenses.Read' }
const token = await (await fetch('${url}/api/oauth2/token', { method: 'POST', body: new URLSearchParams(form) })).json()
const headers = { authorization: 'Bearer ' + token.access_token }
const answer = await (await fetch('${url}/api/data/v6.0/admin/licenses', { headers })).json()
if (answer.assignedLicenses.length !== ${licenses}) process.exit(1)
`
}
