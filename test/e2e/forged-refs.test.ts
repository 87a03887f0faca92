// Refs of the ledger that somebody else has written, who may push them and nothing else: the built command, and real git.
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
      expect(flat((await run('status')).stdout)).toMatch(/lease free; what is there is none: it.* \(SVC2232\)/)
      publish('a', 'b')
      const { code, stderr } = await run('apply', '--yes')
      const said = /warning SVC2232 refs\/svcsync\/lease\/test is no lease: it.* binds nobody/
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
