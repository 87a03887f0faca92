// `svcsync export` and `init --from-live` as their users run them: streams, files, exit codes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
  const { code, stdout, stderr } = await run('export', '--complete', '--with', 'entities')
  expect({ code, stderr }).toEqual({ code: 0, stderr: `8 objects exported from test · ${workspace.emulator.url}.\n` })
  expect(stdout).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/node_modules\/svcsync\/schemas\/manifest\.schema\.json\n/,
  )
  expect(stdout).not.toContain('hidden-word')
  expect(stdout).toContain('# PL01: Poland, id 1, guid')
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

it('asks the platform nothing where it could not write what it would read', async () => {
  mkdirSync(join(workspace.dir, 'taken'))
  writeFileSync(join(workspace.dir, 'taken/groups.yaml'), '# mine\n')
  writeFileSync(join(workspace.dir, 'file'), '')
  workspace.emulator.load(tenant)
  const asked = workspace.emulator.requests().length
  const said = async (...args: string[]) => (await runCommand(args, workspace.dir, initEnv())).stderr
  expect(await said('export', 'taken')).toContain('A file is there already: groups.yaml')
  expect(await said('export', 'file')).toContain('a part of its path is no folder')
  expect(await said('init', '--from-live', 'file/new')).toContain('a part of its path is no folder')
  expect(workspace.emulator.requests().length).toBe(asked)
  expect(await run('export', 'taken', '--only', 'user/**')).toMatchObject({ code: 0 })
})

it('adds what no manifest declares, beside what is there', async () => {
  workspace.manifest('users:\n  - svcId: ewa.lis@example.com\n')
  writeFileSync(join(workspace.dir, 'manifests/users.yaml'), '# mine\n')
  const { code, stdout, stderr } = await run('export', '--missing', 'manifests')
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('written  users-2.yaml\n') })
  expect(stderr).toMatch(/^\d+ objects exported from test · http:\S+, 1 declared already\.\n$/)
  expect(readFileSync(join(workspace.dir, 'manifests/users.yaml'), 'utf8')).toBe('# mine\n')
  expect(await run('fmt', '--check')).toMatchObject({ code: 0 })
  expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 })
  const again = await run('export', '--missing', 'manifests')
  expect(again).toMatchObject({
    code: 0,
    stdout: '0 files written.\n',
    stderr: `0 objects exported from test · ${workspace.emulator.url}, 4 declared already.\n`,
  })
  rmSync(join(workspace.dir, 'manifests/groups.yaml'))
  const apart = await run('export', '--missing', 'apart')
  expect(apart.stderr).toContain('No plan reads these files yet')
  workspace.manifest('users: [\n')
  expect(await run('export', '--missing')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('SVC1003'),
  })
  workspace.manifest('')
  for (const file of ['users.yaml', 'users-2.yaml', 'connections.yaml']) rmSync(join(workspace.dir, 'manifests', file))
  expect((await run('export', '--missing', '--force', 'apart')).stderr).toContain('SVC2109')
  expect((await run('export', '--missing', '--with', 'entities')).stderr).toContain('SVC2109')
  expect((await run('export', '--var', 'a=b')).stderr).toContain('SVC2109')
})

