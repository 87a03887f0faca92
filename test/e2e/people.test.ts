// The commands that edit manifests, as their users run them: the built command on the emulator, with files that cannot
// be written.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const anna = 'anna@example.com'
const manifest = `# everybody
users:
  - { svcId: anna@example.com, name: Anna, email: anna@example.com } # leaves
  - { svcId: jan@example.com, name: Jan, email: jan@example.com, managerSvcId: anna@example.com }
groups:
  - svcId: team@example.com
    name: Team
    members: [anna@example.com, jan@example.com]
    owners: [anna@example.com]
licenses:
  - { svcId: anna@example.com, licenses: [{ type: PowerUser }] }
applications:
  - application: Purchasing
    privileges: { Administrator: [anna@example.com, team@example.com] }
substitutions:
  - { person: jan@example.com, substitute: anna@example.com, type: TaskDelegation, from: 2100-01-01, to: 2100-02-01 }
`

let workspace: Workspace

beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: [],
      accounts: ['b', 'eve', 'x', 'y'].map((name) => ({ svcId: `${name}@corp.example.com`, name, type: 'User' })),
      databases: [{ id: 1, applications: [{ name: 'Purchasing' }] }],
      licenses: {},
    },
  })
  workspace.manifest(manifest)
})
afterEach(() => workspace.close())

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const text = (file = 'manifests/main.yaml') => readFileSync(join(workspace.dir, file), 'utf8')

it('leaves nothing of a person on the platform', async () => {
  expect((await run('apply', '--yes')).code).toBe(0)
  const { code, stdout, stderr } = await run('leave', 'Anna@Example.com', '--successor', 'jan@example.com')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Edited\n  manifests/main.yaml  +')
  expect(stdout).toMatch(/Access to declared objects\n {2}\+ jan@example\.com /)
  expect(text()).toMatch(/^# everybody\nusers:\n {2}- \{ svcId: anna@example.com, absent: true \} # leaves\n/)
  const applied = await run('apply', '--yes', '--allow', 'deletions=5', '--allow', 'removals=20')
  expect(applied.code, applied.stderr + applied.stdout).toBe(0)
  expect(JSON.stringify((await workspace.export()).files)).not.toContain('anna@example.com')
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
  const again = await run('leave', anna)
  expect(again.stdout).toContain('The manifests say so already')
})

it('shows a difference, and writes nothing, with --dry-run', async () => {
  const { code, stdout } = await run('leave', anna, '--successor', 'jan@example.com', '--dry-run')
  expect({ code, text: text() }).toEqual({ code: 0, text: manifest })
  expect(stdout).toContain('\n+    owners: [jan@example.com]\n')
})

const before = {
  'manifests/main.yaml': manifest,
  'manifests/more.yaml': `memberships:\n  - group: all@example.com\n    members: [anna@example.com]\n`,
}
const heldBy = async (svcId: string) => {
  const [{ privileges, groups, licenses } = { privileges: [], groups: [], licenses: [] }] = [await stateOf()]
  return [
    ...groups.filter(({ members }) => members.includes(svcId)).map((group) => `in ${group.svcId}`),
    ...groups.filter(({ owners }) => owners.includes(svcId)).map((group) => `owns ${group.svcId}`),
    ...privileges.filter((each) => each.svcId === svcId).map(({ level }) => level),
    ...licenses.filter((each) => each.svcId === svcId).map(({ licenses: own }) => `licences ${JSON.stringify(own)}`),
  ]
}

async function stateOf() {
  const state = workspace.emulator.state() as unknown as {
    readonly groups: readonly { svcId: string; members: string[]; owners: string[] }[]
    readonly licenses: { readonly assigned: readonly { svcId: string; licenses: unknown }[] }
    readonly databases: readonly [
      { applications: readonly [{ privileges: readonly { svcId: string; level: string }[] }] },
    ]
  }
  return {
    groups: state.groups,
    licenses: state.licenses.assigned,
    privileges: state.databases[0].applications[0].privileges,
  }
}

it('gives a person a new login: what the old account had, and nothing of it stays', async () => {
  await run('apply', '--yes')
  const had = await heldBy(anna)
  expect(had.length).toBeGreaterThan(3)
  const { code, stdout, stderr } = await run('rename', anna, 'anna.kos@example.com')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('an apply makes the new account, moves everything to it, and deletes the old one')
  const applied = await run('apply', '--yes', '--allow', 'deletions=5', '--allow', 'removals=20')
  expect(applied.code, applied.stderr + applied.stdout).toBe(0)
  expect(await heldBy('anna.kos@example.com')).toEqual(had)
  expect(stdout).toContain(`Still written: email ${anna}`)
  const left = JSON.stringify((await workspace.export()).files)
  expect(left.replace(`email: ${anna}`, '')).not.toContain(anna)
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
  expect((await run('rename', anna, 'ANNA@example.com', '--offline')).stderr).toContain('SVC2305')
  expect((await run('rename', anna, 'jan@example.com', '--offline')).stderr).toContain(
    'The manifests name `jan@example.com` already',
  )
})

it('converges after a new login was applied in part, whatever was lost, and leaves no level empty', async () => {
  await run('apply', '--yes')
  const group = await run('rename', 'TEAM@example.com', 'crew@example.com', '--offline')
  expect(group.stderr).toContain('`TEAM@example.com` is a group')
  expect(group.stderr).toContain('manifests/main.yaml:6:')
  await run('rename', anna, 'anna.kos@example.com', '--offline', '--force')
  const before = workspace.emulator.state() as Tenant
  const had = await heldBy(anna)
  for (const [nth, kind] of [1, 2, 3, 4, 5, 6, 7].flatMap(
    (each) =>
      [
        [each, 'reset'],
        [each, 'status'],
      ] as const,
  )) {
    workspace.emulator.load(before)
    workspace.emulator.clearFaults()
    const effect = kind === 'status' ? { kind, status: 400 } : { kind, carriedOut: true }
    for (const method of ['POST', 'PATCH', 'DELETE'])
      workspace.emulator.addFault({ match: { method, path: '/admin*' }, nth, effect })
    await workspace.apply({ guarded: 'as-allowed' })
    const both = new Set([...(await heldBy(anna)), ...(await heldBy('anna.kos@example.com'))])
    for (const each of had.filter((what) => !what.startsWith('licences')))
      expect([...both], `${nth} ${kind}`).toContain(each)
    workspace.emulator.clearFaults()
    expect((await workspace.apply({ guarded: 'as-allowed' })).outcome).toMatch(/converged|nothing-to-do/)
    expect(await heldBy('anna.kos@example.com'), `${nth} ${kind}`).toEqual(had)
    expect(await heldBy(anna)).toEqual([])
  }
})

it('hires somebody like somebody else, but for what makes an Administrator', async () => {
  await run('apply', '--yes')
  const { code, stdout, stderr } = await run('hire', 'eva@example.com', '--like', anna, '--name', 'Eva')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`Not copied from ${anna}:\n`)
  expect(stdout).toContain('which leads to Administrator of application/main/Purchasing')
  expect(stdout).toContain(
    'To take what makes an Administrator as well: --allow exception-administrator=eva@example.com',
  )
  await run('apply', '--yes')
  expect(await heldBy('eva@example.com')).toEqual(['licences [{"type":"PowerUser"}]'])
  expect(
    (await run('hire', 'eva@example.com', '--like', anna, '--allow', 'exception-administrator=eva@example.com')).code,
  ).toBe(0)
  await run('apply', '--yes')
  expect(await heldBy('eva@example.com')).toEqual([
    'in team@example.com',
    'Administrator',
    'licences [{"type":"PowerUser"}]',
  ])
  expect((await run('hire', 'x@example.com', '--like', anna, '--until', '2001-01-01', '--offline')).stderr).toContain(
    'is over',
  )
})

