// Whatever the refs of a ledger hold, no step is let pass that neither the manifests nor a commit of the history that
// is applied asked for: real git, and the built command.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ledgerRefs, writeApplied, writeLease } from '../../src/ledger/ledger-commit.ts'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { tryLaw } from './law-runs.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
const accounts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@example.com`)
/**
 * Who stands in each commit: `main`, one after the other, and what others have pushed, from the commit of main with
 * that number.
 */
const main = [[0], [0, 1], [1, 2], [2]]
const theirs = [
  { from: 0, names: [0, 3] },
  { from: 2, names: [1, 4] },
  { from: 3, names: [2, 5] },
]
const at = '2026-01-01T00:00:00.000Z'
const refs = ledgerRefs('test')

let workspace: Workspace
let remote: GitRemote
/** With what it declares, and whether it is of main. */
const commits: { readonly id: string; readonly names: readonly number[]; readonly isOurs: boolean; entry: string }[] =
  []
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  git(remote.path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
  const add = (names: readonly number[], isOurs: boolean): void => {
    const members = names.map((name) => accounts[name])
    workspace.manifest(`memberships: [{ group: staff@example.com, members: [${members}] }]\n`)
    commits.push({ id: commitAll(workspace.dir, `${commits.length}`), names, isOurs, entry: '' })
  }
  for (const names of main) add(names, true)
  git(workspace.dir, 'push', '--quiet', 'origin', 'HEAD:main')
  for (const { from, names } of theirs) {
    git(workspace.dir, 'checkout', '--quiet', '--detach', commits[from]?.id ?? '')
    add(names, false)
  }
  for (const [index, commit] of commits.entries()) {
    const facts = {
      commit: commit.id,
      at,
      digest: '',
      application: '',
      installation: '',
      version: '',
      objects: 0,
      lease: '',
      approvedBy: [],
    }
    const counts = { done: 0, unchanged: 0 } as never
    const entry = writeApplied(workspace.dir, { ...facts, target: 'test', project: 'svcsync.yaml', counts }, undefined)
    commit.entry = entry ?? ''
    git(workspace.dir, 'push', '--quiet', 'origin', `${commit.entry}:refs/kept/${index}`)
  }
})
afterAll(async () => {
  remote.close()
  await workspace.close()
})

const number = fc.nat(main.length + theirs.length - 1)
const garbage = fc.constantFrom('none', 'a tree', 'a commit')
const forgeries = fc.record({
  head: fc.nat(main.length - 1),
  applied: fc.oneof(fc.constant(0), fc.constant(0), fc.nat(main.length - 1), number, garbage),
  begun: fc.array(fc.record({ which: number, undo: fc.boolean() }), { minLength: 1, maxLength: 3 }),
  follows: fc.constantFrom(true, true, true, false),
  until: fc.constantFrom(undefined, undefined, 'garbage', '2999-01-01T00:00:00.000Z', at),
})

const live = (): string[] => (workspace.emulator.state().groups?.[0]?.members ?? []).map(String).sort()

it('lets nothing pass that no manifest and no commit of the history asked for', async () => {
  await tryLaw(
    fc.asyncProperty(forgeries, async ({ head, applied, begun, follows, until }) => {
      workspace.emulator.load({
        users: accounts.map((svcId) => ({ svcId })),
        groups: [{ svcId: 'staff@example.com', name: 'Staff', members: accounts.slice(1) }],
      } as never)
      git(workspace.dir, 'checkout', '--quiet', '--detach', commits[head]?.id ?? '')
      const entry = typeof applied === 'number' ? commits[applied]?.entry : undefined
      const lease = {
        ...{ holder: 'eve', where: '', since: at, until },
        begun: begun.map(({ which, undo }) => ({
          ...{ commit: commits[which]?.id ?? null, at, only: [] },
          ...(undo && { undo }),
        })),
        after: follows ? entry : undefined,
      }
      const to = { none: '', 'a tree': 'HEAD^{tree}', 'a commit': 'HEAD' }[applied] ?? entry
      const pushed = [`${to}:${refs.applied}`, `${writeLease(workspace.dir, lease, 'test', 0)}:${refs.lease}`]
      git(workspace.dir, 'push', '--quiet', '--force', 'origin', ...pushed)

      const says = (index: number) => (commits[index]?.names ?? []).map((each) => accounts[each])
      const history = commits.flatMap(({ isOurs }, index) => (isOurs ? says(index) : []))
      const before = accounts.slice(1)
      const allowed = (gone: readonly string[], come: readonly string[]): void => {
        expect(gone.filter((each) => !history.includes(each) || says(head).includes(each))).toEqual([])
        expect(come.filter((each) => !says(head).includes(each))).toEqual([])
      }
      const { stdout } = await runCommand(['plan', '--format', 'json'], workspace.dir, env)
      const plan = stdout === '' ? undefined : JSON.parse(stdout)
      const isRefused = plan?.guards?.some(({ verdict }: { verdict: string }) => verdict === 'refused')
      const differences = (plan?.changes ?? []).flatMap((each: { differences: object[] }) => each.differences)
      const named = (list: 'added' | 'removed'): string[] =>
        differences.flatMap((each: Record<string, { svcId: string }[]>) => each[list]?.map(({ svcId }) => svcId) ?? [])
      if (isRefused === false) allowed(named('removed'), named('added'))
      const { code } = await runCommand(['apply', '--yes'], workspace.dir, env)
      const after = live()
      if (isRefused !== false) expect([code !== 0, after]).toEqual([true, before])
      allowed(
        before.filter((each) => !after.includes(each)),
        after.filter((each) => !before.includes(each)),
      )
    }),
  )
})
