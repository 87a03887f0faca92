// A command in a reused process (test/harness/command-host.mjs) prints, does and ends as in a process of its own.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandResult, runInHost, startCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant, settings: 'settings: { retry: { attempts: 1 } }' })
})
afterAll(() => workspace.close())

type Run = (args: readonly string[], cwd: string, env: Record<string, string>) => Promise<CommandResult>
const inOwn: Run = (args, cwd, env) => startCommand(args, cwd, env).ended
const inHost: Run = (args, cwd, env) => runInHost({ args, cwd, env: { PATH: process.env.PATH ?? '', ...env } })

/**
 * Lines as they would be typed, one after another on the same project: each sort of answer and of end. Where everything
 * is tried, all tests have processes of their own.
 */
const cases: readonly (readonly string[])[] = [
  ['validate --format sarif', 'plan --out p.json', 'apply p.json --yes', 'apply p.json --yes --format json'],
  ['apply', 'apply --yes --journal j.jsonl', 'plan --detailed-exitcode', 'drift --verbose', 'export', 'export live'],
  ['init new', '--version', 'plna', 'emulator --tenant none.yaml', 'plan --base-url http://127.0.0.1:1'],
]

it.each(cases)('%s', { timeout: 240_000 }, async (...lines) => {
  const found = []
  for (const run of [inOwn, inHost]) {
    await workspace.control('PUT', '/state', sampleTenant)
    for (const left of readdirSync(workspace.dir)) {
      if (left !== 'svcsync.yaml') rmSync(join(workspace.dir, left), { recursive: true })
    }
    mkdirSync(join(workspace.dir, 'manifests'))
    workspace.manifest('users: [{ svcId: a@example.com, name: A }, { svcId: b@example.com, name: B }]\n')
    const before = workspace.emulator.requests().length
    const results = []
    for (const line of lines) {
      const env = { ...workspace.env, SVCSYNC_BASE_URL: workspace.emulator.url }
      const { code, stdout, stderr } = await run(line.split(' '), workspace.dir, env)
      results.push({ line, code, stdout: withoutChance(stdout), stderr: withoutChance(stderr) })
    }
    const asked = workspace.emulator.requests().slice(before)
    const requests = asked.map(({ method, path, status }) => `${method} ${path} ${status}`).sort()
    found.push({ results, requests, files: writtenFiles() })
  }
  expect(found[1]).toEqual(found[0])
})

it('one that runs after another sees nothing of it', async () => {
  const env = { ...workspace.env, FORCE_COLOR: '1' }
  expect((await inHost(['plan'], workspace.dir, env)).stdout).toContain('\u001b[')
  const { code, stdout } = await inHost(['plan', '--format', 'json'], join(workspace.dir, 'manifests'), {})
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'SVC1201' }, { code: 'SVC1201' }] })
})

function writtenFiles(): Record<string, string> {
  const paths = readdirSync(workspace.dir, { recursive: true, encoding: 'utf8' }).sort()
  const files = paths.filter((path) => statSync(join(workspace.dir, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, withoutChance(readFileSync(join(workspace.dir, path), 'utf8'))]))
}

const withoutChance = (text: string): string =>
  text
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'MOMENT')
    .replaceAll(/"(?:chain|checksum)": ?"sha256:[\da-f]{64}"/g, 'SEAL')
    .replaceAll(/\b\d[\d.,]* m?s\b|\b\d+ h \d+ min\b|"(?:\w*Ms)": [\d.]+/g, 'TIME')
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g, 'GUID')
