// `access: declared`: what people have on declared objects through groups that no manifest declares, and what it takes
// to see it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const people = ['anna', 'jan', 'maria', 'piotr'].map((name) => ({ svcId: `${name}@example.com`, name }))
const tenant: Tenant = {
  users: people,
  accounts: [{ svcId: 'auditors@corp.example.com', name: 'Auditors', type: 'AdGroup' }],
  groups: [
    { svcId: 'clerks@example.com', name: 'Clerks', members: ['jan@example.com'] },
    // Nobody declares these two, nor that clerks are in them.
    { svcId: 'inner@example.com', name: 'Inner', members: ['clerks@example.com', 'maria@example.com'] },
    { svcId: 'outer@example.com', name: 'Outer', members: ['inner@example.com'] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          processes: [
            {
              name: 'Orders',
              privileges: [
                { svcId: 'outer@example.com', level: 'Start' },
                { svcId: 'piotr@example.com', level: 'Start' },
                { svcId: 'auditors@corp.example.com', level: 'ReadOnly' },
              ],
            },
          ],
        },
      ],
    },
  ],
}
const declaring = (members: string, rest = ''): string => `database: main
groups:
  - { svcId: clerks@example.com, members: [${members}] }
${rest}processes:
  - process: Orders
    manage: { privileges: additive }
    privileges: { Start: [outer@example.com], ReadOnly: [auditors@corp.example.com] }
`

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant })
})
afterAll(() => workspace.close())

const look = async (target: Workspace = workspace) => {
  await target.control('DELETE', '/requests')
  const { document } = await target.plan()
  const log = (await target.control('GET', '/requests')) as { requests: { path: string; query?: unknown }[] }
  const asked = log.requests.map(({ path, query }) => `${path} ${JSON.stringify(query ?? '')}`)
  return { document, asked, accounts: asked.filter((each) => /\/admin\/(group|user)[ ?s]/.test(each)) }
}
const brief = (entries: readonly object[] = []) =>
  entries.map((each) => {
    const { subject, level, via, unseen, may } = each as Record<string, unknown>
    return [subject, level, ...(via as string[]), ...(unseen ? [`unseen ${unseen}`] : []), ...(may ? [may] : [])].join(
      ' ',
    )
  })

describe('a person who comes into a declared group', () => {
  it('gains what undeclared groups around it hold on declared objects, by the whole chain', async () => {
    workspace.manifest(declaring('jan@example.com, anna@example.com'))
    const { document, accounts } = await look()
    expect(brief(document.access?.gained)).toEqual([
      'anna@example.com Start clerks@example.com inner@example.com outer@example.com',
    ])
    // Nobody can look into a group of a directory.
    expect(brief(document.access?.unknown)).toEqual([' ReadOnly unseen auditors@corp.example.com'])
    expect(document.access?.unknown[0]).toMatchObject({ subject: null, address: 'process/main/Purchasing/Orders' })
    const text = renderPlanText(document, { colour: false, width: 200, verbose: true })
    expect(text).toContain('1 account may be a group; svcsync did not read its members: auditors@corp.example.com.')
    expect(text).toContain('To look through undeclared groups took 8 more requests.')
    // Each account once: those that are no group are looked for as users.
    expect(new Set(accounts).size).toBe(accounts.length)
    expect(document.access).toMatchObject({ mode: 'declared', requests: 8 })
  })

  it('is told with what stays unknown where a group between is refused', async () => {
    const match = { method: 'GET', path: '/admin/group', query: 'inner' }
    workspace.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 403 } })
    const { document } = await look()
    workspace.emulator.clearFaults()
    expect(document.access?.gained).toEqual([])
    expect(brief(document.access?.unknown).sort()).toEqual([
      ' ',
      ' ReadOnly unseen auditors@corp.example.com',
      ' Start outer@example.com unseen inner@example.com',
    ])
    expect(document.access?.unknown.map(({ address }) => address)).toContain('group/inner@example.com')
  })
})

it('never calls somebody perhaps a group whom it found to be a user', async () => {
  workspace.manifest(declaring('jan@example.com, anna@example.com'))
  const { document } = await look()
  // Piotr was found to be a user.
  expect(JSON.stringify(document.access)).not.toContain('piotr')
})

it('asks for nothing more where all accounts are declared, and where nobody comes or goes', async () => {
  const declared = await openWorkspace({ tenant: { ...tenant, accounts: [], databases: [] }, settings: 'access: none' })
  const users = `users:\n${people.map(({ svcId, name }) => `  - { svcId: ${svcId}, name: ${name} }\n`).join('')}`
  const groups = `  - { svcId: inner@example.com, members: [clerks@example.com, maria@example.com] }
  - { svcId: outer@example.com, members: [inner@example.com] }
`
  const all = { ...tenant, accounts: [], databases: structuredClone(tenant.databases ?? []) } as Tenant
  const [process] = all.databases?.[0]?.applications?.[0]?.processes ?? []
  ;(process as { privileges: unknown[] }).privileges.pop()
  for (const each of [workspace, declared]) {
    each.emulator.load(all)
    each.manifest(declaring('jan@example.com, anna@example.com', `${groups}${users}`).replace(/, ReadOnly.*]/, ''))
  }
  const [by, without] = [await look(), await look(declared)]
  expect(brief(by.document.access?.gained)).toEqual([
    'anna@example.com Start clerks@example.com inner@example.com outer@example.com',
  ])
  expect(by.document.access?.unknown).toEqual([])
  expect(by.asked.sort()).toEqual(without.asked.sort())
  workspace.emulator.load(tenant)
  for (const each of [workspace, declared]) {
    each.emulator.load(tenant)
    each.manifest(declaring('jan@example.com'))
  }
  expect((await look()).asked.sort()).toEqual((await look(declared)).asked.sort())
  await declared.close()
})

it('names, with `access: full`, what a group that answers 403 holds, and whom a directory hides', async () => {
  const full = await openWorkspace({ tenant, settings: 'access: full' })
  full.manifest(declaring('jan@example.com, anna@example.com'))
  const match = { method: 'GET', path: '/admin/group', query: 'inner' }
  full.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 403 } })
  const { document } = await look(full)
  await full.close()
  expect(document.access?.gained).toEqual([])
  expect(brief(document.access?.unknown).sort()).toEqual([
    ' ',
    ' ReadOnly unseen auditors@corp.example.com',
    ' Start outer@example.com unseen inner@example.com',
  ])
})
