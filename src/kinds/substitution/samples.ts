// Samples for the contract test, which takes every kind through its life on the emulator.
import type { Kind } from '@svcsync/core/model/kind.ts'

const least = {
  person: 'jan.kos@example.com',
  substitute: 'ewa.lis@example.com',
  type: 'TaskDelegation',
  from: '2100-07-01',
}

export const samples: Kind['samples'] = {
  minimal: { ...least, to: '2100-07-15' },
  full: {
    ...least,
    to: '2100-07-31T18:00',
    applications: ['Sample application'],
    processes: ['Sample process'],
    businessEntity: 'PL01',
  },
  changed: { ...least, to: '2100-08-31', applications: [], processes: [], businessEntity: null },
  invalid: [
    {},
    { ...least, type: 'Holiday' },
    { ...least, substitute: least.person, to: '2100-07-15' },
    { ...least, substitute: 'JAN.KOS@example.com', to: '2100-07-15' },
    { ...least, to: '2100-06-30' },
    { ...least, from: 'tomorrow' },
    { ...least, to: '2100-02-31' },
    { ...least, applications: 'Sample application' },
  ],
}
