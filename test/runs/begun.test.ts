// Plans against a base with applies that were begun and not completed beside it: whose change each difference is, what
// is declared no more, and that a saved plan says the same.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { closedPlanSchema, documentValidator } from '../harness/plan-schema.ts'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { applySaved, parsed, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const at = '2026-01-01T00:00:00.000Z'
const isPlan = documentValidator(closedPlanSchema)
let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({ settings: 'removed: { objects: delete, values: inherit }' })
})
afterAll(() => workspace.close())
beforeEach(() =>
  workspace.emulator.load({
    users: ['anna', 'jan', 'ewa'].map((svcId) => ({ svcId, name: svcId })),
    groups: [{ svcId: 'staff', name: 'Staff', members: ['anna', 'jan'] }],
  } as never),
)

interface Sides {
  readonly now: string
  readonly applied?: string
  readonly begun: readonly string[]
  readonly only?: readonly string[]
  readonly undo?: true
}

function against({ now, applied, begun, only = [], undo }: Sides) {
  workspace.manifest(now)
  const folder = (name: string, text: string): string => {
    workspace.write(`${name}/manifests/main.yaml`, text)
    cpSync(join(workspace.dir, 'svcsync.yaml'), join(workspace.dir, name, 'svcsync.yaml'))
    return name
  }
  return {
    base: {
      applied: applied === undefined ? null : folder('applied', applied),
      at,
      begun: begun.map((text, index) => ({
        ...{ folder: folder(`begun${index}`, text), at, only },
        ...(undo && { undo }),
      })),
    },
  }
}
const user = (name: string) => `users: [{ svcId: anna, name: ${name} }]\n`
const group = (...members: string[]) => `groups: [{ svcId: staff, name: Staff, members: [${members}] }]\n`
const causesIn = async (sides: Sides) => [
  ...new Set(
    (await workspace.plan(against(sides))).document.changes.flatMap(({ cause, differences }) => [
      ...(cause === undefined ? [] : [cause]),
      ...differences.flatMap(({ cause: own, added = [], removed = [] }) =>
        [...(own ? [{ cause: own }] : []), ...added, ...removed].map((each) => each.cause),
      ),
    ]),
  ),
]

it.each<[string, Sides, string[]]>([
  ['a value that it was to have', { applied: user('Old'), begun: [user('anna')], now: user('Old') }, ['declared']],
  [
    'a value that only somebody else can have given',
    { applied: user('Old'), begun: [user('B')], now: user('Old') },
    ['live'],
  ],
  ['a value of which it said nothing', { applied: user('Old'), begun: [''], now: user('Old') }, ['live']],
  [
    'a value of which it said nothing, and that an undo may have given back',
    { applied: user('Old'), begun: [''], now: user('Old'), undo: true },
    ['declared'],
  ],
  [
    'a value of an object that was not selected',
    { applied: user('Old'), begun: [''], now: user('Old'), only: ['group/**'] },
    ['live'],
  ],
  ['a value of which nothing was applied', { begun: [user('Old')], now: user('Old') }, ['new']],
  [
    'an object that it let go of, and that is not there',
    {
      applied: 'users: [{ svcId: new, name: New, email: n@x }]',
      begun: [''],
      now: 'users: [{ svcId: new, name: New, email: n@x }]',
    },
    ['declared'],
  ],
  [
    'an object that all say is there, and that is not',
    {
      applied: 'users: [{ svcId: new, name: New, email: n@x }]',
      begun: ['users: [{ svcId: new, name: N, email: n@x }]'],
      now: 'users: [{ svcId: new, name: New, email: n@x }]',
    },
    ['live'],
  ],
  [
    'an entry that it gave',
    { applied: group('anna'), begun: [group('anna', 'jan')], now: group('anna') },
    ['declared'],
  ],
  ['an entry that none gave', { applied: group('anna'), begun: [group('anna', 'ewa')], now: group('anna') }, ['live']],
  [
    'an entry that it took',
    { applied: group('anna', 'jan', 'ewa'), begun: [group('anna', 'jan')], now: group('anna', 'jan', 'ewa') },
    ['declared'],
  ],
  [
    'an entry that none took',
    { applied: group('anna', 'jan', 'ewa'), begun: [group('anna', 'ewa')], now: group('anna', 'jan', 'ewa') },
    ['live'],
  ],
])('%s', async (_what, sides, causes) => {
  expect(await causesIn(sides)).toEqual(causes)
})

