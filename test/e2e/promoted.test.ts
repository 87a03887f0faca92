// The guard `promoted`: production takes no commit that is not applied to the target before it. Real git, a ledger, two
// platforms.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'

let dir: string
let remote: GitRemote
let emulators: readonly [Emulator, Emulator]
const tenant = { users: [{ svcId: 'ann@example.com', name: 'Ann' }] }
const write = (file: string, text: string) => writeFileSync(join(dir, file), text)
const run = (line: string) =>
  runCommand(line.split(' '), dir, {
    SVCSYNC_CLIENT_ID: 'svcsync',
    SVCSYNC_CLIENT_SECRET: 'svcsync-secret',
    HOME: '/nowhere',
  })
const named = (name: string) => write('manifests/main.yaml', `users: [{ svcId: ann@example.com, name: ${name} }]\n`)
const commit = (name: string): string => {
  named(name)
  return commitAll(dir, name)
}
const nameIn = (index: 0 | 1) => emulators[index].state().users?.[0]?.name

/** `top`: lines of the file; `prod`: of the target. */
function project({ top = '', prod = '    guards: { promotedFrom: test }\n', ledger = true } = {}): void {
  const target = (name: string, url: string) =>
    `  ${name}:\n    baseUrl: ${url}\n    clientId: "\${env:SVCSYNC_CLIENT_ID}"\n`
  write(
    'svcsync.yaml',
    `version: 1\nmanifests: [manifests]\n${ledger ? 'ledger: { remote: origin }\n' : ''}${top}targets:\n` +
      `${target('test', emulators[0].url)}${target('prod', emulators[1].url)}${prod}`,
  )
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svcsync-promoted-'))
  emulators = await Promise.all([startEmulator(), startEmulator()])
  for (const each of emulators) each.load(tenant as never)
  mkdirSync(join(dir, 'manifests'))
  project()
  named('First')
  remote = openGitRemote()
  remote.adopt(dir)
  commitAll(dir, 'First')
})
afterAll(async () => {
  remote.close()
  await Promise.all(emulators.map((each) => each.close()))
  rmSync(dir, { recursive: true, force: true })
})

const refused = async (line: string, says: string, allow: string) => {
  const before = nameIn(1)
  const { code, stderr } = await run(line)
  expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(says),
  })
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`--allow promoted=${allow}`)
  expect(nameIn(1)).toBe(before)
}

it('takes what is applied to the target before it, and nothing else', { timeout: 240_000 }, async () => {
  const first = git(dir, 'rev-parse', 'HEAD').trim()
  await refused('apply -t prod --yes', 'Nothing is applied to `test` yet', first)
  expect(await run('apply -t test --yes')).toMatchObject({ code: 0 })
  const before = await run('status --all-targets')
  expect(before.stdout).toContain(
    `1 of 2 targets at ${first.slice(0, 7)}, 1 refused (promoted), 1 with nothing applied.`,
  )
  expect(before.stdout).toMatch(/refused +the last apply, by promoted/)
  expect(JSON.parse((await run('status --all-targets --format json')).stdout).counts).toEqual({
    ...{ targets: 2, commits: [{ commit: first, targets: 1 }], behind: 0, begun: 0, nothingApplied: 1 },
    ...{ beingApplied: 0, problem: 0, refused: 1, refusedBy: [{ guard: 'promoted', targets: 1 }] },
  })
  const page = (await run('status --all-targets --format html')).stdout
  expect(page).toContain('data-tag="refused (promoted)"')
  expect(page).toContain(`data-tag="at ${first.slice(0, 7)}"`)
  expect(await run('apply -t prod --yes')).toMatchObject({ code: 0 })
  expect(nameIn(1)).toBe('First')
  // A later one has to pass as well; one that touches nothing of the project is the same.
  const second = commit('Second')
  expect((await run('status')).stdout).toContain(
    `2 of 2 targets at ${first.slice(0, 7)}, 2 behind the checked out commit.`,
  )
  expect((await run('status --targets pr*')).stdout).not.toContain('targets at')
  await refused(
    'apply -t prod --yes',
    `is not the applied commit of \`test\`, which is \`${first.slice(0, 7)}\``,
    second,
  )
  expect(await run('apply -t test --yes')).toMatchObject({ code: 0 })
  write('notes.md', 'nothing of the project')
  commitAll(dir, 'Notes')
  expect(await run('apply -t prod --yes')).toMatchObject({ code: 0 })
  expect(nameIn(1)).toBe('Second')
})

it('takes no commit that was applied there and reverted, nor a saved plan of it', { timeout: 240_000 }, async () => {
  const third = commit('Third')
  expect(await run('apply -t test --yes')).toMatchObject({ code: 0 })
  expect(await run('plan -t prod --out third.plan.json')).toMatchObject({ code: 0 })
  git(dir, 'revert', '--no-edit', 'HEAD')
  expect(await run('apply -t test --yes')).toMatchObject({ code: 0 })
  await refused('apply third.plan.json', 'is not the applied commit of `test`', third)
  git(dir, 'checkout', '--quiet', third)
  await refused('apply -t prod --yes', 'is not the applied commit of `test`', third)
  expect(await run(`apply -t prod --yes --allow promoted=${third}`)).toMatchObject({ code: 0 })
  expect(nameIn(1)).toBe('Third')
  git(dir, 'checkout', '--quiet', '-')
})

it('takes nothing that is no commit, and nothing that nobody can look up', { timeout: 240_000 }, async () => {
  named('By hand')
  await refused(
    'apply -t prod --yes',
    'The planned files are no commit: manifests/main.yaml is not as it was committed',
    'none',
  )
  git(dir, 'checkout', '--', 'manifests/main.yaml')
  const head = git(dir, 'rev-parse', 'HEAD').trim()
  await refused('apply -t prod --yes --no-ledger', 'cannot tell the applied commit of `test`: `--no-ledger`', head)
  renameSync(remote.path, `${remote.path}.away`)
  await refused(
    'apply -t prod --yes',
    'cannot tell the applied commit of `test`: The remote `origin`',
    `${head} --no-ledger`,
  )
  expect(await run(`apply -t prod --yes --allow promoted=${head}`)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('SVC2231') },
  })
  expect(await run(`apply -t prod --yes --allow promoted=${head} --no-ledger`)).toMatchObject({ code: 0 })
  renameSync(`${remote.path}.away`, remote.path)
  project({ ledger: false })
  const alone = commitAll(dir, 'Without a ledger')
  await refused('apply -t prod --yes', 'the project has no ledger', alone)
})

it('binds at the top every target but the one it names, and names one that is there', {
  timeout: 240_000,
}, async () => {
  project({ top: 'guards: { promotedFrom: test }\n', prod: '' })
  const head = commit('Fourth')
  await refused('apply -t prod --yes', 'is not the applied commit of `test`', head)
  expect(await run('apply -t test --yes')).toMatchObject({ code: 0 })
  project({ prod: '    guards: { promotedFrom: tset }\n' })
  expect((await run('validate')).stdout.replaceAll(/\s+/g, ' ')).toContain('There is no target `tset`')
  project({ prod: '    guards: { promotedFrom: prod }\n' })
  expect((await run('validate')).stdout).toContain('`promotedFrom` of `prod` names the target itself')
})
