// The built command, end to end: output on the right stream, exit codes, interrupts.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const usersOf = (count: number): string =>
  Array.from({ length: count }, (_, at) => `  - { svcId: u${at}@example.com, name: User ${at} }\n`).join('')

const manifest = (count: number): string => `users:\n${usersOf(count)}`

let workspace: Workspace
const run = (args: readonly string[], env: Record<string, string> = credentials) => runCommand(args, workspace.dir, env)

beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  await workspace.control('PUT', '/state', sampleTenant)
  await workspace.control('PATCH', '/settings', { latencyMs: 0, syncDelayMs: 0 })
  workspace.manifest(manifest(2))
})

it('loads no package that lies in a folder around it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svcsync-around-'))
  try {
    cpSync(resolve('dist'), join(dir, 'dist'), { recursive: true })
    cpSync('package.json', join(dir, 'package.json'))
    for (const name of Object.keys(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages)) {
      // Written over and over for nested ones, which does no harm.
      const around = join(dir, 'node_modules', name.split('node_modules/').at(-1) ?? '')
      if (name === '') continue
      mkdirSync(around, { recursive: true })
      writeFileSync(join(around, 'index.js'), 'console.log("foreign code"); module.exports = {}')
    }
    workspace.write('more/users.yaml', 'users: [{ svcId: from-a-glob@example.com }]')
    workspace.write(
      'globs.yaml',
      'version: 1\nmanifests: ["m*/*.yaml"]\ntargets: { t: { baseUrl: https://svc.example.com } }\n',
    )
    const args = [join(dir, 'dist/svcsync.cjs'), 'validate', '--project', 'globs.yaml']
    expect(execFileSync(process.execPath, args, { cwd: workspace.dir, encoding: 'utf8' })).toMatch(
      /^3 objects in 3 files are valid\.\n$/,
    )
  } finally {
    rmSync(dir, { recursive: true })
  }
})

it('says its version and its help', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const help = await run(['plan', '--help'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('--only <glob>')
  expect(await run(['help', 'plan'])).toEqual(help)
  expect(await run(['help'])).toEqual(await run(['--help']))
})

it.each([
  [['plan', '--detailed-exitcde'], 'Did you mean --detailed-exitcode?'],
  [['plna'], 'Did you mean plan?'],
  [['plna', '--help'], 'Did you mean plan?'],
  [['help', 'plna'], 'Did you mean plan?'],
  [['plan', '--format', 'xml'], 'Allowed choices are'],
  [['plan', '--concurrency', '0'], 'from 1 to 1000'],
  [['plan', '--var', 'x'], 'NAME=VALUE'],
  [['hire', 'ewa@example.com'], 'hint: For example `svcsync hire ewa@example.com --like maria@example.com'],
  [['undo'], '`svcsync undo --help` shows every option'],
  [['plan', 'manifests/main.yaml'], 'hint: `plan` takes the whole project, and no files. `--only` selects'],
])('refuses %j', async (args, text) => {
  const result = await run(args)
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain(text)
})

it('plans, applies, and finds nothing more to do', async () => {
  expect(await run(['plan'])).toMatchObject({ code: 0 })
  expect(await run(['plan', '--detailed-exitcode'])).toMatchObject({ code: 2 })
  expect((await run(['drift', '--format', 'markdown'])).stdout).toMatch(
    /^<!-- svcsync:drift:.*\n\n### Drift of `test`: /,
  )
  const drift = await run(['drift', '--format', 'json'])
  expect(drift.code).toBe(2)
  expect(JSON.parse(drift.stdout)).toMatchObject({ formatVersion: '1.5', counts: { create: 2 } })
  const applied = await run(['apply', '--yes', '--format', 'json'])
  expect(applied.code).toBe(0)
  expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
  const again = await run(['drift'])
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toContain('are as declared')
})

it.skipIf(!existsSync('/usr/bin/script')).each([
  ['\u0003', 130],
  ['no\r', 0],
])('changes nothing when the question is answered by %j', async (answer, code) => {
  const line = `${process.execPath} ${resolve('dist/svcsync.cjs')} apply`
  const env = { PATH: process.env.PATH ?? '', TERM: 'xterm', ...credentials }
  const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], { cwd: workspace.dir, env })
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => {
    if (!shown.includes('goes on:') && `${shown}${chunk}`.includes('goes on:')) child.stdin.write(answer)
    shown += chunk.toString()
  })
  expect(await new Promise((done) => child.on('close', done))).toBe(code)
  expect(shown).toContain('Nothing was changed.')
  expect(await workspace.changes()).toHaveLength(2)
})

