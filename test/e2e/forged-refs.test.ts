// Refs of the ledger that somebody else has written, who may push them and nothing else: the built command, and real
// git.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BegunCommit } from '../../src/core/plan/plan-document.ts'
import { writeLease } from '../../src/ledger/ledger-commit.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
const [applied, lease] = ['refs/svcsync/applied/test', 'refs/svcsync/lease/test']
const members = (...names: readonly string[]) =>
  `memberships: [{ group: staff@example.com, members: [${names.map((name) => `${name}@example.com`)}] }]\n`

let workspace: Workspace
let remote: GitRemote
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  git(remote.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
})
afterAll(async () => {
  remote.close()
  await workspace.close()
})
/** Declared by the commit that was applied; live are three more. */
beforeEach(async () => {
  workspace.emulator.load({
    users: ['a', 'b', 'c', 'd'].map((name) => ({ svcId: `${name}@example.com` })),
    groups: [
      { svcId: 'staff@example.com', name: 'Staff', members: ['b', 'c', 'd'].map((name) => `${name}@example.com`) },
    ],
  } as never)
  git(remote.path, 'update-ref', '-d', applied)
  git(remote.path, 'update-ref', '-d', lease)
  publish('a')
  expect((await run('apply', '--yes')).code).toBe(0)
})

const run = (...args: readonly string[]) => runCommand(args, workspace.dir, env)
/** As it stands without line breaks. */
const flat = (text: string) => text.replace(/\s+/g, ' ')
const commit = (...names: readonly string[]) => {
  workspace.manifest(members(...names))
  return commitAll(workspace.dir, names.join())
}
const publish = (...names: readonly string[]) => {
  const id = commit(...names)
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:main')
  return id
}
const push = (id: string | undefined, ref: string) =>
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', `${id}:${ref}`)
const at = '2026-01-01T00:00:00.000Z'
const forgeLease = (begun: readonly BegunCommit[], until?: string) => {
  const after = git(remote.path, 'rev-parse', applied)
  push(writeLease(workspace.dir, { holder: 'eve', where: '', since: at, until, begun, after }, 'test', 0), lease)
}

describe('dates that are none, or are out of this world', () => {
  it.each(['garbage', '+275760-09-13T00:00:00.000Z', '2999-01-01T00:00:00.000Z'])(
    'make a lease none, which is said, until %s',
    async (until) => {
      forgeLease([], until)
      expect(flat((await run('status')).stdout)).toMatch(/lease free; the lease is not valid: it.* \(SVC2232\)/)
      publish('a', 'b')
      const { code, stderr } = await run('apply', '--yes')
      const said = /warning SVC2232 refs\/svcsync\/lease\/test is no lease: it.* blocks nobody/i
      expect([code, flat(stderr)]).toEqual([0, expect.stringMatching(said)])
    },
  )

  it('make an entry none', async () => {
    const forgery = git(workspace.dir, 'log', '-1', '--format=%B', applied).replace(/-At: .*/, '-At: garbage')
    const parents = git(workspace.dir, 'log', '-1', '--format=%P', applied)
      .split(' ')
      .flatMap((each) => ['-p', each])
    push(git(workspace.dir, 'commit-tree', ...parents, '-m', forgery, 'HEAD^{tree}'), applied)
    for (const command of [['plan'], ['drift'], ['apply', '--yes']])
      expect(flat((await run(...command)).stderr)).toMatch(/error SVC2232 .*: its commit does not say when that was/)
  })
})

const begin = (...commits: readonly string[]) => forgeLease(commits.map((commit) => ({ commit, at, only: [] })))
const live = () => (workspace.emulator.state().groups?.[0]?.members ?? []).map(String).sort()
const planned = async (dir = workspace.dir) =>
  JSON.parse((await runCommand(['plan', '--format', 'json'], dir, env)).stdout)
/** A commit that somebody else has pushed, to a branch of their own. */
const onBranch = (from: string, ...names: readonly string[]): string => {
  git(workspace.dir, 'checkout', '--quiet', '--detach', from)
  const id = commit(...names)
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/theirs')
  git(workspace.dir, 'checkout', '--quiet', 'main')
  return id
}

