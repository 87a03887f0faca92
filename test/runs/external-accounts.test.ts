// Accounts that no manifest declares: warnings of `validate`, what plans say of them, and how a project accepts them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { externalAccounts, undeclaredUses } from '../../src/core/assemble/external-accounts.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { brief } from '../manifests/manifest-fixture.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: {
      users: [{ svcId: 'jan@example.com' }],
      groups: [{ svcId: 'staff@example.com', name: 'Staff' }],
      accounts: [{ svcId: 'Auditors@corp.example.com', name: 'Auditors', type: 'AdGroup' }],
    },
    settings: 'accounts: { external: ["*@CORP.example.com", "svc-??"] }',
  })
})
afterAll(() => workspace.close())

const undeclared = (manifest: string) => {
  workspace.manifest(manifest)
  const { desired, assembly, project, problems } = workspace.open()
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return undeclaredUses(desired, externalAccounts(project.externalAccounts, assembly.normalise))
}

it('warns once of each account, at its first place, with the others and what is near', () => {
  const problems = undeclared(`sets:
  some: [kat@example.com]
users:
  - { svcId: anna.nowak@example.com, managerSvcId: boss@example.com }
groups:
  - svcId: staff@example.com
    members: [Anna.Nowak@example.com, ana.nowak@example.com, auditors@corp.example.com, { set: some }]
    owners: [boss@example.com, svc-01, svc-1, { set: some }]
`)
  expect(brief(problems)).toEqual([
    'warning SVC1317 manifests/main.yaml:2:10 `kat@example.com` is used, but not declared',
    'warning SVC1317 manifests/main.yaml:4:52 `boss@example.com` is used, in 2 places, but not declared',
    'warning SVC1317 manifests/main.yaml:7:39 `ana.nowak@example.com` is used, but not declared',
    'warning SVC1317 manifests/main.yaml:8:40 `svc-1` is used, but not declared',
  ])
  expect(problems[0]?.related).toMatchObject([{ message: 'the list that names the set `some`', place: { line: 7 } }])
  expect(problems[1]?.related).toMatchObject([{ place: { line: 8, column: 14 } }])
  expect(problems[2]?.hint).toContain('Did you mean `anna.nowak@example.com`? Has the person left?')
})

it('says that a name is another one where nobody sees it', () => {
  const problems = undeclared(`users: [{ svcId: anna@example.com }]
groups: [{ svcId: staff@example.com, members: ["anna@example.com\u00a0"] }]
`)
  expect(problems[0]?.hint).toContain(
    'Did you mean `anna@example.com`? What is written has white space at an end, or holds what nobody sees.',
  )
})

it('warns wherever an account is named: groups of memberships and entries that begin later as well', () => {
  expect(
    brief(
      undeclared(`memberships:
  - { group: everyone@example.com, members: [kat@example.com] }
  - { group: EVERYONE@example.com, members: [{ svcId: ola@example.com, from: 2030-01-01 }] }
  - { group: staff@example.com, members: [{ svcId: gone@example.com, until: 2020-01-01 }, svc-01] }
  - { group: all@corp.example.com, members: [svc-01] }
groups: [{ svcId: staff@example.com }]
processes: [{ process: P, privileges: { Start: [{ svcId: pia@example.com, from: 2030-01-01 }] } }]
`).filter(({ code }) => code === 'SVC1317'),
    ),
  ).toEqual([
    'warning SVC1317 manifests/main.yaml:2:14 `everyone@example.com` is used, in 2 places, but not declared',
    'warning SVC1317 manifests/main.yaml:2:46 `kat@example.com` is used, but not declared',
    'warning SVC1317 manifests/main.yaml:3:46 `ola@example.com` is used, but not declared',
    'warning SVC1317 manifests/main.yaml:7:49 `pia@example.com` is used, but not declared',
  ])
})

it('takes memberships of a user for a slip', () => {
  workspace.manifest(`users: [{ svcId: jan@example.com }]
memberships: [{ group: Jan@example.com, members: [svc-01] }]
`)
  expect(workspace.open().problems).toMatchObject([
    { code: 'SVC1301', place: { line: 2, column: 24 }, related: [{ place: { line: 1 } }] },
  ])
})

it('names the line of a set once for an account that is to go, with a list that uses it', () => {
  workspace.manifest(`users: [{ svcId: jan@example.com, absent: true }]
sets: { some: [svc-01, jan@example.com] }
groups:
  - { svcId: staff@example.com, members: [{ set: some }], owners: [{ set: some }] }
  - { svcId: others@example.com, members: [{ svcId: jan@example.com, from: 2030-01-01 }] }
`)
  expect(workspace.open().problems).toMatchObject([
    {
      code: 'SVC1314',
      place: { line: 2, column: 24 },
      related: [{ place: { line: 4, column: 43 } }, { place: { line: 1 } }],
    },
    { code: 'SVC1314', place: { line: 5 } },
  ])
})

it('sums up what is more than anybody reads', () => {
  const members = Array.from({ length: 60 }, (_, index) => `u${index}@example.com`)
  const problems = undeclared(`groups: [{ svcId: staff@example.com, members: [${members.join(', ')}] }]\n`)
  expect(problems).toHaveLength(51)
  expect(problems.at(-1)?.message).toMatch(/^10 more accounts .* `u50@example.com` in manifests\/main.yaml:1:\d+$/)
})

it('is no warning of a plan where the project accepts the account, and no request', async () => {
  workspace.manifest('groups: [{ svcId: staff@example.com, members: [auditors@corp.example.com, jna@example.com] }]\n')
  await workspace.control('DELETE', '/requests')
  const { document } = await workspace.plan()
  expect(document.warnings.map(({ code, message }) => `${code} ${message.split(' ')[0]}`)).toEqual([
    'SVC1306 `jna@example.com`',
  ])
  const { requests } = (await workspace.control('GET', '/requests')) as { requests: { path: string; query?: string }[] }
  expect(JSON.stringify(requests)).not.toContain('auditors')
})

it('is a warning of a plan for managers, too, of those that are written', async () => {
  workspace.manifest(`users:
  - { svcId: new@example.com, name: New, email: n@example.com, managerSvcId: boss@example.com }
  - { svcId: jan@example.com, managerSvcId: svc-01 }
groups: [{ svcId: staff@example.com, members: [boss@example.com] }]
`)
  const warnings = async (only: readonly string[] = []) =>
    (await workspace.plan({ only })).document.warnings.map(({ code, place, message }) => [code, place?.line, message])
  expect(await warnings()).toMatchObject([['SVC1306', 4, expect.stringContaining('`boss@example.com`')]])
  expect(await warnings(['user/*'])).toMatchObject([['SVC1306', 2, expect.stringContaining('`boss@example.com`')]])
  workspace.manifest(`users:
  - { svcId: new@example.com, name: New, email: n@example.com, managerSvcId: Boss@example.com }
  - { svcId: boss@example.com, name: Boss, email: b@example.com }
`)
  expect(await warnings(['user/new@*'])).toMatchObject([['SVC1315', 2, expect.stringContaining('`Boss@example.com`')]])
  expect(await warnings()).toEqual([])
})

it.each([
  ['*', 'anything@x', true],
  ['a.b@x', 'aXb@x', false],
  ['CORP\\*', 'corp\\clerks', true],
  ['(*)+[a', '(q)+[a', true],
  ['a@x', 'ba@x', false],
])('%s takes %s: %s', (pattern, svcId, taken) => {
  expect(externalAccounts([pattern], (text) => text.toLowerCase())(svcId)).toBe(taken)
})
