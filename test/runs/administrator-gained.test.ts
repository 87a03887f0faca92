// The guard `administrator-gained`: who would administer through groups is refused, and let pass by name.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { applyUntilKilled, undo } from '../harness/journals.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant: Tenant = {
  users: [
    { svcId: 'anna@example.com', name: 'Anna' },
    { svcId: 'jan@example.com', name: 'Jan' },
  ],
  groups: [
    { svcId: 'clerks@example.com', name: 'Clerks', members: [] },
    { svcId: 'admins@example.com', name: 'Admins', members: ['clerks@example.com'] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          privileges: [{ svcId: 'admins@example.com', level: 'Administrator' }],
          processes: [{ name: 'Orders' }],
        },
      ],
    },
  ],
}
const manifest = (members: string) => `database: main
groups:
  - { svcId: clerks@example.com, members: [${members}] }
  - { svcId: admins@example.com, members: [clerks@example.com] }
applications:
  - { application: Purchasing, privileges: { Administrator: [admins@example.com] } }
`

let refusing: Workspace
let showing: Workspace
beforeAll(async () => {
  refusing = await openWorkspace({ tenant, settings: 'guards: { administratorGained: refuse }\naccess: none' })
  showing = await openWorkspace({ tenant })
})
afterAll(async () => {
  await refusing.close()
  await showing.close()
})

const gained = async (workspace: Workspace, ...allow: string[]) =>
  (await workspace.plan({ allow })).document.guards
    .filter(({ guard }) => guard === 'administrator-gained')
    .map(({ verdict, allow, sentence }) => [verdict, allow, sentence])

it('refuses who would administer through groups, each by name, also where the plan does not show access', async () => {
  refusing.manifest(manifest('anna@example.com, jan@example.com'))
  const sentence = (who: string) =>
    `\`${who}\` would become Administrator of \`application/main/Purchasing\` through \`clerks@example.com\` › ` +
    '`admins@example.com`.'
  const [anna, jan] = ['anna@example.com', 'jan@example.com'] as const
  expect(await gained(refusing)).toEqual([
    ['refused', `administrator-gained=${anna}`, sentence(anna)],
    ['refused', `administrator-gained=${jan}`, sentence(jan)],
  ])
  expect(await gained(refusing, `administrator-gained=${anna}`)).toEqual([
    ['allowed', `administrator-gained=${anna}`, sentence(anna)],
    ['refused', `administrator-gained=${jan}`, sentence(jan)],
  ])
  await expect(refusing.apply({ guarded: true })).rejects.toMatchObject({ code: 'SVC2070' })
})

it('holds where nobody gains it, and is not there where the project does not ask', async () => {
  refusing.manifest(manifest(''))
  expect(await gained(refusing)).toEqual([
    ['passed', undefined, 'Nobody becomes Administrator of anything, through groups either.'],
  ])
  showing.manifest(manifest('anna@example.com'))
  expect(await gained(showing)).toEqual([])
  const { access } = (await showing.plan()).document
  expect(access?.gained).toEqual([
    {
      ...{ subject: 'anna@example.com', level: 'Administrator', address: 'application/main/Purchasing', company: null },
      ...{ via: ['clerks@example.com', 'admins@example.com'], kind: 'privilege' },
    },
  ])
})

it('says of nobody who administers an application that they come to: it is never limited to a company', async () => {
  const owner = { svcId: 'owners@example.com', name: 'Owners', members: ['jan@example.com'] }
  const first = { svcId: 'admins@example.com', name: 'Admins', members: ['jan@example.com'] }
  const workspace = await openWorkspace({
    tenant: { ...tenant, groups: [first, owner] },
    settings: 'guards: { administratorGained: refuse }',
  })
  workspace.manifest(`database: main
groups:
  - { svcId: admins@example.com, members: [jan@example.com] }
  - { svcId: owners@example.com, members: [jan@example.com] }
applications:
  - { application: Purchasing, privileges: { Administrator: [admins@example.com, owners@example.com] } }
`)
  const { document } = await workspace.plan()
  await workspace.close()
  expect(document.counts.added).toBe(1)
  expect([document.access?.gained, document.access?.changed]).toEqual([[], []])
  expect(document.guards.filter(({ verdict }) => verdict === 'refused')).toEqual([])
})

