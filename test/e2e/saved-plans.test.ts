// Saved plans with the built command: files, streams, exit codes.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { SavedPlan } from '../../src/core/saved/saved-plan.ts'
import { planFileText } from '../../src/runs/saved/plan-file.ts'
import { runCommand } from '../harness/command.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', CI: 'true' }
let workspace: Workspace
const run = (...args: string[]) => runCommand(args, workspace.dir, credentials)

beforeAll(async () => {
  workspace = await openWorkspace({ tenant: sampleTenant })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load(sampleTenant)
  await workspace.control('DELETE', '/requests')
  workspace.manifest('users: [{ svcId: new@example.com, name: New }, { svcId: jan.kos@example.com, name: Jan }]\n')
})

it('saves a plan, shows it as it was printed, and applies it without asking, once', async () => {
  const file = join(workspace.dir, 'plan.json')
  for (const format of ['text', 'markdown', 'json']) {
    const planned = await run('plan', '--out', 'plan.json', '--format', format)
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved to plan.json; it expires at 2') })
    const shown = await run('show', 'plan.json', '--format', format)
    expect(shown).toMatchObject({ code: 0, stdout: planned.stdout })
    expect(shown.stderr).toMatch(/ ago\)[\s\S]*svcsync \(app@svcsync\)[\s\S]*sha256:[0-9a-f]{64}\n/)
  }
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await run('show', 'plan.json', '-q')).toMatchObject({ stderr: '' })
  expect(writesOf(workspace.emulator)).toEqual([])
  const applied = await run('apply', 'plan.json', '--format', 'json')
  expect(applied.code).toBe(0)
  expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: 'converged', counts: { done: 2 } })
  const again = await run('apply', 'plan.json')
  expect(again).toMatchObject({ code: 4, stdout: '' })
  expect(again.stderr).toMatch(
    /SVC2107[\s\S]*name {2}Jan Kos → Jan\n[\s\S]*did not exist, and is there now[\s\S]*already/,
  )
  const { problems } = JSON.parse((await run('apply', 'plan.json', '--format', 'json')).stdout)
  expect(problems).toMatchObject(
    [
      { code: 'SVC2107', address: 'user/jan.kos@example.com', message: /name: was Jan Kos, and is Jan now$/ },
      { code: 'SVC2107', address: 'user/new@example.com', message: /did not exist, and is there now$/ },
    ].map((problem) => ({ ...problem, message: expect.stringMatching(problem.message) })),
  )
})

it.skipIf(!existsSync('/dev/null'))('puts no plan in the place of a device', async () => {
  const result = await run('plan', '--out', '/dev/null')
  expect(result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('a device or a pipe, and no file'),
  })
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
})

it.skipIf(!existsSync('/dev/full'))(
  'says that a result cannot be written, and writes nothing before it was shown',
  async () => {
    const full = (args: string): Promise<{ code: number; stderr: string }> =>
      new Promise((done) => {
        const line = `exec '${process.execPath}' '${resolve('dist/svcsync.cjs')}' ${args} > /dev/full`
        const env = { ...credentials, PATH: process.env.PATH }
        const child = spawn('/bin/sh', ['-c', line], { cwd: workspace.dir, env })
        let stderr = ''
        child.stderr.on('data', (chunk: Buffer) => {
          stderr += chunk.toString()
        })
        child.on('close', (code) => done({ code: code ?? -1, stderr: stderr.replaceAll(/\s+/g, ' ') }))
      })
    const text = 'SVC2010 The result cannot be written to stdout: the disk is full'
    for (const args of ['plan', '--version', '--help', 'help', 'plan --help'])
      expect([args, await full(args)]).toEqual([args, { code: 1, stderr: expect.stringContaining(text) }])
    expect(await full('apply --yes')).toMatchObject({ code: 1, stderr: expect.stringContaining(text) })
    expect(writesOf(workspace.emulator)).toEqual([])
    const applied = await full('apply --yes --quiet')
    expect(applied).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has ended. Every changed object is as'),
    })
    expect(writesOf(workspace.emulator)).toHaveLength(2)
  },
)

it('applies the plan of a digest and no other', async () => {
  const { stdout } = await run('plan')
  const digest = /--expect ([0-9a-f]{16})\n$/.exec(stdout)?.[1] as string
  const other = await run('apply', '--expect', digest.replaceAll(/./g, 'a'), '--format', 'markdown')
  expect(other).toMatchObject({ code: 4, stdout: expect.stringContaining('Plan: 1 update, 1 creation; ') })
  expect(other.stderr).toContain('SVC2108')
  expect(await run('apply', '--expect', digest, '--only', 'user/new@*')).toMatchObject({ code: 4 })
  expect(writesOf(workspace.emulator)).toEqual([])
  expect(await run('apply', '--expect', `sha256:${digest.toUpperCase()}`)).toMatchObject({ code: 0 })
  expect(await workspace.changes()).toEqual([])
})

