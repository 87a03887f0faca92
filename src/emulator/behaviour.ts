// The undocumented ways in which installations differ: one switch for each. docs/emulator.md shows this table.
import * as s from './shape/shape.ts'

interface Switch<T> {
  readonly shape: s.Shape<T>
  /** The default value, and the values as they are shown. */
  readonly first: T
  readonly values: string
  readonly says: string
}

/** One of a few values, the first unless another is set. */
function one<const T extends readonly (string | number)[]>(values: T, says: string): Switch<T[number]> {
  return { shape: s.oneOf(...values), first: values[0] as T[number], values: values.map(code).join(', '), says }
}

function custom<T>(shape: s.Shape<T>, first: T, others: string, says: string): Switch<T> {
  return { shape, first, values: `${code(first)}, ${others}`, says }
}

function code(value: unknown): string {
  return `\`${value}\``
}

const millis = 'milliseconds'
const maybeCount = s.nullable(s.count)
export const switches = {
  privilegeLevels: one(['several', 'single'], 'a second level of a subject: beside the first, or instead of it'),
  privilegeRemoval: one(['oneLevel', 'allLevels'], 'levels that one removal takes'),
  privilegeCompany: one(['returned', 'omitted'], 'the business entity, in lists of privileges'),
  privilegeName: one(['username', 'name'], 'the key of the name, in lists of privileges'),
  svcIdCase: one(['insensitive', 'sensitive'], 'case of svcIds'),
  pageCap: custom(maybeCount, 200, 'any number, `null`', 'the largest page'),
  firstPage: one(['documented', 0, 1], 'its number; documented: 0 for users and groups, 1 for substitutions'),
  emptyMembers: one(['emptyList', 'null'], 'members or owners of an empty group'),
  afterDelete: one(['goneAtOnce', 'goneAfterSync'], 'a deleted user or group'),
  writeWhileWaiting: one(['accepted', 'locked'], 'a write to an unsynchronised object; locked: 409 `ResourceIsLocked`'),
  emptyText: one(['asWritten', 'asNull', 'asEmptyText'], 'empty optional texts, as read'),
  inheritedEnvironments: one(['omitted', 'shown'], 'inherited environments of constants; shown: with their value'),
  tokenExpiry: one(['reported', 'notReported'], '`expires_in` of a token'),
  tokenLifetimeMs: custom(s.count, 3_600_000, millis, 'lifetime of a token'),
  tokenRejectedAfterMs: custom(maybeCount, null, millis, 'refuses tokens early'),
  lostWrites: one(['carriedOut', 'notCarriedOut'], 'writes whose answer a fault takes'),
  privilegeLevel: one(['returned', 'omitted'], 'the level, in lists of privileges'),
  absentUserFields: one(['kept', 'cleared'], 'fields of a user that an update omits'),
  apiApplicationMembers: one(['accepted', 'refused'], 'accounts of API applications; refused: 409 for the whole batch'),
  newUsers: one(['any', 'asImported'], 'asImported: 400 without name, email or a plain UPN as svcId'),
  absentFields: one(
    ['told', 'nullsOmitted', 'defaultsOmitted'],
    'fields with `null`; the last also with `false` and 0',
  ),
  newFields: one(['none', 'told'], 'undocumented fields in every answer'),
  newWords: one(['refused', 'accepted'], 'undocumented licence types and words of connections, in writes'),
  pageAfterLast: one(['empty', 'notFound'], 'notFound: 404, for substitutions also on the first page of an empty list'),
  licensesOfDeleted: one(
    ['kept', 'notFound', 'empty'],
    'licences of deleted accounts: kept, 404, or empty with `userIsDeleted`',
  ),
  tokenContentType: custom(s.filledText, 'application/json', 'any other', 'of the answer with a token'),
  tokenAccept: one(['usual', 'textPlain'], '`Accept` of requests for tokens; textPlain: `text/plain` alone'),
  metadataListItems: one(['short', 'whole'], 'short: id, guid, name, links; whole: as in a read of each'),
  licenseErrorStatus: one([409, 402], 'the status of a `LicenseError`'),
  licenseBatches: one(['wholeOrNot', 'untilRefused'], 'a batch with a refused user: nothing, or those before'),
  pastSubstitutions: one(['accepted', 'refused'], 'a substitution that is over; refused: 409 `ValidationError`'),
  substitutionDates: one(['asWritten', 'asUtc', 'withoutOffset'], 'dates of substitutions, as read'),
  afterCreate: one(['visibleAtOnce', 'visibleAfterSync'], 'a created user or group; 404 until visible'),
  newSubjects: one(['usableAfterSync', 'usableAtOnce'], 'new users and groups, as members and holders'),
  processConstantScopes: one(['metadata', 'admin', 'either'], 'scopes of process constants'),
  sqlConnections: one(['integratedAuthentication', 'connectionType'], 'the fields of SQL connections in 6.0'),
  connectionUpdates: one(['merged', 'replaced'], 'settings that an update omits from an environment'),
  serviceAccountSpelling: one(['ServiceAccount', 'ServiceAccoount'], 'in answers; both are understood'),
  duplicateNames: one(['refused', 'accepted'], 'a new constant or connection with a taken name'),
  undocumentedFields: one(['refused', 'told', 'untold'], 'in writes of users, groups, constants, connections'),
  compression: one(['none', 'gzip', 'br'], 'answers are packed, whatever the client accepts'),
  managerMustExist: custom(s.flag, false, '`true`', '`managerSvcId` must exist'),
} as const

type SwitchShapes = { readonly [K in keyof typeof switches]: (typeof switches)[K]['shape'] }
const entries = Object.entries(switches)
const shapes = Object.fromEntries(entries.map(([name, { shape }]) => [name, shape])) as unknown as SwitchShapes
export type Behaviour = { readonly [K in keyof SwitchShapes]: s.TypeOf<SwitchShapes[K]> }

/** Any part of it: what a tenant file, an option or a control request gives. */
export const behaviourChangesShape = s.partial(shapes)
export type BehaviourChanges = s.TypeOf<typeof behaviourChangesShape>

export const defaultBehaviour = Object.fromEntries(
  entries.map(([name, { first }]) => [name, first]),
) as unknown as Behaviour

/** Returns a new object; an undefined option does not change its switch. */
export function changeBehaviour(before: Behaviour, changes: BehaviourChanges): Behaviour {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return { ...before, ...given }
}
