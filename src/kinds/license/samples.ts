// Samples for the contract test, which takes every kind through its life on the emulator.
import type { Kind } from '@svcsync/core/model/kind.ts'

const svcId = 'jan.kos@example.com'

export const samples: Kind['samples'] = {
  minimal: { svcId, licenses: [] },
  full: {
    svcId,
    licenses: [
      { type: 'PowerUser' },
      { type: 'SingleSolutionUser', processes: ['Sample process'] },
      { type: 'DesignerDeskUser', allowProjectCreation: true, allowProjectPublishing: false },
    ],
  },
  changed: {
    svcId,
    licenses: [
      { type: 'User' },
      { type: 'DesignerDeskUser', allowProjectCreation: true, allowProjectPublishing: true },
    ],
  },
  invalid: [
    {},
    { svcId },
    { svcId, licenses: [{ type: '' }] },
    { svcId, licenses: [{ type: 'SingleSolutionUser' }] },
    { svcId, licenses: [{ type: 'User', processes: ['Sample process'] }] },
    { svcId, licenses: [{ type: 'User' }, { type: 'User' }] },
  ],
}
