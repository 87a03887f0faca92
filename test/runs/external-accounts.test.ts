// Accounts that no manifest declares: warnings of `validate`, what plans say of them, and how a project accepts them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { externalAccounts, undeclaredUses } from '../../src/core/external-accounts.ts'
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
  const { desired, fold, project, problems } = workspace.open()
  expect(problems).toEqual([])
  return undeclaredUses(desired, fold, externalAccounts(project.externalAccounts, fold))
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
    'warning SVC1317 manifests/main.yaml:2:10 `kat@example.com` is used, and declared nowhere',
    'warning SVC1317 manifests/main.yaml:4:52 `boss@example.com` is used, in 2 places, and declared nowhere',
    'warning SVC1317 manifests/main.yaml:7:39 `ana.nowak@example.com` is used, and declared nowhere',
    'warning SVC1317 manifests/main.yaml:8:40 `svc-1` is used, and declared nowhere',
  ])
  expect(problems[1]?.related).toMatchObject([{ place: { line: 8, column: 14 } }])
  expect(problems[2]?.hint).toContain('Did you mean `anna.nowak@example.com`?')
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

it.each([
  ['*', 'anything@x', true],
  ['a.b@x', 'aXb@x', false],
  ['CORP\\*', 'corp\\clerks', true],
  ['(*)+[a', '(q)+[a', true],
  ['a@x', 'ba@x', false],
])('%s takes %s: %s', (pattern, svcId, taken) => {
  expect(externalAccounts([pattern], (text) => text.toLowerCase())(svcId)).toBe(taken)
})
