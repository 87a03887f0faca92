// Which commit was applied is kept in a remote: the built command, real git, a bare repository, and two clones.

import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
const applied = 'refs/svcsync/applied/test'
const lease = 'refs/svcsync/lease/test'
const groups = (...names: readonly string[]) =>
  `groups:\n${names.map((name) => `  - { svcId: ${name}@example.com, name: ${name} }`).join('\n')}\n`

let workspace: Workspace
let remote: GitRemote
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
})
afterAll(() => workspace.close())
beforeEach(() => {
  workspace.emulator.load({ users: [], groups: [] })
  workspace.emulator.clearFaults()
  remote?.close()
  remote = openGitRemote()
  rmSync(join(workspace.dir, '.git'), { recursive: true, force: true })
  remote.adopt(workspace.dir)
  workspace.manifest(groups('a'))
})
afterAll(() => remote.close())

const runIn = (dir: string, ...args: readonly string[]) => runCommand(args, dir, env)
const run = (...args: readonly string[]) => runIn(workspace.dir, ...args)
const inRemote = (...args: readonly string[]) => git(remote.path, ...args)
const appliedCommit = () => inRemote('rev-parse', '--verify', '--quiet', `${applied}^2`)
/** As it stands without line breaks. */
const flat = (text: string) => text.replace(/\s+/g, ' ')
const publish = (message: string) => {
  const commit = commitAll(workspace.dir, message)
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main')
  return commit
}

const hook = (name: string, text: string): void => {
  mkdirSync(join(remote.path, 'hooks'), { recursive: true })
  writeFileSync(join(remote.path, 'hooks', name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(remote.path, 'hooks', name), 0o755)
}

describe('an apply that converged', () => {
  it('moves the ref to a commit that keeps the applied one, and says what was applied', async () => {
    const first = publish('First')
    const begun = await run('apply', '--yes')
    expect(begun).toMatchObject({ code: 0 })
    expect(begun.stderr).toContain('The ledger of `test` begins with this apply')
    expect(begun.stdout).toContain(`Ledger: ${applied} is at ${first.slice(0, 12)} now.`)
    expect(appliedCommit()).toBe(first)
    workspace.manifest(groups('a', 'b'))
    const second = publish('Second')
    const report = JSON.parse((await run('apply', '--yes', '--format', 'json')).stdout)
    expect(report).toMatchObject({ outcome: 'converged', ledger: { ref: applied, commit: second, moved: true } })
    const log = inRemote('log', '--first-parent', '--format=%an: %s', applied).split('\n')
    expect(log).toEqual([
      `svcsync: test: applied ${second.slice(0, 12)}, 1 done, 0 unchanged, 1 read back`,
      `svcsync: test: applied ${first.slice(0, 12)}, 1 done, 0 unchanged, 1 read back`,
      'svcsync: Begin the ledger of test',
    ])
    const message = inRemote('log', '-1', '--format=%B', applied)
    expect(message).toContain(`Svcsync-Applied: ${second}`)
    expect(message).toMatch(/^Svcsync-Application: .*svcsync/m)
    expect(message).toMatch(/^Svcsync-Digest: sha256:[0-9a-f]{64}$/m)
    // What is pending is a difference of git.
    expect(inRemote('rev-parse', `${applied}^{tree}`)).toBe(inRemote('rev-parse', `${second}^{tree}`))
    // The user's own branches are as they were.
    expect(git(workspace.dir, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes')).toBe(
      'refs/heads/main\nrefs/remotes/origin/main',
    )
  })

  it('moves it when there was nothing to do, once', async () => {
    publish('First')
    await run('apply', '--yes')
    const second = commitAll(workspace.dir, 'Says the same')
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${second.slice(0, 12)} now.`)
    const entry = inRemote('rev-parse', applied)
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${second.slice(0, 12)} already.`)
    expect(inRemote('rev-parse', applied)).toBe(entry)
  })

  it('gives the lease back', async () => {
    publish('First')
    await run('apply', '--yes')
    expect(inRemote('log', '-1', '--format=%s', lease)).toMatch(/^test: given back by /)
  })

  it('moves it for a saved plan of exactly a commit, whatever is checked out then', async () => {
    const planned = publish('First')
    await run('plan', '--out', '../plan.json')
    commitAll(workspace.dir, 'Later')
    expect((await run('apply', '../plan.json')).stdout).toContain(`is at ${planned.slice(0, 12)} now.`)
    rmSync(join(workspace.dir, '../plan.json'))
  })

  it('is the base of a rotation, which is sent once: a plan that sends it is refused when it is applied again', async () => {
    workspace.emulator.load({ users: [], groups: [], databases: [{ id: 1 }] })
    const rotated = (rotation: number) =>
      workspace.manifest(
        `database: main\nconnections:\n  - { name: ERP, type: SQL, sql: { common: { user: u, password: "\${env:PW}", rotation: ${rotation} } } }\n`,
      )
    const apply = (...args: readonly string[]) => runCommand(['apply', ...args], workspace.dir, { ...env, PW: 'pw' })
    rotated(1)
    publish('First')
    expect(await apply('--yes')).toMatchObject({ code: 0 })
    rotated(2)
    publish('Second')
    const { stdout, code } = await run('plan', '--out', '../plan.json', '--detailed-exitcode')
    // Merged, and not applied: nobody changed anything by hand.
    expect(await run('drift')).toMatchObject({ code: 0, stdout: expect.stringContaining('rotated: 1 → 2') })
    expect(stdout).toContain('sql.common  rotated: 1 → 2, credentials are sent')
    expect(stdout).toContain('Needs PW to apply, which is not here.')
    expect(code).toBe(2)
    expect(await apply('../plan.json')).toMatchObject({ code: 0 })
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 })
    const again = await apply('../plan.json')
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2107  The plan was applied already') })
    rmSync(join(workspace.dir, '../plan.json'))
  })

  it('is left alone with --no-ledger', async () => {
    publish('First')
    const { stdout } = await run('apply', '--yes', '--no-ledger')
    expect(stdout).not.toContain('Ledger')
    expect(inRemote('for-each-ref', 'refs/svcsync')).toBe('')
  })
})

