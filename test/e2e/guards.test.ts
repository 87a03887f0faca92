// Guards as users meet them: the built command refuses with exit code 4, and lets pass what is copied from the plan.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { writesOf } from '../harness/write-log.ts'

const credentials = { SVCSYNC_CLIENT_ID: 'svcsync', SVCSYNC_CLIENT_SECRET: 'svcsync-secret' }
const accounts = Array.from({ length: 12 }, (_, index) => `u${index}@example.com`)
const tenant = {
  users: accounts.map((svcId) => ({ svcId, name: svcId })),
  groups: [{ svcId: 'staff@example.com', name: 'Staff', members: accounts, owners: [accounts[0] as string] }],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          processes: [
            {
              name: 'Invoice approval',
              privileges: [{ svcId: accounts[0] as string, level: 'Administrator' as const }],
            },
          ],
        },
      ],
    },
  ],
}

let workspace: Workspace
const run = (args: readonly string[]) => runCommand(args, workspace.dir, credentials)

beforeAll(async () => {
  workspace = await openWorkspace({ tenant, settings: 'prune: { users: ["u*"] }\nprotect: ["group/admin"]' })
  workspace.manifest(`database: main
users: [{ svcId: u0@example.com }]
groups: [{ svcId: staff@example.com, members: [u0@example.com] }]
processes: [{ process: Invoice approval, privileges: { Administrator: [] } }]
`)
})
afterAll(() => workspace.close())

it('shows what is refused in every format, refuses to apply it, and applies what its options allow', async () => {
  const plan = await run(['plan'])
  expect(plan).toMatchObject({ code: 0, stderr: '' })
  const options = [...plan.stdout.matchAll(/to allow it: --allow (?:"(.*)"|(\S+))$/gm)].map(
    ([, quoted, plain]) => quoted ?? plain,
  )
  expect([...new Set(options)]).toEqual([
    'deletions=11',
    'removals=12',
    'last-administrator=process/main/Purchasing/Invoice approval',
  ])
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Guards: 6 pass; 3 refuse: deletions, removals, last-administrator.',
  )
  const summary = (await run(['plan', '--summary'])).stdout
  expect(summary).toContain('✗ refused by 3 guards: ')
  expect(summary).toContain('- 11 users are deleted: user/u10@example.com, ')
  expect(summary.split('\n').length).toBeLessThan(24)
  expect((await run(['plan', '--format', 'markdown'])).stdout).toContain('#### ⛔ Refused by guards')
  const { guards } = JSON.parse((await run(['drift', '--format', 'json'])).stdout)
  expect(guards.map(({ verdict }: { verdict: string }) => verdict)).toContain('refused')

  const refused = await run(['apply', '--yes'])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('SVC2070')
  for (const guard of ['deletions', 'removals', 'last-administrator']) expect(refused.stderr).toContain(`✗ ${guard}: `)
  const allow = options.flatMap((option) => ['--allow', option as string])
  const some = await run(['apply', '--yes', '--quiet', '--format', 'json', ...allow.slice(2)])
  expect(some.code).toBe(4)
  expect(JSON.parse(some.stdout)).toMatchObject({ problems: [{ code: 'SVC2070' }] })
  expect(some.stderr).not.toContain('last-administrator')
  expect(writesOf(workspace.emulator)).toEqual([])

  const applied = await run(['apply', '--yes', ...allow])
  expect(applied).toMatchObject({ code: 0 })
  expect(applied.stdout).toContain('Allowed by --allow')
  const again = await run(['plan', '--detailed-exitcode', '--allow', 'deletions=11'])
  expect(again.code).toBe(0)
  expect(again.stdout).toContain('SVC2072')
})

it.each([
  ['deletoins=4', 'Did you mean `deletions`?'],
  ['deletions', 'Write a number'],
  ['protected=', 'Copy the option from the plan'],
])('refuses --allow %s before it reads anything', async (option, text) => {
  const before = workspace.emulator.requests().length
  const result = await run(['plan', '--allow', option])
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('SVC2071')
  expect(result.stderr.replace(/\s+/g, ' ')).toContain(text)
  expect(workspace.emulator.requests().length).toBe(before)
})