const byHand = (...edits: JsonObject[]) => workspace.emulator.edit(...edits)

it('keeps what was changed by hand, in the layout of the file, and proves it by a plan', async () => {
  await run('apply', '--yes')
  byHand(
    { addMembers: { group: 'team@example.com', members: ['eve@corp.example.com'] } },
    { upsertUser: { svcId: 'jan@example.com', name: 'Jan Kos', email: 'jan@example.com', managerSvcId: anna } },
    { setLicenses: { assigned: [{ svcId: anna, licenses: ['User'] }] } },
    { deleteUser: 'jan@example.com' },
  )
  const { code, stdout, stderr } = await run('accept', '--allow', 'exception-administrator=eve@corp.example.com')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Accepted: ')
  expect(stdout).toContain('are as declared')
  expect(text()).toContain('    members: [anna@example.com, eve@corp.example.com]\n')
  expect(text()).toContain('  - { svcId: anna@example.com, licenses: [{ type: User }] }\n')
  expect(text()).not.toContain('- { svcId: jan@example.com')
})

it('says what it does not take: where both moved, and what the manifests brought about', async () => {
  await run('apply', '--yes')
  workspace.baseManifest(manifest)
  workspace.manifest(
    manifest
      .replace('name: Team', 'name: Team A')
      .replace('[anna@example.com, jan', '[b@corp.example.com, anna@example.com, jan'),
  )
  byHand({
    upsertGroup: {
      svcId: 'team@example.com',
      name: 'Team B',
      members: [anna, 'jan@example.com', 'eve@corp.example.com'],
      owners: [anna],
    },
  })
  const before = text()
  const { code, stdout } = await run('accept', '--since', './base')
  expect(code).toBe(3)
  expect(stdout).toContain('Not taken: group/team@example.com  name: the manifests and the platform moved both since')
  expect(stdout).toContain('Left to the next apply: 1 difference that the manifests brought about.')
  expect(text()).toBe(before.replace('jan@example.com]', 'jan@example.com, eve@corp.example.com]'))
})

