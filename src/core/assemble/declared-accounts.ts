// The users and groups among desired objects, by how their svcIds compare. Several checks ask for them.
import type { FoldSvcId } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'

export interface DeclaredAccounts {
  /** By folded svcId; those that are only declared in part as well. */
  readonly users: ReadonlyMap<string, Desired>
  readonly groups: ReadonlyMap<string, Desired>
}

const known = new WeakMap<readonly Desired[], { readonly fold: FoldSvcId; readonly accounts: DeclaredAccounts }>()

/** Worked out once for one list of objects. */
export function declaredAccounts(desired: readonly Desired[], fold: FoldSvcId): DeclaredAccounts {
  const earlier = known.get(desired)
  if (earlier?.fold === fold) return earlier.accounts
  const users = new Map<string, Desired>()
  const groups = new Map<string, Desired>()
  for (const object of desired) {
    const { provides } = object.kind
    if (provides !== undefined) (provides === 'user' ? users : groups).set(fold(object.at.name ?? ''), object)
  }
  const accounts = { users, groups }
  keepAccounts(desired, fold, accounts)
  return accounts
}

/** Whoever puts the list together has them by their names anyway: a table of a hundred thousand is not made twice. */
export function keepAccounts(desired: readonly Desired[], fold: FoldSvcId, accounts: DeclaredAccounts): void {
  known.set(desired, { fold, accounts })
}
