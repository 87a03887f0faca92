// Members, owners and holders of privileges: users, groups, directory accounts, API applications.
import type { TypeOf } from '../shape/shape.ts'
import { type accountShape, type memberTypes, userTexts } from '../tenant/tenant-shape.ts'

/** The progress of the last write to a user or group. */
interface SyncState {
  /** Clock time from which the object counts as synchronised. */
  readyAt: number
  /** The write that is under way created it: it may not be visible yet. */
  created: boolean
  deleting: boolean
}

/** A list of privileges, as far as its subjects need to know it. */
interface PrivilegeHolder {
  /** Takes everything from the subject. */
  drop(subject: Subject): void
}

interface SubjectBase {
  readonly svcId: string
  name: string | null
  email: string | null
  readonly type: (typeof memberTypes)[number]
  readonly sync: SyncState
  /** The groups it belongs to: kept on both sides, so that a deletion need not search. */
  readonly memberOf: Set<Group>
  readonly ownerOf: Set<Group>
  readonly holds: Set<PrivilegeHolder>
}

export type User = SubjectBase & { readonly kind: 'user' } & { [T in (typeof userTexts)[number]]: string | null }
export interface Group extends SubjectBase {
  readonly kind: 'group'
  readonly members: Set<Subject>
  readonly owners: Set<Subject>
}
interface Account extends SubjectBase {
  readonly kind: 'account' | 'apiApplication'
}
export type Subject = User | Group | Account
export type GroupSide = 'members' | 'owners'
export const groupSides: readonly GroupSide[] = ['members', 'owners']

type GivenAccount = TypeOf<typeof accountShape>

function subjectBase({ svcId, name = null, email = null }: GivenAccount, type: Subject['type']) {
  const parts = { memberOf: new Set<Group>(), ownerOf: new Set<Group>(), holds: new Set<PrivilegeHolder>() }
  return { svcId, name, email, type, sync: { readyAt: 0, created: false, deleting: false }, ...parts }
}

export function newUser(given: GivenAccount & Partial<Texts<(typeof userTexts)[number]>>): User {
  return { ...subjectBase(given, 'User'), kind: 'user', ...textsOf(userTexts, given) }
}

type Texts<K extends string> = { readonly [P in K]: string | null | undefined }
/** These of an object's texts, null where it has none. */
export function textsOf<K extends string>(names: readonly K[], given: Partial<Texts<K>>): { [P in K]: string | null } {
  return Object.fromEntries(names.map((name) => [name, given[name] ?? null])) as { [P in K]: string | null }
}

/** Nobody is in it yet. */
export function newGroup(given: GivenAccount): Group {
  return { ...subjectBase(given, 'SvcGroup'), kind: 'group', members: new Set(), owners: new Set() }
}

/** Somebody of a directory, or an API application. */
export function newAccount(given: GivenAccount, kind: Account['kind']): Account {
  return { ...subjectBase(given, given.type ?? 'Other'), kind }
}