describe('plan and drift', () => {
  it('take what was applied as their base, unless they are told otherwise', async () => {
    const first = publish('First')
    const empty = await run('plan', '--format', 'json')
    expect(empty.stderr).toContain('The ledger of `test` is empty')
    expect(JSON.parse(empty.stdout).base).toBe(null)
    await run('apply', '--yes')
    workspace.manifest(groups('a', 'b'))
    const second = publish('Second')
    const baseOf = async (...args: readonly string[]) =>
      JSON.parse((await run(...args, '--format', 'json')).stdout).base
    expect(await baseOf('plan')).toEqual({ ref: first, commit: first, from: 'ledger' })
    expect(await baseOf('drift')).toMatchObject({ commit: first, from: 'ledger' })
    expect(await baseOf('plan', '--since', 'HEAD')).toMatchObject({ commit: second, from: 'since' })
    expect(await baseOf('plan', '--no-ledger')).toBe(null)
    const { stdout } = await run('plan')
    expect(stdout).toContain(`last applied ${first.slice(0, 7)}`)
    expect((await run('plan', '--no-ledger')).stdout).toMatch(/svcsync apply --expect \w+ --no-ledger/)
  })

  it('end with an error where the remote is gone, and do without it when they are told', async () => {
    publish('First')
    renameSync(remote.path, `${remote.path}.away`)
    for (const command of ['plan', 'drift']) {
      const { code, stdout, stderr } = await run(command)
      expect([code, stdout]).toEqual([1, ''])
      expect(flat(stderr)).toMatch(/SVC2231 .*do without it by `--no-ledger`/)
      expect((await run(command, '--no-ledger')).stdout).toContain('a@example.com')
    }
    renameSync(`${remote.path}.away`, remote.path)
  })

  it('do not get in the way of each other in one clone', async () => {
    const first = publish('First')
    await run('apply', '--yes')
    const clone = remote.clone('fresh', '--branch', 'main')
    const plans = await Promise.all([1, 2, 3].map(() => runIn(clone, 'plan', '--format', 'json')))
    expect(plans.map(({ stdout, stderr }) => (stdout === '' ? stderr : JSON.parse(stdout).base.commit))).toEqual([
      first,
      first,
      first,
    ])
  })

  it('find the base in a fresh clone, also of a commit that no branch has any more', async () => {
    const first = publish('First')
    await run('apply', '--yes')
    git(workspace.dir, 'update-ref', '-d', 'HEAD')
    workspace.manifest(groups('b'))
    publish('Another history')
    for (const options of [[], ['--depth=1']]) {
      const clone = remote.clone(`fresh${options.length}`, '--branch', 'main', ...options)
      const plan = JSON.parse((await runIn(clone, 'plan', '--format', 'json')).stdout)
      expect(plan.base).toMatchObject({ commit: first, from: 'ledger' })
    }
  })
})

