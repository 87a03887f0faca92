// Named sets of accounts: expanded wherever accounts are listed, with both places kept.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleTenant } from '../harness/sample-tenant.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace({
    tenant: sampleTenant,
    settings: 'sets:\n  staff: [{ set: bosses }, ewa.lis@example.com]',
  })
})
afterAll(() => workspace.close())

const sets = 'sets:\n  bosses:\n    - jan.kos@example.com\n'

it('stands for everybody in it, in every list of accounts, and may hold sets', async () => {
  workspace.manifest(`${sets}groups:
  - svcId: clerks@example.com
    members: [{ set: staff }, jan.kos@example.com]
    owners: [{ set: bosses }]
processes:
  - process: Sample process
    privileges: { Start: [{ set: staff, company: PL01 }] }
`)
  const { plan, document } = await workspace.plan()
  const listed = Object.fromEntries(
    plan.changes.map(({ address, collections }) => [
      address,
      collections.flatMap(({ collection, added }) =>
        added.map(({ element, listedAt }) => [
          collection,
          element.svcId,
          element.company?.name,
          listedAt?.file,
          listedAt?.line,
        ]),
      ),
    ]),
  )
  expect(listed).toEqual({
    'group/clerks@example.com': [
      ['members', 'ewa.lis@example.com', undefined, 'svcsync.yaml', 12],
      ['members', 'jan.kos@example.com', undefined, 'manifests/main.yaml', 3],
      ['owners', 'jan.kos@example.com', undefined, 'manifests/main.yaml', 3],
    ],
    'process/main/Sample application/Sample process': [
      ['privileges', 'ewa.lis@example.com', 'PL01', 'svcsync.yaml', 12],
      ['privileges', 'jan.kos@example.com', 'PL01', 'manifests/main.yaml', 3],
    ],
  })
  expect(document.changes[0]?.differences[0]?.throughSets).toEqual([
    {
      svcId: 'ewa.lis@example.com',
      set: 'staff',
      place: { file: 'manifests/main.yaml', line: 6, column: 15 },
      listedAt: { file: 'svcsync.yaml', line: 12, column: 28 },
    },
    {
      svcId: 'jan.kos@example.com',
      set: 'staff',
      place: { file: 'manifests/main.yaml', line: 6, column: 15 },
      listedAt: { file: 'manifests/main.yaml', line: 3, column: 7 },
    },
  ])
  expect(await workspace.apply()).toMatchObject({ outcome: 'converged' })
  expect(await workspace.changes()).toEqual([])
})

it('is named with its line where somebody is removed whom it does not have, or not at this time', async () => {
  const nowMs = Date.parse('2026-04-15T00:00:00Z')
  workspace.manifest(
    `${sets}groups: [{ svcId: clerks@example.com, members: [{ set: staff }, auditor@corp.example.com] }]\n`,
  )
  await workspace.apply({ nowMs })
  workspace.manifest(`sets:
  bosses: [{ svcId: jan.kos@example.com, until: 2026-03-31 }]
groups:
  - svcId: clerks@example.com
    members: [{ set: staff, until: 2026-12-31 }, { set: bosses, from: 2026-06-01 }]
`)
  const { document } = await workspace.plan({ nowMs })
  expect(document.changes[0]?.differences).toMatchObject([
    {
      removed: [{ svcId: 'auditor@corp.example.com' }, { svcId: 'jan.kos@example.com' }],
      notInSets: [
        { set: 'staff', place: { line: 5, column: 15 } },
        { set: 'bosses', place: { line: 5, column: 50 } },
      ],
      outsideTime: [
        {
          svcId: 'jan.kos@example.com',
          event: 'ended',
          shown: '2026-03-31',
          set: 'staff',
          place: { line: 5, column: 15 },
          listedAt: { line: 2, column: 12 },
        },
      ],
    },
  ])
})

it('that is empty empties a list, as the guards see', async () => {
  workspace.manifest(`${sets}groups: [{ svcId: clerks@example.com, members: [{ set: bosses }] }]\n`)
  await workspace.apply()
  workspace.manifest('sets:\n  bosses: []\ngroups: [{ svcId: clerks@example.com, members: [{ set: bosses }] }]\n')
  const { document } = await workspace.plan()
  expect(document.changes[0]?.differences).toMatchObject([{ notInSets: [{ set: 'bosses' }] }])
  expect(document.guards.filter(({ verdict }) => verdict === 'refused')).toMatchObject([
    { guard: 'emptied-group', allow: 'emptied-group=group/clerks@example.com' },
  ])
})

it('counts within its own bounds and those of its entries', async () => {
  workspace.manifest(`sets:
  bosses: []
  helpers:
    - { svcId: ewa.lis@example.com, from: 2026-03-01 }
groups:
  - svcId: new@example.com
    name: New
    members: [{ set: helpers, until: 2026-03-31 }]
`)
  const members = async (date: string) =>
    (await workspace.plan({ nowMs: Date.parse(date), only: ['group/*'] })).document.changes[0]?.differences[1]?.added
      ?.length ?? 0
  expect(await members('2026-02-01')).toBe(0)
  expect(await members('2026-03-15')).toBe(1)
  expect(await members('2026-04-01')).toBe(0)
})

