// A list of objects of one kind: where it is, and whether it can hold what is wanted.
import { type Address, addressStart } from '@svcsync/core/model/address.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import type { LiveItem } from '@svcsync/core/model/live-tree.ts'

interface Shelf {
  readonly kind: Kind
  readonly at: Location
  /** As the target names it. */
  readonly database: string | undefined
  /** In which it is. */
  readonly parent: LiveItem | undefined
}

/** True if something in it, or in its contents, may be wanted. */
export function mayHold(shelf: Shelf, kinds: readonly Kind[], maybeBelow: (address: Address) => boolean): boolean {
  if (maybeBelow(addressStart(shelf.kind, shelf))) return true
  const inner = kinds.filter(({ parent, scope }) => parent === shelf.kind.name && scope === 'database')
  return inner.some((kind) => maybeBelow(addressStart(kind, { database: shelf.database })))
}
