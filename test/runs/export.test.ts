// The reads and files of an export: by access, by selection, by API version, and of the examples.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { page } from '../../src/core/model/capabilities/page.ts'
import type { Tenant } from '../../src/emulator/index.ts'
import type { Extent } from '../../src/export/fitting.ts'
import { adopt } from '../harness/adopt.ts'
import { kindsRefused } from '../harness/granted-kinds.ts'
import { isThorough } from '../harness/thorough.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'

let workspace: Workspace
afterEach(() => workspace.close())

const open = async (tenant: unknown, options: WorkspaceOptions = {}): Promise<void> => {
  workspace = await openWorkspace({ tenant: tenant as Tenant, ...options })
}
const nothingToDo = { changes: [], unreadable: [], leftOut: [] }
const jan = { svcId: 'jan@example.com', name: 'Jan' }
const reads = { privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }] }

describe('access', () => {
  const applications = (scopes: readonly string[]) => [
    { name: 's', clientId: 'svcsync', clientSecret: 'svcsync-secret', scopes },
  ]

  it('is asked for by what is wanted, for reading only', async () => {
    await open({ users: [jan], apiApplications: applications(['Admin.Read.All', 'App.Metadata.Read']) })
    expect(await adopt(workspace)).toMatchObject(nothingToDo)
  })

  it('to business entities that is missing leaves out what is limited to one, and no more', async () => {
    const entity = { code: 'PL01', name: 'Poland', id: 1, guid: 'e0000000-0000-4000-8000-000000000000' }
    const least = { originalPerson: { svcId: jan.svcId }, substitutePerson: { svcId: 'ewa@example.com' } }
    const substitution = {
      ...{ ...least, type: 'TaskDelegation', startDate: '2100-07-01', endDate: '2100-07-15' },
      businessEntity: { id: 1, guid: entity.guid, dbId: 1 },
      activeApplications: { allApplications: true },
    }
    await open({
      users: [jan, { svcId: 'ewa@example.com', name: 'Ewa' }],
      databases: [{ id: 1, businessEntities: [entity] }],
      substitutions: [substitution],
      apiApplications: applications(['Admin.Users.Read', 'Admin.Groups.Read', 'Admin.Substitutions.Read']),
    })
    const { files, leftOut } = await workspace.export({ only: ['user/*', 'substitution/*'] })
    expect(leftOut.map(({ address, field }) => [address, field])).toEqual([
      ['substitution/jan@example.com→ewa@example.com/TaskDelegation/2100-07-01', 'businessEntity'],
    ])
    expect(files.map(({ file }) => file)).toEqual(['users.yaml', 'substitutions.yaml'])
  })

  it('that is missing leaves out what it is for', async () => {
    await open({
      users: [jan],
      groups: [{ svcId: 'g', name: 'G' }],
      databases: [{ id: 1 }],
      apiApplications: applications(['Admin.Groups.Read']),
    })
    const exported = await workspace.export()
    const lists = kindsRefused(['Admin.Groups.Read']).filter(
      (kind) => kind.parent === undefined && page.of(kind) === undefined,
    )
    const addresses = lists.map(({ scope, segment }) => (scope === 'installation' ? segment : `${segment}/main`))
    expect(exported.leftOut.map(({ address }) => address)).toEqual(addresses.sort())
    expect(addresses).toContain('user')
    expect(exported.files.map(({ file }) => file)).toContain('groups.yaml')
    const alone = await workspace.export({ only: ['group/**'] })
    expect(alone).toMatchObject({ leftOut: [], objects: 1 })
  })

  it('to what selected objects name is asked for as well, and where it is refused the hint says to what', async () => {
    const solution = {
      type: 'SingleSolutionUser',
      singleSolutionSettings: {
        processes: [{ id: 1, guid: `${'1'.repeat(8)}-0000-4000-8000-000000000000`, dbId: 1, name: 'P' }],
      },
    }
    const tenant = {
      users: [jan],
      licenses: { assigned: [{ svcId: jan.svcId, licenses: [solution] }] },
      databases: [
        {
          id: 1,
          applications: [
            { name: 'A', processes: [{ name: 'P', id: 1, guid: `${'1'.repeat(8)}-0000-4000-8000-000000000000` }] },
          ],
        },
      ],
    }
    await open(tenant)
    const only = ['license/*']
    const { files, leftOut } = await workspace.export({ only })
    expect([leftOut, files.map(({ file }) => file)]).toEqual([[], ['licenses.yaml']])
    workspace.emulator.load({ ...tenant, apiApplications: applications(['Admin.Licenses.Read']) } as unknown as Tenant)
    expect((await workspace.export({ only })).leftOut[0]).toMatchObject({
      reason: 'It is about a process that cannot be looked up',
      hint: 'Check that the application may read processes.',
    })
  })

  it('to nothing at all is an error', async () => {
    await open({ apiApplications: applications(['App.Tasks.Read.All']) })
    await expect(workspace.export()).rejects.toMatchObject({ code: 'SVC3043' })
  })
})

