// `access: full`: what somebody gains through groups that no manifest declares, and what that takes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { checkOf, examine } from '../doctor/examine.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const tenant: Tenant = {
  users: [
    { svcId: 'anna@example.com', name: 'Anna' },
    { svcId: 'jan@example.com', name: 'Jan' },
  ],
  groups: [
    { svcId: 'clerks@example.com', name: 'Clerks', members: [] },
    { svcId: 'hidden@example.com', name: 'Hidden', members: ['clerks@example.com'] },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'Purchasing',
          privileges: [{ svcId: 'hidden@example.com', level: 'Administrator' }],
          processes: [{ name: 'Orders', privileges: [{ svcId: 'clerks@example.com', level: 'Start' }] }],
        },
      ],
    },
  ],
}

let full: Workspace
let declared: Workspace
beforeAll(async () => {
  const settings = 'access: full\nguards: { administratorGained: refuse }\nsettings: { retry: { maxDelay: 5ms } }'
  full = await openWorkspace({ tenant, settings })
  declared = await openWorkspace({ tenant })
})
afterAll(async () => {
  await full.close()
  await declared.close()
})

const reads = async (workspace: Workspace) => {
  await workspace.control('DELETE', '/requests')
  const { document } = await workspace.plan()
  const log = (await workspace.control('GET', '/requests')) as { requests: { path: string }[] }
  return { document, count: log.requests.length }
}

it('sees through undeclared groups, which the default cannot, and so does the guard', async () => {
  for (const workspace of [full, declared]) {
    workspace.manifest('groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n')
  }
  const whole = (await reads(full)).document
  expect(whole.access).toMatchObject({ mode: 'full', lost: [], changed: [], unknown: [], unread: 0 })
  const text = renderPlanText(whole, { colour: false, width: 500, verbose: true })
  expect(text).toMatch(/Not read: substitutions.*svcsync sent 10 more requests to look at everybody\./s)
  expect(text).toMatch(/Administrator on application Purchasing/)
  expect(whole.access?.gained.map(({ level, address, via }) => [level, address, via])).toEqual([
    ['Administrator', 'application/main/Purchasing', ['clerks@example.com', 'hidden@example.com']],
    ['Start', 'process/main/Purchasing/Orders', ['clerks@example.com']],
  ])
  expect(whole.guards[0]).toMatchObject({ guard: 'administrator-gained', verdict: 'refused' })
  expect((await declared.plan()).document.access).toMatchObject({ mode: 'declared', gained: [] })
})

it('says as data what counts and was not looked at', async () => {
  const none = await openWorkspace({ tenant, settings: 'access: none' })
  try {
    const told = async (workspace: Workspace, manifest: string) => {
      workspace.manifest(manifest)
      return (await workspace.plan()).document.access?.unlooked
    }
    const joins = 'groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n'
    const named = 'groups: [{ svcId: clerks@example.com, name: Other }]\n'
    const owned = 'groups: [{ svcId: clerks@example.com, owners: [anna@example.com] }]\n'
    const substitution =
      'substitutions: [{ person: anna@example.com, substitute: ' +
      'jan@example.com, from: 2026-01-01, to: 2026-03-01, type: TaskDelegation }]\n'
    expect([await told(none, joins), await told(none, owned), await told(none, named)]).toEqual([
      'people',
      'people',
      undefined,
    ])
    expect([await told(declared, joins), await told(declared, owned)]).toEqual(['groups', undefined])
    expect(await told(declared, substitution)).toBe('represented')
    expect([await told(full, joins), await told(full, substitution)]).toEqual(['stand-ins', undefined])
  } finally {
    await none.close()
  }
})

it('reads nothing more where nobody comes or goes', async () => {
  for (const workspace of [full, declared])
    workspace.manifest('groups: [{ svcId: clerks@example.com, name: Clerks }]\n')
  expect((await reads(full)).count).toBe((await reads(declared)).count)
})

