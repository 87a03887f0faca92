// Which commit was applied is kept in a remote: the built command, real git, a bare repository, and two clones.

import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { takeLease } from '../../src/ledger/lease.ts'
import { writeLease } from '../../src/ledger/ledger-commit.ts'
import { openRemote } from '../../src/ledger/remote.ts'
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
/** Folders with both repositories as they were at some point, and the platform. */
let kept: string
const platforms = new Map<string, Tenant>()
const keep = (state: string): void => {
  cpSync(workspace.dir, join(kept, state, 'project'), { recursive: true })
  cpSync(remote.path, join(kept, state, 'remote'), { recursive: true })
  platforms.set(state, workspace.emulator.state())
}
const backTo = (state: string): void => {
  for (const folder of [workspace.dir, dirname(remote.path)])
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
  cpSync(join(kept, state, 'project'), workspace.dir, { recursive: true })
  cpSync(join(kept, state, 'remote'), remote.path, { recursive: true })
  workspace.emulator.clearFaults()
  workspace.emulator.load(platforms.get(state) as Tenant)
}
/** Two commits, of which the later is in the remote, and applied in one of the two states. */
let first: string
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  remote = openGitRemote()
  kept = mkdtempSync(join(tmpdir(), 'svcsync-kept-'))
  workspace.emulator.load({ users: [], groups: [] })
  remote.adopt(workspace.dir)
  commitAll(workspace.dir, 'Nothing yet')
  workspace.manifest(groups('a'))
  first = publish('Let anna in')
  keep('published')
  expect((await run('apply', '--yes')).code).toBe(0)
  keep('applied')
})
afterAll(async () => {
  await workspace.close()
  remote.close()
  rmSync(kept, { recursive: true })
})
beforeEach(() => backTo('published'))

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
  it('moves the ref to a commit that keeps the applied one, says what was applied, and gives the lease back', async () => {
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
    expect(inRemote('log', '-1', '--format=%s', lease)).toMatch(/^test: given back by /)
    // What is pending is a difference of git.
    expect(inRemote('rev-parse', `${applied}^{tree}`)).toBe(inRemote('rev-parse', `${second}^{tree}`))
    // The user's own branches are as they were.
    expect(git(workspace.dir, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes')).toBe(
      'refs/heads/main\nrefs/remotes/origin/main',
    )
  })

  it('moves it when there was nothing to do, once', async () => {
    backTo('applied')
    const second = commitAll(workspace.dir, 'Says the same')
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${second.slice(0, 12)} now.`)
    const entry = inRemote('rev-parse', applied)
    expect((await run('apply', '--yes')).stdout).toContain(`${applied} is at ${second.slice(0, 12)} already.`)
    expect(inRemote('rev-parse', applied)).toBe(entry)
  })

  it('moves it for a saved plan of exactly a commit, whatever is checked out then', async () => {
    await run('plan', '--out', '../plan.json')
    commitAll(workspace.dir, 'Later')
    expect((await run('apply', '../plan.json')).stdout).toContain(`is at ${first.slice(0, 12)} now.`)
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
    const { stdout } = await run('plan', '--out', '../plan.json')
    expect(stdout).toContain('sql.common  rotated: 1 → 2, credentials are sent')
    expect(stdout).toContain('Needs PW to apply, which is not here.')
    expect(await apply('../plan.json')).toMatchObject({ code: 0 })
    const again = await apply('../plan.json')
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('SVC2107  The plan was applied already') })
    rmSync(join(workspace.dir, '../plan.json'))
  })

  it('moves it once more when something has ended since: from then on it is somebody else who gives it', async () => {
    const until = new Date(Date.now() - 1_800_000).toISOString()
    workspace.manifest(
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
  })
})

describe('plan and drift', () => {
  it('take what was applied as their base, unless they are told otherwise', async () => {
    const empty = await run('plan', '--format', 'json')
    expect(empty.stderr).toContain('The ledger of `test` is empty')
    expect(JSON.parse(empty.stdout).base).toBe(null)
    backTo('applied')
    workspace.manifest(groups('a', 'b'))
    const second = publish('Second')
    const baseOf = async (...args: readonly string[]) =>
      JSON.parse((await run(...args, '--format', 'json')).stdout).base
    expect(await baseOf('plan')).toEqual({ ref: first, commit: first, from: 'ledger', at: expect.any(String) })
    expect(await baseOf('drift')).toMatchObject({ commit: first, from: 'ledger' })
    expect(await baseOf('plan', '--since', 'HEAD')).toMatchObject({ commit: second, from: 'since' })
    const elsewhere = await run('plan', '--base-url', workspace.emulator.url.replace('127.0.0.1', 'localhost'))
    expect(flat(elsewhere.stderr)).toMatch(/was to http:\/\/127\.0\.0\.1:\d+, and this is http:\/\/localhost:/)
    const without = (await run('plan', '--no-ledger')).stdout
    expect(without).not.toContain('last applied')
    expect(without).toMatch(/svcsync apply --expect \w+ --no-ledger/)
  })

  it('end with an error where the remote is gone, before anything else, and do without it when they are told', async () => {
    renameSync(remote.path, `${remote.path}.away`)
    for (const command of [['plan'], ['drift'], ['apply', '--yes']]) {
      const { code, stdout, stderr } = await run(...command)
      expect([code, stdout]).toEqual([1, ''])
      expect(flat(stderr)).toMatch(
        /error SVC2231 The remote `origin`, which holds the ledger, cannot be read: .*ignore the ledger with `--no-ledger`/,
      )
    }
    expect(workspace.emulator.state().groups).toEqual([])
    expect((await run('plan', '--no-ledger')).stdout).toContain('a@example.com')
    renameSync(`${remote.path}.away`, remote.path)
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
  const journal = 'refs/svcsync/journal/test'
  beforeAll(async () => {
    backTo('published')
    workspace.manifest(memberships('u1', 'u2', 'u3'))
    publish('First')
    expect((await run('apply', '--yes')).code).toBe(0)
    keep('with members')
  })
  const begin = () => {
    backTo('with members')
    workspace.manifest(memberships('u1'))
    return publish('Second')
  }

  it('is taken away, the ledger moves, and the next plan says nothing', async () => {
    const second = begin()
    expect((await run('plan')).stdout).toContain('no longer declared:')
    expect((await run('apply', '--yes')).stdout).toContain(`is at ${second.slice(0, 12)} now.`)
    expect(membersOf().join()).toBe('u1@example.com')
    const plan = JSON.parse((await run('plan', '--format', 'json')).stdout)
    expect([plan.changes, plan.noLongerDeclared]).toEqual([[], []])
  })

  const plan = async () => JSON.parse((await run('plan', '--format', 'json')).stdout)

  it('that an apply of a part had given is taken away, also by a saved plan', async () => {
    // One declaration, which comes back byte for byte as it was applied: it is the very same as that of the base.
    const alone = (...members: readonly string[]) => memberships(...members).slice(groups('a').length)
    backTo('with members')
    workspace.manifest(alone('u1'))
    const first = publish('First')
    await run('apply', '--yes')
    workspace.manifest(alone('u1', 'u2'))
    const second = publish('Second')
    const part = await run('apply', '--yes', '--only', 'group/a@example.com')
    expect(flat(part.stdout)).toMatch(
      /`--only` applied only a part of the project.* Apply without it to move the ledger\.(?! A line)/,
    )
    expect((await run('status')).stdout).toMatch(
      new RegExp(`begun {4}${second.slice(0, 7)} Second --only group/a@example.com · .*, not\\s+completed`),
    )
    // Where somebody stands in no manifest that svcsync has begun to apply, they stay.
    const [group] = workspace.emulator.state().groups as unknown as [{ members: string[] }]
    workspace.emulator.load({
      ...workspace.emulator.state(),
      groups: [{ ...group, members: [...group.members, 'u3@example.com'] }],
    } as never)
    workspace.manifest(alone('u1'))
    const third = publish('Third')
    expect(flat((await run('plan')).stdout)).toMatch(
      /no longer declared: u2@example\.com \S+ \(\w{7} was begun and not completed\)/,
    )
    await run('plan', '--out', '../plan.json')
    const { base, noLongerDeclared } = await plan()
    expect(base).toMatchObject({ commit: first, begun: [{ commit: second, only: ['group/a@example.com'] }] })
    expect(noLongerDeclared).toMatchObject([
      { element: { svcId: 'u2@example.com' }, becomes: 'removed', place: { commit: second } },
    ])
    const saved = await run('apply', '../plan.json')
    expect(saved.stdout).toContain(`is at ${third.slice(0, 12)} now.`)
    rmSync(join(workspace.dir, '../plan.json'))
    expect(membersOf().sort()).toEqual(['u1@example.com', 'u3@example.com'])
    expect((await plan()).base).not.toHaveProperty('begun')
    expect(inRemote('log', '-1', '--format=%s', lease)).toMatch(/^test: given back by \w+$/)
  })

  it('that failed applies had given is taken away, also where none was ever complete', async () => {
    const users = ['u1', 'u2', 'u3'].map((name) => ({
      svcId: `${name}@example.com`,
      name,
      email: `${name}@example.com`,
    }))
    workspace.emulator.load({ users, groups: [{ svcId: 'a@example.com', name: 'a' }] } as never)
    const create = { path: '/admin/groups', method: 'POST' }
    workspace.emulator.addFault({ match: create, count: null, effect: { kind: 'status', status: 400 } })
    const failing = async (...members: readonly string[]) => {
      workspace.manifest(memberships(...members).replace('groups:', 'groups:\n  - { svcId: z@example.com, name: z }'))
      const commit = publish(members.join())
      const { code, stdout } = await run('apply', '--yes')
      expect([code, flat(stdout)]).toEqual([3, expect.stringContaining('The ledger remembers what it gave')])
      return commit
    }
    const begun = [await failing('u1', 'u2'), await failing('u1', 'u3')]
    expect(membersOf().sort()).toEqual(['u1', 'u3'].map((name) => `${name}@example.com`))
    workspace.emulator.clearFaults()
    // Somebody frees a lease in this way; the clone still knows.
    inRemote('update-ref', '-d', lease)
    workspace.manifest(memberships('u1'))
    publish('Neither')
    const { base, noLongerDeclared } = await plan()
    expect(base).toMatchObject({ ref: 'nothing', commit: null, begun: begun.map((commit) => ({ commit })) })
    expect(noLongerDeclared).toContainEqual(
      expect.objectContaining({ element: { svcId: 'u3@example.com' }, becomes: 'removed' }),
    )
    // It never came to be, and nobody has looked.
    const reason = `${begun[0]?.slice(0, 7)} was begun and not completed: it may not be there`
    expect(noLongerDeclared).toContainEqual(expect.objectContaining({ address: 'group/z@example.com', reason }))
    expect((await run('apply', '--yes')).code).toBe(0)
    expect(membersOf().join()).toBe('u1@example.com')
    expect(JSON.parse((await run('status', '--format', 'json')).stdout).targets[0].begun).toEqual([])
  })

  it('of files that are no commit is not remembered, which is said before the first write and after the last', async () => {
    workspace.manifest(memberships('u1'))
    publish('First')
    workspace.manifest(memberships('u1', 'u2'))
    const { stdout, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toContain(
      'The ledger does not remember what this apply gives until an apply of a commit completes: manifests/main.yaml is not as it was committed.',
    )
    expect(flat(stdout)).toContain('moves the ledger. A line that is deleted before that revokes nothing.')
    expect((await run('status')).stdout).not.toContain('begun')
  })

  it('is taken away where an undo has given it back, and nothing of an undo counts as done by hand', async () => {
    workspace.manifest(memberships('u1', 'u2'))
    const first = publish('First')
    await run('apply', '--yes')
    workspace.manifest(memberships('u1', 'u3'))
    publish('Second')
    const journal = join(remote.path, '../undone.jsonl')
    await run('apply', '--yes', '--journal', journal)
    await run('undo', journal, '--out', '../undo.json')
    const undone = await run('apply', '../undo.json')
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('the result of an undo is no commit') })
    rmSync(join(workspace.dir, '../undo.json'))
    expect(membersOf().sort()).toEqual(['u1@example.com', 'u2@example.com'])
    const again = await plan()
    expect(again.base.begun).toMatchObject([{ commit: first, only: [] }])
    expect(again.changes[0].differences).toMatchObject([
      {
        added: [{ svcId: 'u3@example.com', cause: 'declared' }],
        removed: [{ svcId: 'u2@example.com', cause: 'declared' }],
      },
    ])
    expect((await run('drift')).code).toBe(0)
    workspace.manifest(memberships('u1'))
    publish('Neither')
    const reason = `an undo led back to ${first.slice(0, 7)}`
    expect((await plan()).noLongerDeclared).toMatchObject([{ element: { svcId: 'u2@example.com' }, reason }])
    expect((await run('apply', '--yes')).code).toBe(0)
    expect(membersOf()).toEqual(['u1@example.com'])
  })

  it('is not forgotten by an apply with another base', async () => {
    begin()
    const { code, stdout } = await run('apply', '--yes', '--since', 'HEAD')
    expect(flat(stdout)).toContain(
      'the plan has another base. The applied changes stay. Plan and apply again without `--since`',
    )
    expect(code).toBe(0)
    expect((await run('plan')).stdout).toContain('no longer declared:')
  })

  it('is taken away by an apply that was killed and is gone on with on another machine, by its journal in a ref', async () => {
    const second = begin()
    workspace.emulator.addFault({
      match: { path: '/api/data/*', method: 'POST' },
      nth: 1,
      count: 1,
      effect: { kind: 'hang', carriedOut: false },
    })
    await workspace.control('DELETE', '/requests')
    const args = ['apply', '--yes', '--journal', 'git:']
    // A job is on a machine of its own.
    const killed = startCommand(args, workspace.dir, { ...env, TMPDIR: remote.path, CI: 'true' })
    await killed.until(() => writesOf(workspace.emulator).some(({ status }) => status === null))
    killed.child.kill('SIGKILL')
    await killed.ended
    workspace.emulator.clearFaults()
    expect(membersOf()).toHaveLength(3)
    // It was pushed before the first write.
    expect(inRemote('show', `${journal}:journal.jsonl`).split('\n')).toHaveLength(1)
    const clone = remote.clone('second', '--branch', 'main')
    const [, lease = ''] = /--allow (lease=[0-9a-f]{8})/.exec((await runIn(clone, 'apply', '--yes')).stderr) ?? []
    const begun = await runIn(clone, ...args, '--allow', lease)
    expect(begun.stderr).toMatch(/SVC2239 .*was broken off/)
    const resumed = await runIn(clone, 'apply', '--resume', 'git:', '--allow', lease)
    expect(resumed.stderr).toContain('Resuming the apply of')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining(`is at ${second.slice(0, 12)} now.`) })
    expect(membersOf().join()).toBe('u1@example.com')
    expect(inRemote('show', `${journal}:journal.jsonl`)).toContain('"event":"resumed"')
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
    workspace.manifest('groups: [{ svcId: a@example.com, name: Other }]')
    publish('Second')
    expect((await run('apply', '--yes', '--journal', 'git:')).code).toBe(0)
    expect((await run('undo', 'git:', '--yes')).code).toBe(0)
    expect(inRemote('log', '-1', '--format=%s', lease)).toContain(`begun and not completed: ${first.slice(0, 12)}`)
    expect(JSON.stringify(workspace.emulator.state().groups)).not.toContain('Other')
  })

  it('is not begun where nothing is to be written; one that is not there is not gone on with, nor taken for what it is not', async () => {
    backTo('applied')
    const nothing = await run('apply', '--yes', '--journal', 'git:')
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') })
    expect((await run('apply', '--resume', 'git:')).stderr).toContain(
      'There is no journal in refs/svcsync/journal/test',
    )
    git(workspace.dir, 'push', '--quiet', 'origin', `HEAD:${journal}`)
    workspace.manifest(groups('a', 'b'))
    expect((await run('apply', '--yes', '--journal', 'git:')).stderr).toContain('SVC2232')
    expect(workspace.emulator.state().groups).toHaveLength(1)
  })
})

describe('status', () => {
  const status = async (dir = workspace.dir) => {
    const { code, stdout } = await runIn(dir, 'status', '--format', 'json')
    return { code, ...JSON.parse(stdout) }
  }

  it('says what is applied, what is pending, and who applies', async () => {
    expect((await status()).targets[0]).toMatchObject({ name: 'test', applied: null, lease: null })
    backTo('applied')
    workspace.write('README.md', 'not of the project')
    publish('Readme')
    const { code, stdout } = await run('status')
    expect(code).toBe(0)
    expect(stdout.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, 'TIME').replace(/:\d+$/m, ':PORT')).toBe(`\
test · http://127.0.0.1:PORT
  applied  ${first.slice(0, 7)} Let anna in · TIME by svcsync (app@svcsync)
  pending  nothing
  lease    free
`)
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
  })

  it('counts what was applied and is not checked out, and says where it cannot count', async () => {
    backTo('applied')
    git(workspace.dir, 'checkout', '--quiet', 'HEAD~1')
    expect((await status()).targets[0].workingTree).toMatchObject({ behind: 0, missing: 1 })
    git(workspace.dir, 'checkout', '--quiet', 'main')
    workspace.manifest(groups('a', 'b'))
    publish('Second')
    const shallow = remote.clone('shallow', '--branch', 'main', '--depth=1')
    expect((await runIn(shallow, 'status')).stdout).toContain(
      'pending  commits that cannot be counted: the clone is shallow',
    )
  })

  it('ends with 1 where a ref is not sound, and shows the rest', async () => {
    git(workspace.dir, 'push', '--quiet', 'origin', `HEAD:${applied}`)
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
    if (what.startsWith('a manifest')) workspace.manifest(groups('b'))
    const { code, stdout } = await run('apply', '--yes', ...args)
    expect(flat(stdout)).toMatch(reason)
    expect(stdout).toContain('The Svc platform is as declared')
    expect(code).toBe(0)
    expect(inRemote('for-each-ref', applied)).toBe('')
  })

  it('no filter and no hook of the repository runs; other files may be as they like', async () => {
    const trace = join(remote.path, '../ran')
    const script = join(remote.path, '../script.sh')
    writeFileSync(script, `#!/bin/sh\necho "$0" >> ${trace}\ncat\n`)
    chmodSync(script, 0o755)
    workspace.write('.gitattributes', '*.yaml filter=evil\n')
    publish('First')
    workspace.write('notes.txt', 'new\n')
    mkdirSync(join(workspace.dir, '.git/hooks'), { recursive: true })
    for (const hook of ['pre-push', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(workspace.dir, `.git/hooks/${hook}`), readFileSync(script))
      chmodSync(join(workspace.dir, `.git/hooks/${hook}`), 0o755)
    }
    for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'core.fsmonitor'])
      git(workspace.dir, 'config', key, script)
    expect((await run('apply', '--yes')).stdout).toContain('now.')
    expect(existsSync(trace)).toBe(false)
    git(workspace.dir, 'config', 'core.sshCommand', script)
    const refused = await run('apply', '--yes')
    expect(refused.stderr).toMatch(/SVC2233 .*core\.sshcommand/)
    expect(refused.code).toBe(1)
    expect(existsSync(trace)).toBe(false)
  })
})

