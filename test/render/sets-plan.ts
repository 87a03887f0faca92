// A plan of lists that take accounts from sets, with the line that names each set and the lines in it.
import type { PlanDocument } from '../../src/core/plan/plan-document.ts'
import { company, holding, members, place, planOf, step } from './plan-fixture.ts'

const clerks = { set: 'clerks', place: place('groups.yaml', 6, 15) }
const clerkAt = (line: number) => ({ ...clerks, listedAt: place('sets.yaml', line) })
const long = 'manifests/departments/accounts-payable/everybody.yaml'

/** A plan in which sets and bounds in time have to do with who comes and goes. */
export const setsPlan: PlanDocument = planOf(
  [
    {
      address: 'group/finance@example.com',
      kind: 'group',
      action: 'update',
      differences: [
        {
          path: 'members',
          added: [...members, { svcId: 'zofia@example.com' }],
          removed: [
            { svcId: 'old@example.com' },
            { svcId: 'piotr@example.com' },
            { svcId: 'rita@example.com' },
            { svcId: 'tom@example.com' },
          ],
          throughSets: [
            ...members.slice(0, 7).map(({ svcId }, index) => ({ svcId, ...clerkAt(3 + index) })),
            {
              ...(members[7] as { svcId: string }),
              set: 'everybody-in-accounts-payable-and-receivable',
              place: place('groups.yaml', 7, 15),
              listedAt: { file: long, line: 1204, column: 11 },
            },
          ],
          notInSets: [clerks, { set: 'interns', place: place('groups.yaml', 8, 15) }],
          outsideTime: [
            {
              svcId: 'piotr@example.com',
              event: 'ended',
              at: '2026-11-02T00:00:00Z',
              shown: '2026-11-01',
              ...clerkAt(12),
            },
            {
              svcId: 'rita@example.com',
              event: 'ended',
              at: '2026-11-02T00:00:00Z',
              shown: '2026-11-01',
              ...clerkAt(13),
            },
            {
              svcId: 'tom@example.com',
              event: 'begins',
              at: '2026-12-01T00:00:00Z',
              shown: '2026-12-01',
              place: place('groups.yaml', 9, 9),
            },
          ],
        },
      ],
      place: place('groups.yaml', 4),
    },
    {
      address: 'group/new@example.com',
      kind: 'group',
      action: 'create',
      differences: [
        { path: 'name', after: 'New' },
        {
          path: 'members',
          added: members.slice(0, 3),
          removed: [],
          throughSets: members.slice(0, 2).map(({ svcId }, index) => ({ svcId, ...clerkAt(3 + index) })),
        },
      ],
      place: place('groups.yaml', 30),
    },
    {
      address: 'process/main/Purchasing/Invoice approval',
      kind: 'process',
      action: 'update',
      differences: [
        {
          path: 'privileges',
          added: [
            { svcId: 'adam.nowak@example.com', level: 'Start' },
            { svcId: 'adam.nowak@example.com', level: 'Start', company },
            { svcId: 'ewa@example.com', level: 'Modify' },
          ],
          removed: [{ svcId: 'old@example.com', level: 'Modify' }],
          throughSets: [
            {
              svcId: 'adam.nowak@example.com',
              level: 'Start',
              company,
              ...clerkAt(3),
              place: place('processes.yaml', 9, 17),
            },
          ],
          notInSets: [{ set: 'clerks', level: 'Modify', place: place('processes.yaml', 8, 18) }],
        },
      ],
      place: place('processes.yaml', 5),
    },
  ],
  [step(1, 'group/finance@example.com', 'add'), step(2, 'group/new@example.com', 'create')],
  {
    guards: [...holding],
    upcoming: [
      ...members.slice(0, 3).map(({ svcId }, index) => ({
        svcId,
        address: 'group/finance@example.com',
        collection: 'members',
        event: 'ends' as const,
        at: '2026-11-15T00:00:00Z',
        shown: '2026-11-14',
        ...clerkAt(3 + index),
      })),
      {
        svcId: 'adam.nowak@example.com',
        level: 'Start',
        company,
        address: 'process/main/Purchasing/Invoice approval',
        collection: 'privileges',
        event: 'ends',
        at: '2026-11-15T00:00:00Z',
        shown: '2026-11-14',
        ...clerkAt(3),
      },
      ...['tom', 'una'].map((name, index) => ({
        svcId: `${name}@example.com`,
        address: 'group/finance@example.com',
        collection: 'members',
        event: 'begins' as const,
        at: '2026-11-16T00:00:00Z',
        shown: '2026-11-16',
        place: place('groups.yaml', 9 + index, 9),
      })),
    ],
    warnings: [
      {
        code: 'SVC1306',
        severity: 'warning',
        address: 'group/finance@example.com',
        message: '`ewa.nowak@example.com` is not declared, and the platform has no such user or group',
        hint: 'Correct the svcId.',
        place: clerkAt(7).listedAt,
        related: [{ message: 'the list that names the set `clerks`', place: clerks.place }],
      },
    ],
  },
)