it('names what it could not read, where somebody comes', async () => {
  full.manifest('groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n')
  full.emulator.addFault({
    match: { method: 'GET', path: '/db/1/applications/*/admin/privileges' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  const { access } = (await full.plan()).document
  full.emulator.clearFaults()
  expect(access?.unknown.map(({ subject, address }) => [subject, address])).toEqual([
    [null, 'application/main/Purchasing'],
  ])
})

it('ends no run, whatever is answered: nobody knows then who comes to administer', async () => {
  full.manifest('groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n')
  const match = { method: 'GET', path: '/db/1/applications/*/admin/privileges' }
  for (const effect of [{ kind: 'status', status: 401 }, { kind: 'reset' }, { kind: 'text', body: 'odd' }] as const) {
    full.emulator.addFault({ match, count: null, effect })
    const { document, plan } = await full.plan()
    expect(document).toMatchObject({ unreadable: [], counts: { steps: 1 } })
    expect(plan.steps.filter(({ restsOn }) => restsOn !== undefined)).toEqual([])
    expect(document.access?.unknown.map(({ subject, level }) => [subject, level])).toContainEqual([null, null])
    expect(document.guards[0]).toMatchObject({ guard: 'administrator-gained', verdict: 'refused' })
    expect(await full.apply()).toMatchObject({ outcome: 'converged' })
    full.emulator.clearFaults()
    full.emulator.load(tenant)
  }
})

it('says no no of what a group in the middle holds that could not be read', async () => {
  full.manifest(`database: main
groups:
  - { svcId: clerks@example.com, members: [anna@example.com] }
  - { svcId: hidden@example.com, members: [clerks@example.com] }
applications: [{ application: Purchasing, privileges: { Administrator: [hidden@example.com] } }]
processes: [{ process: Orders, privileges: { Start: [clerks@example.com] } }]
`)
  const match = { method: 'GET', path: '/admin/group', query: 'hidden' }
  full.emulator.addFault({ match, count: null, effect: { kind: 'status', status: 403 } })
  const { access, guards } = (await full.plan()).document
  full.emulator.clearFaults()
  expect(access?.gained.map(({ level, address }) => [level, address])).toEqual([
    ['Start', 'process/main/Purchasing/Orders'],
  ])
  expect(access?.unknown.map(({ subject, address }) => [subject, address])).toContainEqual([
    null,
    'group/hidden@example.com',
  ])
  expect(guards.find(({ guard }) => guard === 'administrator-gained')).toMatchObject({ verdict: 'refused' })
})

it('is recommended by the doctor where it takes few requests, and nowhere else', async () => {
  declared.manifest('groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n')
  const found = async (workspace: Workspace) => checkOf(await examine(workspace), 'access')
  const told = await found(declared)
  expect(told).toMatchObject({ result: 'ok', copy: ['access: full'] })
  // Some of what it counts, a plan has read before.
  const most = Number(/at most (\d+) more requests/.exec(told.found)?.[1])
  full.manifest('groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n')
  const { requests = 0 } = (await full.plan()).document.access ?? {}
  expect(requests).toBeGreaterThan(0)
  expect(most - requests).toBeGreaterThanOrEqual(0)
  expect(most - requests).toBeLessThan(4)
  // It is so already; a list is refused; there is too much.
  expect(await found(full)).toBeUndefined()
  declared.emulator.addFault({
    match: { method: 'GET', path: '/db/1/applications/*/processes' },
    count: null,
    effect: { kind: 'status', status: 403 },
  })
  expect(await found(declared)).toBeUndefined()
  declared.emulator.clearFaults()
  const many = Array.from({ length: 200 }, (_, index) => ({ svcId: `g${index}@example.com`, name: `G ${index}` }))
  const large = await openWorkspace({ tenant: { ...tenant, groups: [...(tenant.groups ?? []), ...many] } })
  large.manifest('groups: [{ svcId: clerks@example.com, members: [anna@example.com] }]\n')
  expect(await found(large)).toBeUndefined()
  await large.close()
})
