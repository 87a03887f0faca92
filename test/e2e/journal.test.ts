// The built command is killed in the middle of an apply, and goes on with its journal.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { sixtyStepsManifest, sixtyStepsTenant } from '../harness/sixty-steps.ts'
import { isThorough } from '../harness/thorough.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', SECRET: 'nobody may see' }
let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ env, behaviour: { duplicateNames: 'accepted' } })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.clearFaults()
  workspace.emulator.load(sixtyStepsTenant)
  workspace.emulator.setBehaviour({ duplicateNames: 'accepted' })
  await workspace.control('DELETE', '/requests')
  workspace.manifest(sixtyStepsManifest)
})

const run = (...args: readonly string[]) => runCommand(args, workspace.dir, env)
const carriedOutCount = () => writesOf(workspace.emulator).filter((write) => write.carriedOut).length

/** Kills the process when the write hangs that is the n-th of its method from now. */
async function killAt(nth: number, carriedOut: boolean, args: readonly string[], method = 'POST'): Promise<void> {
  await workspace.control('DELETE', '/requests')
  const effect = { kind: 'hang', carriedOut } as const
  workspace.emulator.addFault({ match: { path: '/api/data/*', method }, nth, count: null, effect })
  const running = startCommand([...args, '--concurrency', '2'], workspace.dir, env)
  await running.until(() => writesOf(workspace.emulator).some(({ status }) => status === null))
  running.child.kill('SIGKILL')
  expect(await running.ended).toMatchObject({ code: null })
  workspace.emulator.clearFaults()
}

async function killAndResume(file: string, nth: number, carriedOut: boolean, method: string): Promise<void> {
  await killAt(nth, carriedOut, ['apply', '--yes', '--journal', file], method)
  const before = carriedOutCount()
  const resumed = await run('apply', '--resume', file, '--format', 'json')
  expect(resumed).toMatchObject({ code: 0 })
  const report = JSON.parse(resumed.stdout)
  expect(report).toMatchObject({ outcome: 'converged', counts: { failed: 0, unknown: 0, skipped: 0 } })
  expect(report.steps.filter((step: { earlier?: true }) => step.earlier)).toHaveLength(before)
  expect(resumed.stderr).toMatch(/Resuming the apply of .*: \d+ of 60 steps are done, \d+ are left\./)
  expect(carriedOutCount()).toBe(60)
  expect(await workspace.changes()).toEqual([])
  expect(readFileSync(join(workspace.dir, file), 'utf8')).not.toContain(env.SECRET)
}

it.each([
  [1, true],
  [14, false],
  [46, true],
])('SIGKILL at write %i, carried out: %s', (nth, carriedOut) =>
  killAndResume(`killed-${nth}.jsonl`, nth, carriedOut, 'POST'),
)

// Half a minute: where laws are tried often. Otherwise by the same points inside one process, in
// test/faults/kills.test.ts.
it.runIf(isThorough)(
  'SIGKILL at every write',
  async () => {
    expect(await run('apply', '--yes', '--quiet')).toMatchObject({ code: 0 })
    const seen = new Map<string, number>()
    const writes = writesOf(workspace.emulator).map(({ method }) => {
      const nth = (seen.get(method) ?? 0) + 1
      seen.set(method, nth)
      return { method, nth }
    })
    expect(writes).toHaveLength(60)
    for (const [index, { method, nth }] of writes.entries()) {
      workspace.emulator.load(sixtyStepsTenant)
      await killAndResume(`every-${index}.jsonl`, nth, index % 2 === 0, method)
    }
  },
  300_000,
)

it('is gone on with again, when what goes on with it is killed as well', async () => {
  await killAt(9, true, ['apply', '--yes', '--journal', 'twice.jsonl'])
  const first = carriedOutCount()
  await killAt(9, true, ['apply', '--resume', 'twice.jsonl'])
  const second = carriedOutCount()
  // A kill can cut a line off.
  appendFileSync(join(workspace.dir, 'twice.jsonl'), '{"event":"sending","at":"2026-')
  await workspace.control('DELETE', '/requests')
  expect(await run('apply', '--resume', 'twice.jsonl')).toMatchObject({ code: 0 })
  expect(first + second + carriedOutCount()).toBe(60)
  // It has come to its end: going on once more finds nothing to do.
  const again = await run('apply', '--resume', 'twice.jsonl')
  expect(again).toMatchObject({ code: 0 })
  expect(again.stderr).toContain('60 of 60 steps are done, 0 are left.')
  const lines = readFileSync(join(workspace.dir, 'twice.jsonl'), 'utf8').trim().split('\n')
  const events = lines.map((line) => JSON.parse(line).event).filter((event) => !/sending|answered/.test(event))
  expect(events).toEqual(['begun', 'resumed', 'resumed', 'finished', 'resumed', 'finished'])
})