it('deletes what it created, takes what it gave, as does a saved plan of that without those manifests', async () => {
  const saying = (users: string, members: string) =>
    `users: [{ svcId: anna, name: anna }${users}]\nmemberships: [{ group: staff, members: [${members}] }]\n`
  // Byte for byte what was applied: after a revert.
  const said = saying('', 'anna')
  const begun = [saying(', { svcId: jan, name: jan }', 'anna'), saying('', 'anna, jan, ewa')]
  const run = against({ applied: said, begun, now: said })
  const text = await savedText(workspace, run)
  const saved = parsed(text)
  expect([isPlan(JSON.parse(text)), isPlan.errors]).toEqual([true, null])
  const commits = saved.base?.begun?.map(({ commit }) => commit)
  expect(saved.noLongerDeclared).toMatchObject([
    { address: 'group/staff', element: { svcId: 'jan' }, becomes: 'removed', place: { commit: commits?.[1] } },
    { address: 'user/jan', becomes: 'deleted', place: { commit: commits?.[0] } },
  ])
  for (const name of ['applied', 'begun0', 'begun1']) workspace.write(`${name}/manifests/main.yaml`, '')
  expect(await applySaved(workspace, text)).toMatchObject({ outcome: 'converged' })
  const { users = [], groups = [] } = workspace.emulator.state()
  expect([users.map(({ svcId }) => svcId), groups.map(({ members }) => members)]).toEqual([['anna', 'ewa'], [['anna']]])
})

it('counts of an apply of a part what was selected alone, also where names have to be looked up', async () => {
  const processes = ['P', 'Q'].map((name) => ({ name, privileges: [{ svcId: 'jan', level: 'Start' }] }))
  workspace.emulator.load({
    users: [{ svcId: 'jan' }],
    databases: [{ id: 1, applications: [{ name: 'A', processes }] }],
  } as never)
  const given = (name: string) =>
    `  - { application: A, process: ${name}, manage: { privileges: additive }, privileges: { Start: [jan] } }\n`
  const sides = { applied: '', begun: [`database: main\nprocesses:\n${given('P')}${given('Q')}`], now: '' }
  const goneIn = async (only: readonly string[]) =>
    (await workspace.plan(against({ ...sides, only }))).document.noLongerDeclared?.map(({ address }) => address)
  expect(await goneIn(['process/main/A/P'])).toEqual(['process/main/A/P'])
  expect(await goneIn([])).toEqual(['process/main/A/P', 'process/main/A/Q'])
})

it('sends credentials again where a begun rotation may have sent others, and lets its values inherit', async () => {
  workspace.emulator.load(sampleTenant)
  const connection = (rotation: number, prod = '') =>
    'database: main\nconnections: [{ name: ERP, type: SQL, sql: ' +
    `{ common: { user: u, rotation: ${rotation} }${prod} } }]\n`
  workspace.manifest(connection(2, ', prod: { user: p }'))
  await workspace.apply()
  const rotated = against({ applied: connection(1), begun: [connection(2, ', prod: { user: p }')], now: connection(1) })
  const { steps, changes, noLongerDeclared } = (await workspace.plan(rotated)).document
  expect([steps.length, JSON.stringify(changes)]).toEqual([1, expect.stringContaining('"rotates":true')])
  expect(noLongerDeclared).toMatchObject([{ path: 'sql.prod', becomes: 'inherits' }])
})