describe('a selection', () => {
  const process = (name: string) => ({ name, ...reads, constants: [{ name: 'C', common: 'c' }] })
  const tenant = {
    users: [jan],
    databases: [
      {
        id: 1,
        applications: [
          { name: 'A', processes: [process('P'), process('Q')] },
          { name: 'B', processes: [process('P')] },
        ],
      },
    ],
  }
  const pathsOf = async (only: readonly string[]) => {
    await open(tenant)
    const { files } = await workspace.export({ only })
    const paths = workspace.emulator.requests().map(({ path }) => String(path).replace(/^.*\/v6.0/, ''))
    return { text: files.map(({ text }) => text).join(''), paths: paths.filter((path) => !path.endsWith('/token')) }
  }

  it('reads what it needs to find its objects, and no more', async () => {
    const { text, paths } = await pathsOf(['process/main/A/P/constant/*'])
    expect(paths).toHaveLength(4)
    expect(text).toContain('  - process: P\n    application: A\n    constants:\n      - name: C\n        common: c\n')
    expect(text).not.toContain('privileges')
  })

  it('takes with an object all that is in it', async () => {
    const { text } = await pathsOf(['process/main/A'])
    expect(text.match(/- process: /g)).toHaveLength(2)
    expect(text).toContain('privileges')
  })

  it('that is empty is an error', async () => {
    await open(tenant)
    await expect(workspace.export({ only: ['user/*', 'gruop/*'] })).rejects.toMatchObject({
      code: 'SVC2004',
      message: expect.stringContaining('gruop/*'),
    })
  })
})

describe('what is empty', () => {
  const privileges = [{ svcId: 'jan@example.com', level: 'Administrator' }]
  const withConstant = { name: 'Q', constants: [{ name: 'T', common: '1' }] }
  const tenant = {
    users: [jan],
    groups: [{ svcId: 'g', name: 'G' }],
    databases: [
      {
        id: 1,
        constants: [{ name: 'C', common: 'c' }],
        applications: [{ name: 'A', privileges, processes: [{ name: 'P' }, withConstant] }],
      },
    ],
  }
  const members = ['jan@example.com']
  const reader = [{ svcId: 'jan@example.com', level: 'ReadOnly' }]
  const edits = [
    { addMembers: { group: 'g', members } },
    { upsertGroup: { svcId: 'g', owners: members } },
    { addPrivileges: { application: 'A', privileges: reader } },
    { addPrivileges: { process: 'Q', privileges: reader } },
    { upsertConstant: { constant: { name: 'C', common: 'c', description: 'by hand' } } },
  ]
  const seen = {
    lists: ['update application/main/A', 'update group/g members owners', 'update process/main/A/Q'],
    field: 'update constant/main/C',
  }
  const byHand = async (extent: Extent) => {
    await open(tenant)
    const adopted = await adopt(workspace, { extent })
    expect(adopted).toMatchObject(nothingToDo)
    for (const edit of edits) workspace.emulator.edit(edit as never)
    const { changes } = (await workspace.plan()).document
    return changes.map(({ action, address, differences }) =>
      [action, address, ...(address === 'group/g' ? differences.map(({ path }) => path) : [])].join(' '),
    )
  }

  it('is not managed with --sparse', async () => expect(await byHand('sparse')).toEqual([]))
  it('is managed in lists, and on every level of what has any privileges', async () =>
    expect(await byHand('lists')).toEqual(seen.lists))
  it('is managed in fields, too, with --complete', async () =>
    expect(await byHand('complete')).toEqual([seen.lists[0], seen.field, seen.lists[1], seen.lists[2]]))

  it('takes one line where nobody has any privilege, and none where there is nothing else to say', async () => {
    await open(tenant)
    const { files } = await workspace.export()
    const text = files.map((file) => file.text).join('')
    expect(text).toContain('    privileges: {}\n')
    expect(text).not.toContain('process: P\n')
    expect(text).toContain('    members: []\n    owners: []\n')
  })
})

it('speaks API 5.0, which has no workflows', async () => {
  await open(
    {
      users: [jan],
      databases: [
        {
          id: 1,
          applications: [{ name: 'A', ...reads, processes: [{ name: 'P', ...reads, workflows: [{ name: 'W' }] }] }],
        },
      ],
    },
    { target: '    apiVersion: "5.0"' },
  )
  expect(await adopt(workspace)).toMatchObject({ ...nothingToDo, objects: 3 })
})

it('writes connections as the installation has them, with places for what it does not tell', async () => {
  await open(
    {
      databases: [
        {
          id: 1,
          connections: [
            {
              name: 'ERP',
              type: 'SQL',
              sql: {
                common: { server: 's', connectionType: 'SqlLogin', user: 'u', password: 'hidden-word' },
                test: {},
              },
            },
            { name: 'Portal', type: 'DocPortal', docportal: { common: { url: 'u', credentials: 'ServiceAccount' } } },
          ],
        },
      ],
    },
    { behaviour: { sqlConnections: 'connectionType', serviceAccountSpelling: 'ServiceAccoount' } },
  )
  const { texts, ...adopted } = await adopt(workspace)
  expect(adopted).toMatchObject(nothingToDo)
  expect(texts['connections.yaml']).toContain(`        trustCertificate: false
        # user:
        # password: "\${env:ERP_PASSWORD}"
`)
  expect(texts['connections.yaml']).toContain('credentials: ServiceAccount\n')
  expect(texts['connections.yaml']).not.toContain('hidden-word')
})

it('writes an environment that has settings of its own and tells none of them', async () => {
  const docportal = { common: { url: 'https://a.example.com' }, test: { password: 'hidden-word' }, prod: {} }
  await open({ databases: [{ id: 1, connections: [{ name: 'API', type: 'DocPortal', docportal }] }] })
  const { texts, ...adopted } = await adopt(workspace)
  expect(adopted).toMatchObject(nothingToDo)
  expect(texts['connections.yaml']).toContain(`      test:
        inherit: false
        # user:
        # password: "\${env:API_TEST_PASSWORD}"
`)
})

// Three thousand writes, and as many reads, prove little more than the quickstart does.
it.each(isThorough ? ['quickstart', 'organisation'] : ['quickstart'])(
  'of the example %s, after an apply, leaves a plan nothing to do',
  async (name) => {
    const example = join(import.meta.dirname, '../../examples', name)
    const secrets = [
      'ERP_PASSWORD',
      'ERP_TEST_PASSWORD',
      'SUPPLIERS_CLIENT_SECRET',
      'VAT_PASSWORD',
      'MAIL_CLIENT_SECRET',
    ]
    workspace = await openWorkspace({
      tenantFile: join(example, 'tenant.yaml'),
      target: '    variables: { erpServer: sql-local }',
      settings: 'settings: { concurrency: 32 }',
      env: {
        ...Object.fromEntries(secrets.map((each) => [each, 'x'])),
        SVCSYNC_CLIENT_SECRET: 'local-only',
      },
    })
    cpSync(join(example, 'manifests'), join(workspace.dir, 'manifests'), { recursive: true })
    const declared = (await workspace.run()).planned.document.changes.length
    const adopted = await adopt(workspace)
    expect(adopted).toMatchObject({ ...nothingToDo, warnings: [] })
    expect(adopted.objects).toBeGreaterThanOrEqual(declared)
  },
)