it('goes on with a saved plan where there are no manifests', async () => {
  expect(await run('plan', '--out', 'plan.json', '--quiet')).toMatchObject({ code: 0 })
  expect(await run('plan', '--out', 'users.json', '--only', 'user/**', '--quiet')).toMatchObject({ code: 0 })
  workspace.manifest('')
  await killAt(20, true, ['apply', 'plan.json', '--journal', 'saved.jsonl'])
  const first = carriedOutCount()
  const journal = readFileSync(join(workspace.dir, 'saved.jsonl'), 'utf8')
  writeFileSync(join(workspace.dir, 'edited.jsonl'), journal.replaceAll('"All staff"', '"Nobody"'))
  const edited = await run('apply', '--resume', 'edited.jsonl')
  expect(edited).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('SVC2103') })
  const resume = ['apply', '--resume', 'saved.jsonl', '--format', 'json', '--approved']
  const part = await run(...resume, 'users.json')
  expect(part).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2197') })
  expect(carriedOutCount()).toBe(first)
  const resumed = await run(...resume, 'users.json', 'plan.json')
  expect(resumed).toMatchObject({ code: 0 })
  expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: 'converged', counts: { failed: 0, unknown: 0 } })
  expect(first).toBeGreaterThan(10)
  expect(carriedOutCount()).toBe(60)
  workspace.manifest(sixtyStepsManifest)
  expect(await workspace.changes()).toEqual([])
})

it('holds what it goes on with to a digest, to its target and to the way in which svcIds compare', async () => {
  await killAt(3, true, ['apply', '--yes', '--journal', 'held.jsonl'])
  const before = carriedOutCount()
  const { plan } = JSON.parse(readFileSync(join(workspace.dir, 'held.jsonl'), 'utf8').split('\n')[0] as string)
  const resume = (...args: string[]) => run('apply', '--resume', 'held.jsonl', ...args)
  expect(await resume('--expect', 'a'.repeat(16))).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('SVC2108'),
  })
  const file = join(workspace.dir, 'svcsync.yaml')
  const settings = readFileSync(file, 'utf8')
  try {
    writeFileSync(file, settings.replace('  test:\n', '  test:\n    svcIdCase: exact\n'))
    const refused = await resume()
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toMatch(/SVC2125[\s\S]*svcIdCase: ignore-case there, and case-sensitive here/)
    expect(carriedOutCount()).toBe(before)
    // Another way of writing the same address is no other installation.
    writeFileSync(file, settings.replace(/(baseUrl: )http(.*)/, '$1HTTP$2/'))
    expect(await resume('--expect', plan.digest)).toMatchObject({ code: 0 })
  } finally {
    writeFileSync(file, settings)
  }
})

it('asks guards again, whatever the journal says of them', async () => {
  await killAt(1, false, ['apply', '--yes', '--journal', 'guards.jsonl'])
  const before = carriedOutCount()
  const file = join(workspace.dir, 'svcsync.yaml')
  const settings = readFileSync(file, 'utf8')
  try {
    // The project has become stricter than the one that began.
    writeFileSync(file, `${settings}guards: { deletions: { max: 0 }, removals: { max: 0 } }\n`)
    const refused = await run('apply', '--resume', 'guards.jsonl')
    expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('SVC2070') })
    expect(carriedOutCount()).toBe(before)
    const allow = /--allow \S+(?: --allow \S+)*/.exec(refused.stderr)?.[0].split(' ') ?? []
    expect(await run('apply', '--resume', 'guards.jsonl', ...allow)).toMatchObject({ code: 0 })
  } finally {
    writeFileSync(file, settings)
  }
})

it.skipIf(!existsSync('/dev/full'))('a full disk is told before the first write', async () => {
  const result = await run('apply', '--yes', '--quiet', '--journal', '/dev/full')
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('The journal /dev/full cannot be written: the disk is full')
  expect(writesOf(workspace.emulator)).toEqual([])
})

