// `ledger: { signed: require }`: the built command, real git, and real ssh keys of two people.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeLease } from '../../src/ledger/ledger-commit.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git, gitEnvironment } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
const [applied, lease, journal, history] = ['applied', 'lease', 'journal', 'history'].map(
  (each) => `refs/svcsync/${each}/test`,
) as [string, string, string, string]
const members = (...names: readonly string[]) =>
  `memberships: [{ group: staff@example.com, members: [${names.map((name) => `${name}@example.com`)}] }]\n`

let workspace: Workspace
let remote: GitRemote
let keys: string
/** The git settings of a person; with what the repository says they trust. */
const settingsOf = (who: string): string => join(keys, `${who}.gitconfig`)
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  git(remote.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
  keys = mkdtempSync(join(tmpdir(), 'svcsync-keys-'))
  for (const who of ['anna', 'eve']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', who, '-f', join(keys, who)])
    writeFileSync(
      join(keys, `${who}.signers`),
      `svcsync@svcsync.invalid ${readFileSync(join(keys, `${who}.pub`), 'utf8')}`,
    )
    writeFileSync(
      settingsOf(who),
      `[gpg]\nformat = ssh\n[gpg "ssh"]\nallowedSignersFile = ${join(keys, `${who}.signers`)}\n` +
        `[user]\nsigningKey = ${join(keys, `${who}.pub`)}\n`,
    )
  }
  workspace.emulator.load({
    users: ['a', 'b', 'c'].map((name) => ({ svcId: `${name}@example.com` })),
    groups: [{ svcId: 'staff@example.com', name: 'Staff', members: ['b@example.com'] }],
  } as never)
  workspace.manifest(members('a'))
  publish('Unsigned')
  expect((await runAs(undefined, 'apply', '--yes')).code).toBe(0)
})
afterAll(async () => {
  remote.close()
  rmSync(keys, { recursive: true })
  await workspace.close()
})

const runAs = (who: string | undefined, ...args: readonly string[]) =>
  runCommand(args, workspace.dir, { ...env, ...(who && { GIT_CONFIG_GLOBAL: settingsOf(who) }) })
