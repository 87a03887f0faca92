// Random installations, and random manifests about them that contradict neither themselves nor the platform.
import fc from 'fast-check'
import {
  accountIds,
  applicationLevels,
  companies,
  connectionNames,
  constantNames,
  elementLevels,
  type Fields,
  formTypeItem,
  groupIds,
  type Item,
  managedLevels,
  type Named,
  type Privilege,
  type Substitution,
  userIds,
  type World,
} from './world.ts'

const everybody = [...userIds, ...groupIds, ...accountIds]
const filled = fc.constantFrom('a', 'ż "q" \\ /', '0755', 'null', 'two\nlines', '- a: b', ' lead', 'a ${b} $c', '#')
const text = fc.oneof({ weight: 3, arbitrary: filled }, { weight: 1, arbitrary: fc.constantFrom('', null) })
const people = fc.subarray(everybody)
const optional = { requiredKeys: [] as [] }

/** An object for some of the names, each with its fields. */
function some<T extends Fields>(key: string, names: readonly string[], fields: fc.Arbitrary<T>) {
  return fc
    .tuple(fc.subarray([...names]), fc.array(fields, { minLength: names.length, maxLength: names.length }))
    .map(([chosen, all]) => chosen.map((name, index) => ({ [key]: name, ...all[index] }) as Fields & T))
}

function privileges(levels: readonly string[], withCompanies: boolean): fc.Arbitrary<Privilege[]> {
  const company = withCompanies ? fc.constantFrom(undefined, undefined, ...companies) : fc.constant(undefined)
  return fc.uniqueArray(
    fc.record({ svcId: fc.constantFrom(...everybody), level: fc.constantFrom(...levels), company }),
    { maxLength: 6, selector: ({ svcId, level, company }) => `${svcId} ${level} ${company}` },
  )
}

const environments = {
  common: text.map((value) => value ?? ''),
  dev: filled,
  test: fc.oneof(filled, fc.constant('')),
  prod: filled,
}
const constantFields = { description: text, groupId: fc.constantFrom(4, null) }
const sql = { server: filled, database: filled, integratedAuthentication: fc.boolean() }
const without = (svcId: unknown, list: unknown, known: ReadonlySet<string>) =>
  list === undefined || list === null ? list : (list as string[]).filter((each) => each !== svcId && known.has(each))

const liveConstants = some(
  'name',
  constantNames,
  fc.record({ ...constantFields, ...environments }, { requiredKeys: ['common'] }),
)

const licenseTypes = ['User', 'PowerUser', 'SingleSolutionUser', 'DesignerDeskUser']
const license = fc
  .record({
    chosen: fc.subarray(licenseTypes),
    processes: fc.subarray(['P']),
    may: fc.boolean(),
  })
  .map(({ chosen, processes, may }) =>
    chosen.map((type) => ({
      type,
      ...(type === 'SingleSolutionUser' && { processes }),
      ...(type === 'DesignerDeskUser' && { allowProjectCreation: may, allowProjectPublishing: !may }),
    })),
  )
/** Some types are scarce, or fewer than in use. */
export const spares = fc.option(fc.dictionary(fc.constantFrom(...licenseTypes), fc.constantFrom(0, 0, 1, 2, -1)), {
  nil: undefined,
})
const holders = [...userIds, ...accountIds]

/**
 * Who may stand in for whom, from when, and until when: of two of the same people one is over before the other begins.
 */
const standIns = [
  { person: 'u0@example.com', substitute: 'corp\\ü/1', type: 'TaskDelegation', from: '2100-01-01' },
  { person: 'u0@example.com', substitute: 'corp\\ü/1', type: 'TaskDelegation', from: '2100-03-01' },
  { person: 'u0@example.com', substitute: 'corp\\ü/1', type: 'WorkingOnBehalf', from: '2100-01-01' },
  { person: 'u 2#%', substitute: 'u0@example.com', type: 'TaskDelegation', from: '2100-01-01' },
  // Over; and over on one side, perhaps, and not on the other.
  { person: 'u 2#%', substitute: 'u0@example.com', type: 'TaskDelegation', from: '2020-01-01' },
  { person: 'u0@example.com', substitute: 'u 2#%', type: 'WorkingOnBehalf', from: '2025-12-01', last: '2030-12-20' },
]
function substitutions<T extends Fields>(more: fc.Arbitrary<T>): fc.Arbitrary<(Substitution & T)[]> {
  const rest = fc.tuple(fc.constantFrom('10', '20'), fc.subarray(['A']), more)
  return fc
    .tuple(fc.subarray(standIns), fc.array(rest, { minLength: standIns.length, maxLength: standIns.length }))
    .map(([chosen, all]) =>
      chosen.map(({ last, ...each }, index) => {
        const [day, applications, own] = all[index] as [string, string[], T]
        const to = day === '20' && last !== undefined ? last : `${each.from.slice(0, 8)}${day}`
        return { ...each, to, applications, ...own }
      }),
    )
}
const between =
  (known: ReadonlySet<string>) =>
  ({ person, substitute }: Substitution): boolean =>
    known.has(person) && known.has(substitute)