describe('a project that is broken off while it is written', () => {
  /** Loaded before the command: brings it down at a certain write. */
  const breakOff = (script: string) => {
    const path = join(workspace.dir, 'break-off.mjs')
    writeFileSync(
      path,
      `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
let left = Number(process.env.WRITES)
const { linkSync } = fs
const { writeFile } = fs.promises
${script}
syncBuiltinESMExports()
`,
    )
    return (writes: number) =>
      runCommand(['init', '--from-live', 'new'], workspace.dir, {
        ...initEnv(),
        WRITES: String(writes),
        NODE_OPTIONS: `--import ${path}`,
      })
  }
  const moves = (act: string) =>
    breakOff(`fs.linkSync = (...args) => {
  if (left-- === 0) ${act}
  return linkSync(...args)
}`)
  beforeEach(() => rmSync(join(workspace.dir, 'new'), { recursive: true, force: true }))

  it.each([0, 1, 8])('is not there after a kill, and the next run writes it: %i', async (writes) => {
    const killed = await moves("process.kill(process.pid, 'SIGKILL')")(writes)
    expect(killed).toMatchObject({ code: null, stdout: '' })
    expect(existsSync(join(workspace.dir, 'new'))).toBe(false)
    const next = await runCommand(['init', '--from-live', 'new'], workspace.dir, initEnv())
    expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining('0 left as they were') })
    expect(readdirSync(join(workspace.dir, 'new')).filter((name) => name.startsWith('.svcsync'))).toEqual([])
    expect(await runCommand(['validate'], join(workspace.dir, 'new'), credentials)).toMatchObject({ code: 0 })
  })

  it('is written whole where the file system knows no second names', async () => {
    const copied = await breakOff(`fs.linkSync = () => {
  throw Object.assign(new Error('no links'), { code: 'EPERM' })
}`)(0)
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringContaining('written  svcsync.yaml\n') })
    expect(await runCommand(['validate'], join(workspace.dir, 'new'), credentials)).toMatchObject({ code: 0 })
  })

  it('is not there when the disk is full', async () => {
    const full = await moves("throw Object.assign(new Error('full'), { code: 'ENOSPC' })")(5)
    expect(full).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('the disk is full') })
    expect(full.stderr).toContain('Nothing was written')
    expect(existsSync(join(workspace.dir, 'new'))).toBe(false)
  })

  it('is not there after an interrupt', async () => {
    const interrupted = await breakOff(`fs.promises.writeFile = async (...args) => {
  if (left-- === 0) process.kill(process.pid, 'SIGINT')
  await writeFile(...args)
  await new Promise((done) => setTimeout(done, 20))
}`)(4)
    expect(interrupted).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('nothing was written') })
    expect(existsSync(join(workspace.dir, 'new'))).toBe(false)
  })
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
  expect(init.stderr).toContain('svcsync reads database 1 as `main`')
  expect(init.stderr).toContain('Next, with SVCSYNC_CLIENT_ID and SVCSYNC_CLIENT_SECRET still set:')
  expect(init.stderr).toContain('The address is in svcsync.yaml now: unset SVCSYNC_BASE_URL, or')
  const dir = join(workspace.dir, 'new')
  const there = (...args: string[]) => runCommand(args, dir, credentials)
  expect(await there('validate', '--strict')).toMatchObject({ code: 0 })
  expect(await there('fmt', '--check')).toMatchObject({ code: 0 })
  expect(await there('plan', '--detailed-exitcode')).toMatchObject({ code: 0, stderr: '' })
  const all = files('new').map((file) => readFileSync(join(dir, file), 'utf8'))
  expect(all.join('')).not.toMatch(/svcsync-secret|hidden-word/)
  expect((await runCommand(['init', '--from-live', 'new'], workspace.dir, initEnv())).stderr).toContain('SVC2030')
})

it('begins a project that knows accounts of a directory', async () => {
  const guests = Array.from({ length: 6 }, (_, index) => `guest-${index}@corp.example.com`)
  const used = ['ANNA@Example.com', 'x@example.com', 'CORP\\y', ...guests]
  workspace.emulator.load({
    accounts: used.slice(1).map((svcId) => ({ svcId, name: svcId, type: 'Other' })),
    users: [{ svcId: 'anna@example.com', name: 'Anna', managerSvcId: 'x@example.com' }],
    groups: [{ svcId: 'g@example.com', name: 'G', members: used.slice(0, 3), owners: guests }],
    databases: [{ id: 1 }],
  } as Tenant)
  expect(await runCommand(['init', '--from-live', 'known'], workspace.dir, initEnv())).toMatchObject({ code: 0 })
  const dir = join(workspace.dir, 'known')
  expect(readFileSync(join(dir, 'svcsync.yaml'), 'utf8')).toContain(`
# Used in the manifests, and neither users nor groups of the platform: most likely from a directory.
accounts:
  external: ["*@corp.example.com", CORP\\y, x@example.com]
`)
  expect(await runCommand(['validate', '--strict'], dir, credentials)).toMatchObject({ code: 0, stderr: '' })
  expect(await runCommand(['plan', '--detailed-exitcode'], dir, credentials)).toMatchObject({ code: 0, stderr: '' })
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
