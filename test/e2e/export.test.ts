// `svcsync export` and `init --from-live` as their users run them: streams, files, exit codes.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const tenant = {
  ...sampleTenant,
  databases: [
    {
      ...(sampleTenant.databases?.[0] ?? {}),
      connections: [{ name: 'ERP', type: 'SQL', sql: { common: { server: 's', user: 'u', password: 'hidden-word' } } }],
    },
  ],
} as Tenant

let workspace: Workspace
const run = (...args: string[]) => runCommand(args, workspace.dir, credentials)
const initEnv = () => ({ ...credentials, SVCSYNC_BASE_URL: workspace.emulator.url })
const files = (dir: string) =>
  readdirSync(join(workspace.dir, dir), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()

beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())
beforeEach(() => {
  workspace.emulator.clearFaults()
  workspace.emulator.load(tenant)
})

it('gives one stream, which is a manifest as it is', async () => {
  const { code, stdout, stderr } = await run('export', '--complete')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '8 objects exported.\n' })
  expect(stdout).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/node_modules\/svcsync\/schemas\/manifest\.schema\.json\n/,
  )
  expect(stdout).not.toContain('hidden-word')
  workspace.manifest(stdout)
  expect(await run('fmt', '--check')).toMatchObject({ code: 0 })
  expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 })
})

it('writes files into a folder, and replaces none unless it is told to', async () => {
  const first = await run('export', 'live')
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('written  users.yaml\n') })
  expect(files('live')).toEqual(['connections.yaml', 'groups.yaml', 'users.yaml'])
  const mine = join(workspace.dir, 'live/users.yaml')
  writeFileSync(mine, '# mine\n')
  const again = await run('export', 'live')
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('SVC2040')
  expect(again.stderr).toContain('connections.yaml')
  expect(readFileSync(mine, 'utf8')).toBe('# mine\n')
  expect(await run('export', 'live', '--force', '--quiet')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(mine, 'utf8')).toContain('svcId: ewa.lis@example.com')
})

it('tells what it cannot read, and exits with 1', async () => {
  workspace.emulator.addFault({
    match: { path: '/admin/groups' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  const { code, stdout, stderr } = await run('export', '--quiet')
  expect(code).toBe(1)
  expect(stdout).toContain('# Left out, and so not managed here:\n# - group: The platform answered 403')
  expect(stdout).toContain('svcId: ewa.lis@example.com')
  expect(stderr).toMatch(/^Left out:\n {2}group\n {4}The platform answered 403/)
})

it('begins a project from what is live, whose plan is empty at once', async () => {
  const init = await runCommand(['init', '--from-live', 'new'], workspace.dir, initEnv())
  expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('written  svcsync.yaml\n') })
  expect(init.stderr).toContain('Database 1 is read, as `main`')
  const dir = join(workspace.dir, 'new')
  const there = (...args: string[]) => runCommand(args, dir, credentials)
  expect(await there('validate', '--strict')).toMatchObject({ code: 0 })
  expect(await there('fmt', '--check')).toMatchObject({ code: 0 })
  expect(await there('plan', '--detailed-exitcode')).toMatchObject({ code: 0, stderr: '' })
  const all = files('new').map((file) => readFileSync(join(dir, file), 'utf8'))
  expect(all.join('')).not.toMatch(/svcsync-secret|hidden-word/)
  expect((await runCommand(['init', '--from-live', 'new'], workspace.dir, initEnv())).stderr).toContain('SVC2030')
})

it('begins a project of an installation that is empty', async () => {
  workspace.emulator.load({ databases: [{ id: 1 }] } as Tenant)
  expect(await runCommand(['init', '--from-live', 'empty'], workspace.dir, initEnv())).toMatchObject({ code: 0 })
  const plan = await runCommand(['plan', '--detailed-exitcode'], join(workspace.dir, 'empty'), credentials)
  expect(plan).toMatchObject({ code: 0, stderr: '' })
})

it('begins no project where something would get into its manifests, nor without access', async () => {
  mkdirSync(join(workspace.dir, 'other/manifests'), { recursive: true })
  writeFileSync(join(workspace.dir, 'other/manifests/a.yaml'), 'users: []\n')
  const other = await runCommand(['init', '--from-live', 'other'], workspace.dir, initEnv())
  expect(other).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('SVC2040') })
  const bare = await runCommand(['init', '--from-live', 'bare'], workspace.dir)
  expect(bare.stderr).toMatch(/SVC2043.*--base-url.*SVCSYNC_CLIENT_ID.*SVCSYNC_CLIENT_SECRET/s)
  const idle = await runCommand(['init', 'bare', '--database', 'main=1', '--base-url', 'x'], workspace.dir)
  expect(idle.stderr).toContain('`--base-url`, `--database` go with `--from-live`')
  const missing = await runCommand(['init', '--from-live', 'bare', '--database', 'main=7'], workspace.dir, initEnv())
  expect(missing.stderr).toContain('SVC2041')
  expect(existsSync(join(workspace.dir, 'bare'))).toBe(false)
})
