// `svcsync licenses`: who can do something without a licence, and who has one for nothing.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { runCommand } from '../harness/command.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const people = ['anna', 'jan', 'maria', 'piotr'].map((name) => ({ svcId: `${name}@example.com`, name }))
const orders = '10000000-0000-4000-8000-000000000000'
const tenant = {
  users: people,
  licenses: {
    available: { PowerUser: 3, User: 5, SingleSolutionUser: 5 },
    assigned: [
      { svcId: 'jan@example.com', licenses: ['PowerUser'] },
      {
        svcId: 'maria@example.com',
        licenses: [
          'User',
          {
            type: 'SingleSolutionUser',
            singleSolutionSettings: { processes: [{ name: 'Orders', guid: orders, id: 1, dbId: 1 }] },
          },
        ],
      },
    ],
  },
  accounts: [{ svcId: 'auditors@corp', name: 'Auditors', type: 'AdGroup' }],
  // Nobody declares it.
  groups: [{ svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com', 'maria@example.com'] }],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          privileges: [{ svcId: 'clerks@example.com', level: 'Administrator' }],
          processes: [
            { name: 'Orders', guid: orders, id: 1, privileges: [{ svcId: 'auditors@corp', level: 'ReadOnly' }] },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
  workspace.manifest('users: [{ svcId: piotr@example.com, name: piotr }]\n')
})
afterAll(() => workspace.close())

const run = (...args: string[]) => runCommand(['licenses', ...args], workspace.dir, { ...workspace.env })

it('says who can do something without a licence, who has one for nothing, and how many are free', async () => {
  const { code, stdout, stderr } = await run('--format', 'json')
  expect([code, stderr]).toEqual([0, ''])
  const { withoutLicence, perhapsGroups, withoutAccess, limitedBeside, stock, unread } = JSON.parse(stdout)
  expect(withoutLicence).toEqual([{ svcId: 'anna@example.com', entries: 1, administers: true }])
  // Nobody knows who is in a group of a directory.
  expect(perhapsGroups).toEqual([{ svcId: 'auditors@corp', entries: 1, administers: false }])
  expect(withoutAccess).toEqual([{ svcId: 'jan@example.com', licences: ['PowerUser'] }])
  expect(limitedBeside).toEqual([{ svcId: 'maria@example.com', limited: 'SingleSolutionUser', beside: ['User'] }])
  expect(stock.map(({ type }: { type: string }) => type)).toContain('PowerUser')
  expect(unread).toEqual([])
})

it('says the same to people, in a comment and in a table', async () => {
  const text = (await run()).stdout
  expect(text).toContain('Access without a licence: 1\n  anna@example.com  1 entry, some as Administrator\n')
  expect(text).toContain('May be groups or applications, so their licences are unknown: 1\n  auditors@corp  1 entry\n')
  expect((await run('--format', 'markdown')).stdout).toContain('- `jan@example.com` PowerUser')
  const table = (await run('--format', 'csv')).stdout.split('\r\n')
  expect(table[0]).toBe('finding,account or type,what')
  expect(table).toContain('"A licence, but no access that svcsync sees",jan@example.com,PowerUser')
})

it('ends with what it could read, and with 1, where access somewhere is not known', async () => {
  const match = { method: 'GET', path: '/db/1/processes/*/admin/privileges' }
  workspace.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 403 } })
  const { code, stdout } = await run('--format', 'csv')
  workspace.emulator.clearFaults()
  expect(code).toBe(1)
  expect(stdout).toContain('note,,Not read: process/main/Purchasing/Orders')
})
