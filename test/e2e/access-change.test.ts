// `svcsync access grant` and `access revoke`: the built command on the emulator, with policies and groups in groups.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const manifest = `users:
  - { svcId: anna@example.com, name: Anna }
  - { svcId: jan@example.com, name: Jan }
  - { svcId: maria@example.com, name: Maria }
groups:
  - { svcId: clerks@example.com, name: Clerks, members: [maria@example.com, jan@example.com] }
  - { svcId: finance@example.com, name: Finance, members: [clerks@example.com] }
  - { svcId: readers@example.com, name: Readers, members: [finance@example.com] }
  - svcId: shared@example.com
    name: Shared
    members: [maria@example.com]
    manage: { members: additive }
applications:
  - application: Purchasing
    privileges: { Administrator: [anna@example.com], ReadOnly: [readers@example.com, maria@example.com] }
processes:
  - application: Purchasing
    process: Orders
    privileges: { Start: [clerks@example.com], Modify: [shared@example.com] }
`
const purchasing = 'application/main/Purchasing'
const orders = 'process/main/Purchasing/Orders'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: [{ svcId: 'jan@example.com', name: 'Jan' }],
      databases: [
        {
          id: 1,
          businessEntities: [
            { code: 'PL01', name: 'Poland' },
            { code: 'DE01', name: 'Germany' },
          ],
          applications: [
            {
              name: 'Purchasing',
              privileges: [{ svcId: 'jan@example.com', level: 'PortalDesigner' }],
              processes: [{ name: 'Orders' }],
            },
          ],
        },
      ],
    },
  })
  workspace.manifest(manifest)
  workspace.write(
    'policies/groups.yaml',
    `policies:
  - name: by-groups
    for: [process]
    level: warn
    when: has(object.privileges)
    expression: object.privileges.filter(entry, entry.level == "Start").all(entry, entry.account == "group")
    message: 'Start is given to groups'
  - name: no-own-orders
    for: [process]
    on: access
    level: warn
    expression: '!(entry.level == "Start" && held.exists(each, each.level == "Administrator"))'
    message: Who administers starts nothing
`,
  )
  await workspace.apply({ allow: ['removals=9'] })
})
afterEach(() => workspace.close())

const run = (...args: string[]) => runCommand(args, workspace.dir, { ...workspace.env })
const access = (...args: string[]) => run('access', ...args)
const manifests = () => readFileSync(join(workspace.dir, 'manifests/main.yaml'), 'utf8')
const waysOf = (stdout: string) => stdout.slice(0, stdout.indexOf('\n--- '))

it('ranks edits that would give a level by policies and by who else gains, and writes one if told to', async () => {
  const { code, stdout, stderr } = await access('grant', 'anna@example.com', 'Start', orders)
  expect([code, stderr, manifests()]).toEqual([0, '', manifest])
  expect(waysOf(stdout)).toBe(`Ways to give anna@example.com Start on process/main/Purchasing/Orders
  1  group/clerks@example.com  members +anna@example.com
      The same account would gain ReadOnly on application/main/Purchasing as well.
      Breaks a policy: \`anna@example.com\`, Start on \`process/main/Purchasing/Orders\`: Who
      administers starts nothing (policy \`no-own-orders\`)
  2  process/main/Purchasing/Orders  privileges +anna@example.com (Start)
      Nobody gains anything else.
      Breaks a policy: Start is given to groups (policy \`by-groups\`)
      Breaks a policy: \`anna@example.com\`, Start on \`process/main/Purchasing/Orders\`: Who
      administers starts nothing (policy \`no-own-orders\`)
`)
  expect(stdout).toContain(
    '+  - { svcId: clerks@example.com, name: Clerks, members: [maria@example.com, jan@example.com, anna@example.com] }',
  )
  expect(stdout).toContain('To write 1: --write.')
  const written = await access('grant', 'ANNA@example.com', 'Start', orders, '--write', '--choose', '2')
  expect(written.code, written.stderr).toBe(0)
  expect(manifests()).toBe(
    manifest.replace('Start: [clerks@example.com]', 'Start: [clerks@example.com, ANNA@example.com]'),
  )
  const again = await access('grant', 'anna@example.com', 'Start', orders)
  expect(again.stdout).toContain('The manifests give `anna@example.com`')
  // No manifest lists this level, so an apply leaves who holds it.
  const byHand = await access('grant', 'jan@example.com', 'PortalDesigner', purchasing)
  expect(byHand.stdout).toMatch(/^The platform gives `jan@example.com` .* leaves it: there is nothing to edit\.\s*$/s)
})