export const worlds: fc.Arbitrary<World> = fc
  .record({
    users: some(
      'svcId',
      userIds,
      fc.record(
        { name: text, email: text, phoneNumber: text, managerSvcId: fc.constantFrom(null, ...userIds), jobTitle: text },
        optional,
      ),
    ),
    groups: some(
      'svcId',
      groupIds,
      fc.record({ name: filled, email: text, members: people, owners: people }, { requiredKeys: ['name'] }),
    ),
    constants: liveConstants,
    connections: some(
      'name',
      connectionNames,
      fc.record({ common: fc.record(sql), test: fc.record(sql), prod: fc.record(sql) }, { requiredKeys: ['common'] }),
    ).map((list) => list.map(({ name, ...node }) => ({ name, type: 'SQL', sql: node }) as Fields)),
    processConstants: liveConstants,
    application: privileges(applicationLevels, false),
    process: privileges(managedLevels, true),
    formType: privileges(managedLevels, true),
    element: privileges(elementLevels, false),
    licenses: some('svcId', holders, fc.record({ licenses: license })),
    substitutions: substitutions(fc.constant({})),
  })
  .map((world) => {
    const known = new Set([
      ...accountIds,
      ...[...world.users, ...world.groups].map((each) => String((each as Fields).svcId)),
    ])
    const ofKnown = <T extends object>(list: readonly T[]) =>
      list.filter((each) => known.has(String((each as Fields).svcId)))
    return {
      ...world,
      // Some installations refuse to be told again of a manager who is not there.
      users: world.users.map(({ managerSvcId, ...user }) => ({
        ...user,
        ...(known.has(String(managerSvcId)) && { managerSvcId }),
      })) as unknown as Named[],
      groups: world.groups.map((group) => ({
        ...group,
        members: without(group.svcId, group.members, known) ?? [],
        owners: without(group.svcId, group.owners, known) ?? [],
      })) as unknown as Named[],
      application: ofKnown(world.application),
      process: ofKnown(world.process),
      formType: ofKnown(world.formType),
      element: ofKnown(world.element),
      // Who has none is not told.
      licenses: ofKnown(world.licenses).filter(({ licenses }) => licenses.length > 0) as unknown as Named[],
      substitutions: world.substitutions.filter(between(known)),
    }
  })

/** How lists of privileges are written: a level that is left out, an empty one, a null, a list. */
const asWritten = fc.constantFrom('all', 'some', 'null', 'empty')
function written(list: readonly Privilege[], how: string, levels: readonly string[]): unknown {
  if (how === 'null') return null
  if (how === 'empty') return {}
  const result: Record<string, unknown[] | null> =
    how === 'all' ? Object.fromEntries(levels.map((level) => [level, null])) : {}
  for (const { svcId, level, company } of list) {
    result[level] = [...(result[level] ?? []), company === undefined ? svcId : { svcId, company }]
  }
  return result
}

const wantedConstants = some(
  'name',
  constantNames,
  fc.record({ ...constantFields, ...environments, dev: text, test: text, prod: text }, { requiredKeys: ['common'] }),
)
const environment = fc.oneof(fc.constant(null), fc.record({ server: text, database: text }, optional))
const mode = fc.constantFrom('exclusive', 'additive')

