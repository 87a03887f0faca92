// The ledger as it is read and moved: from several clones, by several at once, and where its ref leads to something
// else.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ledgerForCommand } from '../../src/cli/planning/ledger-for-command.ts'
import type { SharedOptions } from '../../src/cli/program/options.ts'
import type { Console } from '../../src/cli/terminal/console.ts'
import type { BaseIdentity } from '../../src/core/plan/plan-document.ts'
import type { ApplyReport } from '../../src/core/plan/report.ts'
import { OperatorError, RefusedError } from '../../src/errors/index.ts'
import { type LedgerState, readLedger, recordApplied } from '../../src/ledger/ledger.ts'
import { ledgerRefs } from '../../src/ledger/ledger-commit.ts'
import { moveRef, openRemote, tryToPush } from '../../src/ledger/remote.ts'
import { checkLedger } from '../../src/runs/doctor/doctor-target.ts'
import type { ApplyRunOptions } from '../../src/runs/plan/apply-run.ts'
import type { PlanRun } from '../../src/runs/plan/plan-run.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const { applied, lease } = ledgerRefs('test')
const shared = { only: [], var: {}, allow: [], format: 'text', color: false } satisfies SharedOptions
const nowMs = Date.parse('2026-11-22T12:00:00Z')
let remote: GitRemote
let workspace: Workspace
let first: string
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  first = commitAll(workspace.dir, 'First')
  git(workspace.dir, 'tag', '--annotate', '--message', 'One', 'v1')
  git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:main')
})
afterAll(async () => {
  remote.close()
  await workspace.close()
})
beforeEach(() => {
  git(workspace.dir, 'reset', '--quiet', '--hard', first)
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main', `:${applied}`)
})

const realGit = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
const remoteOf = (dir: string, file = 'svcsync.yaml') => openRemote(join(dir, file), 'origin')
const read = (dir = workspace.dir, file?: string) => readLedger(remoteOf(dir, file), 'test', nowMs)
const converged = {
  outcome: 'converged',
  counts: { done: 1, unchanged: 0 },
  verified: { equal: 1 },
  startedAt: '2026-11-22T12:00:00.000Z',
  elapsedMs: 1000,
} as unknown as ApplyReport
const baseOf = ({ applied }: LedgerState): BaseIdentity | 'none' =>
  applied ? { ref: '', commit: applied.commit, from: 'ledger' } : 'none'
const note = (
  commit: string,
  state: LedgerState,
  dir = workspace.dir,
  base: BaseIdentity | 'none' = baseOf(state),
  more: Partial<Parameters<typeof recordApplied>[4]> = {},
) =>
  recordApplied(remoteOf(dir), 'test', state, converged, {
    exact: { commit },
    installation: 'https://svc.example.com',
    version: 'test',
    digest: 'sha256:0',
    base,
    isRemembered: true,
    hasEnded: false,
    rotates: false,
    application: async () => dir,
    approvedBy: [],
    ...more,
  })

describe('what was applied', () => {
  it('can be read by several in a fresh clone, also a shallow one, and of a commit without a branch', async () => {
    await note(first, await read())
    git(workspace.dir, 'commit', '--quiet', '--amend', '--message', 'Another history')
    git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main')
    for (const options of [[], ['--depth=1']]) {
      const clone = remote.clone(`fresh${options.length}`, '--branch', 'main', ...options)
      expect(() => git(clone, 'cat-file', '-e', `${first}^{tree}`)).toThrow()
      const states = await Promise.all([1, 2, 3, 4, 5].map(() => read(clone)))
      expect(new Set(states.map((state) => state.applied?.commit))).toEqual(new Set([first]))
      git(clone, 'cat-file', '-e', `${first}^{tree}`)
    }
  })

  it('is not read in a shallow clone while a lock that was left there keeps git out', async () => {
    await note(first, await read())
    const clone = remote.clone('locked', '--branch', 'main', '--depth=1')
    writeFileSync(join(clone, '.git/shallow.lock'), '')
    await expect(read(clone)).rejects.toThrow(
      /cannot be read: another git is at work in this clone, or has left a lock/,
    )
  })

  it('is moved by one of two that read the same, and the other says so', async () => {
    const clone = remote.clone('second', '--branch', 'main')
    const [here, there] = [await read(), await read(clone)]
    const moved = await Promise.all([note(first, here), note(first, there, clone)])
    expect(moved.map((report) => report.moved).sort()).toEqual([false, true])
    expect(moved.find((report) => !report.moved)?.reason).toBe('another apply has moved it meanwhile')
    // A resume of what was completed since: the ledger is where it should be.
    const resumed = await note(first, await read(), workspace.dir, 'none')
    expect(resumed).toEqual({ ref: applied, commit: first, moved: false })
  })
})

