// A small installation and what manifests say of it, as data: what the generators of the laws give.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Tenant } from '../../src/emulator/index.ts'
import { processLevels } from '../../src/kinds/parts/privileges.ts'
import type { Workspace } from '../harness/workspace.ts'

export type Fields = Readonly<Record<string, unknown>>
export type Named = Fields & { readonly svcId: string }
export interface Privilege {
  readonly svcId: string
  readonly level: string
  readonly company?: string | undefined
}

/** The platform's objects. One application with one process, of one workflow, one form type and one element. */
export interface World {
  readonly users: readonly Named[]
  readonly groups: readonly Named[]
  readonly constants: readonly Fields[]
  readonly connections: readonly Fields[]
  readonly processConstants: readonly Fields[]
  readonly application: readonly Privilege[]
  readonly process: readonly Privilege[]
  readonly formType: readonly Privilege[]
  readonly element: readonly Privilege[]
  /** As manifests declare them. */
  readonly licenses: readonly Named[]
  /** By type of licence: how many there are that nobody has; absent: nobody counts them. */
  readonly spare?: Readonly<Record<string, number>> | undefined
  /** As manifests declare them. */
  readonly substitutions: readonly Substitution[]
}

export interface Substitution extends Fields {
  readonly person: string
  readonly substitute: string
  readonly from: string
  readonly to: string
  readonly applications: readonly string[]
}

/** An item of a manifest with the section it stands in; of a process, its parts are items of their own. */
export interface Item {
  readonly section:
    | 'users'
    | 'groups'
    | 'memberships'
    | 'constants'
    | 'connections'
    | 'applications'
    | 'processes'
    | 'elements'
    | 'licenses'
    | 'substitutions'
  readonly item: Fields
}

export const userIds = ['u0@example.com', 'corp\\ü/1', 'u 2#%', 'u3@example.com', 'u4@example.com']
export const groupIds = ['g0@example.com', 'g1@example.com', 'g/2 &?', 'g3@example.com']
export const accountIds = ['a0@corp.example.com', 'a1@corp.example.com']
export const constantNames = ['C0', 'C/1', 'C 2']
export const connectionNames = ['N0', 'N1']
export const companies = ['PL01', 'DE01']
export const applicationLevels = ['Administrator', 'PortalDesigner', 'MetadataAccess', 'ReadOnly']
export const managedLevels = processLevels.slice(0, 5)
export const elementLevels = ['Administrator', 'ModifyWithoutDeleting', 'ReadOnly']
const [applicationGuid, processGuid] = ['a', 'b'].map((each) => `${each}0000000-0000-4000-8000-000000000000`)
const elementId = 7

/** Nobody may see these. */
export const secrets = { TITLE: 'title-that-nobody-may-see', PASSWORD: 'password-that-nobody-may-see' }

/** Shows that the installation tells companies; at a level that no manifest manages. */
const marker: Privilege = { svcId: 'a0@corp.example.com', level: 'ManageArchive', company: 'PL01' }

/** The offsets of the laws' zones, all year: beside UTC, two with fractions of an hour. */
export const offsets = { UTC: 'Z', 'Asia/Kolkata': '+05:30', 'Pacific/Marquesas': '-09:30' } as const

/** `offset`: of the days of substitutions. */
export function tenantOf(world: World, offset: string = offsets.UTC): Tenant {
  const tenant = {
    accounts: accountIds.map((svcId) => ({ svcId, name: svcId, type: 'Other' })),
    users: world.users,
    groups: world.groups,
    licenses: {
      available: availableIn(world),
      assigned: world.licenses.map(({ licenses, ...user }) => ({ ...user, licenses: held(licenses) })),
    },
    substitutions: world.substitutions.map((each) => toldSubstitution(each, offset)),
    databases: [
      {
        id: 1,
        businessEntities: companies.map((code) => ({ code, name: `Company ${code}` })),
        constantGroups: [{ id: 4, name: 'Group' }],
        constants: world.constants,
        connections: world.connections,
        applications: [
          {
            name: 'A',
            guid: applicationGuid,
            privileges: world.application,
            processes: [
              {
                name: 'P',
                guid: processGuid,
                elements: [{ id: elementId, privileges: world.element }],
                constants: world.processConstants,
                privileges: [marker, ...world.process],
                formTypes: [{ name: 'F' }],
                workflows: [{ name: 'W', formTypes: ['F'], privileges: { F: [marker, ...world.formType] } }],
              },
            ],
          },
          { name: 'Borrowing', relatedProcesses: ['P'] },
        ],
      },
    ],
  }
  return JSON.parse(JSON.stringify(tenant)) as Tenant
}

function availableIn({ licenses, spare = {} }: World): Fields {
  const types = licenses.flatMap((each) => (each.licenses as readonly Fields[]).map(({ type }) => type))
  const count = (type: string) => types.filter((each) => each === type).length
  return Object.fromEntries(Object.entries(spare).map(([type, more]) => [type, Math.max(0, count(type) + more)]))
}