it('cuts every way at once, and says who else would lose', async () => {
  const { code, stdout } = await access('revoke', 'maria@example.com', 'ReadOnly', 'application/main/Purchasing')
  expect(code).toBe(0)
  expect(waysOf(stdout)).toBe(`Ways to take ReadOnly on application/main/Purchasing from maria@example.com
  1  group/clerks@example.com  members -maria@example.com
      application/main/Purchasing  privileges -maria@example.com (ReadOnly)
      The same account would lose Start on process/main/Purchasing/Orders as well.
  2  application/main/Purchasing  privileges -maria@example.com (ReadOnly)
      application/main/Purchasing  privileges -readers@example.com (ReadOnly)
      jan@example.com would lose ReadOnly on application/main/Purchasing.
`)
  const written = await access('revoke', 'maria@example.com', 'ReadOnly', 'application/main/Purchasing', '--write')
  expect(written.code, written.stderr).toBe(0)
  expect((await run('apply', '--yes', '--allow', 'removals=9')).code).toBe(0)
  const left = await access('explain', 'maria@example.com', 'application/main/Purchasing', '--format', 'json')
  expect(JSON.parse(left.stdout).rows).toEqual([])
})

it('says what no edit of the manifests can do, and writes nothing', async () => {
  const told = async (...args: string[]) => {
    const { code, stderr } = await access(...args)
    return [code, stderr.replaceAll(/\n +/g, ' ')]
  }
  // An entry removed from an additive list stays on the platform, so the level of the group goes.
  expect(await told('revoke', 'maria@example.com', 'Modify', orders)).toEqual([0, ''])
  const { stdout } = await access('revoke', 'maria@example.com', 'Modify', orders)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'An apply takes nobody out of members of group/shared@example.com. ' +
      'To end that entry alone, remove maria@example.com there by hand',
  )
  expect(await told('revoke', 'jan@example.com', 'PortalDesigner', 'application/main/Purchasing', '--write')).toEqual([
    1,
    expect.stringMatching(
      /SVC2314 {2}No edit of the manifests takes PortalDesigner on application\/main\/Purchasing from `jan@example.com`/,
    ),
  ])
  expect(await told('grant', 'ana@example.com', 'Start', orders)).toEqual([
    1,
    expect.stringContaining('Did you mean `anna@example.com`'),
  ])
  expect(await told('grant', 'anna@example.com', 'Start', 'process/main/Purchasing/Order')).toEqual([
    1,
    expect.stringContaining('SVC2281'),
  ])
  expect(await told('grant', 'anna@example.com', 'Strat', orders)).toEqual([
    1,
    expect.stringContaining('Did you mean `Start`'),
  ])
  expect(await told('grant', 'anna@example.com', 'owner', orders)).toEqual([1, expect.stringContaining('SVC2314')])
  expect(await told('grant', 'anna@example.com', 'Start')).toEqual([1, expect.stringContaining('SVC2283')])
  expect(await told('grant', 'anna@example.com', 'Start', orders, '--choose', '9')).toEqual([
    1,
    expect.stringContaining('There is no way 9: 2 were found'),
  ])
  expect(await told('list', 'a', 'b', 'c')).toEqual([1, expect.stringContaining('SVC2283')])
  expect(manifests()).toBe(manifest)
})

it('does not say that somebody lacks a level which the platform does not tell', async () => {
  workspace.emulator.setBehaviour({ privilegeLevel: 'omitted' })
  const { code, stdout, stderr } = await run('access', 'revoke', 'jan@example.com', 'MetadataAccess', purchasing)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`\`jan@example.com\` may have MetadataAccess on \`${purchasing}\`: the`)
  const cut = await run('access', 'revoke', 'jan@example.com', 'ReadOnly', purchasing)
  expect([cut.code, cut.stdout]).toEqual([0, expect.stringContaining('may have ReadOnly')])
})