it('stays where the files are no commit, and what the next apply does is said', async () => {
  const exact = { commit: first, reason: 'a file is not as it was committed' }
  for (const rotates of [false, true]) {
    const { moved, hint } = await note(first, await read(), workspace.dir, 'none', { exact, rotates })
    const does = rotates ? 'sends the credentials once more' : 'finds nothing to do'
    expect([moved, hint]).toEqual([false, expect.stringContaining(`apply again: it ${does}, and moves the ledger.`)])
  }
})

it('stays where the plan knew one part of a commit that was begun, and another part has been begun since', async () => {
  await note(first, await read())
  const state = await read()
  const part = (only: string) => ({ commit: 'f'.repeat(40), at: '2026-11-22T12:00:00.000Z', only: [only] })
  const base = { ...(baseOf(state) as BaseIdentity), begun: [part('group/a')] }
  const second = commitAll(workspace.dir, 'Second')
  const noteWith = (...only: readonly string[]) =>
    note(second, { ...state, begun: only.map(part) }, workspace.dir, base)
  expect(await noteWith('group/a', 'group/b')).toMatchObject({ moved: false, reason: 'the plan has another base' })
  expect(await noteWith('group/a')).toMatchObject({ moved: true })
})

it('moves without writes only with the lease: an apply that was planned before would be forgotten', async () => {
  const console = { note: () => undefined } as unknown as Console
  const { signal } = new AbortController()
  const begin = async () =>
    (await ledgerForCommand({ from: 'manifests', opened: workspace.open() }, shared, console, signal)) as NonNullable<
      ApplyRunOptions['ledger']
    >
  const state = await read()
  const planned = {
    document: { digest: 'sha256:0', only: [], base: baseOf(state) },
    plan: { changes: [], steps: [], guards: [] },
  } as unknown as PlanRun
  const idle = { ...converged, outcome: 'nothing-to-do', counts: { done: 0, unchanged: 0 } } as unknown as ApplyReport
  const noteIdle = (ledger: NonNullable<ApplyRunOptions['ledger']>) => ledger.note(idle, planned, {} as never)
  const [early, later] = [await begin(), await begin()]
  expect(await noteIdle(later)).toEqual({ ref: applied, commit: first, moved: true })
  await expect(early.takeLease(planned)).rejects.toMatchObject({ code: 'SVC2235' })
  const second = commitAll(workspace.dir, 'Second')
  Object.assign(planned.document, { base: baseOf(await read()) })
  const [writing, other] = [await begin(), await begin()]
  const held = await writing.takeLease(planned)
  const reason = 'another apply has begun meanwhile'
  expect(await noteIdle(other)).toMatchObject({ commit: first, moved: false, reason })
  expect(await held.giveBack('begun')).toEqual([])
  expect((await read()).begun).toMatchObject([{ commit: second }])
  git(remote.path, 'update-ref', '-d', lease)
})