const run = (...args: readonly string[]) => runAs('anna', ...args)
const flat = (text: string) => text.replace(/\s+/g, ' ')
const publish = (message: string) => {
  const id = commitAll(workspace.dir, message)
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main')
  return id
}
const inRemote = (...args: readonly string[]) => git(remote.path, ...args)
const at = (ref: string) => inRemote('rev-parse', ref)
const isSignedBy = (who: string, ref: string): boolean => {
  try {
    const own = { ...gitEnvironment, GIT_CONFIG_GLOBAL: settingsOf(who) }
    execFileSync('git', ['verify-commit', ref], { cwd: remote.path, env: own, stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
/** As if somebody else had pushed it: a lease that names a commit, signed or not. */
const forged = (target: string, signer?: string): string => {
  const begun = [{ commit: git(workspace.dir, 'rev-parse', 'HEAD~1'), at: '2026-01-01T00:00:00.000Z', only: [] }]
  const since = '2026-01-01T00:00:00.000Z'
  const facts = { holder: 'eve', where: '', since, until: undefined, begun, after: at(applied) }
  const id = writeLease(workspace.dir, facts, target, 0) as string
  if (signer === undefined) return id
  const text = git(workspace.dir, 'log', '-1', '--format=%B', id)
  const parents = begun.flatMap(({ commit }) => ['-p', commit])
  const own = {
    ...gitEnvironment,
    GIT_CONFIG_GLOBAL: settingsOf(signer),
    GIT_COMMITTER_EMAIL: 'svcsync@svcsync.invalid',
  }
  const args = ['commit-tree', '-S', ...parents, '-m', text, `${id}^{tree}`]
  return execFileSync('git', args, { cwd: workspace.dir, env: own, encoding: 'utf8' }).trim()
}
const push = (id: string, ref: string) => git(workspace.dir, 'push', '--quiet', '--force', 'origin', `${id}:${ref}`)

it('refuses what is there without one, lets it pass once by its name, and signs all later writes', async () => {
  const file = join(workspace.dir, 'svcsync.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('{ remote: origin }', '{ remote: origin, signed: require }'))
  workspace.manifest(members('a', 'b'))
  publish('Require')
  const allow = [applied, lease].flatMap((ref) => ['--allow', `unsigned=${at(ref)}`])
  for (const command of [['plan'], ['drift'], ['apply', '--yes'], ['apply', '--yes', ...allow.slice(2)]]) {
    const { code, stderr } = await run(...command)
    expect([code, flat(stderr)]).toEqual([1, expect.stringMatching(/error SVC2245 The ledger requires signatures/)])
    expect(flat(stderr)).toContain(allow.slice(0, 2).join(' '))
  }
  expect((await run('status')).stdout).toContain('problem  SVC2245')
  expect((await run('plan', ...allow)).code).toBe(0)
  // Without a key nothing is begun.
  const before = [at(applied), at(lease)]
  workspace.manifest(members('a', 'c'))
  publish('With something to do')
  const keyless = await runAs(undefined, 'apply', '--yes', ...allow)
  expect([keyless.code, flat(keyless.stderr)]).toEqual([
    1,
    expect.stringContaining('SVC2246 The ledger requires signatures'),
  ])
  expect([at(applied), at(lease)]).toEqual(before)
  const { code, stdout } = await run('apply', '--yes', '--journal', 'git:', ...allow)
  expect([code, stdout]).toEqual([0, expect.stringContaining(' now.')])
  for (const ref of [applied, lease, journal]) {
    expect([isSignedBy('anna', ref), isSignedBy('eve', ref)]).toEqual([true, false])
    expect(inRemote('log', '-1', '--format=%an <%ae> %cn', ref)).toBe('svcsync <svcsync@svcsync.invalid> svcsync')
  }
  expect(inRemote('rev-parse', `${applied}^1`)).toBe(before[0])
  expect((await run('plan')).code).toBe(0)
  // An allowance is not used again.
  push(before[0] as string, applied)
  expect((await run('plan')).stderr).toContain('SVC2245')
  git(workspace.dir, 'push', '--quiet', 'origin', `:${applied}`)
  expect((await run('apply', '--yes')).code).toBe(0)
})

it('begins a history again that is not signed, and says in one line that a run has no key', async () => {
  expect(isSignedBy('anna', history)).toBe(true)
  push(forged('test', 'eve'), history)
  const found = await run('drift')
  expect([found.code, flat(found.stderr)]).toEqual([
    0,
    expect.stringContaining(`warning SVC2248 ${history} has no signature that your git trusts`),
  ])
  expect(isSignedBy('anna', history)).toBe(true)
  const file = join(keys, 'keyless.gitconfig')
  writeFileSync(file, readFileSync(settingsOf('anna'), 'utf8').replace(/signingKey = .*/, ''))
  const keyless = await runCommand(['drift'], workspace.dir, { ...env, GIT_CONFIG_GLOBAL: file })
  expect(keyless.code).toBe(0)
  expect(flat(keyless.stderr)).toMatch(
    /^warning SVC2248 The history of `test` does not have this run: The ledger requires/,
  )
})

it('takes nobody for a signer whom the repository names', async () => {
  const sound = at(lease)
  const config = ['gpg.ssh.allowedSignersFile', join(keys, 'eve.signers')]
  git(workspace.dir, 'config', config[0] as string, config[1] as string)
  git(workspace.dir, 'config', 'user.signingKey', join(keys, 'eve.pub'))
  git(workspace.dir, 'config', 'gpg.format', 'ssh')
  for (const id of [forged('test'), forged('test', 'eve')]) {
    push(id, lease)
    for (const command of [['plan'], ['apply', '--yes'], ['apply', '--yes', '--allow', `unsigned=${sound}`]])
      expect((await run(...command)).stderr).toContain('SVC2245')
    // Nor where it was seen here once, and is gone there.
    git(workspace.dir, 'push', '--quiet', 'origin', `:${lease}`)
    expect((await run('plan')).stderr).toContain('SVC2245')
    push(sound, lease)
    expect((await run('plan')).code).toBe(0)
  }
  expect((await runAs(undefined, 'plan')).stderr).toContain('SVC2245')
  workspace.manifest(members('a'))
  publish('Signed by anna all the same')
  expect((await run('apply', '--yes')).code).toBe(0)
  expect([isSignedBy('anna', lease), isSignedBy('anna', applied)]).toEqual([true, true])
  for (const key of ['gpg.ssh.allowedSignersFile', 'user.signingKey', 'gpg.format'])
    git(workspace.dir, 'config', '--unset', key)
})

it('takes no file of the repository for that of the signers, also where the user names it so', async () => {
  const inside = join(keys, 'inside.gitconfig')
  const settings = readFileSync(settingsOf('anna'), 'utf8')
  writeFileSync(inside, settings.replace(join(keys, 'anna.signers'), 'signers'))
  writeFileSync(join(workspace.dir, 'signers'), readFileSync(join(keys, 'anna.signers')))
  const { stderr } = await runCommand(['plan'], workspace.dir, { ...env, GIT_CONFIG_GLOBAL: inside })
  expect(stderr).toContain('SVC2245')
  rmSync(join(workspace.dir, 'signers'))
})

it('takes the lease of another target for none, whoever has signed it', async () => {
  push(forged('prod', 'anna'), lease)
  const { code, stderr } = await run('plan')
  expect([code, flat(stderr)]).toEqual([
    0,
    expect.stringContaining('is no lease: its commit is about the target `prod`'),
  ])
})

it('goes on with no journal that is not signed', async () => {
  push(forged('test'), journal)
  const { code, stderr } = await run('apply', '--resume', 'git:')
  expect([code, flat(stderr)]).toEqual([1, expect.stringMatching(/SVC2245 .*removes the journal/)])
})
