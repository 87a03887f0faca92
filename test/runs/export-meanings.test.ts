// null, "", [] and what is not said: four meanings, through an apply, an export, the formatter and the next plan,
// however the installation shows what is empty.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '../../src/emulator/index.ts'
import type { Extent } from '../../src/export/fitting.ts'
import { formatText } from '../../src/format/format-text.ts'
import { kinds } from '../../src/kinds/index.ts'
import { manifestShapeOf } from '../../src/manifests/manifest-shape.ts'
import { adopt } from '../harness/adopt.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'

const { document } = manifestShapeOf(kinds)
const secret = 'hidden-word'
const tenant = {
  users: [
    { svcId: 'u-null', name: 'N', email: null, phoneNumber: null, jobTitle: null, managerSvcId: null },
    { svcId: 'u-empty', name: 'E', email: '', phoneNumber: '', jobTitle: '', managerSvcId: '' },
    { svcId: 'u-unset', name: 'U' },
    { svcId: 'u-set', name: 'S', email: 's@example.com', phoneNumber: '1', jobTitle: 'J', managerSvcId: 'u-unset' },
  ],
  groups: [
    { svcId: 'g-empty', name: 'E', email: '', members: [], owners: [] },
    { svcId: 'g-unset', name: 'U' },
    { svcId: 'g-set', name: 'S', email: 'g@example.com', members: ['u-set'], owners: ['u-unset'] },
  ],
  databases: [
    {
      id: 1,
      constantGroups: [{ id: 4, name: 'G' }],
      constants: [
        { name: 'c-null', description: null, groupId: null, common: '' },
        { name: 'c-empty', description: '', common: '', dev: '', test: '' },
        { name: 'c-set', description: 'd', groupId: 4, common: 'c', dev: 'c', test: 't' },
      ],
      connections: [
        {
          name: 'k-empty',
          type: 'REST',
          rest: { common: { baseUrl: '' }, dev: {}, test: { baseUrl: '', password: secret } },
        },
        {
          name: 'k-set',
          type: 'SQL',
          sql: { common: { server: 's', user: 'u', password: secret }, test: { server: 's' } },
        },
      ],
      applications: [
        { name: 'A', privileges: [], processes: [{ name: 'P', privileges: [{ svcId: 'u-set', level: 'Start' }] }] },
      ],
    },
  ],
} as unknown as Tenant

const all = <T>(...values: readonly T[]): readonly T[] => values
const installations = all('asWritten', 'asNull', 'asEmptyText').flatMap((emptyText) =>
  all('omitted', 'shown').flatMap((inheritedEnvironments) =>
    all('emptyList', 'null').map((emptyMembers) => ({ emptyText, inheritedEnvironments, emptyMembers })),
  ),
)

let workspace: Workspace
beforeAll(async () => {
  workspace = await openWorkspace()
})
afterAll(() => workspace.close())

const load = (state: Tenant, behaviour: unknown) => workspace.emulator.load({ ...state, behaviour } as Tenant)

/** Exported, in canonical layout, valid, and with nothing to change. */
async function exported(extent: Extent): Promise<Readonly<Record<string, string>>> {
  const { texts, changes, unreadable, warnings, leftOut } = await adopt(workspace, { extent })
  expect({ changes, unreadable, warnings, leftOut }).toEqual({ changes: [], unreadable: [], warnings: [], leftOut: [] })
  for (const [file, text] of Object.entries(texts)) expect(formatText(text, document), file).toEqual({ text })
  expect(workspace.open().problems).toEqual([])
  return texts
}

/** Without what stands above the sections. */
const body = (text = '') => text.slice(text.search(/^(?:users|groups|constants|connections):/m))

describe.each(['sparse', 'lists', 'complete'] as const)('what is there, %s', (extent) => {
  let first: Readonly<Record<string, string>> | undefined

  it.each(installations)('is written the same by every installation: %o', async (behaviour) => {
    load(tenant, behaviour)
    const texts = await exported(extent)
    first ??= texts
    expect(texts).toEqual(first)
  })

  it('reads as it is', () => {
    const { 'users.yaml': users, 'groups.yaml': groups, 'constants.yaml': constants } = first ?? {}
    expect([body(users), body(groups), body(constants)].join('\n')).toMatchSnapshot()
    expect(body(first?.['connections.yaml'])).toMatchSnapshot()
    expect(JSON.stringify(first)).not.toContain(secret)
  })
})

const full = {
  users: [
    { svcId: 'u', name: 'U', email: 'u@example.com', phoneNumber: '1', jobTitle: 'J', managerSvcId: 'm' },
    { svcId: 'm', name: 'M' },
  ],
  groups: [{ svcId: 'g', name: 'G', email: 'g@example.com', members: ['u'], owners: ['m'] }],
  databases: [
    {
      id: 1,
      constantGroups: [{ id: 4, name: 'G' }],
      constants: [{ name: 'c', description: 'd', groupId: 4, common: 'c', dev: 'd', test: 't', prod: 'p' }],
      connections: [
        {
          name: 'k',
          type: 'SQL',
          sql: { common: { server: 's', database: 'd' }, dev: { server: 'x' }, test: { server: 'z' } },
        },
      ],
    },
  ],
} as unknown as Tenant

it.each(installations)('what an apply has made of the four is exported as that: %o', async (behaviour) => {
  load(full, behaviour)
  const declared = `database: main
users:
  - svcId: u
    email: null
    phoneNumber: ""
groups:
  - svcId: g
    email: null
    members: []
constants:
  - name: c
    description: null
    groupId: null
    dev: null
    test: ""
connections:
  - name: k
    type: SQL
    sql:
      common: { server: s, database: null }
      dev: null
`
  rmSync(join(workspace.dir, 'manifests'), { recursive: true })
  workspace.manifest(declared)
  expect((await workspace.apply()).outcome).toBe('converged')
  const texts = await exported('complete')
  // Cleared; cleared; untouched, since nothing was said of it.
  expect(texts['users.yaml']).toContain(
    '    email: null\n    phoneNumber: null\n    managerSvcId: m\n    jobTitle: J\n',
  )
  expect(texts['groups.yaml']).toContain('    email: null\n    members: []\n    owners: [m]\n')
  // Inherits; is empty; untouched.
  const environments = '    common: c\n    dev: null\n    test: ""\n    prod: p\n'
  expect(texts['constants.yaml']).toContain(`    description: null\n    groupId: null\n${environments}`)
  expect(texts['connections.yaml']).toMatch(
    /common:\n +server: s\n +database: null\n[\s\S]* dev: null\n +test:\n +server: z\n/,
  )
  // Both ways to say it hold, and so does what was said first.
  rmSync(join(workspace.dir, 'manifests'), { recursive: true })
  workspace.manifest(declared)
  expect(await workspace.changes()).toEqual([])
})