describe('a line that is deleted', () => {
  const memberships = (...members: readonly string[]) =>
    `${groups('a')}users:\n${['u1', 'u2', 'u3'].map((name) => `  - { svcId: ${name}@example.com, name: ${name}, email: ${name}@example.com }`).join('\n')}
memberships:
  - group: a@example.com
    members: [${members.map((name) => `${name}@example.com`).join(', ')}]
`
  const membersOf = () =>
    (workspace.emulator.state().groups ?? []).flatMap(({ members = [] }) => members.map((member) => String(member)))
  const begin = async () => {
    workspace.manifest(memberships('u1', 'u2', 'u3'))
    publish('First')
    expect((await run('apply', '--yes')).code).toBe(0)
    workspace.manifest(memberships('u1'))
    return publish('Second')
  }

  it('is taken away, the ledger moves, and the next plan says nothing', async () => {
    const second = await begin()
    expect((await run('plan')).stdout).toContain('No longer declared')
    expect((await run('apply', '--yes')).stdout).toContain(`is at ${second.slice(0, 12)} now.`)
    expect(membersOf().join()).toBe('u1@example.com')
    const plan = JSON.parse((await run('plan', '--format', 'json')).stdout)
    expect([plan.changes, plan.noLongerDeclared]).toEqual([[], []])
  })

  it('is taken away by an apply that was killed and is gone on with', async () => {
    const second = await begin()
    workspace.emulator.addFault({
      match: { path: '/api/data/*', method: 'POST' },
      nth: 1,
      count: 1,
      effect: { kind: 'hang', carriedOut: false },
    })
    const journal = join(remote.path, '../apply.jsonl')
    const killed = startCommand(['apply', '--yes', '--journal', journal], workspace.dir, env)
    await killed.until(() => existsSync(journal) && readFileSync(journal, 'utf8').includes('"sending"'))
    killed.child.kill('SIGKILL')
    await killed.ended
    workspace.emulator.clearFaults()
    expect(membersOf()).toHaveLength(3)
    const [, lease = ''] = /--allow (lease=[0-9a-f]{8})/.exec((await run('apply', '--yes')).stderr) ?? []
    const { stdout } = await run('apply', '--resume', journal, '--allow', lease)
    expect(membersOf().join()).toBe('u1@example.com')
    expect(stdout).toContain(`is at ${second.slice(0, 12)} now.`)
  })

  it('is not forgotten by an apply with another base', async () => {
    await begin()
    const { code, stdout } = await run('apply', '--yes', '--since', 'HEAD')
    expect(flat(stdout)).toContain(
      'the plan has another base. What was applied stays so. Plan and apply again, without `--since`',
    )
    expect(code).toBe(0)
    expect((await run('plan')).stdout).toContain('No longer declared')
  })
})

describe('a journal in a ref', () => {
  const journal = 'refs/svcsync/journal/test'
  const lines = () => inRemote('show', `${journal}:journal.jsonl`).split('\n')

  it('holds the whole of an apply, and makes room for the next one', async () => {
    publish('First')
    const { code, stderr } = await run('apply', '--yes', '--journal', 'git:')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('svcsync-journal')])
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ event: 'begun' })
    expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({ event: 'finished', outcome: 'converged' })
    workspace.manifest('groups: [{ svcId: a@example.com, name: Other }]')
    publish('Second')
    expect((await run('apply', '--yes', '--journal', 'git:')).code).toBe(0)
    expect((await run('undo', 'git:', '--yes')).code).toBe(0)
    expect(JSON.stringify(workspace.emulator.state().groups)).not.toContain('Other')
  })

  it('is pushed before the first write, and gone on with on another machine', async () => {
    publish('First')
    workspace.emulator.addFault({
      match: { path: '/api/data/*', method: 'POST' },
      nth: 1,
      count: 1,
      effect: { kind: 'hang', carriedOut: true },
    })
    const killed = startCommand(['apply', '--yes', '--journal', 'git:'], workspace.dir, { ...env, TMPDIR: remote.path })
    await killed.until(() => workspace.emulator.state().groups?.length === 1)
    killed.child.kill('SIGKILL')
    await killed.ended
    workspace.emulator.clearFaults()
    expect(lines()).toHaveLength(1)
    const clone = remote.clone('second', '--branch', 'main')
    const [, lease = ''] = /--allow (lease=[0-9a-f]{8})/.exec((await runIn(clone, 'apply', '--yes')).stderr) ?? []
    const again = await runIn(clone, 'apply', '--yes', '--journal', 'git:', '--allow', lease)
    // The write was carried out, and nothing is left to write: no journal is begun.
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') })
    workspace.emulator.load({ users: [], groups: [] })
    const begun = await runIn(clone, 'apply', '--yes', '--journal', 'git:', '--allow', lease)
    expect(begun.stderr).toMatch(/SVC2239 .*was broken off/)
    const resumed = await runIn(clone, 'apply', '--resume', 'git:')
    expect(resumed.stderr).toContain('Going on with the apply of')
    expect(resumed.code).toBe(0)
    expect(lines().some((line) => line.includes('"event":"resumed"'))).toBe(true)
    expect(workspace.emulator.state().groups).toHaveLength(1)
  })

  it('that is not there, and without a ledger', async () => {
    publish('First')
    expect((await run('apply', '--resume', 'git:')).stderr).toContain(
      'There is no journal in refs/svcsync/journal/test',
    )
    git(workspace.dir, 'push', '--quiet', 'origin', `HEAD:${journal}`)
    expect((await run('apply', '--yes', '--journal', 'git:')).stderr).toContain('SVC2232')
    expect(workspace.emulator.state().groups).toEqual([])
  })
})

