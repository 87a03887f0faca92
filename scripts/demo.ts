// `npm run demo`: the example organisation from nothing to converged, through drift and back, against the embedded
// platform. It checks what it shows: it fails where something is not as it should be.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DemoFailure } from './demo/check.ts'
import { startEmbeddedPlatform } from './demo/embedded-platform.ts'
import { type CommandSettings, type Expectation, runCommand } from './demo/run-command.ts'

const root = resolve(import.meta.dirname, '..')
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: { svcsync: string } }
const command = join(root, bin.svcsync)
const cwd = join(root, 'examples/organisation')
const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined

/** The administrators' edits in the portal over night. */
const edits = [
  { removeMembers: { group: 'api-approvers@kubernetes.example.com', members: ['sven.graf3@example.com'] } },
  {
    addPrivileges: {
      application: 'kubernetes',
      privileges: [{ svcId: 'anna.adler@example.com', level: 'Administrator' }],
    },
  },
  { upsertGroup: { svcId: 'etcd-operator-admins@etcd-io.example.com', name: 'Renamed by hand' } },
  { upsertUser: { svcId: 'anna.adler2@example.com', email: 'somebody.else@example.com' } },
]

function act(number: number, title: string): void {
  const text = `${number}. ${title}`
  process.stdout.write(`${colour ? `\u001b[36m${text}\u001b[39m` : text}\n\n`)
}

async function playAll(url: string, run: (args: readonly string[], expected: Expectation) => Promise<void>) {
  const there = ['--base-url', url]
  act(1, 'An organisation as files: 1,509 people, 766 groups, 328 processes.')
  await run(['validate'], { exitCode: 0, says: [] })
  await run(['plan', ...there], { exitCode: 0, says: [/336 updates, 2,275 creations/] })

  act(2, 'Apply it. The platform answers in 5 ms and synchronises writes in 300 ms.')
  await run(['apply', '--yes', ...there], { exitCode: 0, says: [/read back and found equal/] })

  act(3, 'What was written is there, and nothing is left to do.')
  await run(['plan', ...there], { exitCode: 0, says: [/no changes\. /] })

  act(4, 'By hand: a member out, an Administrator in, a group and an address changed.')
  await platform.edit(edits)
  await run(['drift', ...there], { exitCode: 2, says: [/0 created, 4 changed, 0 missing/, /Renamed by hand/] })

  act(5, 'Apply puts it right: four objects, and no others are touched.')
  await run(['apply', '--yes', ...there], {
    exitCode: 0,
    says: [/Done: 4 updated/, /4 read back and found equal/],
  })
  await run(['drift', ...there], { exitCode: 0, says: [/no drift\. /] })
}

const startedMs = performance.now()
const platform = await startEmbeddedPlatform(command, [
  ...['emulator', '--quiet', '--tenant', join(cwd, 'tenant.yaml')],
  ...['--sync-delay', '300ms', '--latency', '5ms'],
])
try {
  const env = {
    SVCSYNC_CLIENT_ID: 'svcsync',
    SVCSYNC_CLIENT_SECRET: 'local-only',
  }
  const settings: CommandSettings = { command, cwd, env, colour, columns: process.stdout.columns }
  await playAll(platform.url, (args, expected) => runCommand(settings, args, expected))
  process.stdout.write(`All as it should be, in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.\n`)
} catch (error) {
  if (!(error instanceof DemoFailure)) throw error
  process.stderr.write(`The demonstration failed: ${error.message}.\n`)
  process.exitCode = 1
} finally {
  await platform.close()
}
