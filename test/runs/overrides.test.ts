// Overrides of a target: read, checked, planned at their places, and no manifests of other targets.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/index.ts'
import { findProjectFiles } from '../../src/project/find-project.ts'
import { openProject } from '../../src/runs/open/open-project.ts'
import { applySaved, savedText } from '../harness/saved-plans.ts'
import { openWorkspace, type Workspace } from '../harness/workspace.ts'
import { brief } from '../manifests/manifest-fixture.ts'

const tenant = {
  users: [{ svcId: 'jan@example.com' }, { svcId: 'ewa@example.com' }],
  groups: [{ svcId: 'staff@example.com', name: 'Staff' }],
  databases: [
    {
      id: 1,
      constants: [{ name: 'Url', common: 'live' }],
      connections: [{ name: 'ERP', type: 'SQL' as const, sql: { common: { server: 'live', database: 'live' } } }],
    },
  ],
}
const base = `groups:
  - svcId: staff@example.com
    name: Everybody
    members: [jan@example.com]
constants:
  - { name: Url, common: base, test: base }
connections:
  - name: ERP
    type: SQL
    sql:
      common: { server: base, database: base }
`
const override = `groups:
  - svcId: staff@example.com
    members: [ewa@example.com]
constants:
  - name: Url
    common: own
connections:
  - name: ERP
    type: SQL
    sql:
      common:
        server: own
`

let workspace: Workspace
beforeAll(async () => {
  const settings = `  other:
    baseUrl: https://other.example.com
    databases: { main: 2 }
    overrides: ["manifests/other.*", "\${env:NOBODY}"]`
  workspace = await openWorkspace({
    tenant,
    target: '    overrides: [manifests/own]',
    settings,
  })
  workspace.write('manifests/other.yaml', 'groups:\n  - svcId: staff@example.com\n    name: Other\n')
  workspace.manifest(base)
})
afterAll(() => workspace.close())

const problemsOf = (file: string) => {
  workspace.write('manifests/own/main.yaml', file)
  return brief(workspace.open().problems)
}

it('plans what the override says at its place, and the rest from the base at its own', async () => {
  workspace.write('manifests/own/main.yaml', override)
  const { document } = await workspace.plan()
  const lines = document.changes.flatMap(({ address, differences }) =>
    differences.map(({ path, after, added, place }) => {
      const what = added === undefined ? after : added.map(({ svcId }) => svcId).join()
      return `${address} ${path}: ${what} (${place?.file}:${place?.line})`
    }),
  )
  expect(lines).toEqual([
    'connection/main/ERP sql.common.server: own (manifests/own/main.yaml:12)',
    'connection/main/ERP sql.common.database: base (manifests/main.yaml:11)',
    'constant/main/Url common: own (manifests/own/main.yaml:6)',
    'constant/main/Url test: base (manifests/main.yaml:6)',
    'group/staff@example.com name: Everybody (manifests/main.yaml:3)',
    'group/staff@example.com members: ewa@example.com (manifests/own/main.yaml:3)',
  ])
  expect((await workspace.apply()).outcome).toBe('converged')
  expect(await workspace.changes()).toEqual([])
})

it('refuses an override of an object that no manifest declares, once for what stands in it', () => {
  expect(problemsOf('constants: [{ name: Ulr, common: x }]\n')).toEqual([
    'SVC1316 manifests/own/main.yaml:1:21 No manifest declares `Ulr` under `constants`: there is nothing to override',
  ])
  expect(workspace.open().problems[0]?.hint).toBe('Did you mean `Url`?')
  expect(problemsOf('processes:\n  - process: P\n    constants: [{ name: Q, common: x }]\n')).toEqual([
    'SVC1316 manifests/own/main.yaml:2:14 No manifest declares `P` under `processes`: there is nothing to override',
  ])
  expect(problemsOf('memberships: [{ group: staff@example.com, members: [] }]\n')).toContainEqual(
    expect.stringContaining('SVC1316'),
  )
})

it('tells what an override leaves out or has otherwise where the name is right', () => {
  workspace.manifest('processes: [{ process: P, application: A, privileges: {} }]\n')
  expect(problemsOf('processes: [{ process: P, privileges: {} }]\n')).toEqual([
    'SVC1316 manifests/own/main.yaml:1:24 No manifest declares `process/main/*/P`: there is nothing to override',
  ])
  expect(workspace.open().problems[0]?.hint).toBe(
    'The manifests declare `process/main/A/P`: name its container here as they do.',
  )
  workspace.manifest(base)
})

