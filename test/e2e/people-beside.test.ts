// Commands that edit manifests also handle exceptions, overrides, variables, and objects that came or went.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/json.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const anna = 'anna@example.com'
let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    settings: 'prune: { users: ["*@example.com"], groups: ["*@example.com"] }',
    tenant: {
      users: [],
      accounts: [{ svcId: 'x@corp.example.com', name: 'x', type: 'User' }],
      databases: [{ id: 1, applications: [{ name: 'Purchasing', processes: [{ name: 'Orders' }] }] }],
    },
  })
})
afterEach(() => workspace.close())

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const text = (file = 'manifests/main.yaml') => readFileSync(join(workspace.dir, file), 'utf8')
const byHand = (...edits: JsonObject[]) => workspace.emulator.edit(...edits)

const people = `users:
  - { svcId: anna@example.com, name: Anna } # first
  - { svcId: jan@example.com, name: Jan }
groups:
  - svcId: team@example.com
    name: Team
    members: [anna@example.com, jan@example.com]
`

describe('exceptions of somebody', () => {
  const baseline = `exceptions:
  # for the migration
  - { person: ${anna}, level: ReadOnly, object: application/main/Purchasing, until: 2100-01-01, reason: "a" }
  - { person: jan@example.com, level: ReadOnly, object: application/main/Purchasing, until: 2100-01-01, reason: b } # stays
`

  it('go with who leaves', async () => {
    workspace.manifest(people)
    workspace.write('access-baseline.yaml', baseline)
    const { code, stdout, stderr } = await run('leave', anna, '--offline')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('access-baseline.yaml  +0 -1')
    expect(text('access-baseline.yaml')).toBe(baseline.replace(/.*anna@.*\n/, ''))
  })

  it('of every sort are those of a new login', async () => {
    workspace.manifest(people)
    const excepted = `exceptions:
  - { address: group/team@example.com, path: members, entry: ${anna}, until: 2100-01-01, reason: a }
  - access: { person: ${anna}, level: ReadOnly, object: application/main/Purchasing }
    until: 2100-01-01
    reason: b
  - { address: user/${anna}, path: name, until: 2100-01-01, reason: c }
`
    workspace.write('exceptions.yaml', excepted)
    expect(await run('rename', anna, 'ewa@example.com', '--offline')).toMatchObject({ code: 0, stderr: '' })
    expect(text('exceptions.yaml')).toBe(excepted.replaceAll(anna, 'ewa@example.com'))
    expect((await run('leave', 'ewa@example.com', '--offline', '--force')).code).toBe(0)
    expect(text('exceptions.yaml')).toBe('exceptions: []\n')
  })

  it('are those of a new login', async () => {
    workspace.manifest(people)
    workspace.write('access-baseline.yaml', baseline)
    expect((await run('rename', 'ANNA@example.com', 'ewa@example.com', '--offline')).code).toBe(0)
    expect(text('access-baseline.yaml')).toBe(baseline.replace(anna, 'ewa@example.com'))
  })
})

describe('what the platform has more or less than the manifests', () => {
  it('is appended beside its neighbours, in the layout of each file', async () => {
    workspace.manifest(people)
    await run('apply', '--yes')
    byHand(
      { upsertUser: { svcId: 'eva@example.com', name: 'Eva', email: 'e@example.com', jobTitle: 'no' } },
      { upsertGroup: { svcId: 'new@example.com', name: 'New: one' } },
      { addMembers: { group: 'new@example.com', members: ['eva@example.com', 'x@corp.example.com'] } },
    )
    const { code, stdout, stderr } = await run('accept')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Accepted: 2 differences.')
    expect(text()).toBe(
      people
        .replace(
          '- { svcId: jan@example.com, name: Jan }\n',
          '- { svcId: jan@example.com, name: Jan }\n' +
            '  - { svcId: eva@example.com, name: Eva, email: e@example.com, jobTitle: "no" }\n',
        )
        .concat(
          '  - svcId: new@example.com\n    name: "New: one"\n' +
            '    members: [eva@example.com, x@corp.example.com]\n    owners: []\n',
        ),
    )
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0)
  })

  it('counts as gone only where a second look does not find it', async () => {
    workspace.manifest('database: main\nconstants:\n  - { name: A, common: a }\n  - { name: B, common: b }\n')
    await run('apply', '--yes')
    const before = text()
    const { databases } = workspace.emulator.state() as unknown as { databases: { constants: JsonObject[] }[] }
    const [{ id, guid, name } = {}] = databases[0]?.constants ?? []
    const body = { constants: [{ id, guid, name }] } as never
    const match = { method: 'GET', path: '/db/1/admin/constants' }
    workspace.emulator.addFault({ match, effect: { kind: 'status', status: 200, body } })
    const refused = await run('accept')
    expect(refused.stdout).toContain('a second look finds it')
    expect(text()).toBe(before)
    workspace.emulator.clearFaults()
    byHand({ deleteConstant: { name: 'B' } })
    expect(await run('accept')).toMatchObject({ code: 0 })
    expect(text()).toBe('database: main\nconstants:\n  - { name: A, common: a }\n')
  })
})

