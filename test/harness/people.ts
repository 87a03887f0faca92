// Edits of people on a workspace, as their commands make them; and who holds what on the platform meanwhile.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceEdit, TargetState } from '../../src/editor/uses.ts'
import type { Emulator, Tenant } from '../../src/emulator/index.ts'
import { kinds } from '../../src/kinds/index.ts'
import { editProject } from '../../src/runs/edit/edit-project.ts'
import { openForEdit } from '../../src/runs/edit/open-for-edit.ts'
import type { Workspace } from './workspace.ts'

/** Makes the edits in the files of the workspace. False: there are none. */
export function editManifests(
  { dir, env }: Workspace,
  edit: (targets: readonly TargetState[]) => readonly SourceEdit[],
  nowMs = Date.parse('2026-01-01T00:00:00Z'),
): boolean {
  const project = openForEdit({
    project: join(dir, 'svcsync.yaml'),
    cwd: dir,
    env,
    kinds,
    needCredentials: false,
    nowMs,
  })
  const { files } = editProject(project, edit(project.targets), () => true)
  for (const { path, after } of files) writeFileSync(path, after)
  return files.length > 0
}

interface Shown {
  readonly users: { svcId: string; managerSvcId?: string | null }[]
  readonly groups: { svcId: string; members: string[]; owners: string[] }[]
  readonly licenses: { assigned: { svcId: string; licenses: { type: string }[] }[] }
  readonly substitutions: { originalPerson: { svcId: string }; substitutePerson: { svcId: string } }[]
  readonly databases: { applications: Placed[] }[]
}
interface Placed {
  readonly name: string
  readonly privileges?: { svcId: string; level: string }[]
  readonly processes?: Placed[]
}

/** The holdings of an account, a line for each: `member of g@x`, `Modify of P`, `PowerUser`. */
export function heldBy(emulator: Emulator, svcId: string): string[] {
  const { users, groups, licenses, substitutions, databases } = emulator.state() as unknown as Shown
  const levels = (place: Placed): string[] => [
    ...(place.privileges ?? []).filter((each) => each.svcId === svcId).map(({ level }) => `${level} of ${place.name}`),
    ...(place.processes ?? []).flatMap(levels),
  ]
  return [
    ...users.filter((user) => user.managerSvcId === svcId).map((user) => `manager of ${user.svcId}`),
    ...groups.filter(({ members }) => members.includes(svcId)).map((group) => `member of ${group.svcId}`),
    ...groups.filter(({ owners }) => owners.includes(svcId)).map((group) => `owner of ${group.svcId}`),
    ...databases.flatMap(({ applications }) => applications.flatMap(levels)),
    ...licenses.assigned
      .filter((holder) => holder.svcId === svcId)
      .flatMap((holder) => holder.licenses.map(({ type }) => `licence ${type}`)),
    ...substitutions.flatMap(({ originalPerson, substitutePerson }) => [
      ...(originalPerson.svcId === svcId ? [`stood in for by ${substitutePerson.svcId}`] : []),
      ...(substitutePerson.svcId === svcId ? [`stands in for ${originalPerson.svcId}`] : []),
    ]),
  ].sort()
}

/** Anna is in every sort of list, some of them alone. */
export const annaTenant = {
  users: [
    { svcId: 'anna@example.com', name: 'Anna' },
    { svcId: 'jan@example.com', name: 'Jan', managerSvcId: 'anna@example.com' },
  ],
  groups: [
    {
      svcId: 'team@example.com',
      name: 'Team',
      members: ['anna@example.com', 'jan@example.com'],
      owners: ['anna@example.com'],
    },
    { svcId: 'open@example.com', name: 'Open', members: ['anna@example.com', 'jan@example.com'] },
  ],
  licenses: {
    available: { User: 5, PowerUser: 5 },
    assigned: [{ svcId: 'anna@example.com', licenses: ['PowerUser'] }],
  },
  substitutions: [
    {
      ...{ startDate: '2100-01-01T00:00:00Z', endDate: '2100-01-31T23:59:59Z', type: 'TaskDelegation' },
      ...{ originalPerson: { svcId: 'jan@example.com' }, substitutePerson: { svcId: 'anna@example.com' } },
    },
  ],
  databases: [
    {
      id: 1,
      applications: [
        {
          name: 'A',
          privileges: [{ svcId: 'anna@example.com', level: 'Administrator' }],
          processes: [
            {
              name: 'P',
              privileges: [
                { svcId: 'anna@example.com', level: 'Modify' },
                { svcId: 'jan@example.com', level: 'Modify' },
                { svcId: 'anna@example.com', level: 'Start' },
              ],
            },
          ],
        },
      ],
    },
  ],
} as unknown as Tenant

export const annaManifest = `users:
  - { svcId: anna@example.com, name: Anna }
  - { svcId: jan@example.com, name: Jan, managerSvcId: anna@example.com }
groups:
  - { svcId: team@example.com, name: Team, members: [anna@example.com, jan@example.com], owners: [anna@example.com] }
memberships:
  - { group: open@example.com, members: [anna@example.com] }
licenses:
  - { svcId: anna@example.com, licenses: [{ type: PowerUser }] }
substitutions:
  - { person: jan@example.com, substitute: anna@example.com, type: TaskDelegation, from: 2100-01-01, to: 2100-01-31 }
applications:
  - { application: A, privileges: { Administrator: [anna@example.com] } }
processes:
  - process: P
    privileges: { Modify: [anna@example.com, jan@example.com], Start: [anna@example.com] }
`