it('says nothing of that where a manifest cannot be read: it may declare anything', () => {
  workspace.manifest('groups: [')
  expect(problemsOf(override)).toEqual([expect.stringContaining('SVC1003')])
  workspace.manifest(base)
})

it('is no manifest of another target, which has its own', () => {
  workspace.write('manifests/own/main.yaml', override)
  workspace.write('elsewhere/x.yaml', '')
  const open = (target: string) =>
    openProject({
      cwd: workspace.dir,
      target,
      env: { NOBODY: 'elsewhere' },
      kinds,
      needCredentials: false,
      nowMs: 0,
    })
  const files = ({ declarations, problems }: ReturnType<typeof open>) => [
    ...new Set(declarations.map(({ source }) => source.file)),
    ...problems.filter(({ severity }) => severity === 'error'),
  ]
  expect(files(open('test'))).toEqual(['manifests/main.yaml', 'manifests/own/main.yaml'])
  expect(files(open('other'))).toEqual(['manifests/main.yaml', 'manifests/other.yaml'])
})

it('is laid out by fmt, whoever it belongs to', () => {
  const { project } = workspace.open()
  const { files, overrides, others } = findProjectFiles(project)
  expect([...files, ...overrides, ...others].map((file) => relative(workspace.dir, file))).toEqual([
    'manifests/main.yaml',
    'manifests/own/main.yaml',
    'manifests/other.yaml',
  ])
})

it('leaves alone what is unmanaged in this target, in a plan and in an apply', async () => {
  workspace.write(
    'manifests/own/main.yaml',
    `groups: [{ svcId: staff@example.com, unmanaged: [members] }]
constants: [{ name: Url, unmanaged: [test] }]
connections: [{ name: ERP, type: SQL, unmanaged: [sql.common.server] }]
`,
  )
  workspace.manifest(
    base
      .replace('base, test: base', 'left, test: right')
      .replace('server: base, database: base', 'server: no, database: other'),
  )
  const { document } = await workspace.plan()
  expect(
    document.changes.flatMap(({ address, differences }) => differences.map(({ path }) => `${address} ${path}`)),
  ).toEqual(['connection/main/ERP sql.common.database', 'constant/main/Url common'])
  expect((await workspace.apply()).outcome).toBe('converged')
  const { connections, constants } = workspace.emulator.state().databases?.[0] ?? {}
  expect({ connections, constants }).toMatchObject({
    connections: [{ sql: { common: { server: 'own', database: 'other' } } }],
    constants: [{ common: 'left' }],
  })
})

it('takes back nothing unmanaged, and all else that only the base declares, also by a saved plan', async () => {
  const [jan, ewa] = ['jan@example.com', 'ewa@example.com']
  const privileges = [jan, ewa].flatMap((svcId) => (['Start', 'Modify'] as const).map((level) => ({ svcId, level })))
  workspace.emulator.load({
    ...tenant,
    groups: [{ svcId: 'staff@example.com', name: 'Staff', members: [jan, ewa], owners: [jan] }],
    databases: [
      {
        id: 1,
        constants: [{ name: 'Url', common: 'live', test: 'own', prod: 'own' }],
        applications: [{ name: 'A', processes: [{ name: 'P', privileges }] }],
      },
    ],
  })
  const said = (
    level: string,
    more = '',
  ) => `groups: [{ svcId: staff@example.com, name: Staff, members: [${jan}, ${ewa}]${more} }]
constants: [{ name: Url, common: live, test: own${more && ', prod: own'} }]
processes: [{ process: P, privileges: { Start: [${jan}, ${ewa}], Modify: [${level}] } }]
`
  workspace.manifest(said(jan))
  workspace.baseManifest(said(`${jan}, ${ewa}`, `, owners: [${jan}]`))
  workspace.write('base/manifests/own/main.yaml', 'groups: [{ svcId: staff@example.com, name: Staff }]')
  workspace.write(
    'manifests/own/main.yaml',
    `groups: [{ svcId: staff@example.com, unmanaged: [members] }]
constants: [{ name: Url, unmanaged: [test] }]
processes: [{ process: P, unmanaged: [privileges.Start] }]
`,
  )
  const project = readFileSync(join(workspace.dir, 'svcsync.yaml'), 'utf8')
  workspace.write('svcsync.yaml', `${project}\nremoved: { values: inherit }\n`)
  try {
    const { document } = await workspace.plan({ base: 'ledger' })
    expect(
      document.noLongerDeclared?.map(({ address, path, element }) => [address, path, element?.svcId, element?.level]),
    ).toEqual([
      ['constant/main/Url', 'prod', undefined, undefined],
      ['group/staff@example.com', 'owners', jan, undefined],
      ['process/main/A/P', 'privileges', ewa, 'Modify'],
    ])
    const report = await applySaved(workspace, await savedText(workspace, { base: 'ledger' }))
    expect(report).toMatchObject({ outcome: 'converged', counts: { done: 3 } })
  } finally {
    workspace.write('svcsync.yaml', project)
  }
})