it('carries an apply to its end when nobody reads what it says, and ends with its own code', async () => {
  workspace.manifest(`${manifest(6)}groups: [{ svcId: g@example.com, name: G, members: [nobody@example.com] }]\n`)
  await workspace.control('PATCH', '/settings', { latencyMs: 20 })
  const { child, ended } = startCommand(['apply', '--yes', '--concurrency', '1'], workspace.dir, credentials)
  child.stdout?.destroy()
  child.stderr?.destroy()
  expect(await ended).toMatchObject({ code: 3 })
  expect(await workspace.changes()).toEqual(['create group/g@example.com'])
})

it('does not write without being told so', async () => {
  const result = await run(['apply'], { ...credentials, CI: 'true' })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('--yes')
  expect(await workspace.changes()).toHaveLength(2)
})

it('shows problems with their place, and changes nothing', async () => {
  workspace.manifest('users:\n  - svcId: a@example.com\n    nmae: A\n')
  const plan = await run(['apply', '--yes'])
  expect(plan).toMatchObject({ code: 1, stdout: '' })
  expect(plan.stderr).toContain('manifests/main.yaml:3:5')
  expect(plan.stderr).toContain('Did you mean `name`?')
  const validated = await run(['validate', '--format', 'json'], {})
  expect(validated.code).toBe(1)
  expect(JSON.parse(validated.stdout)).toMatchObject({
    problems: [{ code: 'SVC1101', place: { line: 3, column: 5 } }],
  })
})

it('validates without credentials and without the platform', async () => {
  expect(await run(['validate'], {})).toMatchObject({ code: 0, stderr: '' })
})