it('tells who loses a level that comes under management, and all of it as data', async () => {
  const { stdout } = await access('grant', 'maria@example.com', 'PortalDesigner', 'application/main/Purchasing')
  expect(waysOf(stdout)).toContain(
    'jan@example.com would lose PortalDesigner on application/main/Purchasing: ' +
      'no manifest lists\n      that level yet.',
  )
  const own = `\`anna@example.com\`, Start on \`${orders}\`: Who administers starts nothing (policy \`no-own-orders\`)`
  const { ways } = JSON.parse((await access('grant', 'anna@example.com', 'Start', orders, '--format', 'json')).stdout)
  expect(ways.map(({ way, breaks }: Record<string, unknown>) => [way, breaks])).toEqual([
    ['group', [own]],
    ['direct', ['Start is given to groups (policy `by-groups`)', own]],
  ])
})

it('gives and ends a level for one business entity, through a level for all as well', async () => {
  const given = await access('grant', 'anna@example.com', 'Modify', orders, '--company', 'Poland', '--write')
  expect([given.code, given.stderr]).toEqual([0, ''])
  expect(given.stdout).toContain(`Ways to give anna@example.com Modify (PL01) on ${orders}
  1  process/main/Purchasing/Orders  privileges +anna@example.com (Modify, PL01)
      Nobody gains anything else.
  2  group/shared@example.com  members +anna@example.com
      The same account would gain Modify on process/main/Purchasing/Orders as well.
`)
  expect(manifests()).toContain('Modify: [shared@example.com, { svcId: anna@example.com, company: PL01 }]')
  expect((await access('grant', 'anna@example.com', 'Modify', orders, '--company', 'PL01')).stdout).toContain(
    'The manifests give `anna@example.com` Modify (PL01) on `process/main/Purchasing/Orders` already',
  )
  const ended = await access('revoke', 'maria@example.com', 'Start', orders, '--company', 'DE01')
  expect(waysOf(ended.stdout)).toBe(`Ways to take Start (DE01) on ${orders} from maria@example.com
  1  group/clerks@example.com  members -maria@example.com
      The same account would lose Start on process/main/Purchasing/Orders as well.
  2  process/main/Purchasing/Orders  privileges -clerks@example.com (Start)
      jan@example.com would lose Start on process/main/Purchasing/Orders.
      The same account would lose Start on process/main/Purchasing/Orders as well.
`)
  const refused = await Promise.all([
    access('grant', 'anna@example.com', 'Start', orders, '--company', 'PL0'),
    access('grant', 'anna@example.com', 'ReadOnly', 'application/main/Purchasing', '--company', 'PL01'),
  ])
  expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, expect.stringContaining('Did you mean `PL01`')],
    [1, expect.stringContaining('No business entity limits ReadOnly')],
  ])
})

it('names the substitution by which somebody has a level, and edits nothing', async () => {
  const substitution = 'person: maria@example.com, substitute: anna@example.com, from: 2020-01-01, to: 2099-12-31'
  workspace.manifest(`${manifest}substitutions: [{ ${substitution}, type: TaskDelegation }]\n`)
  await workspace.apply({ allow: ['removals=9'] })
  const { code, stderr } = await access('revoke', 'anna@example.com', 'Start', orders)
  expect(code).toBe(1)
  const told = stderr.replace(/\s+/g, ' ')
  expect(told).toContain(`No edit of the manifests takes Start on ${orders} from \`anna@example.com\` substitution/`)
  expect(told).toContain('stands in for somebody with it: end the substitution')
  // Her own entry, too: she would keep her access as a substitute.
  const own = manifest.replace('Start: [clerks@example.com]', 'Start: [clerks@example.com, anna@example.com]')
  workspace.manifest(`${own}substitutions: [{ ${substitution}, type: TaskDelegation }]\n`)
  await workspace.apply({ allow: ['removals=9'] })
  const both = await access('revoke', 'anna@example.com', 'Start', orders)
  expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('would still have it as a substitute')])
})
