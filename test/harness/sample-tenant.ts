// The installation that samples of kinds refer to.
import type { Tenant } from '../../src/emulator/index.ts'

export const sampleTenant = {
  accounts: [{ svcId: 'auditor@corp.example.com', name: 'Auditor', type: 'Other' }],
  users: [
    { svcId: 'jan.kos@example.com', name: 'Jan Kos' },
    { svcId: 'ewa.lis@example.com', name: 'Ewa Lis' },
  ],
  groups: [{ svcId: 'clerks@example.com', name: 'Clerks' }],
  databases: [
    {
      id: 1,
      businessEntities: [{ code: 'PL01', name: 'Poland' }],
      constantGroups: [{ id: 4, name: 'Addresses' }],
      applications: [
        {
          name: 'Sample application',
          processes: [
            {
              name: 'Sample process',
              formTypes: [{ name: 'Sample form' }],
              workflows: [{ name: 'Sample workflow', formTypes: ['Sample form'] }],
              elements: [{ id: 4711 }],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant
