// (l) Ten thousand licences: a plan that finds nothing to do, against the fewest requests that tell them; and giving
// them all, against the fewest that can.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { writeBenchProject } from '../bench-project.ts'
import { interleave, medianMs } from '../interleave.ts'
import { type BenchContext, type Measure, ms } from '../measure.ts'
import { startPlatform } from '../platform-process.ts'
import { type ProcessRun, runNode } from '../timed-process.ts'

const licenses = 10_000
/**
 * Two tokens, since it asks for more than to read; the list; how many there are; the users, of whom nothing is
 * declared, by pages up to an empty one; 200 licences in each write; and the list again.
 */
const fewestToGive = 2 + 1 + 1 + licenses / 200 + 1 + licenses / 200 + 1

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
    writeFileSync(bare, await bareLoop(platform.url, join(cwd, 'manifests/licenses.yaml')))
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
    // Given away once: who has none is in no list.
    await platform.control('PUT', '/state', {
      databases: [{ id: 1 }],
      users: svcIds.map((svcId) => ({ svcId, name: svcId })),
    })
    await platform.emptyLog()
    const given = await runNode([context.command, 'apply', '--yes', '--quiet'], { cwd })
    const sent = await platform.requests()
    const what = '10,000 licences: no-op plan'
    const [planMs, bareMs] = [medianMs(runs.plan), medianMs(runs.bare)]
    return [
      {
        ...{ part: 'l', what: `${what}: requests`, unit: '×', limit: 1.1 },
        value: counts.plan / counts.bare,
        from: `${counts.plan} / ${counts.bare}`,
      },
      {
        ...{ part: 'l', what: `${what}: time`, unit: '×', limit: 2.25 },
        value: planMs / bareMs,
        from: `${ms(planMs)} / ${ms(bareMs)}`,
      },
      {
        ...{ part: 'l', what: '10,000 licences: given to all: requests', unit: '×', limit: 1.1 },
        value: sent.length / fewestToGive,
        from:
          `${sent.length} / ${fewestToGive}, ` +
          `${sent.filter(({ path }) => path.endsWith('/assign')).length} writes, ${ms(given.wallMs)}`,
      },
    ]
  } finally {
    await platform.close()
  }
}

/** A token, the one list, and the manifest as js-yaml reads it: who has which, and who is to have which. */
async function bareLoop(url: string, manifest: string): Promise<string> {
  const contents = `import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
const form = { grant_type: 'client_credentials', client_id: 'svcsync', client_secret: 'svcsync-secret', scope: 'Admin.Licenses.Read' }
const token = await (await fetch('${url}/api/oauth2/token', { method: 'POST', body: new URLSearchParams(form) })).json()
const headers = { authorization: 'Bearer ' + token.access_token }
const asked = fetch('${url}/api/data/v6.0/admin/licenses', { headers })
const { licenses } = load(readFileSync(${JSON.stringify(manifest)}, 'utf8'))
const { assignedLicenses } = await (await asked).json()
const keysOf = (all) => new Set(all.flatMap(({ svcId, licenses }) => licenses.map(({ type }) => svcId.toLowerCase() + ' ' + type)))
const [has, wanted] = [keysOf(assignedLicenses), keysOf(licenses)]
if (has.size !== ${licenses} || [...wanted].some((each) => !has.has(each))) process.exit(1)
`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, platform: 'node', format: 'esm' },
  })
  return outputFiles[0]?.text ?? ''
}
