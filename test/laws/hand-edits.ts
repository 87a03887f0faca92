// What somebody may change by hand on an installation: each value, and each entry that may come into a list or go from
// it; and whether manifests that hold there say anything about it, told without any code of svcsync.
import type { Tenant } from '../../src/emulator/index.ts'
import { keyOf } from './held.ts'
import {
  accountIds,
  applicationLevels,
  elementLevels,
  type Fields,
  type Item,
  managedLevels,
  type Privilege,
} from './world.ts'

export interface HandEdit {
  /** With what the address of the object ends. */
  readonly of: string
  readonly path: string
  /** Of a list: who comes or goes, or which licence. */
  readonly entry?: string
  readonly isDeclared: boolean
  make(): void
}

/** As the emulator keeps it. */
interface State {
  readonly users: Fields[]
  readonly groups: (Fields & Record<'members' | 'owners', string[]>)[]
  readonly licenses: { readonly assigned: { svcId: string; licenses: { type: string }[] }[] }
  readonly substitutions: (Record<'originalPerson' | 'substitutePerson', { svcId: string }> &
    Record<'type' | 'startDate' | 'endDate', string>)[]
  readonly databases: [
    {
      readonly constants: Fields[]
      readonly connections: (Fields & { readonly sql: Record<string, Fields> })[]
      readonly applications: [{ privileges: Privilege[]; processes: [ProcessState] }]
    },
  ]
}
interface ProcessState {
  readonly constants: Fields[]
  readonly privileges: Privilege[]
  readonly elements: [{ privileges: Privilege[] }]
  readonly workflows: [{ privileges: { F: Privilege[] } }]
}

/** `state` is what the edits change. */
export function handEdits(state: Tenant, items: readonly Item[]): HandEdit[] {
  const { users, groups, licenses, substitutions, databases } = state as unknown as State
  const [{ constants, connections, applications }] = databases
  const [{ privileges, processes }] = applications
  const [process] = processes
  const everybody = [...accountIds, ...[...users, ...groups].map(({ svcId }) => String(svcId))]
  const of = (section: Item['section']): Fields[] =>
    items.flatMap((each) => (each.section === section ? [each.item] : []))
  const named = (section: Item['section'], key: string, name: unknown) => of(section).find((each) => each[key] === name)
  const inProcess = (key: string) => of('processes').find((each) => each[key] !== undefined)
  const [formType] = (inProcess('workflows')?.workflows as { formTypes: Fields[] }[] | undefined)?.[0]?.formTypes ?? []
  const ofProcess = (inProcess('constants')?.constants as Fields[] | undefined) ?? []
  const onElement = of('elements')[0]
  const wantedOnElement = Object.entries((onElement?.privileges ?? {}) as Record<string, string[] | null>)
  return [
    ...users.flatMap((each) =>
      values(each, named('users', 'svcId', each.svcId), ['name', 'email', 'phoneNumber', 'jobTitle']),
    ),
    ...groups.flatMap((each) => {
      const item = named('groups', 'svcId', each.svcId)
      const also = of('memberships').flatMap(({ group, members }) =>
        group === each.svcId ? (members as string[]) : [],
      )
      return [
        ...values(each, item, ['name', 'email']),
        ...people(each, 'members', everybody, item, also),
        ...people(each, 'owners', everybody, item, []),
      ]
    }),
    ...constants.flatMap((each) => constant(each, named('constants', 'name', each.name))),
    ...process.constants.flatMap((each) =>
      constant(
        each,
        ofProcess.find(({ name }) => name === each.name),
      ),
    ),
    ...connections.flatMap(({ name, sql }) =>
      Object.entries(sql).flatMap(([environment, node]) => {
        const said = (named('connections', 'name', name)?.sql as Fields | undefined)?.[environment]
        const path = `sql.${environment}.`
        return values(node, said as Fields | undefined, ['server', 'database'], String(name), path)
      }),
    ),
    ...levels('/A', privileges, everybody, applicationLevels, of('applications')[0]),
    ...levels('/P', process.privileges, everybody, managedLevels, inProcess('privileges') ?? { privileges: null }),
    ...levels('/F', process.workflows[0].privileges.F, everybody, managedLevels, formType),
    ...entries('/7', process.elements[0].privileges, everybody, elementLevels, ({ svcId, level }, comes) =>
      comes
        ? onElement !== undefined && (onElement.manage as Fields | undefined)?.privileges !== 'additive'
        : wantedOnElement.some(([wanted, list]) => wanted === level && list?.includes(svcId)),
    ),
    ...[...users, ...accountIds.map((svcId) => ({ svcId }))].flatMap(({ svcId }) =>
      licence(String(svcId), licenses.assigned, named('licenses', 'svcId', svcId)),
    ),
    ...substitutions.map((each): HandEdit => {
      const { originalPerson: person, substitutePerson: substitute, type, startDate } = each
      const key = keyOf({ person: person.svcId, substitute: substitute.svcId, type, from: startDate.slice(0, 10) })
      const isDeclared = of('substitutions').some((item) => keyOf(item) === key)
      const make = () => Object.assign(each, { endDate: '2101-01-01T23:59:59Z' })
      return { of: key.slice(-10), path: 'to', isDeclared, make }
    }),
  ]
}