describe('a lease that names commits as begun', () => {
  it.each([
    ['beside what is applied', 'HEAD~1'],
    ['after it', 'HEAD'],
  ])('of another branch, %s: none is a base, and the guard names it', async (_what, from) => {
    publish('a')
    const theirs = onBranch(from, 'a', 'b', 'c', 'd')
    begin(theirs)
    const { base, noLongerDeclared, changes } = await planned()
    expect([base.begun, noLongerDeclared, changes]).toEqual([undefined, [], []])
    const refused = await run('apply', '--yes')
    expect(refused.code).toBe(4)
    expect(flat(refused.stderr)).toContain(
      `The ledger names \`${theirs.slice(0, 7)}\` as begun and not completed, ` +
        'and that commit is not on the line of history',
    )
    expect(refused.stderr).toContain(`--allow older-commit=${theirs}\n`)
    expect(live()).toHaveLength(4)
    const allowed = await run('apply', '--yes', '--allow', `older-commit=${theirs}`)
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining(' now.') })
    expect(live()).toHaveLength(4)
    expect((await planned()).base).not.toHaveProperty('begun')
  })

  it('is dropped by its name where the apply that is allowed fails, and kept where another one is', async () => {
    const theirs = onBranch('HEAD', 'a', 'b')
    begin(theirs)
    const second = publish('b')
    expect((await run('apply', '--yes', '--allow', `older-commit=${second}`)).code).toBe(4)
    workspace.emulator.addFault({
      match: { path: '/admin/group/*/*', method: 'POST' },
      count: null,
      effect: { kind: 'status', status: 400 },
    })
    const { code } = await run('apply', '--yes', '--allow', `older-commit=${theirs}`)
    workspace.emulator.clearFaults()
    expect(code).toBe(3)
    expect((await planned()).base.begun).toMatchObject([{ commit: second }])
    // Nobody is asked for them by another base, or by an undo, which carry on with them.
    begin(theirs, second)
    expect((await run('apply', '--yes', '--since', 'HEAD')).code).toBe(0)
    expect(JSON.parse((await run('status', '--format', 'json')).stdout).targets[0].begun).toMatchObject([
      { commit: theirs },
      { commit: second },
    ])
  })

  it('of its own history, before it or after it: they are bases as ever', async () => {
    const second = publish('a', 'b')
    publish('a')
    begin(second)
    const taken = [{ address: 'group/staff@example.com', element: { svcId: 'b@example.com' }, becomes: 'removed' }]
    expect((await planned()).noLongerDeclared).toMatchObject(taken)
    // As the job of an older commit that is run once more, in a clone that knows no more than that.
    const clone = remote.clone(`again-${second.slice(0, 7)}`, '--branch', 'main')
    git(clone, 'reset', '--quiet', '--hard', 'HEAD~2')
    for (const each of ['refs/remotes/origin/main', 'refs/remotes/origin/HEAD']) git(clone, 'update-ref', '-d', each)
    expect(await planned(clone)).toMatchObject({ noLongerDeclared: taken, base: { begun: [{ commit: second }] } })
  })

  it('whose history a shallow clone lacks: it is fetched first', async () => {
    const second = publish('a', 'b')
    publish('a', 'c')
    publish('a')
    const theirs = onBranch('HEAD', 'a', 'd')
    begin(second, theirs)
    const clone = remote.clone(`shallow-${second.slice(0, 7)}`, '--depth=1', '--branch', 'main')
    const { base, guards } = await planned(clone)
    expect(base.begun).toMatchObject([{ commit: second }])
    expect(guards.filter(({ verdict }: { verdict: string }) => verdict === 'refused')).toMatchObject([
      { guard: 'older-commit', allow: `older-commit=${theirs}` },
    ])
    expect(git(clone, 'for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main')
  })

  it('where the remote has nothing more to say: nobody can tell, and the guard refuses', async () => {
    const second = publish('a', 'b')
    begin(second)
    git(workspace.dir, 'reset', '--quiet', '--hard', 'HEAD~1')
    git(remote.path, 'symbolic-ref', 'HEAD', 'refs/heads/none')
    const { base, guards } = await planned()
    git(remote.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    expect(base.begun).toBe(undefined)
    expect(guards).toContainEqual(
      expect.objectContaining({
        allow: `older-commit=${second}`,
        sentence: expect.stringContaining('svcsync cannot tell if it is on the line of history'),
      }),
    )
  })
})
