// Samples for the contract test, which takes every kind through its life on the emulator.
import type { Kind } from '@svcsync/core/model/kind.ts'

export const samples: Kind['samples'] = {
  minimal: { element: 4711 },
  full: {
    element: 4711,
    privileges: {
      Administrator: ['jan.kos@example.com'],
      ModifyWithoutDeleting: ['clerks@example.com'],
      ReadOnly: ['jan.kos@example.com', 'ewa.lis@example.com'],
    },
  },
  changed: {
    element: 4711,
    privileges: { Administrator: ['jan.kos@example.com'], ReadOnlyWithoutAttachments: ['ewa.lis@example.com'] },
  },
  invalid: [
    {},
    { element: 'Invoice 12' },
    { element: 4711, privileges: { Modify: [] } },
    { element: 4711, privileges: { ReadOnly: [{ svcId: 'jan.kos@example.com', company: 'PL01' }] } },
    { element: 4711, manage: { privileges: 'whole' } },
  ],
}
