// An installation and a manifest that take about sixty steps of every sort, for runs that are broken off in the middle.
import type { Tenant } from '../../src/emulator/index.ts'

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

export const sixtyStepsTenant = {
  users: [
    { svcId: 'old@example.com', name: 'Old' },
    { svcId: 'jan@example.com', name: 'Jan' },
    { svcId: 'ewa@example.com', name: 'Ewa' },
  ],
  groups: [
    { svcId: 'staff@example.com', name: 'Staff', members: ['old@example.com', 'jan@example.com'] },
    { svcId: 'gone@example.com', name: 'Gone' },
  ],
  databases: [
    {
      id: 1,
      constants: range(4).map((index) => ({ name: `Old ${index}`, common: 'old' })),
      connections: [{ name: 'ERP', type: 'SQL', sql: { common: { server: 'old' } } }],
      applications: [
        {
          name: 'Purchasing',
          privileges: [{ svcId: 'jan@example.com', level: 'ReadOnly' }],
          processes: [{ name: 'Approval', formTypes: [{ name: 'Invoice' }], workflows: [] }],
        },
      ],
    },
  ],
} as unknown as Tenant

/** Steps in chains (managers, members, privileges) and steps that hang on nothing. */
export const sixtyStepsManifest = `database: main
users:
${range(16)
  .map((index) => {
    const manager = index % 4 === 0 ? '' : `, managerSvcId: u${index - 1}@example.com`
    return `  - { svcId: u${index}@example.com, name: User ${index}${manager} }`
  })
  .join('\n')}
  - { svcId: a@example.com, name: A, managerSvcId: b@example.com }
  - { svcId: b@example.com, name: B, managerSvcId: a@example.com }
  - { svcId: ewa@example.com, jobTitle: Clerk }
  - { svcId: old@example.com, absent: true }
groups:
${range(10)
  .map((index) => `  - { svcId: g${index}@example.com, name: G ${index}, members: [u${index}@example.com] }`)
  .join('\n')}
  - { svcId: staff@example.com, name: All staff, members: [jan@example.com, u0@example.com] }
  - { svcId: gone@example.com, absent: true }
constants:
${range(4)
  .map((index) => `  - { name: Old ${index}, common: new }`)
  .join('\n')}
${range(10)
  .map((index) => `  - { name: New ${index}, common: c${index} }`)
  .join('\n')}
connections:
  - { name: ERP, type: SQL, sql: { common: { server: new, password: "\${env:SECRET}" } } }
  - { name: Second, type: SQL, sql: { common: { server: s, password: "\${env:SECRET}" } } }
applications:
  - application: Purchasing
    privileges:
      Administrator: [g0@example.com, g1@example.com]
      ReadOnly: [g2@example.com]
processes:
  - process: Approval
    privileges: { Start: [${range(5).map((index) => `g${index}@example.com`)}] }
`
