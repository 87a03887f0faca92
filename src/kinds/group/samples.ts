// Samples of groups for the contract test.
import type { Kind } from '@svcsync/core/model/kind.ts'

export const samples: Kind['samples'] = {
  minimal: { svcId: 'sample.group@example.com', name: 'Sample' },
  full: {
    svcId: 'sample.group@example.com',
    name: 'Sample group',
    email: 'sample.group@example.com',
    members: ['jan.kos@example.com', 'clerks@example.com', 'auditor@corp.example.com'],
    owners: ['jan.kos@example.com'],
  },
  changed: {
    svcId: 'sample.group@example.com',
    name: 'Sample group, renamed',
    email: 'renamed@example.com',
    members: ['ewa.lis@example.com', 'clerks@example.com'],
    owners: ['ewa.lis@example.com'],
  },
  invalid: [
    {},
    { svcId: 'g@example.com', name: '' },
    { svcId: 'g@example.com', member: [] },
    { svcId: 'g@example.com', members: 'jan.kos@example.com' },
    { svcId: 'g@example.com', manage: { members: 'sometimes' } },
  ],
}