describe('status', () => {
  const status = async (dir = workspace.dir) => {
    const { code, stdout } = await runIn(dir, 'status', '--format', 'json')
    return { code, ...JSON.parse(stdout) }
  }

  it('says what is applied, what is pending, and who applies', async () => {
    const first = publish('Let anna in')
    expect((await status()).targets[0]).toMatchObject({ name: 'test', applied: null, lease: null })
    await run('apply', '--yes')
    const { code, stdout } = await run('status')
    expect(code).toBe(0)
    expect(stdout.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, 'TIME').replace(/:\d+$/m, ':PORT')).toBe(`\
test · http://127.0.0.1:PORT
  applied  ${first.slice(0, 7)} Let anna in · TIME by svcsync (app@svcsync)
  pending  nothing
  lease    free
`)
    workspace.write('README.md', 'not of the project')
    publish('Readme')
    expect((await status()).targets[0].workingTree).toMatchObject({ behind: 0, missing: 0, isCommitted: true })
    workspace.manifest(groups('a', 'b'))
    const third = publish('Third')
    workspace.manifest(groups('a', 'b', 'c'))
    expect((await run('status')).stdout).toContain(
      `pending  1 commit of the project, up to ${third.slice(0, 7)}; manifests/main.yaml is not as it was committed`,
    )
    expect((await status()).targets[0]).toMatchObject({
      applied: { commit: first, subject: 'Let anna in', application: 'svcsync (app@svcsync)' },
      workingTree: { commit: third, behind: 1, missing: 0, isCommitted: false },
      lease: { state: 'free' },
    })
    rmSync(join(workspace.dir, 'README.md'))
  })

  it('counts what was applied and is not checked out, and says where it cannot count', async () => {
    const first = publish('First')
    workspace.manifest(groups('a', 'b'))
    publish('Second')
    await run('apply', '--yes')
    workspace.manifest(groups('a', 'b', 'c'))
    publish('Third')
    const shallow = remote.clone('shallow', '--branch', 'main', '--depth=1')
    expect((await runIn(shallow, 'status')).stdout).toContain(
      'pending  commits that cannot be counted: the clone is shallow',
    )
    git(workspace.dir, 'checkout', '--quiet', first)
    expect((await status()).targets[0].workingTree).toMatchObject({ commit: first, behind: 0, missing: 1 })
    git(workspace.dir, 'checkout', '--quiet', 'main')
  })

  it('ends with 1 where a ref is not sound, and shows the rest', async () => {
    publish('First')
    git(workspace.dir, 'push', '--quiet', 'origin', `HEAD:${applied}`)
    const { code, targets } = await status()
    expect(code).toBe(1)
    expect(targets[0].problem).toMatchObject({ code: 'SVC2232' })
    expect((await run('status')).stdout).toContain('problem  SVC2232')
  })
})