describe('an entry', () => {
  const alone = async () => undefined

  it('holds what the run said of itself, with the lease that it took', async () => {
    const facts = {
      approvedBy: ['ben'],
      lease: { name: 'held', giving: alone, given: () => undefined },
      digest: 'sha256:1',
      application: async () => 'ci',
    }
    const noted = await note(first, await read(), workspace.dir, 'none', facts)
    expect(noted).toEqual({ ref: applied, commit: first, moved: true })
    expect((await read()).applied).toEqual({
      ...{ entry: git(remote.path, 'rev-parse', applied), commit: first, at: '2026-11-22T12:00:01.000Z' },
      ...{ digest: 'sha256:1', application: 'ci', approvedBy: ['ben'] },
      ...{ project: 'svcsync.yaml', installation: 'https://svc.example.com', lease: 'held' },
    })
    const came: unknown[] = []
    const giveBack = async (how?: string) => {
      came.push(how)
      return ['It expired.']
    }
    const takeLease = async () => ({ name: 'own', giving: alone, given: () => undefined, giveBack })
    const state = await read()
    expect(await note(first, state, workspace.dir, baseOf(state), { takeLease })).toMatchObject({
      moved: true,
      lease: ['It expired.'],
    })
    expect((await read()).applied?.lease).toBe('own')
    const late = { takeLease, digest: 'sha256:2' }
    const reason = 'another apply has moved it meanwhile'
    expect(await note(first, state, workspace.dir, baseOf(state), late)).toMatchObject({ moved: false, reason })
    expect(came).toEqual(['complete', 'nothing'])
  })

  it.each([
    [new RefusedError('SVC2235', 'x'), 'another apply has begun meanwhile'],
    [new OperatorError('SVC2236', 'The remote does not take it'), 'The remote does not take it'],
    [new TypeError('x'), 'its remote cannot be reached'],
  ])('is not written where the lease cannot be had: %s', async (error, reason) => {
    const takeLease = () => Promise.reject(error)
    const noted = await note(first, await read(), workspace.dir, 'none', { takeLease })
    const hint = 'The applied changes stay. Run apply again: it finds nothing to do, and moves the ledger.'
    expect(noted).toEqual({ ref: applied, commit: null, moved: false, reason, hint })
  })

  it('is not written for a commit that is not here', async () => {
    const noted = await note('f'.repeat(40), await read(), workspace.dir, 'none')
    expect(noted).toMatchObject({
      moved: false,
      reason: 'git cannot write the entry: this clone has no commit ffffffffffff',
    })
  })

  it('is read also where the history beside it cannot be had', async () => {
    await note(first, await read())
    const { history } = ledgerRefs('test')
    const withHistory = () => readLedger(remoteOf(workspace.dir), 'test', nowMs, true)
    expect((await withHistory()).history?.kept).toEqual({ entry: undefined, runs: [] })
    git(workspace.dir, 'push', '--quiet', 'origin', `HEAD:${history}`)
    git(workspace.dir, 'update-ref', `${history}/more`, 'HEAD')
    expect(await withHistory()).toMatchObject({ applied: { commit: first } })
    expect((await withHistory()).history).toBeUndefined()
    git(workspace.dir, 'update-ref', '-d', `${history}/more`)
    expect((await withHistory()).history?.kept.flaw).toBe(`${history} was not written by svcsync`)
    expect((await read()).history).toBeUndefined()
    git(workspace.dir, 'push', '--quiet', 'origin', `:${history}`)
  })
})

describe('a remote', () => {
  it('whose name begins with a dash is no option, and a linked work tree has the same', async () => {
    const ran = join(remote.path, '../ran')
    const name = `--receive-pack=touch ${ran};git-receive-pack`
    git(workspace.dir, 'config', `remote.${name}.url`, remote.path)
    const odd = openRemote(join(workspace.dir, 'svcsync.yaml'), name)
    await tryToPush(odd, applied)
    expect(await moveRef(odd, { ref: applied, from: undefined, to: first })).toBe('moved')
    expect([git(remote.path, 'rev-parse', applied), existsSync(ran)]).toEqual([first, false])
    git(workspace.dir, 'push', '--quiet', 'origin', `:${applied}`)
    const linked = join(remote.path, '../linked')
    git(workspace.dir, 'worktree', 'add', '--quiet', '--detach', linked)
    expect(await note(first, await read(linked), linked)).toMatchObject({ moved: true })
    expect((await read()).applied?.commit).toBe(first)
  })
})

