// The built command with a base: what was deleted from the files is taken back, also by an apply that was broken off,
// and drift tells what was done by hand from what is not applied yet.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const people = ['anna', 'ewa', 'jan', 'ola'].map((name) => `${name}@example.com`)
const groups = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`)
const listing = (members: readonly string[]) =>
  `memberships:\n${groups.map((group) => `  - { group: ${group}, members: [${members.join(', ')}] }\n`).join('')}`

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: people.map((svcId) => ({ svcId })),
      groups: groups.map((svcId) => ({ svcId, name: svcId, members: people })),
    } as never,
    settings: 'guards: { removals: { percent: 100 } }',
  })
  workspace.manifest(listing(['anna@example.com']))
  workspace.baseManifest(listing(['anna@example.com', 'jan@example.com']))
})
afterEach(() => workspace.close())

const env = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const run = (...args: readonly string[]) => runCommand(args, workspace.dir, env)
const membersOf = () =>
  (workspace.emulator.state().groups ?? []).map(({ members }) => [...((members as string[]) ?? [])].sort())

it('takes back what a deleted line gave, also when the apply is killed and resumed', async () => {
  const effect = { kind: 'hang', carriedOut: true } as const
  workspace.emulator.addFault({ match: { path: '*/members/remove', method: 'POST' }, nth: 2, count: null, effect })
  const args = ['apply', '--yes', '--since', './base', '--journal', 'j.jsonl', '--concurrency', '1']
  const running = startCommand(args, workspace.dir, env)
  await running.until(() => writesOf(workspace.emulator).some(({ status }) => status === null))
  running.child.kill('SIGKILL')
  await running.ended
  workspace.emulator.clearFaults()
  const resumed = await run('apply', '--resume', 'j.jsonl', '--format', 'json')
  expect(resumed).toMatchObject({ code: 0 })
  expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: 'converged' })
  expect(membersOf()).toEqual(groups.map(() => ['anna@example.com', 'ewa@example.com', 'ola@example.com']))
  const plan = await run('plan', '--since', './base', '--detailed-exitcode')
  expect(plan).toMatchObject({ code: 0 })
})

it('ends drift with 0 where something is just not applied, and with 2 where somebody changed something', async () => {
  const pending = await run('drift', '--since', './base')
  expect(pending).toMatchObject({ code: 0 })
  expect(pending.stdout).toContain('no drift: 4 entries no longer declared, 4 objects declared and not applied\n')
  const asData = JSON.parse((await run('drift', '--since', './base', '--format', 'json')).stdout)
  expect(asData).toMatchObject({ changes: [], pending: groups.map((group) => ({ address: `group/${group}` })) })
  workspace.emulator.edit({ removeMembers: { group: 'a@example.com', members: ['anna@example.com'] } })
  const moved = await run('drift', '--since', './base')
  expect(moved).toMatchObject({ code: 2 })
  expect(moved.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Changed on the platform ~ group/a@example.com members -anna@example.com',
  )
  expect(moved.stdout).not.toContain('never applied')
  // Below that title it would pass for what is only pending.
  expect(moved.stdout.indexOf('and not applied yet')).toBeGreaterThan(moved.stdout.indexOf('Changed on the platform'))
  cpSync(join(workspace.dir, 'manifests'), join(workspace.dir, 'base/manifests'), { recursive: true })
  const applied = JSON.parse((await run('drift', '--since', './base', '--format', 'json')).stdout)
  expect(applied.pending).toEqual([])
  expect(applied.changes).toMatchObject([{ address: 'group/a@example.com', differences: [{ cause: 'live' }] }])
})

it('shows a saved plan as it was made, in every form', async () => {
  const saved = await run('plan', '--since', './base', '--out', 'plan.json')
  expect(saved).toMatchObject({ code: 0 })
  const shown = await run('show', 'plan.json')
  expect(shown.stdout).toContain('no longer declared')
  expect(shown.stdout).toContain('jan@example.com')
  for (const format of ['markdown', 'html']) {
    const other = await run('show', 'plan.json', '--format', format)
    expect(other.stdout).toContain('no longer declared')
  }
  expect(await run('apply', 'plan.json', '--yes')).toMatchObject({ code: 0 })
  expect(membersOf()[0]).not.toContain('jan@example.com')
})

it('says nothing of a constant that is not there any more, and that of one which is', async () => {
  const declaring = (...names: readonly string[]) =>
    `database: main\nconstants: [${names.map((name) => `{ name: ${name}, common: x }`).join(', ')}]\n`
  workspace.manifest(declaring('Other'))
  workspace.baseManifest(declaring('Gone', 'Left', 'Other'))
  for (const name of ['Left', 'Other']) workspace.emulator.edit({ upsertConstant: { constant: { name, common: 'x' } } })
  const { noLongerDeclared, verdict } = JSON.parse((await run('plan', '--since', './base', '--format', 'json')).stdout)
  expect(noLongerDeclared.map(({ address }: { address: string }) => address)).toEqual(['constant/main/Left'])
  expect(verdict.sentence).toBe('1 object is no longer managed')
})

it('says nothing of the last object of its kind that is not there any more, and runs without its scope', async () => {
  const objects = {
    user: 'users: [{ svcId: gone@example.com, name: G }]\n',
    group: 'groups: [{ svcId: gone@example.com, name: G }]\n',
    constant: 'database: main\nconstants: [{ name: Gone, common: x }]\n',
    connection: 'database: main\nconnections: [{ name: Gone, type: SQL, sql: { common: { server: x } } }]\n',
    substitution:
      'substitutions:\n  - { person: a@corp.example.com, substitute: b@corp.example.com, type: TaskDelegation,\n' +
      '      from: 2100-01-01, to: 2100-02-01 }\n',
  }
  workspace.manifest('')
  const droppedIn = async () => {
    const { stdout } = await run('plan', '--since', './base', '--format', 'json', '--no-unmanaged')
    return JSON.parse(stdout).noLongerDeclared.map(({ address }: { address: string }) => address)
  }
  for (const [kind, declared] of Object.entries(objects)) {
    workspace.baseManifest(declared)
    expect(await droppedIn(), kind).toEqual([])
  }
  workspace.baseManifest(objects.constant)
  const application = { name: 'x', clientId: 'svcsync', clientSecret: 'svcsync-secret', scopes: ['Admin.Groups.Read'] }
  workspace.emulator.load({ apiApplications: [application] } as never)
  expect(await droppedIn()).toEqual(['constant/main/Gone'])
})