it('knows of what `--only` leaves out that nobody looked, and lets that pass by name', async () => {
  refusing.manifest(manifest('anna@example.com'))
  const only = ['group/clerks@example.com']
  const judged = async (allow: string[]) =>
    (await refusing.plan({ only, allow })).document.guards
      .filter(({ guard }) => guard === 'administrator-gained')
      .map(({ verdict, allow, sentence }) => [verdict, allow, sentence])
  const sentence =
    'Accounts come into groups, but svcsync could not read who becomes Administrator of `application/main/Purchasing`.'
  expect(await judged([])).toEqual([['refused', 'administrator-gained=unknown', sentence]])
  expect(await judged(['administrator-gained=unknown'])).toEqual([
    ['allowed', 'administrator-gained=unknown', sentence],
  ])
  showing.manifest(manifest('anna@example.com'))
  const { document } = await showing.plan({ only })
  const { access } = document
  // The unread holdings of the group are reported once.
  const beyond = 'what groups hold on undeclared objects'
  expect(renderPlanText(document, { width: 200, colour: false, verbose: true }).split(beyond)).toHaveLength(2)
  expect(access?.unknown.map(({ subject, address }) => [subject, address])).toEqual([
    [null, 'application/main/Purchasing'],
  ])
})

it('counts as a possible gain if an account with the level may hold them already, and asks for the name', async () => {
  const corp = { svcId: 'admins@corp.example.com', level: 'Administrator' as const }
  const accounts = [{ svcId: corp.svcId, name: 'Admins', type: 'AdGroup' as const }]
  const applications = [{ name: 'Purchasing', privileges: [corp], processes: [{ name: 'Orders' }] }]
  for (const each of [refusing, showing])
    each.emulator.load({ ...tenant, accounts, databases: [{ id: 1, applications }] })
  const admins = (who: string) =>
    `database: main\napplications: [{ application: Purchasing, privileges: { Administrator: [${who}] } }]\n`
  refusing.manifest(admins('admins@corp.example.com, jan@example.com'))
  expect(await gained(refusing)).toEqual([
    [
      'refused',
      'administrator-gained=jan@example.com',
      '`jan@example.com` may become Administrator of `application/main/Purchasing`.',
    ],
  ])
  showing.manifest(admins('admins@corp.example.com, jan@example.com'))
  showing.write(
    'policies/p.yaml',
    `policies:
  - { name: sure, for: [application], on: change, expression: size(access.unknown) == 0, message: m,
      messageExpression: 'access.unknown.map(a, a.person + " " + a.level + ": " + a.why).join("; ")' }
  - { name: none, for: [application], on: change, expression: size(access.gained) == 0, message: gained }
`,
  )
  const { access, counts, guards } = (await showing.plan()).document
  expect([access?.gained, access?.unknown, counts.unknown]).toMatchObject([
    ...[[], [{ subject: 'jan@example.com', may: 'gain', unseen: 'admins@corp.example.com' }], 1],
  ])
  const refused = guards.flatMap(({ verdict, sentence }) => (verdict === 'refused' ? [sentence] : []))
  expect(refused).toEqual([
    '`application/main/Purchasing`: jan@example.com Administrator: ' +
      'may have it already through admins@corp.example.com.',
    '`application/main/Purchasing`: gained.',
  ])
  for (const each of [refusing, showing]) each.emulator.load(tenant)
  // Without a read, the change that adds a member does not pass either.
  showing.write(
    'policies/p.yaml',
    `policies: [{ name: sure, for: [group], on: change, expression: size(access.unknown) == 0, message: m,
      messageExpression: 'access.unknown.map(a, a.object + ": " + a.why).join("; ")' }]`,
  )
  showing.manifest(manifest('anna@example.com'))
  const selected = (await showing.plan({ only: ['group/clerks@example.com'] })).document.guards
  expect(selected.find(({ guard }) => guard === 'policy/sure')?.sentence).toContain(
    'application/main/Purchasing: not read',
  )
})