describe('what an anchor shares', () => {
  it('is not declared of the successor', async () => {
    const shared =
      'users:\n  - &a\n    svcId: anna@example.com\n    name: Anna\n  - <<: *a\n    svcId: jan@example.com\n'
    workspace.manifest(shared)
    const { code, stderr } = await run('leave', anna, '--successor', 'jan@example.com', '--offline')
    expect(code).toBe(1)
    expect(stderr).toContain('user/jan@example.com: + absent: true')
    expect(text()).toBe(shared)
  })

  it('does not change the mail of who gets a new login', async () => {
    const shared = 'users:\n  - svcId: &a anna@example.com\n    name: Anna\n    email: *a\n'
    workspace.manifest(shared)
    const { code, stderr } = await run('rename', anna, 'ewa@example.com', '--offline')
    expect(code).toBe(1)
    expect(stderr).toContain('The new login would change `email`: nothing is written')
    expect(text()).toBe(shared)
  })
})

it('edits every target, its overrides too, and refuses a variable with its place', async () => {
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  const other = '  prod:\n    baseUrl: https://svc.example.com\n    databases: { main: 1 }\n    overrides: [prod]\n'
  workspace.write('svcsync.yaml', project.replace('targets:\n', `targets:\n${other}`))
  workspace.write('prod/o.yaml', 'groups:\n  - { svcId: team@example.com, members: ["anna@example.com"] } # prod\n')
  workspace.manifest(people)
  expect(await run('rename', anna, 'ewa@example.com', '--offline')).toMatchObject({ code: 0, stderr: '' })
  expect(text('prod/o.yaml')).toBe('groups:\n  - { svcId: team@example.com, members: ["ewa@example.com"] } # prod\n')
  workspace.write(
    'svcsync.yaml',
    `${project.replace('    databases', '    variables: { boss: ewa@example.com }\n    databases')}`,
  )
  workspace.manifest(people.replace('[anna@example.com,', '["${var:boss}",').replace(anna, 'ewa@example.com'))
  const before = text()
  const { code, stderr } = await run('rename', 'ewa@example.com', 'eva@example.com', '--offline')
  expect(code).toBe(1)
  expect(stderr).toContain('manifests/main.yaml:7:15  holds a reference')
  expect(text()).toBe(before)
})

it('names the targets in which a variable makes somebody the only owner, or a mistake', async () => {
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  const other =
    '  prod:\n    baseUrl: https://svc.example.com\n    databases: { main: 1 }\n' + `    variables: { boss: ${anna} }\n`
  const own = '  test:\n    variables: { boss: jan@example.com }\n'
  workspace.write('svcsync.yaml', project.replace('targets:\n  test:\n', `targets:\n${other}${own}`))
  const owned = (owners: string) => people.replace('name: Team\n', `name: Team\n    owners: [${owners}]\n`)
  workspace.manifest(owned('"${var:boss}"'))
  const { code, stderr } = await run('leave', anna, '--offline')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('  the only owner of group/team@example.com in the target prod\n'),
  ])
  workspace.manifest(owned(`"\${var:boss}", ${anna}`))
  expect((await run('leave', anna, '--offline')).stderr).toMatch(
    /SVC1307 {2}`anna@example\.com` is listed twice\n {4}in the target prod\n/,
  )
  workspace.manifest(owned(anna))
  expect((await run('leave', anna, '--offline')).stderr).toContain('  the only owner of group/team@example.com\n')
})

it('takes somebody out of the overrides of two targets, each in its own layout', async () => {
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  const other =
    '  prod:\n    baseUrl: https://svc.example.com\n    databases: { main: 1 }\n' +
    '    overrides: [prod]\n  test:\n    overrides: [own]\n'
  workspace.write('svcsync.yaml', project.replace('targets:\n  test:\n', `targets:\n${other}`))
  const first = 'groups:\n  - { svcId: team@example.com, members: [jan@example.com, anna@example.com] }\n'
  const second =
    'groups:\r\n- svcId: team@example.com\r\n  members:\r\n  - anna@example.com # in test\r\n  - jan@example.com\r\n'
  workspace.write('prod/o.yaml', first)
  workspace.write('own/o.yaml', second)
  workspace.manifest(people)
  expect(await run('leave', anna, '--offline')).toMatchObject({ code: 0, stderr: '' })
  expect(text('prod/o.yaml')).toBe(first.replace(', anna@example.com', ''))
  expect(text('own/o.yaml')).toBe(second.replace(/ {2}- anna.*\r\n/, ''))
})

it('names the additive lists in which an account stays that no manifest declares', async () => {
  const admins = (members: string) =>
    `groups:\n  - { svcId: admins@example.com, name: A, members: [${members}], manage: { members: additive } }\n`
  workspace.manifest(admins('x@corp.example.com'))
  expect((await run('apply', '--yes')).code).toBe(0)
  for (const more of [[], ['--offline']]) {
    const { code, stdout } = await run('leave', 'x@corp.example.com', '--dry-run', ...more)
    expect(code).toBe(0)
    expect(stdout).toContain('An additive list keeps it on the platform: members of `group/admins@example.com`.')
  }
  workspace.manifest(`${people}${admins(anna).replace('groups:\n', '')}`)
  expect((await run('leave', anna, '--dry-run', '--offline')).stdout).not.toContain('An additive list')
})

it('names every entry that is to go once a leaver is gone', async () => {
  workspace.manifest(people)
  workspace.write('manifests/l.yaml', `licenses:\n  - { svcId: ${anna}, licenses: [{ type: PowerUser }] }\n`)
  expect((await run('leave', anna, '--dry-run', '--offline')).stdout).toContain(
    `remove the entries of \`${anna}\` together: manifests/l.yaml:2:5, manifests/main.yaml:2:5.`,
  )
  workspace.manifest('')
  workspace.write('manifests/l.yaml', `licenses:\n  - { svcId: ${anna}, licenses: [] }\n`)
  const { stdout } = await run('validate')
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Has an apply deleted the account? Then remove this entry: it gives nothing.',
  )
})