describe('doctor', () => {
  const ledgerCheck = async (...args: readonly string[]) => {
    const { checks } = JSON.parse((await run('doctor', '--format', 'json', ...args)).stdout)
    return checks.find(({ check }: { readonly check: string }) => check === 'ledger')
  }
  it('says whether the ledger can be read, and would be moved, and moves nothing', async () => {
    publish('First')
    expect(await ledgerCheck()).toMatchObject({
      result: 'ok',
      found: expect.stringContaining('An apply may push there'),
    })
    expect(inRemote('for-each-ref', 'refs/svcsync')).toBe('')
    const first = git(workspace.dir, 'rev-parse', '--short=7', 'HEAD')
    await run('apply', '--yes')
    expect((await ledgerCheck('--for', 'plan')).found).toMatch(new RegExp(`${first} was applied at [^ ]*\\.$`))
    expect(await ledgerCheck('--for', 'apply')).toMatchObject({ result: 'ok' })
    git(workspace.dir, 'remote', 'set-url', '--push', 'origin', 'ext::nothing')
    expect(await ledgerCheck('--for', 'plan')).toMatchObject({ result: 'ok' })
    expect(await ledgerCheck()).toMatchObject({ result: 'warning', code: 'SVC2236' })
    expect(await ledgerCheck('--for', 'apply')).toMatchObject({ result: 'problem', code: 'SVC2236' })
    git(workspace.dir, 'remote', 'set-url', 'origin', 'http://127.0.0.1:1/')
    expect(await ledgerCheck()).toMatchObject({ result: 'problem', code: 'SVC2231' })
  })
})

describe('what was applied is no commit', () => {
  const stays = async (reason: string | RegExp, ...args: readonly string[]) => {
    const { code, stdout } = await run('apply', '--yes', ...args)
    expect(flat(stdout)).toMatch(reason)
    expect(stdout).toContain('The Svc platform is as declared')
    expect(code).toBe(0)
    expect(inRemote('for-each-ref', applied)).toBe('')
  }

  it('an unborn branch', () => stays(/is not there yet: the branch has no commit yet/))
  it('a manifest that is not as committed', () => {
    publish('First')
    workspace.manifest(groups('b'))
    return stays(/is not there yet: manifests\/main\.yaml is not as it was committed\. .*Commit, and run apply again/)
  })
  it('a manifest that is in no commit', () => {
    publish('First')
    workspace.write('manifests/new.yaml', groups('b'))
    return stays(/manifests\/new\.yaml is in no commit/).finally(() =>
      rmSync(join(workspace.dir, 'manifests/new.yaml')),
    )
  })
  it('a manifest that is deleted', () => {
    workspace.write('manifests/gone.yaml', groups('b'))
    publish('First')
    rmSync(join(workspace.dir, 'manifests/gone.yaml'))
    return stays(/manifests\/gone\.yaml is deleted, and committed still/)
  })
  it('a part of the project', () => {
    publish('First')
    return stays(
      /only a part of the project was applied, by `--only`\. .*Apply without it.* is deleted before that takes nothing back/,
      '--only',
      'group/**',
    )
  })
  it('variables of the command line', () => {
    publish('First')
    return stays(/no commit says what `--var` says/, '--var', 'a=b')
  })
  it('other files do not matter', async () => {
    workspace.write('README.md', 'text\n')
    publish('First')
    workspace.write('README.md', 'other text\n')
    workspace.write('notes.txt', 'new\n')
    expect((await run('apply', '--yes')).stdout).toContain('now.')
    for (const file of ['README.md', 'notes.txt']) rmSync(join(workspace.dir, file))
  })
  it('no filter and no hook of the repository runs', async () => {
    const trace = join(remote.path, '../ran')
    const script = join(remote.path, '../script.sh')
    writeFileSync(script, `#!/bin/sh\necho "$0" >> ${trace}\ncat\n`)
    chmodSync(script, 0o755)
    workspace.write('.gitattributes', '*.yaml filter=evil\n')
    publish('First')
    for (const hook of ['pre-push', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(workspace.dir, `.git/hooks/${hook}`), readFileSync(script))
      chmodSync(join(workspace.dir, `.git/hooks/${hook}`), 0o755)
    }
    for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'core.fsmonitor'])
      git(workspace.dir, 'config', key, script)
    expect((await run('apply', '--yes')).stdout).toContain('now.')
    expect(() => readFileSync(trace)).toThrow()
    git(workspace.dir, 'config', 'core.sshCommand', script)
    const refused = await run('apply', '--yes')
    expect(refused.stderr).toMatch(/SVC2233 .*core\.sshcommand/)
    expect(refused.code).toBe(1)
    expect(() => readFileSync(trace)).toThrow()
    rmSync(join(workspace.dir, '.gitattributes'))
  })
})