function values(
  node: Fields,
  item: Fields | undefined,
  keys: readonly string[],
  name = String(node.svcId ?? node.name),
  prefix = '',
): HandEdit[] {
  return keys.map((key) => ({
    of: name,
    path: `${prefix}${key}`,
    isDeclared: item?.[key] !== undefined,
    make: () => Object.assign(node, { [key]: 'by hand' }),
  }))
}

const constant = (node: Fields, item: Fields | undefined) =>
  values(node, item, ['description', 'common', 'dev', 'test', 'prod'])

function people(
  group: State['groups'][number],
  path: 'members' | 'owners',
  everybody: readonly string[],
  item: Fields | undefined,
  also: readonly string[],
): HandEdit[] {
  const listed = item?.[path] as readonly string[] | null | undefined
  const isWhole = listed !== undefined && (item?.manage as Fields | undefined)?.[path] !== 'additive'
  return everybody
    .filter((account) => account !== group.svcId)
    .map((account) => {
      const isIn = group[path].includes(account)
      const isDeclared = isIn ? [...(listed ?? []), ...also].includes(account) : isWhole
      const make = () =>
        Object.assign(group, {
          [path]: isIn ? group[path].filter((each) => each !== account) : [...group[path], account],
        })
      return { of: String(group.svcId), path, entry: account, isDeclared, make }
    })
}

/** Of a list of levels that is not additive. */
function levels(
  name: string,
  list: Privilege[],
  everybody: readonly string[],
  all: readonly string[],
  item: Fields | undefined,
): HandEdit[] {
  const said = item?.privileges as Fields | null | undefined
  const listed = Object.keys(said ?? {})
  const isWhole =
    item !== undefined && (listed.length === 0 || (item.manage as Fields | undefined)?.privileges === 'whole')
  return entries(name, list, everybody, all, ({ level }) => isWhole || listed.includes(level))
}

function entries(
  name: string,
  list: Privilege[],
  everybody: readonly string[],
  all: readonly string[],
  isDeclared: (entry: Privilege, comes: boolean) => boolean,
): HandEdit[] {
  return all.flatMap((level) =>
    everybody.map((svcId) => {
      const there = list.filter((each) => each.svcId === svcId && each.level === level)
      const [gone = { svcId, level }] = there
      const make = () => (there.length === 0 ? list.push(gone) : list.splice(list.indexOf(gone), 1))
      return { of: name, path: 'privileges', entry: svcId, isDeclared: isDeclared(gone, there.length === 0), make }
    }),
  )
}

function licence(svcId: string, assigned: State['licenses']['assigned'], item: Fields | undefined): HandEdit[] {
  const wanted = (item?.licenses ?? []) as readonly { readonly type: string }[]
  const isWhole = item !== undefined && (item.manage as Fields | undefined)?.licenses !== 'additive'
  return ['User', 'PowerUser'].map((type) => {
    const held = assigned.find((each) => each.svcId === svcId)
    const isThere = held?.licenses.some((each) => each.type === type) === true
    const make = () => {
      if (held === undefined) assigned.push({ svcId, licenses: [{ type }] })
      else held.licenses = isThere ? held.licenses.filter((each) => each.type !== type) : [...held.licenses, { type }]
    }
    return {
      of: svcId,
      path: 'licenses',
      entry: type,
      isDeclared: isThere ? wanted.some((each) => each.type === type) : isWhole,
      make,
    }
  })
}