it('refuses a value under a reference, with a base too: nobody knows who changed it', async () => {
  const referring = manifest.replace('name: Team', 'name: "${env:TEAM}"')
  workspace.manifest(referring)
  workspace.baseManifest(referring)
  const env = { ...workspace.env, TEAM: 'Team' }
  expect((await runCommand(['apply', '--yes'], workspace.dir, env)).code).toBe(0)
  byHand({ upsertGroup: { svcId: 'team@example.com', name: 'By hand', members: [anna, 'jan@example.com'] } })
  byHand({ addOwners: { group: 'team@example.com', owners: [anna] } })
  const { code, stdout } = await runCommand(['accept', '--since', './base'], workspace.dir, env)
  expect(stdout).toContain('Not taken: group/team@example.com  name: the manifest has a reference')
  expect(stdout).not.toContain('Left to the next apply')
  expect(code).toBe(3)
})

it('keeps an Administrator who came by hand through a group by name alone', async () => {
  await run('apply', '--yes')
  byHand({ addMembers: { group: 'team@example.com', members: ['eve@corp.example.com'] } })
  const refused = await run('accept')
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('--allow exception-administrator=eve@corp.example.com')
  expect(text()).toBe(manifest)
  expect((await run('accept', '--allow', 'exception-administrator=eve@corp.example.com')).code).toBe(0)
  expect(text()).toContain('eve@corp.example.com')
})

it('takes a set only where no other list has it', async () => {
  const shared = (members: string) =>
    `sets:\n  staff: [${members}]\ngroups:\n  - { svcId: a@example.com, name: A, members: [{ set: staff }] }\n` +
    '  - { svcId: b@example.com, name: B, members: [{ set: staff }] }\n'
  workspace.manifest(shared('x@corp.example.com, y@corp.example.com'))
  await run('apply', '--yes')
  byHand({ removeMembers: { group: 'a@example.com', members: ['x@corp.example.com'] } })
  const { code, stderr } = await run('accept')
  expect(code).toBe(1)
  expect(stderr).toContain('group/b@example.com: - x@corp.example.com in members')
  byHand({ removeMembers: { group: 'b@example.com', members: ['x@corp.example.com'] } })
  expect(await run('accept')).toMatchObject({ code: 0, stderr: '' })
  expect(text()).toBe(shared('y@corp.example.com'))
})

const leaving = ['leave', anna, '--successor', 'jan@example.com', '--offline']

function expectUntouched(): void {
  for (const [file, content] of Object.entries(before)) expect(text(file)).toBe(content)
  const names = readdirSync(join(workspace.dir, 'manifests'))
  expect([...names, ...readdirSync(workspace.dir)].filter((name) => /tmp|edit/.test(name))).toEqual([])
}

it('writes none of two files where one is read-only', async () => {
  workspace.write('manifests/more.yaml', before['manifests/more.yaml'])
  chmodSync(join(workspace.dir, 'manifests/more.yaml'), 0o444)
  const { code, stderr } = await run(...leaving)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'error SVC2303  `manifests/more.yaml` cannot be written: the system does not let svcsync\n' +
      '  hint: No file was changed. Mend that, and run the command again.\n',
  })
  expectUntouched()
})

it.skipIf(!existsSync('/bin/sh'))('writes none of two files where there is no room', async () => {
  workspace.write('manifests/main.yaml', `${manifest}# ${'x'.repeat(20_000)}\n`)
  const line = `ulimit -f 8; exec '${process.execPath}' '${resolve('dist/svcsync.cjs')}' ${leaving.join(' ')}`
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: workspace.dir,
    env: { ...workspace.env, PATH: process.env.PATH },
  })
  let stderr = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  expect(await new Promise((done) => child.on('close', done))).toBe(1)
  expect(stderr).toMatch(/SVC2303 {2}`manifests\/main\.yaml` cannot be written: it is larger/)
  expect(text()).toBe(`${manifest}# ${'x'.repeat(20_000)}\n`)
})

it('refuses a file that was changed while the platform was asked', async () => {
  workspace.emulator.addFault({ match: { path: '*/admin/*' }, effect: { kind: 'delay', delayMs: 2000 } })
  const command = startCommand(leaving.slice(0, -1), workspace.dir, { ...workspace.env })
  await command.until(() => workspace.emulator.requests().some(({ path }) => String(path).includes('/admin/')))
  workspace.write('manifests/main.yaml', `${manifest}# somebody else\n`)
  const { code, stderr } = await command.ended
  expect({ code, stderr }).toMatchObject({ code: 1 })
  expect(stderr).toContain('SVC2303  `manifests/main.yaml` was changed while the edit was made: nothing is written')
  expect(text()).toBe(`${manifest}# somebody else\n`)
})