/** Items that can hold together on the platform as it is in `live`. */
export function manifests(live: World): fc.Arbitrary<Item[]> {
  return fc
    .record({
      users: some(
        'svcId',
        userIds,
        fc.record(
          {
            name: text,
            email: text,
            phoneNumber: text,
            managerSvcId: fc.constantFrom(null, '', ...userIds),
            jobTitle: fc.oneof(text, fc.constant('${env:TITLE}')),
            absent: fc.constantFrom(true, false, false, false),
          },
          optional,
        ),
      ),
      groups: some(
        'svcId',
        groupIds,
        fc.record(
          {
            name: filled,
            email: fc.oneof(filled, fc.constant(null)),
            members: fc.oneof(people, fc.constant(null)),
            owners: fc.oneof(people, fc.constant(null)),
            manage: fc.record({ members: mode, owners: mode }, optional),
            absent: fc.constantFrom(true, false, false, false),
          },
          optional,
        ),
      ),
      memberships: some('group', groupIds, fc.record({ members: people })),
      constants: wantedConstants,
      processConstants: wantedConstants,
      connections: some(
        'name',
        connectionNames,
        fc.record(
          {
            common: fc.record({ ...sql, password: fc.constantFrom(undefined, '${env:PASSWORD}') }),
            dev: environment,
            test: environment,
            prod: environment,
          },
          { requiredKeys: ['common'] },
        ),
      ),
      application: fc.tuple(privileges(applicationLevels, false), asWritten),
      manage: fc.constantFrom({ privileges: 'exclusive' }, { privileges: 'whole' }),
      process: fc.tuple(privileges(managedLevels, true), asWritten),
      formType: fc.tuple(privileges(managedLevels, true), asWritten),
      element: fc.tuple(privileges(elementLevels, false), asWritten),
      elementMode: mode,
      licenses: some(
        'svcId',
        holders,
        fc.record({ licenses: license, manage: fc.record({ licenses: mode }, optional) }),
      ),
      substitutions: substitutions(fc.record({ absent: fc.constantFrom(true, false, false, false) })),
    })
    .map((wanted) => {
      const gone = new Set(
        [...wanted.users, ...wanted.groups].filter(({ absent }) => absent).map(({ svcId }) => String(svcId)),
      )
      const known = new Set(
        [
          ...accountIds,
          ...[...live.users, ...live.groups, ...wanted.users, ...wanted.groups].map(({ svcId }) => String(svcId)),
        ].filter((svcId) => !gone.has(svcId)),
      )
      const held = ([list, how]: [Privilege[], string], levels: readonly string[]) =>
        written(
          list.filter(({ svcId }) => known.has(svcId)),
          how,
          levels,
        )
      const item =
        (section: Item['section']) =>
        (fields: Fields): Item => ({ section, item: fields })
      const whole = new Set(
        wanted.groups
          .filter(({ members, manage }) => members !== undefined && manage?.members !== 'additive')
          .map(({ svcId }) => svcId),
      )
      return [
        ...wanted.users
          .map((user) => ({
            ...user,
            managerSvcId: known.has(user.managerSvcId ?? '') || !user.managerSvcId ? user.managerSvcId : undefined,
          }))
          .map(item('users')),
        ...wanted.groups
          .map((group) => ({
            ...group,
            members: without(group.svcId, group.members, known),
            owners: without(group.svcId, group.owners, known),
          }))
          .map(item('groups')),
        ...wanted.memberships
          .filter(({ group }) => known.has(String(group)) && !whole.has(group))
          .map(({ group, members }) => ({ group, members: without(group, members, known) }))
          .map(item('memberships')),
        ...wanted.constants.map(item('constants')),
        ...wanted.connections.map(({ name, ...node }) => item('connections')({ name, type: 'SQL', sql: node })),
        item('applications')({
          application: 'A',
          privileges: held(wanted.application, applicationLevels),
          manage: wanted.manage,
        }),
        item('processes')({ process: 'P', constants: wanted.processConstants }),
        item('processes')({ process: 'P', privileges: held(wanted.process, managedLevels) }),
        item('processes')(formTypeItem(held(wanted.formType, managedLevels))),
        item('elements')({
          element: 7,
          privileges: held(wanted.element, elementLevels),
          manage: { privileges: wanted.elementMode },
        }),
        ...wanted.licenses.filter(({ svcId }) => known.has(String(svcId))).map(item('licenses')),
        ...wanted.substitutions.filter(between(known)).map(item('substitutions')),
      ]
    })
}

/** An installation, and a manifest about it. */
export const situations = worlds.chain((live) => fc.record({ live: fc.constant(live), items: manifests(live) }))