describe('what is opened as the remote', () => {
  const file = () => join(workspace.dir, 'svcsync.yaml')
  it('is in a repository, and has an address', () => {
    const outside = join(workspace.dir, '..', 'svcsync.yaml')
    expect(() => openRemote(outside, 'origin')).toThrow(/^The project has a ledger, but is in no git repository$/)
    expect(() => openRemote(outside, 'origin', undefined, 'branch')).toThrow(
      /^A pull request needs a branch, but the project is in no/,
    )
    expect(() => openRemote(file(), 'other')).toThrow(
      /^The ledger is in the remote `other`, but the repository has no remote/,
    )
    expect(() => openRemote(file(), 'other', undefined, 'branch')).toThrow(
      /^A pull request needs a branch, but the repository has no remote `other`$/,
    )
    git(workspace.dir, 'config', '--add', 'remote.emptied.url', remote.path)
    git(workspace.dir, 'config', '--add', 'remote.emptied.url', '')
    expect(() => openRemote(file(), 'emptied')).toThrow(/has no remote of that name$/)
    expect(openRemote(file(), 'origin')).toMatchObject({
      dir: workspace.dir,
      common: join(workspace.dir, '.git'),
      project: 'svcsync.yaml',
      name: 'origin',
    })
  })

  it('has settings that git can read, and of many keys that are refused the first are named', () => {
    const config = join(workspace.dir, '.git/config')
    const before = readFileSync(config)
    const opening = (...lines: readonly string[]) => {
      writeFileSync(config, [before, ...lines].join('\n'))
      return expect(() => openRemote(file(), 'origin'))
    }
    const proxies = (count: number) =>
      Array.from({ length: count }, (_, index) => `[http "https://${index}.example.com"]\nproxy = x`)
    opening(...proxies(12)).toThrow(/7\.example\.com\.proxy, and 2 more$/)
    opening(...proxies(11)).toThrow(/8\.example\.com\.proxy, and 1 more$/)
    opening(...proxies(10)).toThrow(/9\.example\.com\.proxy$/)
    const hinting = (hint: string) => expect.objectContaining({ hint: expect.stringContaining(hint) })
    opening(...proxies(10)).toThrow(hinting('svcsync takes http.https://0.example.com.proxy from you alone'))
    opening('[unknown]', 'key = x').toThrow(hinting('by `git config --global unknown.key …`. Or take it out'))
    opening('[http').toThrow(/^git cannot read the settings of the repository$/)
    writeFileSync(config, before)
  })
})

it.each([
  [401, 'it asks for credentials, and git has none'],
  [403, 'the account of git has no right to do that there'],
  [404, 'there is no repository at its address'],
])('a remote that answers a push with %i does not take it, and why is said', async (status, why) => {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  git(workspace.dir, 'config', 'remote.web.url', `http://127.0.0.1:${(server.address() as AddressInfo).port}/r.git`)
  const moving = moveRef(openRemote(join(workspace.dir, 'svcsync.yaml'), 'web'), {
    ref: applied,
    from: undefined,
    to: first,
  })
  await expect(moving).rejects.toMatchObject({
    code: 'SVC2236',
    message: `The remote \`web\` does not take ${applied}: ${why}`,
  })
  server.close()
})