describe('the remote', () => {
  it('that is not configured, no repository, and an address in the place of a name', async () => {
    git(workspace.dir, 'remote', 'rename', 'origin', 'other')
    expect((await run('apply', '--yes')).stderr).toMatch(/SVC2230 .*the repository has no remote of that name/)
    rmSync(join(workspace.dir, '.git'), { recursive: true })
    expect((await run('apply', '--yes')).stderr).toMatch(/SVC2230 .*is in no git repository/)
  })

  it('never shows its address, nor the password in it', async () => {
    git(workspace.dir, 'remote', 'set-url', 'origin', 'http://anna:s3cr3t-word@127.0.0.1:1/r.git')
    const { code, stdout, stderr } = await run('apply', '--yes', '--verbose')
    expect(stderr).toContain('it cannot be reached')
    expect(code).toBe(1)
    expect(stdout + stderr).not.toMatch(/s3cr3t|127\.0\.0\.1:1\b/)
  })

  it('that takes nothing is an error before the first write', async () => {
    hook('pre-receive', 'exit 1')
    const { code, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(
      /SVC2236 The remote `origin` does not take refs\/svcsync\/lease\/test: a hook there declined it/,
    )
    expect(code).toBe(1)
    expect(workspace.emulator.state().groups).toEqual([])
  })

  it('that goes in the middle leaves what was applied applied, and says so', async () => {
    hook('post-receive', `mv ${remote.path} ${remote.path}.away`)
    const { code, stdout } = await run('apply', '--yes')
    renameSync(`${remote.path}.away`, remote.path)
    hook('post-receive', 'exit 0')
    expect(flat(stdout)).toMatch(
      /Ledger: refs\/svcsync\/applied\/test is not there yet: .*The applied changes stay\. .*lease of `test` could not be released: it expires at /,
    )
    expect(code).toBe(0)
  })

  it('that does not take the entry leaves what was applied applied, and the next apply moves it', async () => {
    hook('update', 'case "$1" in refs/svcsync/applied/*) exit 1;; esac')
    const { code, stdout } = await run('apply', '--yes')
    expect(flat(stdout)).toMatch(
      /Ledger: refs\/svcsync\/applied\/test is not there yet: The remote .* The applied changes stay\. /,
    )
    expect(code).toBe(0)
    hook('update', 'exit 0')
    const again = await run('apply', '--yes')
    expect(again.stdout).toContain('Nothing to do: the Svc platform is as declared')
    expect(again.stdout).toContain('now.')
  })
})

describe('the way to the remote', () => {
  /** An apply, or what only reads. */
  const runWith =
    (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    (url: string) => {
      git(workspace.dir, 'remote', 'set-url', 'origin', url)
      return runCommand(args, workspace.dir, { ...env, ...more })
    }

  it('is that of GIT_CONFIG_*, whatever GIT_DIR says', async () => {
    backTo('applied')
    const status = runWith(
      {
        GIT_DIR: '/nowhere',
        GIT_INDEX_FILE: '/nowhere/index',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: `url.file://${remote.path}.insteadOf`,
        GIT_CONFIG_VALUE_0: 'https://git.invalid/company.git',
      },
      'status',
    )
    expect((await status('https://git.invalid/company.git')).stdout).toContain(`applied  ${first.slice(0, 7)}`)
  })

  it('is that of GIT_SSH_COMMAND', async () => {
    const ssh = join(remote.path, '../ssh.sh')
    writeFileSync(ssh, '#!/bin/sh\nwhile [ "$1" != git.invalid ]; do shift; done; shift; exec sh -c "$*"\n')
    chmodSync(ssh, 0o755)
    const apply = runWith({ GIT_SSH_COMMAND: ssh }, 'apply', '--yes')
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
    const none = await runWith({}, 'plan')(url)
    expect(flat(none.stderr)).toContain('it asks for credentials, and git has none')
    expect(seen).toEqual([])
    const refused = await runWith({ GIT_ASKPASS: askpass }, 'plan')(url)
    expect(flat(refused.stderr)).toContain('it does not accept the credentials that git has')
    expect(seen).toContain('anna:s3cr3t-word')
    for (const { stdout, stderr } of [none, refused]) expect(stdout + stderr).not.toMatch(/s3cr3t|company\.git/)
    server.close()
  })

  it('leads through no program that the address names', async () => {
    const ran = join(remote.path, '../ran')
    git(workspace.dir, 'config', 'protocol.ext.allow', 'always')
    const { code, stderr } = await runWith({}, 'plan')(`ext::sh -c touch% ${ran}`)
    expect(flat(stderr)).toContain('its address uses a transport that svcsync does not use')
    expect([code, existsSync(ran)]).toEqual([1, false])
  })
})

describe('a ref', () => {
  it('that is lost begins anew', async () => {
    backTo('applied')
    const entry = inRemote('rev-parse', applied)
    inRemote('update-ref', '-d', applied)
    const { stdout, stderr } = await run('apply', '--yes')
    expect(stderr).toContain('The ledger of `test` begins')
    expect(flat(stderr)).toContain(`${applied} is gone from the remote \`origin\``)
    const [, way = ''] = /`git (push origin [^`]*)` puts it back/.exec(flat(stderr)) ?? []
    inRemote('update-ref', '-d', applied)
    git(workspace.dir, ...way.split(' '))
    expect(inRemote('rev-parse', applied)).toBe(entry)
    expect(stdout).toContain(`is at ${first.slice(0, 12)} now.`)
  })

  it('of a lease keeps fifty that were begun, and the apply names those that go', async () => {
    backTo('published')
    const at = '2026-01-01T00:00:00.000Z'
    const begun = Array.from({ length: 50 }, (_, index) => ({ commit: null, at, only: [`group/${index}`] }))
    const old = { holder: 'anna', where: '', since: at, until: undefined, begun, after: undefined }
    git(workspace.dir, 'push', '--quiet', 'origin', `${writeLease(workspace.dir, old, 'test', 0)}:${lease}`)
    const { stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toContain('The ledger forgets what only an undo gave: 50 later applies began')
  })

  it('keeps a commit that a push by force has taken out of the history', async () => {
    backTo('applied')
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
    backTo('applied')
    workspace.manifest(groups('a', 'c'))
    const second = publish('Second')
    const clone = remote.clone('shallow', '--depth=1', '--branch', 'main')
    const allow = ['--allow', `older-commit=${second}`]
    expect((await runIn(clone, 'apply', '--yes', ...allow)).stdout).toContain(`${second.slice(0, 12)} now.`)
    expect(git(clone, 'rev-list', '--count', 'HEAD')).toBe('1')
  })
})

describe('two applies', () => {
  it('the second ends with 4 and says who applies; the lease of one that was killed is taken as people allow it', async () => {
    await takeLease(
      { entry: undefined, lease: undefined, state: 'free' },
      {
        remote: openRemote(join(workspace.dir, 'svcsync.yaml'), 'origin'),
        target: 'test',
        self: { holder: 'anna', where: 'build-7' },
        clock: Date.now,
        // It is never renewed.
        sleep: () => new Promise(() => undefined),
      },
    )
    const { code, stderr } = await run('apply', '--yes')
    expect(flat(stderr)).toMatch(
      /SVC2234 Another apply to `test` is under way: anna \(build-7\) holds its lease since .*--lease-timeout 10m/,
    )
    expect(code).toBe(4)
    const waited = await run('apply', '--yes', '--lease-timeout', '1s')
    expect(waited.stderr).toMatch(/Waiting: anna .*did not release it in time/s)
    const [allow = ''] = /--allow lease=[0-9a-f]{8}/.exec(waited.stderr) ?? []
    expect((await run('apply', '--yes', '--allow', 'lease=00000000')).code).toBe(4)
    const taken = await run('apply', '--yes', ...allow.split(' '))
    expect(taken.stderr).toContain('was taken over from anna: as `--allow` says.')
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('now.') })
  })

  it('one that is killed between its last write and the ledger is caught up with by the next', async () => {
    const reached = join(remote.path, 'reached')
    hook(
      'update',
      `case "$1" in refs/svcsync/applied/*) touch ${reached}; while test ! -e ${reached}.end; do sleep 0.1; done; exit 1;; esac`,
    )
    const killed = startCommand(['apply', '--yes'], workspace.dir, env)
    await killed.until(() => existsSync(reached))
    killed.child.kill('SIGKILL')
    await killed.ended
    writeFileSync(`${reached}.end`, '')
    expect(workspace.emulator.state().groups).toHaveLength(1)
    hook('update', 'exit 0')
    const left = (await run('status')).stdout
    // Elsewhere nobody can tell that it has ended.
    if (process.platform === 'linux') expect(flat(left)).toMatch(/lease left behind by .*: its process has ended/)
    const next = await run('apply', '--yes')
    const [, lease] = /--allow (lease=[0-9a-f]{8})/.exec(next.stderr) ?? []
    const { stdout } = lease === undefined ? next : await run('apply', '--yes', '--allow', lease)
    expect(stdout).toContain('Nothing to do: the Svc platform is as declared')
    expect(stdout).toContain(`is at ${first.slice(0, 12)} now.`)
  })

  it('an interrupt gives the lease back', async () => {
    workspace.emulator.addFault({
      match: { path: '/api/data/*', method: 'POST' },
      nth: 1,
      count: 1,
      effect: { kind: 'hang', carriedOut: false },
    })
    await workspace.control('DELETE', '/requests')
    const held = startCommand(['apply', '--yes'], workspace.dir, { ...env, GITHUB_ACTOR: 'anna' })
    // Before that, its lease may be there while it has not heard so.
    await held.until(() => writesOf(workspace.emulator).some(({ status }) => status === null))
    held.child.kill('SIGINT')
    await held.shows('Interrupted')
    held.child.kill('SIGINT')
    expect((await held.ended).code).toBe(130)
    expect(inRemote('log', '-1', '--format=%s', lease)).toBe(
      `test: given back by anna, begun and not completed: ${first.slice(0, 12)}`,
    )
    expect(inRemote('for-each-ref', applied)).toBe('')
  })

  it('at once: both come to their end, and the ledger is of one line', async () => {
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
