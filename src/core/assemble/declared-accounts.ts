// The users and groups among desired objects, by their keys. Several checks ask for them.

import type { Desired } from '../model/desired.ts'
import { getOrInsert } from '../model/group-by.ts'

interface DeclaredAccounts {
  /** Those that are only declared in part as well. */
  readonly users: ReadonlyMap<string, Desired>
  readonly groups: ReadonlyMap<string, Desired>
}

const known = new WeakMap<readonly Desired[], DeclaredAccounts>()

/** Worked out once for one list of objects. */
export function declaredAccounts(desired: readonly Desired[]): DeclaredAccounts {
  return getOrInsert(known, desired, accountsAmong)
}

function accountsAmong(desired: readonly Desired[]): DeclaredAccounts {
  const users = new Map<string, Desired>()
  const groups = new Map<string, Desired>()
  for (const object of desired) {
    const { provides } = object.kind
    if (provides !== undefined) (provides === 'user' ? users : groups).set(object.key, object)
  }
  return { users, groups }
}

/** Whoever puts the list together has them by their names anyway: a table of a hundred thousand is not made twice. */
export function keepAccounts(desired: readonly Desired[], accounts: DeclaredAccounts): void {
  known.set(desired, accounts)
}
