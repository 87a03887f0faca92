// Access as a substitute, on the platform: in a plan, for the guard, after an apply, and by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import { renderPlanText } from '../../src/render/plan/plan-blocks.ts'
import { renderPlanJson } from '../../src/render/report/render-json.ts'
import { accessRun } from '../../src/runs/access/access-run.ts'
import { driftAccessRun } from '../../src/runs/access/drift-access-run.ts'
import { connect } from '../../src/runs/open/connect.ts'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const guid = (digit: number): string => `${digit}0000000-0000-4000-8000-000000000000`
const process = (name: string, digit: number) => ({
  ...{ name, guid: guid(digit) },
  privileges: [{ svcId: 'admins@example.com', level: 'Administrator' }],
})
const tenant = {
  users: ['anna', 'jan', 'ewa'].map((name) => ({ svcId: `${name}@example.com`, name })),
  groups: [{ svcId: 'admins@example.com', name: 'Admins', members: ['anna@example.com'] }],
  databases: [
    {
      id: 1,
      applications: [
        { name: 'Sales', guid: guid(1), processes: [process('Orders', 2)] },
        { name: 'Purchasing', guid: guid(3), processes: [process('Invoices', 4)] },
      ],
    },
  ],
} as unknown as Tenant
const manifest = (...substitutions: string[]): string => `database: main
groups: [{ svcId: admins@example.com, members: [anna@example.com] }]
processes:
  - { process: Orders, privileges: { Administrator: [admins@example.com] } }
  - { process: Invoices, privileges: { Administrator: [admins@example.com] } }
substitutions: [${substitutions.join(', ')}]
`
const standsIn = (limits = '', to = '2100-07-15', who = 'anna', by = 'jan'): string =>
  `{ person: ${who}@example.com, substitute: ${by}@example.com, type: ` +
  `TaskDelegation, from: 2100-07-01, to: ${to}${limits} }`

const isPlan = documentValidator(closedPlanSchema)

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ tenant, settings: 'guards: { administratorGained: refuse }' })
})
afterAll(() => workspace.close())

async function told(...substitutions: string[]) {
  workspace.manifest(manifest(...substitutions))
  const { document } = await workspace.plan()
  const { access, guards } = document
  expect([isPlan(JSON.parse(renderPlanJson(document))), isPlan.errors]).toEqual([true, null])
  const brief = (event: 'gained' | 'lost' | 'changed') =>
    (access?.[event] ?? []).map(
      ({ subject, address, via, kind, substitutions = [] }) =>
        `${event} ${subject} ${address.split('/').at(-1)} ${kind}: ` +
        `${via.join(' › ')} until ${substitutions.map(({ until }) => until.slice(0, 10))}`,
    )
  const refused = guards.flatMap(({ verdict, sentence }) => (verdict === 'refused' ? sentence : []))
  return { said: [...brief('gained'), ...brief('lost'), ...brief('changed')], refused }
}
const jan = (event: string, process: string, until = '2100-07-15'): string =>
  `${event} jan@example.com ${process} substitution: anna@example.com › admins@example.com until ${until}`

it('is gained with a substitution, on what it is limited to, and the guard sees it', async () => {
  expect(await told(standsIn(', applications: [Purchasing]'))).toEqual({
    said: [jan('gained', 'Invoices')],
    refused: [
      '`jan@example.com` would become Administrator of `process/main/Purchasing/Invoices` as ' +
        'substitute of `anna@example.com` from 2100-07-01 until 2100-07-15 › `admins@example.com`.',
    ],
  })
  const both = [jan('gained', 'Invoices'), jan('gained', 'Orders')]
  expect((await told(standsIn())).said).toEqual(both)
  // Also what somebody has as a substitute, and what is over gives nobody anything.
  const next = standsIn(', processes: [Orders]', '2100-07-15', 'jan', 'ewa')
  expect((await told(standsIn(), next)).said).toEqual([
    ...both,
    'gained ewa@example.com Orders substitution: ' +
      'jan@example.com › anna@example.com › admins@example.com until 2100-07-15,2100-07-15',
  ])
  expect((await told(standsIn('', '2020-07-15').replace('2100', '2020'))).said).toEqual([])
})

it('is lost with a limit, gained without it, and another end changes the chain', async () => {
  workspace.manifest(manifest(standsIn()))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(await told(standsIn())).toEqual({ said: [], refused: [] })
  const limit = ', applications: [Purchasing], processes: []'
  expect(await told(standsIn(limit))).toEqual({ said: [jan('lost', 'Orders')], refused: [] })
  expect((await told(standsIn('', '2100-08-31'))).said).toEqual([
    jan('changed', 'Invoices', '2100-08-31'),
    jan('changed', 'Orders', '2100-08-31'),
  ])
  workspace.manifest(manifest(standsIn(limit)))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect((await told(standsIn(', applications: [], processes: []'))).said).toEqual([jan('gained', 'Orders')])
  expect((await told(standsIn(limit).replace(' }', ', absent: true }'))).said).toEqual([jan('lost', 'Invoices')])
})