it('policies see who gains and who loses what, by the change that does it', async () => {
  const policy = (name: string, kinds: string, expression: string) =>
    `  - { name: ${name}, for: [${kinds}], on: change, expression: '${expression}', message: m,
      messageExpression: 'access.gained.map(a, a.person + " " + a.level + " of " + a.object + " by " + a.chain.join(" > ")).join("; ")' }\n`
  showing.write(
    'policies/p.yaml',
    `policies:\n${[
      policy('no-administrators', 'group, application', '!access.gained.exists(a, a.level == "Administrator")'),
      policy('nobody-loses', 'group', 'size(access.lost) == 0'),
      policy('of-applications', 'application', 'size(access.gained) == 0'),
    ].join('')}`,
  )
  showing.manifest(
    manifest('anna@example.com').replace(
      'applications:',
      'users:\n  - { svcId: jan@example.com, name: J }\napplications:',
    ),
  )
  const said = async () =>
    (await showing.plan()).document.guards
      .filter(({ guard, verdict }) => guard.startsWith('policy/') && verdict === 'refused')
      .map(({ guard, addresses, sentence }) => [guard, addresses, sentence])
  expect(await said()).toEqual([
    [
      'policy/no-administrators',
      ['group/clerks@example.com'],
      '`group/clerks@example.com`: anna@example.com Administrator of ' +
        'application/main/Purchasing by clerks@example.com > admins@example.com.',
    ],
  ])
  showing.emulator.load({
    ...tenant,
    groups: [
      { svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com'] },
      ...(tenant.groups ?? []).slice(1),
    ],
  })
  showing.manifest(manifest(''))
  expect((await said()).map(([guard]) => guard)).toEqual(['policy/nobody-loses'])
  showing.write('policies/p.yaml', `policies:\n${policy('slip', 'group', 'size(access.gaind) == 0')}`)
  expect(() => showing.open().problems).not.toThrow()
  await expect(showing.plan()).rejects.toThrow()
})

it('says that who comes to administer may be a group, also one that holds nothing by itself', async () => {
  const workspace = await openWorkspace({ tenant })
  workspace.manifest(manifest('shadow@example.com'))
  const { document } = await workspace.plan()
  await workspace.close()
  expect(document.access?.gained).toEqual([])
  expect(document.access?.unknown).toMatchObject([
    { subject: 'shadow@example.com', level: 'Administrator', may: 'gain', perhapsGroup: true },
  ])
  expect(renderPlanText(document, { colour: false, width: 200 })).toContain(
    'may gain it: the platform has no such user or group',
  )
})

it('refuses an undo that makes somebody Administrator again, though no manifest tells its group', async () => {
  const members = ['anna@example.com']
  const groups = [{ svcId: 'clerks@example.com', name: 'Clerks', members }, ...(tenant.groups ?? []).slice(1)]
  refusing.emulator.load({ ...tenant, groups })
  refusing.manifest(manifest('jan@example.com'))
  await applyUntilKilled(refusing, 'a.jsonl', { atWrite: 1000, sent: true })
  await expect(undo(refusing, 'a.jsonl', 'b.jsonl', { guarded: true })).rejects.toMatchObject({
    code: 'SVC2070',
    message: expect.stringContaining('administrator-gained'),
  })
  const allow = ['administrator-gained=anna@example.com']
  const { report } = await undo(refusing, 'a.jsonl', 'b.jsonl', { guarded: true, allow })
  expect(report).toMatchObject({ outcome: 'converged' })
})

it('sees in an undo who stands in for somebody that becomes Administrator again', async () => {
  const groups = [
    { svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com'] },
    ...(tenant.groups ?? []).slice(1),
  ]
  const substitutions = [
    {
      originalPerson: { svcId: 'anna@example.com' },
      substitutePerson: { svcId: 'jan@example.com' },
      ...{ type: 'TaskDelegation' as const, startDate: '2020-01-01', endDate: '2100-01-01' },
      activeApplications: { allApplications: true },
    },
  ]
  refusing.emulator.load({ ...tenant, groups, substitutions })
  refusing.manifest(manifest(''))
  await applyUntilKilled(refusing, 'c.jsonl', { atWrite: 1000, sent: true })
  const allow = ['administrator-gained=anna@example.com']
  const takesBack = (more: readonly string[]) =>
    undo(refusing, 'c.jsonl', 'd.jsonl', { guarded: true, allow: [...allow, ...more] })
  await expect(takesBack([])).rejects.toMatchObject({ code: 'SVC2070' })
  const { report } = await takesBack(['administrator-gained=jan@example.com'])
  expect(report).toMatchObject({ outcome: 'converged' })
})
