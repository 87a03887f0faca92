// `--due` as a schedule runs it: the built command, with and without a ledger; and what an undo means to a ledger.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { commitAll, type GitRemote, openGitRemote } from '../harness/git-remote.ts'
import { git } from '../harness/repository.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret', HOME: '/nowhere' }
const applied = 'refs/svcsync/applied/test'

let workspace: Workspace
let remote: GitRemote
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'ledger: { remote: origin }' })
})
afterAll(() => workspace.close())
beforeEach(async () => {
  workspace.emulator.load({
    users: ['anna', 'ewa', 'jan'].map((name) => ({ svcId: `${name}@example.com`, name })),
    groups: [{ svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com', 'jan@example.com'] }],
  })
  await workspace.control('DELETE', '/requests')
  remote?.close()
  remote = openGitRemote()
  rmSync(join(workspace.dir, '.git'), { recursive: true, force: true })
  rmSync(join(workspace.dir, 'apply.jsonl'), { force: true })
  remote.adopt(workspace.dir)
})
afterAll(() => remote.close())

const run = (...args: readonly string[]) => runCommand(args, workspace.dir, env)
const carriedOut = () => writesOf(workspace.emulator).filter((write) => write.carriedOut).length
const manifest = (jobTitle: string) => `users: [{ svcId: anna@example.com, jobTitle: ${jobTitle} }]
memberships:
  - group: clerks@example.com
    members: [{ svcId: jan@example.com, until: 2021-01-31 }, { svcId: ewa@example.com, from: 2021-01-01 }]
connections:
  - { name: ERP, type: SQL, sql: { common: { server: s, user: u, password: "\${env:ERP_PASSWORD}" } } }
`

it('applies what is due without a ledger, and without what is not sent, and names the rest', async () => {
  workspace.manifest(manifest('Chief'))
  const planned = await run('plan', '--due', '--no-ledger', '--detailed-exitcode')
  expect(planned).toMatchObject({ code: 2 })
  expect(planned.stdout.replace(/\s+/g, ' ')).toContain(
    '2 objects would change besides, and are left: connection/main/ERP',
  )
  expect(planned.stdout).toMatch(/svcsync apply --expect [0-9a-f]{16} --due --no-ledger/)
  expect(await run('apply', '--due', '--no-ledger')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SVC2002'),
  })
  const { stdout: json } = await run('plan', '--due', '--no-ledger', '--format', 'json')
  workspace.write('approved.json', json)
  const done = await run('apply', '--due', '--approved', 'approved.json', '--no-ledger', '--journal', 'apply.jsonl')
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('as declared in the due changes: 1 read') })
  expect(carriedOut()).toBe(2)
  // The hint of what has ended holds before and after an apply.
  for (const { stdout, stderr } of [planned, done])
    expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toMatch(/SVC1309 .* once an apply has revoked it\./)
  const again = await run('apply', '--due', '--yes', '--no-ledger')
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(': no changes. Nothing is due.') })
  expect(carriedOut()).toBe(2)
  // It is an apply like any other.
  expect(await run('undo', 'apply.jsonl', '--yes', '--no-ledger')).toMatchObject({ code: 0 })
  expect((await run('plan', '--due', '--no-ledger', '--detailed-exitcode')).code).toBe(2)
})

it('takes what ended before the last apply for applied, if a ledger says when, and does not move it', async () => {
  const just = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '')
  const saying = (jobTitle: string) =>
    manifest(jobTitle)
      .replace(/connections:[\s\S]*/, '')
      .replace('from: 2021-01-01', `until: ${just}`)
  workspace.manifest(saying('Chief'))
  commitAll(workspace.dir, 'First')
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 })
  const entry = git(remote.path, 'rev-parse', applied)
  workspace.emulator.edit({ addMembers: { group: 'clerks@example.com', members: ['ewa@example.com'] } })
  const ended = await run('apply', '--due', '--yes')
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('-ewa@example.com') })
  // The base declares it.
  expect(ended.stdout + ended.stderr).not.toMatch(/does not remember|revokes nothing/)
  // Somebody gives by hand what had ended long before.
  workspace.emulator.edit({ addMembers: { group: 'clerks@example.com', members: ['jan@example.com'] } })
  workspace.manifest(saying('Head'))
  commitAll(workspace.dir, 'Second')
  const due = await run('apply', '--due', '--yes')
  expect(due).toMatchObject({ code: 0, stdout: expect.stringMatching(/no changes\.\s+Nothing is due of what\s+was/) })
  expect(due.stdout).toContain('2 objects would change besides, and are left: group/clerks@example.com')
  expect(due.stdout).toContain('`--due` applied only the due changes.')
  expect(git(remote.path, 'rev-parse', applied)).toBe(entry)
  // The base does not know the end of this account, which has passed: a whole apply brings it about.
  workspace.manifest(saying('Head').replace('jobTitle: Head', 'until: 2021-01-31'))
  const moved = await run('plan', '--due')
  expect(moved.stdout).toContain('The account `anna@example.com` ended with 2021-01-31')
  expect(moved.stdout).not.toContain('Begins or ends')
})

it('leaves the ledger where it is when an apply is taken back', async () => {
  workspace.manifest(manifest('Chief').replace(/connections:[\s\S]*/, ''))
  commitAll(workspace.dir, 'First')
  await run('apply', '--yes', '--journal', 'apply.jsonl')
  const entry = git(remote.path, 'rev-parse', applied)
  const undone = await run('undo', 'apply.jsonl', '--yes')
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('the result of an undo is no commit') })
  expect(git(remote.path, 'rev-parse', applied)).toBe(entry)
})

it.each([
  [['plan', '--due', '--out', 'due.json'], 'SVC2109'],
  [['plan', '--due', '--rotate', 'connection/main/x'], 'SVC2109'],
  [['apply', '--due', '--resume', 'apply.jsonl'], 'SVC2127'],
])('%j says what is wrong', async (args, code) => {
  workspace.manifest('users: []\n')
  expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(code) })
  expect(existsSync(join(workspace.dir, 'due.json'))).toBe(false)
})

it('applies a saved plan of what ended with an account, also of a part without the account', async () => {
  workspace.emulator.load({
    users: ['anna', 'jan'].map((name) => ({ svcId: `${name}@example.com`, name })),
    groups: [{ svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com', 'jan@example.com'] }],
  })
  workspace.manifest(`users:
  - { svcId: anna@example.com, name: anna }
  - { svcId: jan@example.com, name: jan, until: 2021-01-31 }
groups: [{ svcId: clerks@example.com, name: Clerks, members: [anna@example.com, jan@example.com] }]
`)
  const part = await run('plan', '--no-ledger', '--only', 'group/*', '--out', 'part.json')
  expect(part.stdout).toContain('members  ended 2021-01-31')
  expect(await run('apply', 'part.json', '--no-ledger')).toMatchObject({ code: 0 })
  expect(await run('plan', '--no-ledger', '--out', 'whole.json')).toMatchObject({ code: 0 })
  const whole = await run('apply', 'whole.json', '--no-ledger')
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('1 deleted') })
  expect(await run('plan', '--no-ledger', '--detailed-exitcode')).toMatchObject({ code: 0 })
  const explained = await run('access', 'explain', 'anna@example.com', 'group/clerks@example.com', '--no-ledger')
  expect(explained.stderr).toBe('')
})
