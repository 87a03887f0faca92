// Settings that come with a repository: which of them git may follow when svcsync has it speak to a remote, and what
// those reach that it must not follow, with a real credential helper and a real proxy.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../../harness/git-remote.ts'
import { git } from '../../harness/repository.ts'
import { openWorkspace, type Workspace } from '../../harness/workspace.ts'
import { type Listener, openListener, openTrap, plainGit, type Trap, userWithHelper } from './trap.ts'

/** As it stands without line breaks. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

let trap: Trap
let listener: Listener
let workspace: Workspace
let remote: GitRemote
let user: Readonly<Record<string, string>>
let config: string
let platform: number
beforeAll(async () => {
  platform = 0
  workspace = await openWorkspace({
    settings: 'ledger: { remote: origin }',
    onExchange: () => {
      platform++
    },
  })
  workspace.manifest('groups: [{ svcId: a@example.com, name: a }]\n')
  workspace.emulator.load({ users: [], groups: [] })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  commitAll(workspace.dir, 'First')
  trap = openTrap()
  listener = await openListener()
  user = userWithHelper(trap.dir)
  config = readFileSync(join(workspace.dir, '.git/config'), 'utf8')
})
afterAll(async () => {
  await workspace.close()
  remote.close()
  trap.close()
  listener.close()
})
beforeEach(() => {
  writeFileSync(join(workspace.dir, '.git/config'), config)
  listener.seen()
  platform = 0
})

const set = (key: string, value: string) => git(workspace.dir, 'config', '--add', key, value)
const run = (...args: readonly string[]) =>
  runCommand(args, workspace.dir, { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', ...user })

describe('a setting of the repository', () => {
  const address = 'http://git.invalid/company.git'

  it.each([
    ['http.proxy', () => listener.url],
    ['http.http://git.invalid.proxy', () => listener.url],
    ['remote.origin.proxy', () => listener.url],
  ])('%s gets no token of the user, and nothing is sent at all', async (key, value) => {
    set('remote.origin.url', address)
    git(workspace.dir, 'config', '--replace-all', 'remote.origin.url', address)
    set(key, value())
    await plainGit(workspace.dir, user, 'ls-remote', 'origin')
    expect(listener.seen()).toContainEqual(expect.stringMatching(/^GET http:\/\/git\.invalid\/.* anna:s3cr3t-word$/))
    for (const command of [['plan'], ['status'], ['drift'], ['apply', '--yes']]) {
      const { code, stderr } = await run(...command)
      expect([command, code]).toEqual([command, 1])
      expect(flat(stderr)).toContain(`SVC2233 The repository's own settings change how git speaks to remotes: ${key}`)
      expect(stderr).not.toContain('127.0.0.1')
    }
    expect([listener.seen(), platform]).toEqual([[], 0])
  })

  it('is seen whatever the environment has `git config` read, by `doctor`, and where git cannot tell', async () => {
    git(workspace.dir, 'config', 'remote.origin.url', address)
    set('http.proxy', listener.url)
    const hidden = { ...user, GIT_CONFIG: '/dev/null', GIT_DIR: '/nowhere' }
    expect(flat((await runCommand(['status'], workspace.dir, hidden)).stderr)).toContain('SVC2233')
    expect(flat((await run('doctor')).stdout)).toMatch(/settings change how git speaks to remotes: http\.proxy/)
    writeFileSync(join(workspace.dir, '.git/config'), '[broken')
    expect(flat((await run('status')).stderr)).toContain('SVC2233 git cannot read the settings of the repository')
    expect(listener.seen()).toEqual([])
  })

  it("counts beside those of the environment, which are the user's own", async () => {
    git(workspace.dir, 'config', '--unset-all', 'remote.origin.url')
    const own = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'remote.origin.url', GIT_CONFIG_VALUE_0: remote.path }
    const status = () => runCommand(['status'], workspace.dir, { ...user, ...own })
    expect((await status()).stdout).toContain('applied  nothing')
    for (let index = 0; index < 12; index++) set(`unknown.key${index}`, 'x')
    expect(flat((await status()).stderr)).toMatch(/SVC2233 .*: unknown\.key0, .*unknown\.key7, and 2 more hint/)
  })

  it('http.cookieFile does not get a file of the user overwritten', async () => {
    const precious = join(trap.dir, 'precious')
    writeFileSync(precious, 'mine\n')
    git(workspace.dir, 'config', 'remote.origin.url', `${listener.url}/company.git`)
    set('http.cookieFile', precious)
    set('http.saveCookies', 'true')
    for (const command of ['plan', 'status', 'drift']) {
      expect(flat((await run(command)).stderr)).toMatch(/SVC2233 .*: http\.cookiefile, http\.savecookies/)
    }
    expect([listener.seen(), readFileSync(precious, 'utf8')]).toEqual([[], 'mine\n'])
    await plainGit(workspace.dir, user, 'ls-remote', 'origin')
    expect(readFileSync(precious, 'utf8')).toContain('trap')
  })

  it.each([
    ['core.sshCommand', 'ssh://git.invalid/x'],
    ['core.gitProxy', 'git://git.invalid/x'],
    ['core.alternateRefsCommand', ''],
    ['remote.origin.uploadpack', ''],
    ['credential.helper', 'http'],
    ['core.askPass', 'http'],
    // There is no such transport: git takes the alias for it.
    ['alias.remote-ssh', 'ssh::x'],
  ])('%s gets nothing run', async (key, url) => {
    if (url !== '') git(workspace.dir, 'config', 'remote.origin.url', url === 'http' ? `${listener.url}/x.git` : url)
    const isShell = key.startsWith('alias.') || key === 'credential.helper'
    set(key, isShell ? `!${trap.script}` : trap.script)
    if (key === 'core.alternateRefsCommand') {
      mkdirSync(join(workspace.dir, '.git/objects/info'), { recursive: true })
      writeFileSync(join(workspace.dir, '.git/objects/info/alternates'), `${remote.path}/objects\n`)
      git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:refs/heads/other')
    }
    // Nobody's helper answers before.
    const nobody = { ...user, GIT_CONFIG_GLOBAL: '/dev/null' }
    await plainGit(workspace.dir, nobody, 'fetch', 'origin', 'refs/heads/other')
    expect([key, trap.ran()]).toEqual([key, true])
    for (const command of ['plan', 'status', 'drift']) {
      expect(flat((await run(command)).stderr)).toContain(`SVC2233`)
    }
    expect(trap.ran()).toBe(false)
  })
})
