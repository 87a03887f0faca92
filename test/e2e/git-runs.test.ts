// How often commands of a project with a ledger start git: each start costs milliseconds, and each word with a remote
// more.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { env, groups, useLedger } from './ledger-fixture.ts'

const ledger = useLedger()

it('starts git at most so often for a plan, an apply and a drift', async () => {
  ledger.backTo('applied')
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-runs-'))
  const log = join(folder, 'log')
  const PATH = process.env.PATH ?? ''
  // Programs that git starts find git's own programs first.
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\nif [ -z "$COUNTED" ]; then echo "$@" >> ${log}; fi\nCOUNTED=1 PATH='${PATH}' exec git "$@"\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  const runsOf = async (...args: readonly string[]) => {
    writeFileSync(log, '')
    expect((await runCommand(args, ledger.workspace.dir, { ...env, PATH: `${folder}:${PATH}` })).code).toBe(0)
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    return lines.map((line) => line.replace(/^.* -C \S+ /, ''))
  }
  ledger.workspace.manifest(groups('a', 'b'))
  ledger.publish('Let bert in')
  const [plan, apply, drift] = [await runsOf('plan'), await runsOf('apply', '--yes'), await runsOf('drift')]
  rmSync(folder, { recursive: true })
  const most = { plan: 5, apply: 21, drift: 9 }
  for (const [command, runs] of Object.entries({ plan, apply, drift }))
    expect(runs.length, runs.join('\n')).toBeLessThanOrEqual(most[command as keyof typeof most])
})