it('holds a saved plan to a digest, and to what was approved, too', async () => {
  await run('plan', '--out', 'plan.json')
  const { digest } = JSON.parse(readFileSync(join(workspace.dir, 'plan.json'), 'utf8')) as { digest: string }
  expect(await run('apply', 'plan.json', '--expect', 'a'.repeat(64))).toMatchObject({ code: 4, stdout: '' })
  await run('plan', '--out', 'part.json', '--only', 'user/new@*')
  const unseen = await run('apply', 'plan.json', '--approved', 'part.json', '--format', 'markdown')
  expect(unseen).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2197') })
  expect(unseen.stdout).toContain('### svcsync apply: not approved\n')
  const approved = ['--approved', 'part.json', '--approved', 'plan.json']
  expect(await run('apply', 'plan.json', '--expect', digest, ...approved)).toMatchObject({ code: 0 })
})

it('believes no approval of another target, whatever it has in common with this plan', async () => {
  const { stdout } = await run('plan', '--format', 'json')
  const { target, ...plan } = JSON.parse(stdout) as { target: Record<string, unknown> }
  const applyApproved = async (other: object) => {
    writeFileSync(join(workspace.dir, 'approved.json'), JSON.stringify({ ...plan, target: { ...target, ...other } }))
    return run('apply', '--approved', 'approved.json', '--format', 'json')
  }
  const foreign: Record<string, object> = {
    baseUrl: { baseUrl: 'https://test.example.com' },
    apiVersion: { apiVersion: target.apiVersion === '6.0' ? '5.0' : '6.0' },
    databases: { databases: { main: 2 } },
  }
  for (const [path, other] of Object.entries(foreign)) {
    const refused = await applyApproved(other)
    expect(refused.code).toBe(4)
    expect(JSON.parse(refused.stdout).problems).toMatchObject([
      { code: 'SVC2198', message: expect.stringContaining(`another target than \`test\`: ${path}`) },
    ])
  }
  expect(writesOf(workspace.emulator)).toEqual([])
  // A target may be called as people like.
  expect(await applyApproved({ name: 'elsewhere' })).toMatchObject({ code: 0 })
})

