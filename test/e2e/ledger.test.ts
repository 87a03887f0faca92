// Which commit was applied is kept in a remote: the built command, real git, a bare repository, and two clones.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { commitAll } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { applied, env, flat, groups, lease, useLedger } from './ledger-fixture.ts'

const lab = useLedger()
const { backTo, runIn, run, inRemote, appliedCommit, publish } = lab

const connection = 'database: main\nconnections:\n  - { name: ERP, type: SQL, sql: '

describe('an apply that converged', () => {
  it('moves the ref to a commit that keeps the applied one, says so, and gives the lease back', async () => {
    const begun = await run('apply', '--yes')
    expect(begun).toMatchObject({ code: 0 })
    expect(begun.stderr).toContain('The ledger of `test` begins with this apply')
    expect(begun.stdout).toContain(`Ledger: ${applied} is at ${lab.first.slice(0, 12)} now.`)
    expect(appliedCommit()).toBe(lab.first)
    lab.workspace.manifest(groups('a', 'b'))
    const second = publish('Second')
    const report = JSON.parse((await run('apply', '--yes', '--format', 'json')).stdout)
    expect(report).toMatchObject({ outcome: 'converged', ledger: { ref: applied, commit: second, moved: true } })
    const log = inRemote('log', '--first-parent', '--format=%an: %s', applied).split('\n')
    expect(log).toEqual([
      `svcsync: test: applied ${second.slice(0, 12)}, 1 done, 0 unchanged, 1 read back`,
      `svcsync: test: applied ${lab.first.slice(0, 12)}, 1 done, 0 unchanged, 1 read back`,
      'svcsync: Begin the ledger of test',
    ])
    const message = inRemote('log', '-1', '--format=%B', applied)
    expect(message).toContain(`Svcsync-Applied: ${second}`)
    expect(message).toMatch(/^Svcsync-Application: .*svcsync/m)
    expect(message).toMatch(/^Svcsync-Digest: sha256:[0-9a-f]{64}$/m)
    expect(inRemote('log', '-1', '--format=%s', lease)).toMatch(/^test: given back by /)
    // Pending changes are a difference in git.
    expect(inRemote('rev-parse', `${applied}^{tree}`)).toBe(inRemote('rev-parse', `${second}^{tree}`))
    // The user's own branches are as they were.
    expect(git(lab.workspace.dir, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes')).toBe(
      'refs/heads/main\nrefs/remotes/origin/main',
    )
  })

  it('moves it when there was nothing to do, once', async () => {
    backTo('applied')
    const second = commitAll(lab.workspace.dir, 'Says the same')
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${second.slice(0, 12)} now.`)
    const entry = inRemote('rev-parse', applied)
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${second.slice(0, 12)} already.`)
    expect(inRemote('rev-parse', applied)).toBe(entry)
  })

  it('moves it for a saved plan of exactly a commit, whatever is checked out then', async () => {
    await run('plan', '--out', '../plan.json')
    commitAll(lab.workspace.dir, 'Later')
    expect((await run('apply', '../plan.json')).stdout).toContain(`is at ${lab.first.slice(0, 12)} now.`)
    rmSync(join(lab.workspace.dir, '../plan.json'))
  })

  it('is the base of a rotation, which is sent once: a plan that sends it is refused when applied again', async () => {
    lab.workspace.emulator.load({ users: [], groups: [], databases: [{ id: 1 }] })
    const rotated = (rotation: number) =>
      lab.workspace.manifest(`${connection}{ common: { user: u, password: "\${env:PW}", rotation: ${rotation} } } }\n`)
    const apply = (...args: readonly string[]) =>
      runCommand(['apply', ...args], lab.workspace.dir, { ...env, PW: 'pw' })
    rotated(1)
    publish('First')
    expect(await apply('--yes')).toMatchObject({ code: 0 })
    rotated(2)
    publish('Second')
    const { stdout } = await run('plan', '--out', '../plan.json')
    expect(stdout).toContain('sql.common  rotated: 1 → 2, credentials are sent')
    expect(stdout).toContain('Needs PW to apply, which is not here.')
    expect(await apply('../plan.json')).toMatchObject({ code: 0 })
    const again = await apply('../plan.json')
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2107  The plan was applied already') })
    rmSync(join(lab.workspace.dir, '../plan.json'))
  })

  it('moves it once more when something has ended since: from then on it is somebody else who gives it', async () => {
    const until = new Date(Date.now() - 1_800_000).toISOString()
    lab.workspace.manifest(
      `${groups('a')}memberships: [{ group: a@example.com, members: [{ svcId: u@example.com, until: "${until}" }] }]\n`,
    )
    const commit = publish('Until then')
    await run('apply', '--yes')
    const entry = inRemote('rev-parse', applied)
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${commit.slice(0, 12)} now.`)
    expect(inRemote('rev-parse', `${applied}^1`)).toBe(entry)
  })

  it('is left alone with --no-ledger', async () => {
    const { stdout } = await run('apply', '--yes', '--no-ledger')
    expect(stdout).not.toContain('Ledger')
    expect(inRemote('for-each-ref', 'refs/svcsync')).toBe('')
    const { code, stderr } = await run('apply', '--yes', '--no-ledger', '--approvals', 'github')
    expect([code, stderr]).toEqual([1, expect.stringContaining('`--approvals` needs a ledger')])
  })
})

describe('plan and drift', () => {
  it('take what was applied as their base, unless they are told otherwise', async () => {
    const empty = await run('plan', '--format', 'json')
    expect(empty.stderr).toContain('The ledger of `test` is empty')
    expect(JSON.parse(empty.stdout).base).toBe(null)
    backTo('applied')
    lab.workspace.manifest(groups('a', 'b'))
    const second = publish('Second')
    const baseOf = async (...args: readonly string[]) =>
      JSON.parse((await run(...args, '--format', 'json')).stdout).base
    expect(await baseOf('plan')).toEqual({ ref: lab.first, commit: lab.first, from: 'ledger', at: expect.any(String) })
    expect(await baseOf('drift')).toMatchObject({ commit: lab.first, from: 'ledger' })
    expect(await baseOf('plan', '--since', 'HEAD')).toMatchObject({ commit: second, from: 'since' })
    const elsewhere = await run('plan', '--base-url', lab.workspace.emulator.url.replace('127.0.0.1', 'localhost'))
    expect(flat(elsewhere.stderr)).toMatch(/was to http:\/\/127\.0\.0\.1:\d+, and this is http:\/\/localhost:/)
    const without = (await run('plan', '--no-ledger')).stdout
    expect(without).not.toContain('last applied')
    expect(without).toMatch(/svcsync apply --expect \w+ --no-ledger/)
  })

  it('end with an error where the remote is gone, before anything else, and do without it if told', async () => {
    renameSync(lab.remote.path, `${lab.remote.path}.away`)
    for (const command of [['plan'], ['drift'], ['apply', '--yes']]) {
      const { code, stdout, stderr } = await run(...command)
      expect([code, stdout]).toEqual([1, ''])
      expect(flat(stderr)).toMatch(
        /error SVC2231 The remote `origin`, which holds the ledger, cannot be read: .*ignore the ledger with `--no-ledger`/,
      )
    }
    expect(lab.workspace.emulator.state().groups).toEqual([])
    expect((await run('plan', '--no-ledger')).stdout).toContain('a@example.com')
    renameSync(`${lab.remote.path}.away`, lab.remote.path)
  })
})

describe('a journal in a ref', () => {
  const journal = 'refs/svcsync/journal/test'
  const lines = () => inRemote('show', `${journal}:journal.jsonl`).split('\n')

  it('holds the whole of an apply, makes room for the next one, and is taken back by', async () => {
    const { code, stderr } = await run('apply', '--yes', '--journal', 'git:')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('svcsync-journal')])
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ event: 'begun' })
    expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({ event: 'finished', outcome: 'converged' })
    // Nothing is left of it, as where a runner died after the last answer: it has come to its end all the same.
    expect((await run('apply', '--resume', 'git:')).code).toBe(0)
    expect(lines().at(-2)).toContain('"event":"resumed"')
    lab.workspace.manifest('groups: [{ svcId: a@example.com, name: Other }]')
    publish('Second')
    expect((await run('apply', '--yes', '--journal', 'git:')).code).toBe(0)
    expect((await run('undo', 'git:', '--yes')).code).toBe(0)
    expect(inRemote('log', '-1', '--format=%s', lease)).toMatch(/, after an undo$/)
    expect(JSON.stringify(lab.workspace.emulator.state().groups)).not.toContain('Other')
  })

  it('that stops before the kill is not believed: what was sent after it is resumed, and reverted', async () => {
    backTo('applied')
    lab.workspace.manifest('groups: [{ svcId: a@example.com, name: Other }, { svcId: b@example.com, email: b@e.com }]')
    publish('Second')
    expect((await run('apply', '--yes', '--journal', 'git:')).code).toBe(0)
    const asOnceBegun = () => {
      const file = join(lab.workspace.dir, '../begun.jsonl')
      writeFileSync(file, `${lines()[0]}\n`)
      const blob = git(lab.workspace.dir, 'hash-object', '-w', file)
      const index = { GIT_INDEX_FILE: join(lab.workspace.dir, '../index') }
      const inIndex = (...args: readonly string[]) =>
        execFileSync('git', args, { cwd: lab.workspace.dir, env: { ...process.env, ...index } })
          .toString()
          .trim()
      inIndex('update-index', '--add', '--cacheinfo', `100644,${blob},journal.jsonl`)
      const commit = git(lab.workspace.dir, 'commit-tree', '-m', 'Begun', inIndex('write-tree'))
      git(lab.workspace.dir, 'push', '--quiet', '--force', 'origin', `${commit}:${journal}`)
    }
    asOnceBegun()
    const resumed = await run('apply', '--resume', 'git:')
    expect(resumed.stderr).toContain('2 of 2 steps are done, 0 are left. 2 were unknown: 2 turned out to be done.')
    expect(resumed.code).toBe(0)
    asOnceBegun()
    const { code, stderr } = await run('undo', 'git:', '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('how many of its 2 steps it sent is unknown')])
    expect(lab.workspace.emulator.state().groups).toEqual([expect.not.objectContaining({ name: 'Other' })])
  })

  it('is not begun where nothing is to be written; a missing one is neither resumed nor mistaken', async () => {
    backTo('applied')
    const nothing = await run('apply', '--yes', '--journal', 'git:')
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') })
    expect((await run('apply', '--resume', 'git:')).stderr).toContain(
      'There is no journal in refs/svcsync/journal/test',
    )
    git(lab.workspace.dir, 'push', '--quiet', 'origin', `HEAD:${journal}`)
    lab.workspace.manifest(groups('a', 'b'))
    expect((await run('apply', '--yes', '--journal', 'git:')).stderr).toContain('SVC2232')
    expect(lab.workspace.emulator.state().groups).toHaveLength(1)
  })
})

describe('status', () => {
  const status = async (dir = lab.workspace.dir) => {
    const { code, stdout } = await runIn(dir, 'status', '--format', 'json')
    return { code, ...JSON.parse(stdout) }
  }

  it('says what is applied, what is pending, and who applies', async () => {
    expect((await status()).targets[0]).toMatchObject({ name: 'test', applied: null, lease: null })
    backTo('applied')
    lab.workspace.write('README.md', 'not of the project')
    publish('Readme')
    const { code, stdout } = await run('status')
    expect(code).toBe(0)
    expect(stdout.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, 'TIME').replace(/:\d+$/m, ':PORT')).toBe(`\
test · http://127.0.0.1:PORT
  applied  ${lab.first.slice(0, 7)} Let anna in · TIME by svcsync (app@svcsync)
  pending  nothing
  lease    free
`)
    lab.workspace.manifest(groups('a', 'b'))
    const third = publish('Third')
    lab.workspace.manifest(groups('a', 'b', 'c'))
    expect((await run('status')).stdout).toContain(
      `pending  1 commit of the project, up to ${third.slice(0, 7)}; manifests/main.yaml is not as it was committed`,
    )
    expect((await status()).targets[0]).toMatchObject({
      applied: { commit: lab.first, subject: 'Let anna in', application: 'svcsync (app@svcsync)' },
      workingTree: { commit: third, behind: 1, missing: 0, isCommitted: false },
      lease: { state: 'free' },
    })
  })

  it('counts what was applied and is not checked out, and says where it cannot count', async () => {
    backTo('applied')
    git(lab.workspace.dir, 'checkout', '--quiet', 'HEAD~1')
    expect((await status()).targets[0].workingTree).toMatchObject({ behind: 0, missing: 1 })
    git(lab.workspace.dir, 'checkout', '--quiet', 'main')
    lab.workspace.manifest(groups('a', 'b'))
    publish('Second')
    const shallow = lab.remote.clone('shallow', '--branch', 'main', '--depth=1')
    expect((await runIn(shallow, 'status')).stdout).toContain(
      'pending  commits that cannot be counted: the clone is shallow',
    )
  })

  it('ends with 1 where a ref is not sound, and shows the rest', async () => {
    git(lab.workspace.dir, 'push', '--quiet', 'origin', `HEAD:${applied}`)
    const { code, targets } = await status()
    expect(code).toBe(1)
    expect(targets[0].problem).toMatchObject({ code: 'SVC2232' })
    expect((await run('status')).stdout).toContain('problem  SVC2232')
    const { stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(/SVC2232 .*its commit is none of svcsync.*git push origin :refs/)
  })
})

describe('doctor', () => {
  it('says whether the ledger can be read, and would be moved', async () => {
    const { checks } = JSON.parse((await run('doctor', '--format', 'json')).stdout)
    expect(checks).toContainEqual(expect.objectContaining({ check: 'ledger', result: 'ok' }))
  })
})

describe('what was applied is no commit', () => {
  it.each([
    [
      'a manifest that is not as committed',
      /is not there yet: manifests\/main\.yaml is not as it was committed\. .*Commit, and run apply again/,
      [],
    ],
    [
      'a part of the project',
      /`--only` applied only a part of the project.*Apply without it to move the ledger/,
      ['--only', 'group/**'],
    ],
    ['variables of the command line', /no commit holds the values of `--var`/, ['--var', 'a=b']],
  ] as const)('%s', async (what, reason, args) => {
    if (what.startsWith('a manifest')) lab.workspace.manifest(groups('b'))
    const { code, stdout } = await run('apply', '--yes', ...args)
    expect(flat(stdout)).toMatch(reason)
    expect(stdout).toContain('Every changed object is as declared')
    expect(code).toBe(0)
    expect(inRemote('for-each-ref', applied)).toBe('')
  })

  it('no filter and no hook of the repository runs; other files may be as they like', async () => {
    const trace = join(lab.remote.path, '../ran')
    const script = join(lab.remote.path, '../script.sh')
    writeFileSync(script, `#!/bin/sh\necho "$0" >> ${trace}\ncat\n`)
    chmodSync(script, 0o755)
    lab.workspace.write('.gitattributes', '*.yaml filter=evil\n')
    publish('First')
    lab.workspace.write('notes.txt', 'new\n')
    mkdirSync(join(lab.workspace.dir, '.git/hooks'), { recursive: true })
    for (const hook of ['pre-push', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(lab.workspace.dir, `.git/hooks/${hook}`), readFileSync(script))
      chmodSync(join(lab.workspace.dir, `.git/hooks/${hook}`), 0o755)
    }
    for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'core.fsmonitor'])
      git(lab.workspace.dir, 'config', key, script)
    expect((await run('apply', '--yes')).stdout).toContain('now.')
    expect(existsSync(trace)).toBe(false)
    git(lab.workspace.dir, 'config', 'core.sshCommand', script)
    const refused = await run('apply', '--yes')
    expect(refused.stderr).toMatch(/SVC2233 .*core\.sshcommand/)
    expect(refused.code).toBe(1)
    expect(existsSync(trace)).toBe(false)
  })
})