/** Licences as the platform has them. */
function held(licenses: unknown): unknown {
  return (licenses as readonly Fields[]).map(({ type, processes, allowProjectCreation, allowProjectPublishing }) => ({
    type,
    ...(processes !== undefined && {
      singleSolutionSettings: {
        processes: (processes as readonly string[]).map((name) => ({ guid: processGuid, dbId: 1, name })),
      },
    }),
    ...(type === 'DesignerDeskUser' && {
      designerDeskSettings: {
        allowDesignerDeskProjectCreation: allowProjectCreation,
        allowDesignerDeskProjectPublishing: allowProjectPublishing,
      },
    }),
  }))
}

function toldSubstitution({ person, substitute, type, from, to, applications }: Substitution, offset: string): unknown {
  return {
    startDate: `${from}T00:00:00${offset}`,
    endDate: `${to}T23:59:59${offset}`,
    type,
    originalPerson: { svcId: person },
    substitutePerson: { svcId: substitute },
    activeApplications: {
      allApplications: applications.length === 0,
      applications: applications.map((name) => ({ guid: applicationGuid, dbId: 1, name })),
      processes: [],
    },
  }
}

/** The manifest that says exactly what is there. */
export function declaring(world: World): Item[] {
  const privileges = (list: readonly Privilege[], levels: readonly string[]) =>
    Object.fromEntries(
      levels.map((level) => [
        level,
        list.filter((each) => each.level === level).map(({ svcId, company }) => (company ? { svcId, company } : svcId)),
      ]),
    )
  const constant = (fields: Fields) => ({ dev: null, test: null, prod: null, ...fields })
  return [
    ...world.users.map((item): Item => ({ section: 'users', item })),
    // A group's e-mail address is cleared with null only.
    ...world.groups.map((item): Item => ({ section: 'groups', item: { ...item, email: item.email || null } })),
    ...world.constants.map((item): Item => ({ section: 'constants', item: constant(item) })),
    ...world.connections.map((item): Item => ({ section: 'connections', item })),
    {
      section: 'applications',
      item: { application: 'A', privileges: privileges(world.application, applicationLevels) },
    },
    { section: 'processes', item: { process: 'P', constants: world.processConstants.map(constant) } },
    { section: 'processes', item: { process: 'P', privileges: privileges(world.process, managedLevels) } },
    { section: 'processes', item: formTypeItem(privileges(world.formType, managedLevels)) },
    { section: 'elements', item: { element: elementId, privileges: privileges(world.element, elementLevels) } },
    ...world.licenses.map((item): Item => ({ section: 'licenses', item })),
    ...world.substitutions.map((item): Item => ({ section: 'substitutions', item })),
  ]
}

export function formTypeItem(privileges: unknown): Fields {
  return { process: 'P', workflows: [{ workflow: 'W', formTypes: [{ formType: 'F', privileges }] }] }
}

/** Writes the items as manifests, one file for each list of them. */
export function writeManifests(
  workspace: Pick<Workspace, 'dir' | 'write'>,
  files: readonly (readonly Item[])[],
  folder = 'manifests',
): void {
  const dir = join(workspace.dir, folder)
  if (existsSync(dir)) for (const file of readdirSync(dir)) rmSync(join(dir, file))
  for (const [index, items] of files.entries()) {
    const document: Record<string, unknown> = { database: 'main' }
    for (const { section, item } of items) document[section] = [...((document[section] as []) ?? []), escaped(item)]
    workspace.write(`${folder}/${index}.yaml`, stringify(document))
  }
}

/** References stay; any other `${` is meant as it stands. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(?!env:)/g, () => '$${')
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, escaped(part)]))
}

export const nothing: World = {
  users: [],
  groups: [],
  constants: [],
  connections: [],
  processConstants: [],
  application: [],
  process: [],
  formType: [],
  element: [],
  licenses: [],
  substitutions: [],
}

/** Somebody edits the installation: parts of it become those of another one. */
export function edited(live: World, other: World, what: keyof World): World {
  if (what === 'application' || what === 'process' || what === 'formType' || what === 'element') {
    const known = new Set([...accountIds, ...[...live.users, ...live.groups].map(({ svcId }) => svcId)])
    return { ...live, [what]: other[what].filter(({ svcId }) => known.has(svcId)) }
  }
  if (what !== 'users' && what !== 'groups') return { ...live, [what]: other[what] }
  const fields = new Map((other[what] as readonly Named[]).map((each) => [each.svcId, each]))
  return { ...live, [what]: live[what].map((each) => ({ ...each, ...pick(fields.get(each.svcId)) })) }
}

function pick(fields: Named | undefined): object {
  if (fields === undefined) return {}
  return Object.fromEntries(Object.entries(fields).filter(([key]) => ['name', 'email', 'jobTitle'].includes(key)))
}
