// The ways in which installations differ and no document says how: one named option for each, the default first. docs/emulator.md
// lists them.
import type { Json } from '../core/model/json.ts'
import { count, filledText, flag, nullable, oneOf, partial, record, type TypeOf } from './shape/shape.ts'

const switches = {
  /** A second level for one subject stands beside the first, or takes its place. */
  privilegeLevels: oneOf('several', 'single'),
  /** Removing a privilege removes the level that is named, or every level of the subject. */
  privilegeRemoval: oneOf('oneLevel', 'allLevels'),
  /** Whether a list of privileges tells the business entity that a privilege is limited to. */
  privilegeCompany: oneOf('returned', 'omitted'),
  /** Whether a list of privileges tells the level of each. */
  privilegeLevel: oneOf('returned', 'omitted'),
  /** The key under which a list of privileges tells the subject's name. */
  privilegeName: oneOf('username', 'name'),
  svcIdCase: oneOf('insensitive', 'sensitive'),
  /** The largest page, whatever was asked for; null: no limit. */
  pageCap: nullable(count),
  /** Number of the first page: as documented for each list, or the same one everywhere. */
  firstPage: oneOf('documented', 0, 1),
  /** Fields of answers that are null, or also false and 0: told, or left out. */
  absentFields: oneOf('told', 'nullsOmitted', 'defaultsOmitted'),
  /** Whether every object in an answer has fields that no document has. */
  newFields: oneOf('none', 'told'),
  /** Types of licences and words in the settings of connections that no document has, in what is written. */
  newWords: oneOf('refused', 'accepted'),
  /** The page after the last one; of substitutions the first page of an empty list, too. */
  pageAfterLast: oneOf('empty', 'notFound'),
  /** What a group without members or owners shows. */
  emptyMembers: oneOf('emptyList', 'null'),
  /** When a deleted user or group stops being readable. */
  afterDelete: oneOf('goneAtOnce', 'goneAfterSync'),
  /** When a created user or group starts being readable. */
  afterCreate: oneOf('visibleAtOnce', 'visibleAfterSync'),
  /** Whether a created user or group can be a member or hold privileges before it is synchronised. */
  newSubjects: oneOf('usableAfterSync', 'usableAtOnce'),
  /** A further write to a user or group that waits for synchronisation. */
  writeWhileWaiting: oneOf('accepted', 'locked'),
  /** How empty optional texts read back. */
  emptyText: oneOf('asWritten', 'asNull', 'asEmptyText'),
  /** Environments of a constant that inherit: left out, or shown with the value they inherit. */
  inheritedEnvironments: oneOf('omitted', 'shown'),
  /** Whether the token answer has `expires_in`. */
  tokenExpiry: oneOf('reported', 'notReported'),
  tokenLifetimeMs: count,
  /** Tokens are refused this long after they were issued, whatever the answer promised; null: when they expire. */
  tokenRejectedAfterMs: nullable(count),
  tokenContentType: filledText,
  /** What a request for a token may accept: whatever clients send, or the documented text alone. */
  tokenAccept: oneOf('usual', 'textPlain'),
  /** What an item of a list of metadata tells: which object it is, or all that a read of it does. */
  metadataListItems: oneOf('short', 'whole'),
  /** Whether the account of an API application can be a member or owner: a refusal is of the whole batch. */
  apiApplicationMembers: oneOf('accepted', 'refused'),
  /** The status of a `LicenseError`. */
  licenseErrorStatus: oneOf(409, 402),
  /** Licences of several people in one request, one of whom is refused: nothing of it is carried out, or what stands before. */
  licenseBatches: oneOf('wholeOrNot', 'untilRefused'),
  /** Licences of a deleted account: kept, or gone with it; a read of those is a 404, or an empty list. */
  licensesOfDeleted: oneOf('kept', 'notFound', 'empty'),
  /** A substitution whose end is over: taken, or refused as invalid. */
  pastSubstitutions: oneOf('accepted', 'refused'),
  /** How the dates of substitutions read back: as they were written, in UTC, or without their offset. */
  substitutionDates: oneOf('asWritten', 'asUtc', 'withoutOffset'),
  /** A write whose answer a fault takes away: carried out all the same, or not. A fault may say otherwise for itself. */
  lostWrites: oneOf('carriedOut', 'notCarriedOut'),
  /** Scopes that process constants ask for: App.Metadata, Admin.ProcessConstants, or any of the two. */
  processConstantScopes: oneOf('metadata', 'admin', 'either'),
  /** SQL connections of 6.0: with `integratedAuthentication` (2022.1), or with `connectionType` (later releases). */
  sqlConnections: oneOf('integratedAuthentication', 'connectionType'),
  /** What becomes of the settings of an environment that an update sends in part, its login above all. */
  connectionUpdates: oneOf('merged', 'replaced'),
  /** How document-portal credentials spell the service account. */
  serviceAccountSpelling: oneOf('ServiceAccount', 'ServiceAccoount'),
  /** Creating a constant or connection under a name that is taken. */
  duplicateNames: oneOf('refused', 'accepted'),
  /** What becomes of the fields of a user that an update leaves out. */
  absentUserFields: oneOf('kept', 'cleared'),
  /** What a new user has to be like: anything, or as the installation's own import of users wants it. */
  newUsers: oneOf('any', 'asImported'),
  /**
   * Fields that no document has, in what is written of users, groups, constants and connections: refused, kept and told, or
   * kept and never told.
   */
  undocumentedFields: oneOf('refused', 'told', 'untold'),
  /** Whether `managerSvcId` must name somebody who exists. */
  managerMustExist: flag,
}

const behaviourShape = record(switches)
export type Behaviour = TypeOf<typeof behaviourShape>

/** Any part of it: what a tenant file, an option or a control request gives. */
export const behaviourChangesShape = partial(switches)
export type BehaviourChanges = TypeOf<typeof behaviourChangesShape>

/** The first choice of each, but for what has none. */
export const defaultBehaviour: Behaviour = {
  ...(Object.fromEntries(
    Object.entries(switches).map(([name, { schema }]) => [name, (schema.enum as Json[] | undefined)?.[0]]),
  ) as unknown as Behaviour),
  pageCap: 200,
  tokenLifetimeMs: 3_600_000,
  tokenRejectedAfterMs: null,
  tokenContentType: 'application/json',
  managerMustExist: false,
}

/** Returns a new object; options that are undefined leave the switch as it is. */
export function changeBehaviour(before: Behaviour, changes: BehaviourChanges): Behaviour {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return { ...before, ...given }
}
