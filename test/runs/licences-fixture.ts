// A tenant with licences, and manifests that give some.
import { stringify } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../harness/workspace.ts'

export const process = (name: string) => ({ name, guid: `${name}0000000-0000-4000-8000-000000000000` })
export const tenant = {
  users: ['anna', 'jan', 'nina'].map((svcId) => ({ svcId, name: svcId })),
  groups: [{ svcId: 'staff', name: 'staff' }],
  licenses: {
    available: { PowerUser: 1, SingleSolutionUser: 5 },
    assigned: [
      { svcId: 'anna', licenses: ['PowerUser'] },
      {
        svcId: 'jan',
        licenses: [
          { type: 'SingleSolutionUser', singleSolutionSettings: { processes: [{ ...process('1'), id: 1, dbId: 1 }] } },
        ],
      },
    ],
  },
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'A',
          processes: [
            { ...process('1'), id: 1 },
            { ...process('2'), id: 2 },
          ],
        },
      ],
    },
    {
      id: 2,
      applications: [
        { name: 'B', processes: [{ ...process('1'), guid: '30000000-0000-4000-8000-000000000000', id: 1 }] },
      ],
    },
  ],
} as unknown as Tenant

export async function openLicences(licenses: object, options: WorkspaceOptions = {}): Promise<Workspace> {
  const workspace = await openWorkspace({ tenant, ...options })
  workspace.manifest(stringify({ database: 'main', licenses }))
  return workspace
}

export const of = (svcId: string, ...licenses: object[]) => ({ svcId, licenses })
export const solution = (...processes: unknown[]) => ({ type: 'SingleSolutionUser', processes })
export const summaryReads = ({ emulator }: Workspace) =>
  emulator.requests().filter(({ path }) => String(path).endsWith('/admin/licenses/summary'))