it('colours when told so, and not when told not to', async () => {
  const colour = '\u001b['
  expect((await run(['plan'], { ...credentials, FORCE_COLOR: '1' })).stdout).toContain(colour)
  expect((await run(['plan'], { ...credentials, FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain(colour)
  expect((await run(['plan', '--no-color'], { ...credentials, FORCE_COLOR: '1' })).stdout).not.toContain(colour)
  // Errors keep to it as well, and both to the width.
  const forced = { FORCE_COLOR: '1', COLUMNS: '50' }
  const wrong = ['plan', '--out', '-']
  expect((await run(wrong, { ...credentials, ...forced })).stderr).toContain(colour)
  const { stderr } = await run([...wrong, '--no-color'], { ...credentials, ...forced })
  expect(stderr).not.toContain(colour)
  const { stdout } = await run(['plan'], { ...credentials, COLUMNS: '50' })
  for (const text of [stderr, stdout])
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(51)
  expect((await run(['plan'])).stdout).not.toContain(colour)
})

it('says in one sentence what to check when the credentials are refused', async () => {
  const result = await run(['plan'], { ...credentials, SVCSYNC_CLIENT_SECRET: 'not-the-secret' })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('Check clientId and clientSecret')
  expect(result.stderr).not.toContain('not-the-secret')
})

it('takes many requests that pause at the same time for what they are', async () => {
  workspace.manifest(manifest(40))
  const match = { method: 'POST', path: '/admin/users' }
  const effect = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } }
  await workspace.control('POST', '/faults', { match, count: 20, effect })
  // Node warns in a process of its own what it warned of in another only once.
  const args = ['apply', '--yes', '--concurrency', '20']
  const { code, stderr } = await startCommand(args, workspace.dir, credentials).ended
  expect(code).toBe(0)
  expect(stderr).not.toContain('Warning')
})

it('tells of a working folder that is gone', () => {
  const cwd = join(workspace.dir, 'gone')
  mkdirSync(cwd)
  const script = `rmdir "$PWD" && exec "$0" "$1" plan`
  const { status, stdout, stderr } = spawnSync(
    '/bin/sh',
    ['-c', script, process.execPath, resolve('dist/svcsync.cjs')],
    {
      cwd,
      encoding: 'utf8',
    },
  )
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe('error SVC2001  The working folder does not exist any more\n  hint: Change to another folder.\n')
})

describe('an interrupt', () => {
  const isUnanswered = ({ method, status }: { method?: unknown; status?: unknown }) =>
    method === 'POST' && status === null
  const interrupted = async (times: 1 | 2, signal: NodeJS.Signals = 'SIGINT') => {
    workspace.manifest(manifest(60))
    // A request in flight at the interrupt runs until its answer, or forever: however long the signal takes.
    const match = { method: 'POST', path: '/admin/users' }
    const effect = times === 1 ? { kind: 'delay', delayMs: 500 } : { kind: 'hang', carriedOut: true }
    await workspace.control('POST', '/faults', { match, nth: 3, count: null, effect })
    await workspace.control('DELETE', '/requests')
    const running = startCommand(
      ['apply', '--yes', '--format', 'json', '--concurrency', '2'],
      workspace.dir,
      credentials,
    )
    if (times === 1) await running.shows(' of 60')
    else await running.until(() => workspace.emulator.requests().some(isUnanswered))
    running.child.kill(signal)
    await running.shows('Interrupted')
    if (times === 2 || signal === 'SIGHUP') running.child.kill(signal)
    const result = await running.ended
    workspace.emulator.clearFaults()
    return {
      code: result.code,
      report: JSON.parse(result.stdout) as { outcome: string; counts: Record<string, number> },
    }
  }

  it.each([
    ['lets', 'SIGINT'],
    ['of a terminal that is closed, which may come twice, lets', 'SIGHUP'],
  ] as const)('%s running steps end, and reports the rest as skipped', async (_what, signal) => {
    const { code, report } = await interrupted(1, signal)
    expect(code).toBe(130)
    expect(report).toMatchObject({ outcome: 'interrupted', counts: { unknown: 0, failed: 0 } })
    expect(report.counts.skipped).toBeGreaterThan(0)
    await workspace.control('PATCH', '/settings', { latencyMs: 0 })
    expect(await workspace.changes()).toHaveLength(60 - (report.counts.done ?? 0))
  })

  it.each([
    ['once', 'Nothing was changed.', { kind: 'status', status: 503, headers: { 'retry-after': '1' } }],
    ['twice', 'Nothing was written.', { kind: 'hang' }],
  ])(
    'that comes %s while it is still reading ends the run, and says that nothing was done',
    async (times, said, effect) => {
      workspace.manifest('groups: [{ svcId: staff@example.com, members: [] }]\n')
      // Reads are under way for as long as it takes.
      await workspace.control('POST', '/faults', { match: { method: 'GET' }, count: null, effect })
      await workspace.control('DELETE', '/requests')
      const running = startCommand(['apply', '--yes'], workspace.dir, credentials)
      // The token is answered: signals have been taken over.
      const reads = () => workspace.emulator.requests().some(({ method }) => method === 'GET')
      await running.until(reads)
      running.child.kill('SIGINT')
      await running.shows('Interrupted')
      if (times === 'twice') running.child.kill('SIGINT')
      else workspace.emulator.clearFaults()
      const ended = await running.ended
      expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining(said) })
      // An aborted plan is no plan.
      expect(ended.stdout).toMatch(times === 'twice' ? /^$/ : /^test · /)
      workspace.emulator.clearFaults()
    },
  )

  it('of a plan ends it at once, and leaves JSON for programs', async () => {
    await workspace.control('POST', '/faults', { match: { method: 'GET' }, count: null, effect: { kind: 'hang' } })
    await workspace.control('DELETE', '/requests')
    const running = startCommand(['plan', '--format', 'json'], workspace.dir, credentials)
    await running.until(() => workspace.emulator.requests().some(({ method }) => method === 'GET'))
    running.child.kill('SIGTERM')
    const { code, stdout, stderr } = await running.ended
    workspace.emulator.clearFaults()
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ counts: { errors: 1 }, problems: [{ code: 'SVC3005' }] })
    expect(stderr).toContain('Nothing was written. Run the command again.')
  })

  it('that comes twice stops at once, and reports what is unknown', async () => {
    const { code, report } = await interrupted(2)
    expect(code).toBe(130)
    expect(report.counts.unknown).toBeGreaterThan(0)
    await workspace.control('PATCH', '/settings', { latencyMs: 0 })
    expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
    expect(await workspace.changes()).toEqual([])
  })
})