describe('the remote', () => {
  it('that is gone is an error before anything else', async () => {
    publish('First')
    renameSync(remote.path, `${remote.path}.away`)
    const { code, stderr } = await run('apply', '--yes')
    renameSync(`${remote.path}.away`, remote.path)
    expect(stderr).toMatch(/error SVC2231 {2}The remote `origin`, which holds the ledger, cannot be read: /)
    expect(code).toBe(1)
    expect(workspace.emulator.state().groups).toEqual([])
  })

  it('that is not configured, no repository, and an address in the place of a name', async () => {
    publish('First')
    git(workspace.dir, 'remote', 'rename', 'origin', 'other')
    expect((await run('apply', '--yes')).stderr).toMatch(/SVC2230 .*the repository has none of that name/)
    rmSync(join(workspace.dir, '.git'), { recursive: true })
    expect((await run('apply', '--yes')).stderr).toMatch(/SVC2230 .*lies in no git repository/)
  })

  it('never shows its address, nor the password in it', async () => {
    publish('First')
    git(workspace.dir, 'remote', 'set-url', 'origin', 'http://anna:s3cr3t-word@127.0.0.1:1/r.git')
    const { code, stdout, stderr } = await run('apply', '--yes', '--verbose')
    expect(stderr).toContain('it cannot be reached')
    expect(code).toBe(1)
    expect(stdout + stderr).not.toMatch(/s3cr3t|127\.0\.0\.1:1\b/)
  })

  it('that takes nothing is an error before the first write', async () => {
    publish('First')
    hook('pre-receive', 'exit 1')
    const { code, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(
      /SVC2236 The remote `origin` does not take refs\/svcsync\/lease\/test: a hook there declined it/,
    )
    expect(code).toBe(1)
    expect(workspace.emulator.state().groups).toEqual([])
  })

  it('that goes in the middle leaves what was applied applied, and says so', async () => {
    publish('First')
    hook('post-receive', `mv ${remote.path} ${remote.path}.away`)
    const { code, stdout } = await run('apply', '--yes')
    renameSync(`${remote.path}.away`, remote.path)
    hook('post-receive', 'exit 0')
    expect(flat(stdout)).toMatch(
      /Ledger: refs\/svcsync\/applied\/test is not there yet: .*What was applied stays so\. .*lease of `test` could not be given back: it runs out at .*The Svc platform is as declared/,
    )
    expect(code).toBe(0)
  })

  it('that does not take the entry leaves what was applied applied, and the next apply moves it', async () => {
    publish('First')
    hook('update', 'case "$1" in refs/svcsync/applied/*) exit 1;; esac')
    const { code, stdout } = await run('apply', '--yes')
    expect(flat(stdout)).toMatch(
      /Ledger: refs\/svcsync\/applied\/test is not there yet: The remote .* What was applied stays so\. .*The Svc platform is as declared/,
    )
    expect(code).toBe(0)
    hook('update', 'exit 0')
    const again = await run('apply', '--yes')
    expect(again.stdout).toContain('Nothing to do: the Svc platform is as declared.')
    expect(again.stdout).toContain('now.')
  })
})

describe('the way to the remote', () => {
  const applyWith = async (more: Readonly<Record<string, string>>) => {
    git(workspace.dir, 'remote', 'set-url', 'origin', remote.path)
    publish('First')
    return (url: string) => {
      git(workspace.dir, 'remote', 'set-url', 'origin', url)
      return runCommand(['apply', '--yes'], workspace.dir, { ...env, ...more })
    }
  }

  it('is that of GIT_CONFIG_*', async () => {
    const apply = await applyWith({
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.file://${remote.path}.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://git.invalid/company.git',
    })
    expect((await apply('https://git.invalid/company.git')).stdout).toContain('now.')
  })

  it('is that of GIT_SSH_COMMAND', async () => {
    const ssh = join(remote.path, '../ssh.sh')
    writeFileSync(ssh, '#!/bin/sh\nwhile [ "$1" != git.invalid ]; do shift; done; shift; exec sh -c "$*"\n')
    chmodSync(ssh, 0o755)
    const apply = await applyWith({ GIT_SSH_COMMAND: ssh })
    expect((await apply(`ssh://git.invalid${remote.path}`)).stdout).toContain('now.')
  })

  it('takes the credentials of GIT_ASKPASS, asks nobody without them, and shows neither', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      const { authorization } = request.headers
      if (authorization !== undefined) seen.push(Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString())
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/company.git`
    const askpass = join(remote.path, '../askpass.sh')
    writeFileSync(askpass, '#!/bin/sh\ncase "$1" in User*) echo anna;; *) echo s3cr3t-word;; esac\n')
    chmodSync(askpass, 0o755)
    const none = await (await applyWith({}))(url)
    expect(flat(none.stderr)).toContain('it asks for credentials, and git has none')
    expect(seen).toEqual([])
    const refused = await (await applyWith({ GIT_ASKPASS: askpass }))(url)
    expect(flat(refused.stderr)).toContain('it does not accept the credentials that git has')
    expect(seen).toContain('anna:s3cr3t-word')
    for (const { stdout, stderr } of [none, refused]) expect(stdout + stderr).not.toMatch(/s3cr3t|company\.git/)
    server.close()
  })

  it('leads through no program that the address names', async () => {
    const ran = join(remote.path, '../ran')
    const apply = await applyWith({})
    git(workspace.dir, 'config', 'protocol.ext.allow', 'always')
    const { code, stderr } = await apply(`ext::sh -c touch% ${ran}`)
    expect(flat(stderr)).toContain('its address uses a transport that svcsync does not use')
    expect([code, existsSync(ran)]).toEqual([1, false])
  })
})

describe('a ref', () => {
  it.each([
    ['a tree', 'HEAD^{tree}', 'it is a tree, and no commit'],
    ['a tag', 'v1', 'it is a tag, and no commit'],
    ['a commit of somebody else', 'HEAD', 'its commit is none of svcsync'],
  ])('that leads to %s is an error that says how to begin anew', async (_what, to, said) => {
    publish('First')
    git(workspace.dir, 'tag', '--annotate', '--message', 'One', 'v1')
    git(workspace.dir, 'push', '--quiet', 'origin', `${to}:${applied}`)
    const { code, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(new RegExp(`SVC2232 .*${said}.*git push origin :${applied}`))
    expect(code).toBe(1)
  })

  it('of another project in the same repository is refused, and of one that has moved is its own', async () => {
    const other = join(workspace.dir, 'other')
    mkdirSync(other)
    const [file, manifests] = ['svcsync.yaml', 'manifests']
    for (const each of [file, manifests]) cpSync(join(workspace.dir, each), join(other, each), { recursive: true })
    publish('First')
    await run('apply', '--yes')
    const { code, stderr } = await runIn(other, 'apply', '--yes')
    expect([code, flat(stderr)]).toEqual([
      1,
      expect.stringMatching(/SVC2232 .*is the ledger of the project `svcsync.yaml`, and not of `other\/svcsync.yaml`/),
    ])
    expect((await runIn(other, 'status')).stdout).toContain('SVC2232')
    // Not there, as in a clone of a part.
    const text = readFileSync(join(workspace.dir, file))
    rmSync(join(workspace.dir, file))
    expect((await runIn(other, 'plan')).stderr).toContain('SVC2232')
    git(workspace.dir, 'rm', '--quiet', '-r', '--cached', file)
    publish('Moved')
    const moved = await runIn(other, 'plan')
    rmSync(other, { recursive: true })
    writeFileSync(join(workspace.dir, file), text)
    expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('No changes')])
  })

  it('that is lost begins anew', async () => {
    const first = publish('First')
    await run('apply', '--yes')
    inRemote('update-ref', '-d', applied)
    const { stdout, stderr } = await run('apply', '--yes')
    expect(stderr).toContain('The ledger of `test` begins')
    expect(stdout).toContain(`is at ${first.slice(0, 12)} now.`)
  })

  it('keeps a commit that a push by force has taken out of the history', async () => {
    const first = publish('First')
    await run('apply', '--yes')
    git(workspace.dir, 'update-ref', '-d', 'HEAD')
    workspace.manifest(groups('b'))
    const other = publish('Another history')
    const clone = remote.clone('fresh', '--branch', 'main')
    expect(() => git(clone, 'cat-file', '-e', first)).toThrow()
    expect((await runIn(clone, 'apply', '--yes', '--allow', `older-commit=${other}`)).code).toBe(0)
    git(clone, 'cat-file', '-e', first)
    expect(inRemote('rev-parse', `${applied}^^2`)).toBe(first)
  })

  it('is read and moved from a shallow clone, which stays one', async () => {
    publish('First')
    publish('Second')
    await run('apply', '--yes')
    workspace.manifest(groups('a', 'c'))
    const third = publish('Third')
    const clone = remote.clone('shallow', '--depth=1', '--branch', 'main')
    const allow = ['--allow', `older-commit=${third}`]
    expect((await runIn(clone, 'apply', '--yes', ...allow)).stdout).toContain(`${third.slice(0, 12)} now.`)
    expect(git(clone, 'rev-list', '--count', 'HEAD')).toBe('1')
  })
})

describe('two applies', () => {
  /** The first of two clones is held up at its write. */
  const heldUp = async () => {
    publish('First')
    const clone = remote.clone('second', '--branch', 'main')
    workspace.emulator.addFault({
      match: { path: '/api/data/*', method: 'POST' },
      nth: 1,
      count: 1,
      effect: { kind: 'hang', carriedOut: false },
    })
    await workspace.control('DELETE', '/requests')
    const first = startCommand(['apply', '--yes'], workspace.dir, { ...env, GITHUB_ACTOR: 'anna' })
    // Before that, its lease may be there while it has not heard so.
    await first.until(() => writesOf(workspace.emulator).some(({ status }) => status === null))
    return { first, clone }
  }

  it('the second ends with 4 and says who applies; the lease of one that was killed runs out', async () => {
    const { first, clone } = await heldUp()
    const { code, stderr } = await runIn(clone, 'apply', '--yes')
    expect(flat(stderr)).toMatch(
      /SVC2234 Another apply to `test` is under way: anna \(.*\) holds its lease since .*--lease-timeout 10m/,
    )
    expect(code).toBe(4)
    first.child.kill('SIGKILL')
    await first.ended
    const waited = await runIn(clone, 'apply', '--yes', '--lease-timeout', '1s')
    expect(waited.stderr).toMatch(/Waiting: anna .*has not given it back in time/s)
    const [allow = ''] = /--allow lease=[0-9a-f]{8}/.exec(waited.stderr) ?? []
    expect((await runIn(clone, 'apply', '--yes', '--allow', 'lease=00000000')).code).toBe(4)
    const taken = await runIn(clone, 'apply', '--yes', ...allow.split(' '))
    expect(taken.stderr).toContain('was taken over from anna: as `--allow` says.')
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('now.') })
  })

  it('one that is killed between its last write and the ledger is caught up with by the next', async () => {
    const commit = publish('First')
    const reached = join(remote.path, 'reached')
    hook(
      'update',
      `case "$1" in refs/svcsync/applied/*) touch ${reached}; while test ! -e ${reached}.end; do sleep 0.1; done; exit 1;; esac`,
    )
    const first = startCommand(['apply', '--yes'], workspace.dir, env)
    await first.until(() => existsSync(reached))
    first.child.kill('SIGKILL')
    await first.ended
    writeFileSync(`${reached}.end`, '')
    expect(workspace.emulator.state().groups).toHaveLength(1)
    hook('update', 'exit 0')
    const refused = await run('apply', '--yes')
    const [, lease = ''] = /--allow (lease=[0-9a-f]{8})/.exec(refused.stderr) ?? []
    const { stdout } = await run('apply', '--yes', '--allow', lease)
    expect(stdout).toContain('Nothing to do: the Svc platform is as declared.')
    expect(stdout).toContain(`is at ${commit.slice(0, 12)} now.`)
  })

  it('an interrupt gives the lease back', async () => {
    const { first } = await heldUp()
    first.child.kill('SIGINT')
    await first.shows('Interrupted')
    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    expect(inRemote('log', '-1', '--format=%s', lease)).toBe('test: given back by anna')
    expect(inRemote('for-each-ref', applied)).toBe('')
  })

  it('at once: both come to their end, and the ledger is of one line', async () => {
    publish('First')
    const clone = remote.clone('second', '--branch', 'main')
    const both = await Promise.all([run('apply', '--yes'), runIn(clone, 'apply', '--yes')])
    const codes = both.map(({ code }) => code).sort()
    expect(['0,0', '0,4']).toContain(codes.join())
    expect(inRemote('log', '--first-parent', '--format=%s', applied).split('\n').at(-1)).toBe(
      'Begin the ledger of test',
    )
    expect(workspace.emulator.state().groups).toHaveLength(1)
  })
})
