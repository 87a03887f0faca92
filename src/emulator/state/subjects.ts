// Those who can be members, owners and holders of privileges: users, groups, directory accounts, API applications.
import type { TypeOf } from '../shape/shape.ts'
import type { accountShape, memberTypes, userShape } from '../tenant/directory-shape.ts'

/** How far the last write to a user or group has got. */
interface Sync {
  /** Clock time from which the object counts as synchronised. */
  readyAt: number
  /** The write that is under way created it: it may not be visible yet. */
  created: boolean
  deleting: boolean
}

/** A list of privileges, as far as its subjects need to know it. */
interface Holding {
  /** Takes everything from the subject. */
  drop(subject: Subject): void
}

interface SubjectBase {
  readonly svcId: string
  name: string | null
  email: string | null
  readonly type: (typeof memberTypes)[number]
  readonly sync: Sync
  /** Where it takes part: known from both sides, so that a deletion need not search. */
  readonly memberOf: Set<Group>
  readonly ownerOf: Set<Group>
  readonly holds: Set<Holding>
}

export interface User extends SubjectBase {
  readonly kind: 'user'
  phoneNumber: string | null
  managerSvcId: string | null
  jobTitle: string | null
}
export interface Group extends SubjectBase {
  readonly kind: 'group'
  readonly members: Set<Subject>
  readonly owners: Set<Subject>
}
interface Account extends SubjectBase {
  readonly kind: 'account' | 'apiApplication'
}
export type Subject = User | Group | Account

function subjectBase({ svcId, name = null, email = null }: TypeOf<typeof accountShape>) {
  return {
    ...{ svcId, name, email },
    sync: { readyAt: 0, created: false, deleting: false },
    memberOf: new Set<Group>(),
    ownerOf: new Set<Group>(),
    holds: new Set<Holding>(),
  }
}

export function newUser(given: TypeOf<typeof userShape>): User {
  const { phoneNumber = null, managerSvcId = null, jobTitle = null } = given
  return { ...subjectBase(given), kind: 'user', type: 'User', phoneNumber, managerSvcId, jobTitle }
}

/** Nobody is in it yet. */
export function newGroup(given: TypeOf<typeof accountShape>): Group {
  return { ...subjectBase(given), kind: 'group', type: 'SvcGroup', members: new Set(), owners: new Set() }
}

/** Somebody of a directory, or an API application. */
export function newAccount(given: TypeOf<typeof accountShape>, kind: Account['kind']): Account {
  return { ...subjectBase(given), kind, type: given.type ?? 'Other' }
}