it.each([
  [
    'that nobody declares',
    `${sets}groups: [{ svcId: g, members: [{ set: boses }] }]`,
    'SVC1308',
    'Did you mean `bosses`?',
  ],
  ['that is declared twice', `${sets}  staff: []`, 'SVC1301', 'svcsync.yaml'],
  [
    'that contains itself',
    'sets:\n  bosses: [{ set: staff }]\ngroups: [{ svcId: g, members: [{ set: staff }] }]',
    'SVC1311',
    'Remove one',
  ],
])('%s is a problem', (_what, manifest, code, hint) => {
  workspace.manifest(manifest)
  expect(workspace.open().problems).toMatchObject([{ code, hint: expect.stringContaining(hint) }])
})

it('says of an entry that names nobody what is wrong with it, and no more', () => {
  workspace.manifest(`sets:
  bosses: ["\${env:WHO}", { svcId: "\${env:WHO}" }]
groups: [{ svcId: clerks@example.com, members: [{ set: bosses }, {}, { svcId: "\${env:WHO}" }, { from: 2026-01-01 }] }]
`)
  expect(workspace.open().problems.map(({ code }) => code)).toEqual([
    ...['SVC1204', 'SVC1204', 'SVC1103', 'SVC1204', 'SVC1103'],
  ])
})

it('is looked at once for what is wrong in it, however many lists it goes into, and also where none does', async () => {
  workspace.manifest(`sets:
  bosses: [{ svcId: jan.kos@example.com, until: 2020-01-31 }]
  unused: [{ set: nowhere }]
groups:
  - { svcId: clerks@example.com, members: [{ set: bosses }], owners: [{ set: bosses }, { set: bosses }] }
`)
  await expect(workspace.plan()).rejects.toMatchObject({
    problems: [
      { code: 'SVC1309', place: { line: 2 } },
      { code: 'SVC1308', place: { line: 3 } },
    ],
  })
})

it('may hold sets that hold each other many times over, in a row of any length', async () => {
  const doubled = Array.from({ length: 60 }, (_, n) => `  d${n}: [{ set: d${n + 1} }, { set: d${n + 1} }]\n`)
  const row = Array.from({ length: 20_000 }, (_, n) => `  r${n}: [{ set: r${n + 1} }]\n`)
  workspace.manifest(`sets:
  bosses: []
${doubled.join('')}  d60: [one@corp.example.com]
${row.join('')}  r20000: [two@corp.example.com]
groups:
  - { svcId: clerks@example.com, members: [{ set: d0 }, { set: r0 }] }
`)
  const { plan } = await workspace.plan()
  const added = plan.changes.flatMap(({ collections }) => collections.flatMap(({ added }) => added))
  expect(added.map(({ element }) => element.svcId).sort()).toEqual(['one@corp.example.com', 'two@corp.example.com'])
})

it('may be one of a long row in which each adds an account to the one before', async () => {
  // Were each of them made flat, they would hold two hundred million entries.
  const row = Array.from({ length: 20_000 }, (_, n) => `  r${n + 1}: [{ set: r${n} }, a${n + 1}@corp.example.com]\n`)
  workspace.manifest(`sets:
  bosses: []
  r0: [a0@corp.example.com]
${row.join('')}groups:
  - { svcId: clerks@example.com, members: [{ set: r3 }], owners: [{ set: r20000 }] }
`)
  const { plan } = await workspace.plan()
  const added = plan.changes.flatMap(({ collections }) => collections)
  const svcIds = (name: string) =>
    added.flatMap(({ collection, added }) => (collection === name ? added.map(({ element }) => element.svcId) : []))
  expect(svcIds('members')).toEqual([0, 1, 2, 3].map((n) => `a${n}@corp.example.com`))
  expect(new Set(svcIds('owners')).size).toBe(20_001)
})

it('may overlap with others in time: an account begins or ends when no other line names it', async () => {
  workspace.manifest(`sets:
  bosses: [{ svcId: jan.kos@example.com, until: 2026-01-06 }, ewa.lis@example.com]
  later: [{ set: bosses, from: 2026-01-03 }]
groups:
  - svcId: clerks@example.com
    members: [{ set: bosses }, { set: later, until: 2026-01-05 }, { svcId: one@corp.example.com, from: 2026-01-07 }]
`)
  const { document } = await workspace.plan({ nowMs: Date.parse('2026-01-01T00:00:00Z') })
  expect(document.upcoming[0]).toMatchObject({
    set: 'bosses',
    place: { line: 6, column: 15 },
    listedAt: { line: 2, column: 12 },
  })
  expect(document.upcoming.map(({ svcId, event, shown }) => [svcId, event, shown])).toEqual([
    ['jan.kos@example.com', 'ends', '2026-01-06'],
    ['one@corp.example.com', 'begins', '2026-01-07'],
  ])
})
