// The guard `older-commit`: the built command, real git, a ledger in a bare repository.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
const named = (name: string) => `groups:\n  - { svcId: staff@example.com, name: ${name} }\n`

let workspace: Workspace
let remote: GitRemote
let [first, second] = ['', '']
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }\nguards: { olderCommit: refuse }' })
  remote = openGitRemote()
  remote.adopt(workspace.dir)
  workspace.manifest(named('First'))
  first = commitAll(workspace.dir, 'First')
  workspace.manifest(`${named('Second')}  - { svcId: new@example.com, name: New }\n`)
  second = commitAll(workspace.dir, 'Second')
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
})
afterAll(async () => {
  remote.close()
  await workspace.close()
})

const runIn = (dir: string, ...args: readonly string[]) => runCommand(args, dir, env)
const run = (...args: readonly string[]) => runIn(workspace.dir, ...args)
const nameOfGroup = () => workspace.plan().then(({ plan }) => plan.changes[0]?.live?.spec.name)

it('refuses what does not come after the applied commit, and lets a rollback pass that is meant', async () => {
  git(workspace.dir, 'checkout', '--quiet', first)
  const plan = await run('plan')
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.stdout.replace(/\s+/g, ' ')).toContain(
    `older-commit \`${first.slice(0, 7)}\` does not follow \`${second.slice(0, 7)}\`, ` +
      'which was applied last, and would revert it. Pull or merge it, then plan again.',
  )
  // The reason of a refused apply is above, and drift recommends no apply.
  const drift = (await run('drift')).stdout
  expect(drift).toContain('1 object is declared otherwise and not applied yet.\n')
  expect(drift).toMatch(/^Declared otherwise than in [0-9a-f]{7}$/m)
  expect(drift).not.toContain('Declared since')
  const { noLongerDeclared } = JSON.parse((await run('plan', '--format', 'json')).stdout)
  expect(noLongerDeclared).toMatchObject([
    {
      address: 'group/new@example.com',
      becomes: 'kept',
      place: { commit: second, file: 'manifests/main.yaml', line: 3 },
    },
  ])
  const refused = await run('apply', '--yes')
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(`--allow older-commit=${first}`) })
  expect(await run('apply', '--yes', '--since', first)).toMatchObject({ code: 4 })
  expect(await nameOfGroup()).toBe('Second')
  expect(await run('apply', '--yes', '--allow', `older-commit=${second}`)).toMatchObject({ code: 4 })
  expect(await run('apply', '--yes', '--allow', `older-commit=${first}`)).toMatchObject({ code: 0 })
  expect(await nameOfGroup()).toBe('First')
  // From there, what was newer is newer again.
  git(workspace.dir, 'checkout', '--quiet', second)
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
})

it('refuses a saved plan of a commit that another one was applied after, also if all else is as it was', async () => {
  workspace.manifest(named('Third'))
  const third = commitAll(workspace.dir, 'Third')
  expect(await run('plan', '--out', 'third.plan.json')).toMatchObject({ code: 0 })
  git(workspace.dir, 'revert', '--no-edit', 'HEAD')
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
  const refused = await run('apply', 'third.plan.json')
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(`--allow older-commit=${third}`) })
  expect(await workspace.changes()).toEqual([])
  git(workspace.dir, 'reset', '--quiet', '--hard', second)
  expect(await run('apply', '--yes', '--allow', `older-commit=${second}`)).toMatchObject({ code: 0 })
})

it('refuses to go on with an apply that knew no base, where another commit was applied since', async () => {
  workspace.manifest(named('Third'))
  const third = commitAll(workspace.dir, 'Third')
  workspace.emulator.addFault({ match: { method: 'PATCH' }, count: null, effect: { kind: 'status', status: 400 } })
  expect(await run('apply', '--yes', '--no-ledger', '--journal', 'third.jsonl')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Or resume this plan: `svcsync apply --resume third.jsonl`.'),
  })
  workspace.emulator.clearFaults()
  git(workspace.dir, 'revert', '--no-edit', 'HEAD')
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
  git(workspace.dir, 'checkout', '--quiet', third)
  expect(await run('apply', '--yes', '--resume', 'third.jsonl')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`--allow older-commit=${third}`),
  })
  git(workspace.dir, 'checkout', '--quiet', 'main')
  expect(await workspace.changes()).toEqual([])
  git(workspace.dir, 'reset', '--quiet', '--hard', second)
  expect(await run('apply', '--yes', '--allow', `older-commit=${second}`)).toMatchObject({ code: 0 })
})

