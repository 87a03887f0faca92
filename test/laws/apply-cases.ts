// The cases of the laws of applying: an installation, manifests with all features, a project, and a schedule of faults.
import fc from 'fast-check'
import type { Fault } from '../../src/emulator/http/faults.ts'
import { manifests, situations, spares } from './arbitraries.ts'
import { type Fields, type Item, offsets, type World } from './world.ts'

export interface ApplyCase {
  readonly live: World
  readonly items: readonly Item[]
  /** The former declarations; absent: none are needed. */
  readonly before?: readonly Item[] | undefined
  /** The target's overrides. */
  readonly overrides: readonly Item[]
  /** The effective declarations, if they depend on time; absent: the items themselves. */
  readonly expected?: { readonly items: readonly Item[]; readonly overrides: readonly Item[] } | undefined
  readonly project: {
    readonly prunes: boolean
    readonly collections: 'exclusive' | 'additive'
    readonly timeZone: keyof typeof offsets
  }
  readonly behaviour: object
  readonly syncDelayMs: number
  readonly concurrency: number
  readonly faults: readonly Fault[]
}

/** Installations on which every manifest can hold: the others are for the matrix of switches. */
export const behaviours: fc.Arbitrary<object> = fc.record({
  privilegeName: fc.constantFrom('username', 'name'),
  pageCap: fc.constantFrom(2, 200),
  firstPage: fc.constantFrom('documented', 0, 1),
  emptyMembers: fc.constantFrom('emptyList', 'null'),
  afterDelete: fc.constantFrom('goneAtOnce', 'goneAfterSync'),
  afterCreate: fc.constantFrom('visibleAtOnce', 'visibleAfterSync'),
  writeWhileWaiting: fc.constantFrom('accepted', 'locked'),
  absentUserFields: fc.constantFrom('kept', 'cleared'),
  emptyText: fc.constantFrom('asWritten', 'asNull', 'asEmptyText'),
  inheritedEnvironments: fc.constantFrom('omitted', 'shown'),
  tokenExpiry: fc.constantFrom('reported', 'notReported'),
  connectionUpdates: fc.constantFrom('merged', 'replaced'),
  metadataListItems: fc.constantFrom('short', 'whole'),
  // Refused, no manifest with `extra` could hold.
  undocumentedFields: fc.constantFrom('told', 'untold'),
  lostWrites: fc.constantFrom('carriedOut', 'notCarriedOut'),
  licenseErrorStatus: fc.constantFrom(402, 409),
  newSubjects: fc.constantFrom('usableAfterSync', 'usableAtOnce'),
  // A create that is repeated in error leaves two of one name.
  duplicateNames: fc.constant('accepted'),
} as const)

/** A request without any answer waits long, so it is rare. */
export const lostKinds = [...Array.from({ length: 11 }, () => 'reset' as const), 'hang' as const]

const locked = { type: 'ResourceIsLocked', description: 'Somebody is at it.' }
/** Single faults that the first run survives. */
export const passing: readonly Fault['effect'][] = [
  { kind: 'expireTokens' },
  { kind: 'expireTokens' },
  { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 409, body: locked },
  { kind: 'delay', delayMs: 4 },
  { kind: 'reset' },
]

const effects: fc.Arbitrary<Fault['effect']> = fc.oneof(
  fc.record({ kind: fc.constantFrom(...lostKinds), carriedOut: fc.boolean() }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(500, 502, 503, 504),
    carriedOut: fc.boolean(),
  }),
  fc.constantFrom(400, 401, 403, 405, 409, 423).map((status): Fault['effect'] => ({ kind: 'status', status })),
  fc.constantFrom<Fault['effect']>(
    { kind: 'reset' },
    { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
    { kind: 'status', status: 409, body: locked },
    { kind: 'delay', delayMs: 4 },
    { kind: 'cut' },
    { kind: 'truncate' },
    { kind: 'text' },
    { kind: 'text', contentType: 'application/json', body: '{}' },
    { kind: 'expireTokens' },
  ),
)
const paths = [
  '*',
  '/admin/*',
  '/db/*',
  '/admin/users',
  '/admin/user*',
  '/admin/groups',
  '/admin/group*',
  '*/members/*',
  '*/privileges*',
  '*/constants*',
  '*/connections*',
  '/admin/licenses*',
  '/admin/substitutions*',
  '/db/1/elements*',
]
const scheduled: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'PATCH', 'DELETE', 'GET', 'GET'),
    path: fc.constantFrom(...paths),
  }),
  nth: fc.integer({ min: 1, max: 4 }),
  count: fc.constantFrom(1, 1, 1, 2, 5),
  effect: effects,
})
/** A 404 for what is there: at writes alone, since a read that lies so makes another plan. */
const hidden: fc.Arbitrary<Fault> = fc.record({
  match: fc.record({ method: fc.constantFrom('POST', 'PATCH', 'DELETE'), path: fc.constantFrom(...paths) }),
  nth: fc.integer({ min: 1, max: 3 }),
  effect: fc.constant<Fault['effect']>({ kind: 'status', status: 404 }),
})
export const schedules = fc.array(fc.oneof({ weight: 9, arbitrary: scheduled }, { weight: 1, arbitrary: hidden }), {
  maxLength: 4,
})

