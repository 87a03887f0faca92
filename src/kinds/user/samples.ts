// Samples of users for the contract test.
import type { Kind } from '@svcsync/core/model/kind.ts'

export const samples: Kind['samples'] = {
  minimal: { svcId: 'sample.user@example.com' },
  full: {
    svcId: 'sample.user@example.com',
    name: 'Sample User',
    email: 'sample.user@example.com',
    phoneNumber: '+48 600 000 000',
    managerSvcId: 'jan.kos@example.com',
    jobTitle: 'Controller',
  },
  changed: {
    svcId: 'sample.user@example.com',
    name: 'Sample U. User',
    email: 'sample@example.com',
    phoneNumber: null,
    managerSvcId: 'ewa.lis@example.com',
    jobTitle: 'Head of controlling',
  },
  invalid: [{}, { svcId: '' }, { svcId: 'a@example.com', nmae: 'A' }, { svcId: 'a@example.com', name: ['A'] }],
}
