// Every path that svcsync writes to, each with a manifest that takes exactly one such write.
import type { Tenant } from '../../src/emulator/index.ts'
import type { Workspace } from '../harness/workspace.ts'

export const faultTenant = {
  users: [
    { svcId: 'anna@example.com', name: 'Anna' },
    { svcId: 'jan@example.com', name: 'Jan' },
  ],
  groups: [
    { svcId: 'empty@example.com', name: 'Empty' },
    { svcId: 'staff@example.com', name: 'Staff', members: ['jan@example.com'], owners: ['jan@example.com'] },
  ],
  substitutions: ['2100-01-01', '2100-03-01'].map((startDate, index) => ({
    startDate,
    endDate: `2100-0${2 * index + 1}-31`,
    type: 'TaskDelegation',
    originalPerson: { svcId: 'jan@example.com' },
    substitutePerson: { svcId: 'anna@example.com' },
  })),
  licenses: { assigned: [{ svcId: 'jan@example.com', licenses: ['User'] }] },
  databases: [
    {
      id: 1,
      constants: [{ name: 'Url', common: 'old' }],
      connections: [{ name: 'ERP', type: 'SQL', sql: { common: { server: 'old' } } }],
      applications: [
        {
          name: 'Purchasing',
          privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }],
          processes: [
            {
              name: 'Approval',
              constants: [{ name: 'Limit', common: '1' }],
              privileges: [{ svcId: 'jan@example.com', level: 'Start' }],
              formTypes: [{ name: 'Invoice' }],
              workflows: [
                {
                  name: 'Main',
                  formTypes: ['Invoice'],
                  privileges: { Invoice: [{ svcId: 'jan@example.com', level: 'Modify' }] },
                },
              ],
              elements: [{ id: 7, privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }] }],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

export interface WritePath {
  readonly name: string
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly manifest: string
}

const entry = (name: string, method: WritePath['method'], path: string, manifest: string): WritePath => ({
  name,
  method,
  path,
  manifest: `database: main\n${manifest}`,
})
const application = (privileges: string) => `applications: [{ application: Purchasing, privileges: ${privileges} }]`
const process = (rest: string) => `processes: [{ process: Approval, ${rest} }]`
const substitution = (rest: string) =>
  `substitutions: [{ person: jan@example.com, substitute: anna@example.com, type: TaskDelegation, from: ${rest} }]`
const formType = (privileges: string) =>
  process(`workflows: [{ workflow: Main, formTypes: [{ formType: Invoice, privileges: ${privileges} }] }]`)

export const writePaths: readonly WritePath[] = [
  entry('create a user', 'POST', '/admin/users', 'users: [{ svcId: new@example.com, name: New, jobTitle: Clerk }]'),
  entry('update a user', 'PATCH', '/admin/user', 'users: [{ svcId: jan@example.com, name: Jan Kos }]'),
  entry('delete a user', 'DELETE', '/admin/user', 'users: [{ svcId: anna@example.com, absent: true }]'),
  entry(
    'create a group',
    'POST',
    '/admin/groups',
    'groups: [{ svcId: g@example.com, name: G, members: [jan@example.com] }]',
  ),
  entry('update a group', 'PATCH', '/admin/group', 'groups: [{ svcId: staff@example.com, name: All staff }]'),
  entry('delete a group', 'DELETE', '/admin/group', 'groups: [{ svcId: empty@example.com, absent: true }]'),
  entry(
    'add members',
    'POST',
    '/admin/group/members/add',
    'memberships: [{ group: staff@example.com, members: [anna@example.com] }]',
  ),
  entry('remove members', 'POST', '/admin/group/members/remove', 'groups: [{ svcId: staff@example.com, members: [] }]'),
  entry(
    'add owners',
    'POST',
    '/admin/group/owners/add',
    'groups: [{ svcId: empty@example.com, owners: [jan@example.com] }]',
  ),
  entry(
    'assign licences',
    'POST',
    '/admin/licenses/assign',
    'licenses: [{ svcId: anna@example.com, licenses: [{ type: ' +
      'PowerUser }, { type: SingleSolutionUser, processes: [Approval] }] }]',
  ),
  entry('remove licences', 'POST', '/admin/licenses/assign', 'licenses: [{ svcId: jan@example.com, licenses: [] }]'),
  entry('remove owners', 'POST', '/admin/group/owners/remove', 'groups: [{ svcId: staff@example.com, owners: null }]'),
  entry('create a substitution', 'POST', '/admin/substitutions', substitution('2100-02-01, to: 2100-02-28')),
  entry('update a substitution', 'PATCH', '/admin/substitutions/*', substitution('2100-01-01, to: 2100-01-15')),
  entry('delete a substitution', 'DELETE', '/admin/substitutions/*', substitution('2100-03-01, absent: true')),
  entry(
    'add to an element',
    'POST',
    '/db/1/elements/7/admin/privileges',
    'elements: [{ element: 7, privileges: { ReadOnly: [jan@example.com, anna@example.com] } }]',
  ),
  entry(
    'remove from an element',
    'DELETE',
    '/db/1/elements/7/admin/privileges',
    'elements: [{ element: 7, privileges: {} }]',
  ),
  entry('create a constant', 'POST', '/db/1/admin/constants', 'constants: [{ name: New, common: c, test: "" }]'),
  entry('update a constant', 'PATCH', '/db/1/admin/constants/*', 'constants: [{ name: Url, common: new, prod: p }]'),
  entry(
    'create a process constant',
    'POST',
    '/db/1/processes/*/admin/constants',
    process('constants: [{ name: New, common: c }]'),
  ),
  entry(
    'update a process constant',
    'PATCH',
    '/db/1/processes/*/admin/constants/*',
    process('constants: [{ name: Limit, common: "2" }]'),
  ),
  entry(
    'create a connection',
    'POST',
    '/db/1/admin/connections',
    'connections: [{ name: New, type: SQL, sql: { common: { server: s, password: "${env:SECRET}" } } }]',
  ),
  entry(
    'update a connection',
    'PATCH',
    '/db/1/admin/connections/*',
    'connections: [{ name: ERP, type: SQL, sql: { common: { server: s }, test: { database: t } } }]',
  ),
  entry(
    'add to an application',
    'POST',
    '/db/1/applications/*/admin/privileges/add',
    application('{ Administrator: [jan@example.com] }'),
  ),
  entry(
    'remove from an application',
    'POST',
    '/db/1/applications/*/admin/privileges/remove',
    application('{ ReadOnly: [] }'),
  ),
  entry(
    'add to a process',
    'POST',
    '/db/1/processes/*/admin/privileges/add',
    process('privileges: { Modify: [jan@example.com] }'),
  ),
  entry(
    'remove from a process',
    'POST',
    '/db/1/processes/*/admin/privileges/remove',
    process('privileges: { Start: null }'),
  ),
  entry(
    'add to a form type',
    'POST',
    '/db/1/workflows/*/admin/privileges/add',
    formType('{ ReadOnly: [jan@example.com] }'),
  ),
  entry('remove from a form type', 'POST', '/db/1/workflows/*/admin/privileges/remove', formType('{ Modify: [] }')),
]

/** As each test begins. */
export async function beginAnew(workspace: Workspace): Promise<void> {
  workspace.emulator.clearFaults()
  workspace.emulator.load(faultTenant)
  await workspace.control('DELETE', '/requests')
}