it('keeps to the guards of the plan, and lets pass what the command that applies allows', async () => {
  const administrators = [{ svcId: 'jan.kos@example.com', level: 'Administrator' }]
  const tenant = JSON.parse(JSON.stringify(sampleTenant))
  tenant.databases[0].applications[0].processes[0].privileges = administrators
  workspace.emulator.load(tenant)
  workspace.manifest('processes: [{ process: Sample process, privileges: { Administrator: [] } }]\n')
  const allow = ['--allow', 'last-administrator=process/main/Sample application/Sample process']
  expect(await run('plan', '--out', 'plan.json')).toMatchObject({ code: 0 })
  const refused = await run('apply', 'plan.json')
  expect(refused).toMatchObject({ code: 4, stdout: '' })
  expect(refused.stderr).toContain('SVC2070')
  const idle = await run('apply', 'plan.json', '--allow', 'last-administrator=process/main/other')
  expect(idle.stderr).toContain('SVC2072')
  expect(writesOf(workspace.emulator)).toEqual([])
  const offered = await run('plan', '--out', 'allowed.json', ...allow)
  expect(offered.stdout).toMatch(/svcsync apply allowed\.json --expect [0-9a-f]{16} --allow "last-administrator=/)
  expect(await run('apply', 'plan.json', ...allow)).toMatchObject({ code: 0 })
  workspace.emulator.load(tenant)
  // A writer of the file could also write allowances.
  expect(await run('apply', 'allowed.json')).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2070') })
  expect(await run('apply', 'allowed.json', ...allow)).toMatchObject({ code: 0 })
})

it('shows and applies nothing that its digest was not made of', async () => {
  await run('plan', '--out', 'plan.json')
  const text = readFileSync(join(workspace.dir, 'plan.json'), 'utf8')
  const { digest } = JSON.parse(text) as { digest: string }
  const forge = (edit: (plan: SavedPlan) => object): void => {
    const { checksum: _, ...plan } = JSON.parse(text) as SavedPlan
    writeFileSync(join(workspace.dir, 'forged.json'), planFileText({ ...plan, ...edit(plan as SavedPlan) }))
  }
  const forgeries: readonly ((plan: SavedPlan) => object)[] = [
    ({ changes }) => ({ changes: changes.slice(1) }),
    ({ changes }) => ({ changes: changes.map((change) => ({ ...change, differences: [] })) }),
    ({ guards }) => ({ guards: guards.slice(1) }),
    ({ guards }) => ({ guards: guards.map((each) => ({ ...each, sentence: 'All is well.' })) }),
    ({ counts }) => ({ counts: { ...counts, create: 0 } }),
    ({ target }) => ({ target: { ...target, name: 'prod' } }),
    ({ upcoming }) => ({ kinds: {}, upcoming }),
  ]
  for (const edit of forgeries) {
    forge(edit)
    for (const args of [
      ['show', 'forged.json'],
      ['apply', 'forged.json', '--expect', digest],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('SVC2103') })
    }
  }
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('is for one way of comparing svcIds', async () => {
  await run('plan', '--out', 'plan.json')
  const file = join(workspace.dir, 'svcsync.yaml')
  const settings = readFileSync(file, 'utf8')
  writeFileSync(file, settings.replace('  test:\n', '  test:\n    svcIdCase: exact\n'))
  try {
    const refused = await run('apply', 'plan.json')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toMatch(/SVC2106[\s\S]*svcIdCase {2}ignore-case → case-sensitive/)
  } finally {
    writeFileSync(file, settings)
  }
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('refuses files that are no plan as it was saved', async () => {
  const printed = (await run('plan', '--format', 'json')).stdout
  await run('plan', '--out', 'plan.json')
  const text = readFileSync(join(workspace.dir, 'plan.json'), 'utf8')
  for (const [content, code, words] of [
    [text.slice(0, 300), 'SVC2102', 'only a part of it'],
    ['users: []\n', 'SVC2102', 'not JSON'],
    [printed, 'SVC2102', '--out'],
    [text.replace('"name": "Jan"', '"name": "Ian"'), 'SVC2103', 'was altered'],
    [text.replace('"formatVersion": "1.', '"formatVersion": "2.'), 'SVC2104', 'the format 2.'],
  ] as const) {
    writeFileSync(join(workspace.dir, 'other.json'), content)
    for (const command of ['apply', 'show']) {
      const result = await run(command, 'other.json')
      expect(result).toMatchObject({ code: 4, stdout: '' })
      expect(result.stderr).toContain(code)
      expect(result.stderr.replaceAll(/\s+/g, ' ')).toContain(words)
    }
  }
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('says which options do not go together, and which files cannot be used', async () => {
  await run('plan', '--out', 'plan.json', '--only', 'user/new@*', '--max-age', '1ms')
  for (const [args, code] of [
    [['apply', 'plan.json', '--only', 'x'], 'SVC2109'],
    [['apply', 'plan.json', '--var', 'a=b'], 'SVC2109'],
    [['apply', 'plan.json', '--rotate', 'connection/main/x'], 'SVC2109'],
    [['apply', '--max-age', '1h', '--yes'], 'SVC2109'],
    [['plan', '--max-age', '1h'], 'SVC2109'],
    [['plan', '--max-age', '30'], 'its unit'],
    [['plan', '--out', '-'], 'SVC2101'],
    [['plan', '--out', 'no/such/folder/plan.json'], 'SVC2101'],
    [['plan', '--out', '.'], 'SVC2101'],
    // A slip costs nobody the project file, or a manifest.
    [['plan', '--out', 'svcsync.yaml'], 'it exists, and is no plan'],
    [['undo', 'missing.jsonl', '--out', 'svcsync.yaml'], 'it exists, and is no plan'],
    [['apply', 'missing.json'], 'SVC2100'],
    [['apply', '--expect', 'abc'], 'Write the digest'],
  ] as const) {
    const result = await run(...args)
    expect(result.code).toBe(1)
    expect(result.stderr).toContain(code)
  }
  expect(readdirSync(workspace.dir).filter((name) => name.endsWith('.tmp'))).toEqual([])
  expect(readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')).toMatch(/^version: 1/m)
  expect(await run('apply', 'plan.json')).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2105') })
  expect(writesOf(workspace.emulator)).toEqual([])
})

it.skipIf(!existsSync('/bin/sh'))('leaves what was saved where the new plan finds no room', async () => {
  const file = join(workspace.dir, 'plan.json')
  await run('plan', '--out', 'plan.json')
  const before = readFileSync(file, 'utf8')
  workspace.manifest(
    `users:\n${Array.from({ length: 50 }, (_, i) => `  - { svcId: u${i}@x.com, name: U }\n`).join('')}`,
  )
  const line = `ulimit -f 8; exec '${process.execPath}' '${resolve('dist/svcsync.cjs')}' plan --out plan.json`
  const child = spawn('/bin/sh', ['-c', line], { cwd: workspace.dir, env: { ...credentials, PATH: process.env.PATH } })
  let stderr = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  expect(await new Promise((done) => child.on('close', done))).toBe(1)
  expect(stderr).toMatch(/SVC2101 {2}The plan cannot be written to `plan\.json`: it is larger/)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(readdirSync(workspace.dir).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