it('names the line that leaves out what a new object needs', async () => {
  workspace.manifest('constants: [{ name: New, common: x }]\n')
  workspace.write('manifests/own/main.yaml', 'constants: [{ name: New, unmanaged: [common] }]\n')
  const error: unknown = await workspace.plan().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    problems: [
      {
        code: 'SVC1103',
        place: { file: 'manifests/main.yaml', line: 1 },
        hint: expect.stringContaining('`unmanaged`'),
        related: [{ place: { file: 'manifests/own/main.yaml', line: 1, column: 38 } }],
      },
    ],
  })
})

describe('what an override says is declared and read like the rest', () => {
  const more = {
    users: [{ svcId: 'jan@example.com' }, { svcId: 'ewa@example.com' }, { svcId: 'old@example.com' }],
    groups: [{ svcId: 'staff@example.com', name: 'Staff', members: ['ewa@example.com'] }],
    databases: [
      {
        id: 1,
        applications: [
          {
            name: 'A',
            processes: [{ name: 'P', privileges: [{ svcId: 'ewa@example.com', level: 'Start' as const }] }],
          },
        ],
      },
    ],
  }
  const group = 'groups: [{ svcId: staff@example.com, members: [jan@example.com] }]\n'
  const processes = (who: string) => `processes: [{ process: P, privileges: { Start: [${who}@example.com] } }]\n`

  it('where an account is deleted: nothing is left out', async () => {
    workspace.emulator.load(more)
    workspace.manifest(`users: [{ svcId: old@example.com, absent: true }]\n${group}`)
    workspace.write('manifests/own/main.yaml', 'groups: [{ svcId: staff@example.com, members: [ewa@example.com] }]\n')
    const { document } = await workspace.plan()
    expect(document.changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
      'delete user/old@example.com',
    ])
    expect(document.guards.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  })

  it('where a group is deleted in this target alone', async () => {
    workspace.manifest(group)
    workspace.write('manifests/own/main.yaml', 'groups: [{ svcId: staff@example.com, absent: true }]\n')
    const { document } = await workspace.plan()
    expect(document.changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
      'delete group/staff@example.com',
    ])
    expect(document.guards.filter(({ guard, verdict }) => guard === 'unread' && verdict !== 'passed')).toEqual([])
  })

  it('where --only selects it: it was read, and who can do what by it is known', async () => {
    workspace.manifest(`${group}${processes('jan')}`)
    workspace.write('manifests/own/main.yaml', processes('staff'))
    const { document } = await workspace.plan({ only: ['group/*', 'process/**'] })
    expect(document.access?.gained).toMatchObject([{ subject: 'jan@example.com', level: 'Start' }])
    const unread = document.access?.unknown.filter(({ subject }) => subject === undefined)
    expect(unread).toEqual([])
  })

  it('where only the base declares it: what it gave is taken back', async () => {
    workspace.emulator.load(more)
    workspace.manifest('')
    workspace.write('manifests/own/main.yaml', '')
    workspace.baseManifest(processes('jan'))
    workspace.write('base/manifests/own/main.yaml', processes('ewa'))
    const { document } = await workspace.plan({ base: 'folder' })
    expect(document.unreadable).toEqual([])
    expect(
      document.changes.flatMap(({ differences }) => differences.flatMap(({ removed }) => removed ?? [])),
    ).toMatchObject([{ svcId: 'ewa@example.com' }])
  })
})