it.skipIf(process.platform === 'win32')('is in no pipe, whether somebody reads it or not', async () => {
  execFileSync('mkfifo', [join(workspace.dir, 'pipe')])
  const refused = { code: 1, stdout: '', stderr: expect.stringContaining('it is a device or a pipe, and no file') }
  expect(await run('apply', '--yes', '--quiet', '--journal', 'pipe')).toMatchObject(refused)
  const reader = openSync(join(workspace.dir, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  expect(await run('apply', '--yes', '--quiet', '--journal', 'pipe')).toMatchObject(refused)
  closeSync(reader)
  rmSync(join(workspace.dir, 'pipe'))
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('refuses what does not go with a journal, and one that is there', async () => {
  writeFileSync(join(workspace.dir, 'there.jsonl'), 'x')
  const there = await run('apply', '--yes', '--quiet', '--journal', 'there.jsonl')
  expect(there).toMatchObject({ code: 1 })
  expect(there.stderr).toContain('svcsync apply --resume there.jsonl')
  for (const args of [
    ['--only', 'user/**'],
    ['--journal', 'other.jsonl'],
  ]) {
    const result = await run('apply', '--resume', 'there.jsonl', ...args)
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toContain('SVC2127')
  }
  expect((await run('apply', '--resume', 'there.jsonl')).stderr).toContain('SVC2124')
  expect(writesOf(workspace.emulator)).toEqual([])
})

it('does not take access from another application that goes on, unseen', async () => {
  const applications = ['svcsync', 'other'].map((name) => ({
    name,
    clientId: name,
    clientSecret: 'svcsync-secret',
    scopes: 'all',
    svcId: `${name}@apps`,
  }))
  await workspace.control('PUT', '/state', {
    apiApplications: applications,
    groups: [{ svcId: 'deployers@example.com', name: 'D', members: applications.map(({ svcId }) => svcId) }],
    databases: [{ id: 1 }],
  })
  workspace.manifest('groups: [{ svcId: deployers@example.com, members: [svcsync@apps] }]\n')
  const match = { path: '*/members/remove' }
  workspace.emulator.addFault({ match, count: 1, effect: { kind: 'status', status: 403 } })
  expect(await run('apply', '--yes', '--quiet', '--journal', 'own.jsonl')).toMatchObject({ code: 3 })
  const resume = ['apply', '--resume', 'own.jsonl', '--quiet']
  const foreign = await runCommand(resume, workspace.dir, { ...env, SVCSYNC_CLIENT_ID: 'other' })
  expect(foreign).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringContaining('svcsync writes as `other@apps`'),
  })
  expect(await run(...resume)).toMatchObject({ code: 0 })
})

it('takes an apply back: shown and saved first, and gone on with where it was killed', async () => {
  const users = () => ((workspace.emulator.state().users ?? []) as object[]).map((user) => JSON.stringify(user)).sort()
  const before = users()
  expect(await run('apply', '--yes', '--journal', 'whole.jsonl')).toMatchObject({ code: 0 })
  const plan = await run('undo', 'whole.jsonl', '--out', 'undo.json', '--allow', 'deletions=60')
  expect(plan).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved to undo.json') })
  expect(plan.stdout).toContain('reverts whole.jsonl')
  const allowed = plan.stdout.match(/--allow \S+/g)?.flatMap((each) => each.split(' ')) ?? []
  // Nobody can be asked: what is wrong with the journal, and the plan, come first.
  const applied = users()
  expect((await run('undo', 'manifests/main.yaml')).stderr).toContain('SVC2124')
  const unasked = await run('undo', 'whole.jsonl', ...allowed)
  expect(unasked).toMatchObject({ code: 1, stdout: expect.stringContaining('reverts whole.jsonl') })
  const digest = /SVC2002.*`--expect\s+([0-9a-f]{16})`,/s.exec(unasked.stderr)?.[1]
  const asJson = await run('undo', 'whole.jsonl', ...allowed, '--format', 'json')
  expect([asJson.code, JSON.parse(asJson.stdout).digest]).toEqual([1, expect.stringContaining(digest ?? 'no digest')])
  expect(users()).toEqual(applied)
  await killAt(5, true, ['undo', 'whole.jsonl', '--yes', '--journal', 'undo.jsonl', ...allowed], 'DELETE')
  // Without its manifests: they are about something else.
  workspace.manifest('users: []')
  const resumed = await run('apply', '--resume', 'undo.jsonl', ...allowed)
  // Constants and connections that were created stay, and are listed.
  expect(resumed).toMatchObject({ code: 5, stdout: expect.stringContaining('14 things not reverted') })
  expect(users()).toEqual(before)
})

it('takes back what was taken away since nothing declared it any more', async () => {
  const members = () =>
    (workspace.emulator.state().groups as { svcId: string; members: string[] }[]).map(({ svcId, members }) => [
      svcId,
      members.toSorted(),
    ])
  workspace.emulator.load({
    ...sixtyStepsTenant,
    groups: [{ svcId: 'staff@example.com', members: ['jan@example.com', 'ewa@example.com', 'old@example.com'] }],
  } as never)
  const memberships = (...names: readonly string[]) =>
    `memberships: [{ group: staff@example.com, members: [${names.map((name) => `${name}@example.com`).join(', ')}] }]\n`
  workspace.write('before/svcsync.yaml', readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8'))
  workspace.write('before/manifests/main.yaml', memberships('jan', 'ewa'))
  workspace.manifest(memberships('jan'))
  const before = members()
  const { stdout } = await run('apply', '--since', './before', '--yes', '--journal', 'since.jsonl')
  expect(stdout).toContain('-ewa@example.com')
  expect(members()).toEqual([['staff@example.com', ['jan@example.com', 'old@example.com']]])
  expect(await run('undo', 'since.jsonl', '--yes')).toMatchObject({ code: 0 })
  expect(members()).toEqual(before)
})