/**
 * How an item is told differently: by another name, at length, in another file, with fields that svcsync does not know.
 */
const tellings = fc.array(fc.constantFrom('plain', 'plain', 'renamed', 'long', 'overridden', 'extended'), {
  minLength: 12,
  maxLength: 12,
})

/** The declarations of one case: few kinds are few requests. Privileges need their accounts. */
const accounts: readonly Item['section'][] = ['users', 'groups', 'memberships']
const parts = fc.constantFrom<readonly Item['section'][]>(
  accounts,
  accounts,
  accounts,
  [...accounts, 'applications'],
  [...accounts, 'processes'],
  ['constants'],
  ['constants', 'connections'],
  [...accounts, 'licenses', 'substitutions', 'elements'],
  [...accounts, 'constants', 'connections', 'applications', 'processes', 'licenses', 'substitutions', 'elements'],
)

export function applyCases(faults: fc.Arbitrary<readonly Fault[]>): fc.Arbitrary<ApplyCase> {
  return fc
    .record({
      situation: situations,
      spare: spares,
      part: parts,
      told: tellings,
      project: fc.record({
        prunes: fc.constantFrom(false, false, true),
        collections: fc.constantFrom('exclusive' as const, 'exclusive' as const, 'additive' as const),
        timeZone: fc.constantFrom(...(Object.keys(offsets) as (keyof typeof offsets)[])),
      }),
      behaviour: behaviours,
      syncDelayMs: fc.constantFrom(0, 0, 0, 0, 3, 40),
      concurrency: fc.constantFrom(1, 3, 8),
      faults,
    })
    .map(({ situation: { live, items }, spare, part, told, ...rest }) => {
      const declared = items.filter(({ section }) => part.includes(section))
      return { ...rest, live: { ...live, spare }, ...tell(live, declared, told) }
    })
}

const extensible: readonly Item['section'][] = ['users', 'groups', 'constants', 'connections']

function tell(live: World, plain: readonly Item[], told: readonly string[]): Pick<ApplyCase, 'items' | 'overrides'> {
  const both = plain.map(({ section, item: known }, index) => {
    const how = told[index % told.length] ?? 'plain'
    const isExtended = how === 'extended' && extensible.includes(section) && known.absent === undefined
    const item = isExtended ? { ...known, extra: { costCentre: `K${index}`, tags: [index, null] } } : known
    const override = how === 'overridden' ? overrideOf(section, item) : undefined
    return { item: { section, item: toldItem({ section, item }, how, live) }, override }
  })
  return {
    items: both.map(({ item }) => item),
    overrides: both.flatMap(({ item: { section }, override }) => (override ? { section, item: override } : [])),
  }
}

function toldItem({ section, item }: Item, how: string, live: World): Fields {
  if (section === 'constants') return toldConstant(item, how, live.constants)
  if (section === 'connections') return toldConstant(item, how, live.connections)
  const constants = item.constants as readonly Fields[] | undefined
  if (section !== 'processes' || constants === undefined) return item
  return { ...item, constants: constants.map((each) => toldConstant(each, how, live.processConstants)) }
}

/** The target's override of the item. */
function overrideOf(section: Item['section'], item: Fields): Fields | undefined {
  if (section === 'constants') return { name: item.name, common: 'of the target', dev: null }
  if (item.absent !== undefined) return undefined
  const { svcId, members } = item as { readonly svcId?: string; readonly members?: readonly string[] | null }
  if (section === 'users') return { svcId, jobTitle: 'of the target' }
  if (section !== 'groups' || !Array.isArray(members) || item.manage !== undefined) return undefined
  return { svcId, members: members.slice(1) }
}

function toldConstant(item: Fields, how: string, live: readonly Fields[]): Fields {
  if (how === 'renamed' && live.some(({ name }) => name === item.name)) {
    return { ...item, name: `${String(item.name)} new`, previously: item.name }
  }
  if (how !== 'long' || item.type !== undefined) return item
  const long = (value: unknown) =>
    value === undefined ? undefined : value === null ? { inherit: true } : { value, inherit: false }
  return { ...item, dev: long(item.dev), prod: long(item.prod) }
}

/** The same against a base: what of it is declared no more is taken back. */
export function casesWithBase(faults: fc.Arbitrary<readonly Fault[]>): fc.Arbitrary<ApplyCase> {
  return applyCases(faults).chain((given) => manifests(given.live).map((before) => ({ ...given, before })))
}
