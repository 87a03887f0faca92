// `ledger: { signed: require }` with OpenPGP keys: the built command, real git, gpg with a key ring of its own.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git, gitEnvironment } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const hasGpg = (() => {
  try {
    return execFileSync('gpg', ['--version'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
})()
const identity = 'svcsync <svcsync@svcsync.invalid>'
const lease = 'refs/svcsync/lease/test'

describe.skipIf(!hasGpg)('entries signed with gpg', () => {
  let workspace: Workspace
  let remote: GitRemote
  let rings: string
  const ringOf = (who: string): string => join(rings, who)
  const gpg = (who: string, args: readonly string[], input?: Buffer): Buffer =>
    execFileSync('gpg', ['--batch', '--quiet', ...args], {
      env: { ...process.env, GNUPGHOME: ringOf(who) },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input && { input }),
    })
  const envOf = (who: string) => ({ GNUPGHOME: ringOf(who), GIT_CONFIG_GLOBAL: `${ringOf(who)}.gitconfig` })
  const run = (...args: readonly string[]) =>
    runCommand(args, workspace.dir, {
      ...{ SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' },
      ...envOf('a'),
    })

  beforeAll(async () => {
    // Short: the agent listens at a path within.
    rings = mkdtempSync(join(tmpdir(), 'gpg-'))
    for (const who of ['a', 'e']) {
      mkdirSync(ringOf(who), { mode: 0o700 })
      gpg(who, ['--passphrase', '', '--quick-gen-key', identity, 'ed25519', 'sign', 'never'])
      const [, key] = /^fpr:+([0-9A-F]+):/m.exec(gpg(who, ['--with-colons', '--list-secret-keys']).toString()) ?? []
      writeFileSync(`${ringOf(who)}.gitconfig`, `[user]\nsigningKey = ${key}\n`)
    }
    workspace = await openWorkspace({ settings: 'ledger: { remote: origin, signed: require }' })
    remote = openGitRemote()
    remote.adopt(workspace.dir)
    workspace.manifest('groups: [{ svcId: staff@example.com, name: Staff }]\n')
    commitAll(workspace.dir, 'One')
  })
  afterAll(async () => {
    for (const who of ['a', 'e'])
      execFileSync('gpgconf', ['--kill', 'all'], { env: { ...process.env, GNUPGHOME: ringOf(who) } })
    remote.close()
    rmSync(rings, { recursive: true })
    await workspace.close()
  })

  it('are written and accepted', async () => {
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
    expect(git(remote.path, 'cat-file', 'commit', 'refs/svcsync/applied/test')).toContain('BEGIN PGP SIGNATURE')
    expect(await run('plan')).toMatchObject({ code: 0, stderr: '' })
  })

  it('are refused where the key is known to the ring and trusted by nobody', async () => {
    const sound = git(remote.path, 'rev-parse', lease)
    const text = git(workspace.dir, 'log', '-1', '--format=%B', sound)
    const forged = execFileSync('git', ['commit-tree', '-S', '-m', text, `${sound}^{tree}`], {
      cwd: workspace.dir,
      env: { ...gitEnvironment, ...envOf('e'), GIT_COMMITTER_EMAIL: 'svcsync@svcsync.invalid' },
      encoding: 'utf8',
    }).trim()
    git(workspace.dir, 'push', '--quiet', '--force', 'origin', `${forged}:${lease}`)
    expect((await run('plan')).stderr).toContain('SVC2245')
    gpg('a', ['--import'], gpg('e', ['--export']))
    const refused = await run('plan')
    expect([refused.code, refused.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringMatching(/SVC2245 .*gpg\.minTrustLevel/),
    ])
    const config = readFileSync(`${ringOf('a')}.gitconfig`, 'utf8')
    writeFileSync(`${ringOf('a')}.gitconfig`, `${config}[gpg]\nminTrustLevel = undefined\n`)
    expect(await run('plan')).toMatchObject({ code: 0 })
  })
})