it.each([
  "error: cannot lock ref 'refs/x': Unable to create '/clone/.git/refs/x.lock': Permission denied",
  "error: cannot update ref 'refs/x': couldn't write '/clone/.git/refs/x.lock'",
  'fatal: write error: No space left on device',
])('a clone that git cannot write is no remote that somebody moved: %s', async (stderr) => {
  await note(first, await read())
  git(workspace.dir, 'update-ref', '-d', applied)
  const folder = join(workspace.dir, '.git/stub')
  mkdirSync(folder, { recursive: true })
  const script = `case " $* " in *" fetch "*) cat "$0.txt" >&2; exit 1;; esac\nexec "${realGit}" "$@"\n`
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}`, { mode: 0o755 })
  writeFileSync(join(folder, 'git.txt'), `${stderr}\n`)
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  await expect(read()).rejects.toMatchObject({
    code: 'SVC2231',
    message: expect.stringMatching(/cannot be read: git cannot write into this clone$/),
    hint: expect.stringContaining('Make room on the disk'),
  })
  vi.unstubAllEnvs()
})

describe('a ref', () => {
  it.each([
    ['a tree', 'HEAD^{tree}', 'it is a tree, and no commit'],
    ['a tag', 'v1', 'it is a tag, and no commit'],
    ['a commit of somebody else', 'HEAD', 'its commit is none of svcsync'],
  ])('that leads to %s is an error that says how to begin anew', async (_what, to, said) => {
    git(workspace.dir, 'push', '--quiet', 'origin', `${to}:${applied}`)
    await expect(read()).rejects.toMatchObject({
      code: 'SVC2232',
      message: expect.stringContaining(said),
      hint: expect.stringContaining(`git push origin :${applied}`),
    })
  })

  it('of another project in the same repository is refused, and of one that has moved is its own', async () => {
    const other = join(workspace.dir, 'other')
    mkdirSync(other)
    for (const each of ['svcsync.yaml', 'manifests'])
      cpSync(join(workspace.dir, each), join(other, each), { recursive: true })
    appendFileSync(join(other, 'svcsync.yaml'), '# the other\n')
    const second = commitAll(workspace.dir, 'Second')
    await note(second, await read())
    const another = {
      code: 'SVC2232',
      message: expect.stringContaining('of the project `svcsync.yaml`, and not of `other/svcsync.yaml`'),
    }
    await expect(read(workspace.dir, 'other/svcsync.yaml')).rejects.toMatchObject(another)
    // Not there, as in a clone of a part.
    rmSync(join(workspace.dir, 'svcsync.yaml'))
    await expect(read(workspace.dir, 'other/svcsync.yaml')).rejects.toMatchObject(another)
    git(workspace.dir, 'commit', '--quiet', '--all', '--message', 'Gone')
    await expect(read(workspace.dir, 'other/svcsync.yaml')).rejects.toMatchObject(another)
    // Moved, as the other one was, and one that is like another one came beside it.
    git(workspace.dir, 'reset', '--quiet', '--hard', second)
    mkdirSync(join(workspace.dir, 'moved'))
    git(workspace.dir, 'mv', 'svcsync.yaml', 'moved/svcsync.yaml')
    git(workspace.dir, 'mv', 'other', 'another')
    git(workspace.dir, 'commit', '--quiet', '--message', 'Moved')
    expect((await read(workspace.dir, 'moved/svcsync.yaml')).applied?.commit).toBe(second)
    mkdirSync(join(workspace.dir, 'third'))
    writeFileSync(join(workspace.dir, 'third/svcsync.yaml'), 'version: 1\nmanifests: []\n')
    commitAll(workspace.dir, 'Third')
    expect((await read(workspace.dir, 'moved/svcsync.yaml')).applied?.commit).toBe(second)
    await expect(read(workspace.dir, 'third/svcsync.yaml')).rejects.toMatchObject({ code: 'SVC2232' })
    // Gone, and one that is like none came, beside another file; and then a second one.
    git(workspace.dir, 'reset', '--quiet', '--hard', second)
    git(workspace.dir, 'rm', '--quiet', '-r', 'svcsync.yaml', 'other')
    for (const name of ['left', 'right']) {
      mkdirSync(join(workspace.dir, name))
      writeFileSync(join(workspace.dir, name, 'svcsync.yaml'), `# ${name}\n`)
      writeFileSync(join(workspace.dir, name, 'notes.md'), name)
      commitAll(workspace.dir, name)
      if (name === 'left') expect((await read(workspace.dir, 'left/svcsync.yaml')).applied?.commit).toBe(second)
    }
    await expect(read(workspace.dir, 'left/svcsync.yaml')).rejects.toMatchObject({ code: 'SVC2232' })
    // Without a commit nobody can tell.
    git(workspace.dir, 'symbolic-ref', 'HEAD', 'refs/heads/none')
    await expect(read(workspace.dir, 'left/svcsync.yaml')).rejects.toMatchObject({ code: 'SVC2232' })
    git(workspace.dir, 'symbolic-ref', 'HEAD', 'refs/heads/main')
  })
})

it('the doctor says whether it can be read, and would be moved, and moves nothing', async () => {
  const opened = workspace.open()
  const check = (purpose?: 'plan' | 'apply') => checkLedger(opened, purpose)
  expect(await check()).toMatchObject({ result: 'ok', found: expect.stringContaining('An apply may push there') })
  expect(git(remote.path, 'for-each-ref', 'refs/svcsync')).toBe('')
  await note(first, await read())
  expect((await check('plan'))?.found).toMatch(new RegExp(`${first.slice(0, 7)} was applied at [^ ]*\\.$`))
  expect(await check('apply')).toMatchObject({ result: 'ok' })
  const own = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'remote.origin.pushurl', GIT_CONFIG_VALUE_0: 'ext::nothing' }
  Object.assign(process.env, own)
  expect(await check('plan')).toMatchObject({ result: 'ok' })
  expect(await check()).toMatchObject({ result: 'warning', code: 'SVC2236' })
  expect(await check('apply')).toMatchObject({ result: 'problem', code: 'SVC2236' })
  git(workspace.dir, 'remote', 'set-url', 'origin', 'http://127.0.0.1:1/')
  expect(await check()).toMatchObject({ result: 'problem', code: 'SVC2231' })
  for (const name of Object.keys(own)) delete process.env[name]
  git(workspace.dir, 'remote', 'set-url', 'origin', remote.path)
})