it('says until when somebody has nothing who keeps it as a substitute from a day to come', async () => {
  const members = (...names: string[]) =>
    manifest(standsIn()).replace('members: [', `members: [${names.map((name) => `${name}@example.com, `).join('')}`)
  workspace.manifest(members('jan'))
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  workspace.manifest(members())
  const { document } = await workspace.plan()
  expect(renderPlanText(document, { colour: false, width: 500 })).toContain(
    '~ jan@example.com  Administrator  process Invoices\n' +
      ('      as substitute of anna@example.com from 2100-07-01 until 2100-07-15 › ' +
        'admins@example.com, and no longer through admins@example.com\n') +
      '      not until 2100-07-01: the substitution begins then\n',
  )
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
})

it('reads nothing twice where who can do what is asked after a plan', async () => {
  workspace.manifest(manifest(standsIn()))
  await workspace.control('DELETE', '/requests')
  const read = workspace.open()
  const client = connect(read.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
  await driftAccessRun(read, client, await workspace.plan(), undefined)
  await client.close()
  const asked = workspace.emulator.requests().flatMap(({ method, path, query }) => {
    return method === 'GET' ? [`${path} ${JSON.stringify(query)}`] : []
  })
  expect(asked.filter((each) => each.includes('substitutions'))).not.toEqual([])
  expect(asked.filter((each, at) => asked.indexOf(each) !== at)).toEqual([])
})

it('is so now from the day on which it begins, and until then only after an apply', async () => {
  workspace.manifest(manifest(standsIn()))
  await workspace.apply()
  const rowsAt = async (nowMs: number) => {
    const read = workspace.open({ nowMs })
    const client = connect(read.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
    const planned = await workspace.plan({ nowMs })
    const { rows } = await accessRun(read, client, planned, { person: 'jan@example.com' }, {})
    await client.close()
    return rows.map(({ address, live, afterApply, declared }) => [
      address.split('/').at(-1),
      live,
      afterApply,
      declared,
    ])
  }
  expect(await rowsAt(Date.parse('2100-06-30T12:00:00Z'))).toEqual([['Invoices', false, true, true]])
  expect(await rowsAt(Date.parse('2100-07-02T12:00:00Z'))).toEqual([['Invoices', true, true, true]])
})

it('is gained once more where a group gives it for good, and the guard sees it', async () => {
  workspace.emulator.load(tenant)
  workspace.manifest(manifest(standsIn()))
  await workspace.apply({ guarded: 'as-allowed' })
  workspace.manifest(manifest(standsIn()).replace('[anna@example.com]', '[anna@example.com, jan@example.com]'))
  const { document } = await workspace.plan()
  expect(document.access?.gained.map(({ subject, address, kind, via }) => [subject, address, kind, via])).toEqual(
    ['Purchasing/Invoices', 'Sales/Orders'].map((process) => [
      'jan@example.com',
      `process/main/${process}`,
      'privilege',
      ['admins@example.com'],
    ]),
  )
  expect(document.guards.filter(({ verdict }) => verdict === 'refused')).toMatchObject([
    { guard: 'administrator-gained', numbers: { count: 2 } },
  ])
})

it('is drift where somebody let them stand in by hand, and none where it goes with the manifests', async () => {
  const nowMs = Date.parse('2100-07-02T12:00:00Z')
  // A project without substitutions does not read them.
  const other = standsIn('', '2100-07-15', 'ewa', 'anna')
  const file = join(workspace.dir, 'svcsync.yaml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}removed: { objects: delete }\n`)
  const driftSince = async (before: string): Promise<unknown[]> => {
    workspace.emulator.load(tenant)
    workspace.manifest(manifest(other, standsIn()))
    await workspace.apply({ nowMs, guarded: 'as-allowed' })
    workspace.manifest(manifest(other))
    workspace.baseManifest(before)
    const read = workspace.open({ nowMs })
    const client = connect(read.project, { version: 'test', env: {}, timeoutMs: undefined, clock: undefined })
    const planned = await workspace.plan({ nowMs, base: 'ledger' })
    const { access } = await driftAccessRun(read, client, planned, undefined)
    await client.close()
    return access.lost.map(({ subject, address }) => [subject, address.split('/').at(-1)])
  }
  const byJan = ['Invoices', 'Orders'].map((process) => ['jan@example.com', process])
  expect(await driftSince(manifest(other))).toEqual(byJan)
  expect(await driftSince(manifest(other, standsIn()))).toEqual([])
})
