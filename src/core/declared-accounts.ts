// The users and groups among desired objects, by how their svcIds compare. Several checks ask for them.
import type { FoldSvcId } from './address.ts'
import type { Desired } from './desired.ts'

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
  const accounts = { user: new Map<string, Desired>(), group: new Map<string, Desired>() }
  for (const object of desired) {
    const { provides } = object.kind
    if (provides !== undefined) accounts[provides].set(fold(object.at.name ?? ''), object)
  }
  const result = { users: accounts.user, groups: accounts.group }
  known.set(desired, { fold, accounts: result })
  return result
}
