// A contractor in every sort of list, whose account ends: what plans and faults are tried with.
import type { Tenant } from '../../src/emulator/index.ts'

export const accountEndsTenant = {
  users: ['anna', 'eva', 'jan', 'tom'].map((name) => ({ svcId: `${name}@example.com`, name })),
  groups: [
    { svcId: 'clerks@example.com', name: 'Clerks', members: ['anna@example.com', 'tom@example.com'] },
    { svcId: 'team@example.com', name: 'Team', members: ['jan@example.com', 'tom@example.com'] },
  ],
  licenses: {
    available: { User: 5, PowerUser: 5, SingleSolutionUser: 5, DesignerDeskUser: 5 },
    assigned: [
      { svcId: 'tom@example.com', licenses: ['PowerUser'] },
      { svcId: 'jan@example.com', licenses: ['User', 'PowerUser'] },
    ],
  },
  substitutions: [],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'A',
          processes: [
            {
              name: 'P',
              privileges: ['tom', 'jan'].map((name) => ({ svcId: `${name}@example.com`, level: 'Modify' })),
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

/** Tom's account ends with May, and so does Jan's second licence. */
export const accountEndsManifest = `sets:
  all: [anna@example.com, tom@example.com]
users:
  - { svcId: anna@example.com, name: anna }
  - { svcId: eva@example.com, name: eva }
  - { svcId: Tom@example.com, name: tom, until: 2026-05-31 }
  - { svcId: jan@example.com, name: jan }
groups:
  - { svcId: clerks@example.com, members: [{ set: all }] }
memberships:
  - { group: team@example.com, members: [tom@example.com] }
licenses:
  - { svcId: tom@example.com, licenses: [{ type: PowerUser }] }
  - { svcId: jan@example.com, licenses: [{ type: User }, { type: PowerUser, until: 2026-05-31 }] }
substitutions:
  - { person: jan@example.com, substitute: tom@example.com, type: TaskDelegation, from: 2026-05-01, to: 2026-12-31 }
processes:
  - process: P
    privileges: { Modify: [tom@example.com, jan@example.com] }
`
