// The law of looking back: what `--at` says of a commit that was applied whole is what was declared, and so, when it
// was applied.
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { accessRun } from '../../src/runs/access/access-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { openBase } from '../../src/runs/open/open-base.ts'
import { withPolicies } from '../../src/runs/open/with-policies.ts'
import { planRun } from '../../src/runs/plan/plan-run.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { situations } from './arbitraries.ts'
import { tryLaw } from './law-runs.ts'
import { secrets, tenantOf, writeManifests } from './world.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env: secrets })
  git('init', '-q')
})
afterAll(() => workspace.close())

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com']
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' }
  return String(execFileSync('git', [...who, ...args], { cwd: workspace.dir, stdio: 'pipe', env })).trim()
}

function commit(): string {
  git('add', '-A')
  git('commit', '-qm', 'Next', '--allow-empty')
  return git('rev-parse', 'HEAD')
}

/** `at`: what a commit declared; otherwise what is declared now and so. */
async function told(at?: string): Promise<string[]> {
  const opened = await withPolicies(workspace.open())
  const client = connect(opened.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
  try {
    const options = {
      cwd: workspace.dir,
      env: secrets,
      kinds,
      needCredentials: false,
      nowMs: opened.assembly.time.nowMs,
    }
    const base = at === undefined ? undefined : openBase({ ref: at }, opened, options)
    const createdAt = '2026-11-01T00:00:00Z'
    const planned = await planRun(opened, client, { only: [], version: 'test', createdAt, base })
    const { rows } = await accessRun(opened, client, planned, {}, { at: at === undefined ? undefined : {} })
    const own = at === undefined ? rows.filter(({ declared, live }) => declared && live) : rows
    // Only a present manifest leads to an element's entries from its process.
    const told = own.filter(({ address }) => !address.startsWith('element/'))
    return told.map(({ subject, level, address, company }) => `${subject} ${level} ${address} ${company}`).sort()
  } finally {
    await client.close()
  }
}

it('says of a commit that was applied whole what was declared and so then', async () => {
  let seen = 0
  await tryLaw(
    fc.asyncProperty(situations, situations, async (first, second) => {
      workspace.emulator.load(tenantOf(first.live))
      writeManifests(workspace, [first.items])
      const { report } = await workspace.run()
      if (!/^(converged|nothing-to-do)$/.test(report.outcome)) return
      const at = commit()
      const then = await told()
      writeManifests(workspace, [second.items])
      const next = await workspace.run().catch(() => undefined)
      if (next === undefined || !/^(converged|nothing-to-do)$/.test(next.report.outcome)) return
      commit()
      seen += then.length
      expect(await told(at)).toEqual(then)
    }),
    0.25,
  )
  expect(seen).toBeGreaterThan(0)
})