it('holds for the applied commit itself, with edits that nobody committed as well', async () => {
  workspace.manifest(named('Edited'))
  const { guards } = JSON.parse((await run('plan', '--format', 'json')).stdout)
  expect(guards).toContainEqual(expect.objectContaining({ guard: 'older-commit', verdict: 'passed' }))
  git(workspace.dir, 'checkout', '--quiet', '--', 'manifests')
})

it('shows the refusal where nothing would change, as the apply refuses all the same', async () => {
  const before = git(workspace.dir, 'rev-parse', 'HEAD').trim()
  git(workspace.dir, 'commit', '--quiet', '--amend', '--message', 'Rewritten')
  const { stdout } = await run('plan')
  expect((await run('apply', '--yes')).code).toBe(4)
  git(workspace.dir, 'reset', '--quiet', '--hard', before)
  expect(stdout).toContain('objects are as declared')
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /Refused by guards: apply writes nothing ✗ older-commit .* --allow older-commit=/,
  )
})

it('refuses where the history is cut off, and says what brings it', async () => {
  // The parents of a commit right after the applied one prove it.
  for (const name of ['Third', 'Fourth']) {
    workspace.manifest(named(name))
    commitAll(workspace.dir, name)
  }
  git(workspace.dir, 'push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/main')
  const clone = remote.clone('shallow', '--depth', '1', '--branch', 'main')
  const { stdout } = await runIn(clone, 'plan')
  expect(stdout.replace(/\s+/g, ' ')).toContain('svcsync cannot tell whether')
  expect(stdout).toContain('git fetch --unshallow')
  git(clone, 'fetch', '--quiet', '--unshallow')
  expect((await runIn(clone, 'plan')).stdout).not.toContain('Refused')
})

it('says nothing without a ledger', async () => {
  const { guards } = JSON.parse((await run('plan', '--no-ledger', '--format', 'json')).stdout)
  expect(guards.map(({ guard }: { guard: string }) => guard)).not.toContain('older-commit')
})

it('says after an amended commit how what the one before gave is taken back', async () => {
  const dir = workspace.dir
  const given = (...members: string[]) =>
    `${named('Second')}  - { svcId: new@example.com, name: New }\n` +
    `memberships: [{ group: new@example.com, members: [${members}] }]\n`
  workspace.manifest(`${given('staff@example.com')}`.replace('name: Second', 'name: Never'))
  const begun = commitAll(dir, 'Begun')
  workspace.emulator.addFault({ match: { method: 'PATCH' }, count: null, effect: { kind: 'status', status: 400 } })
  expect(await run('apply', '--yes')).toMatchObject({ code: 3 })
  workspace.emulator.clearFaults()
  workspace.manifest(given())
  git(dir, 'commit', '--quiet', '--all', '--amend', '--message', 'Amended')
  const refused = await run('apply', '--yes')
  const text = refused.stderr.replaceAll(/\s+/g, ' ')
  expect([refused.code, text]).toEqual([4, expect.stringContaining(`\`git merge -s ours ${begun.slice(0, 7)}\``)])
  git(dir, 'merge', '--quiet', '-s', 'ours', '-m', 'Merged', begun)
  expect(await run('apply', '--yes', '--allow', 'emptied-group=group/new@example.com')).toMatchObject({ code: 0 })
  const members = workspace.emulator.state().groups?.find(({ svcId }) => svcId === 'new@example.com')?.members
  expect(members ?? []).toEqual([])
})
