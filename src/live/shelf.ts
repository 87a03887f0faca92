// A list of objects of one kind: where it is, and which addresses it can hold.
import { type Address, addressSegment } from '../core/model/address.ts'
import type { Kind, Location } from '../core/model/kind.ts'
import type { LiveItem } from '../core/model/live-tree.ts'

export interface Shelf {
  readonly kind: Kind
  readonly at: Location
  /** As the target names it. */
  readonly database: string | undefined
  /** In which it is. */
  readonly parent: LiveItem | undefined
}

/** What the addresses of all its objects begin with, without a slash at the end. */
export function addressOf({ kind, database, parent }: Shelf): Address {
  if (kind.scope === 'installation') return kind.segment
  if (parent !== undefined && kind.scope === 'parent') return `${parent.address}/${kind.segment}`
  // `application/main/Purchasing` holds `process/main/Purchasing/…`.
  const within = parent === undefined ? '' : `/${parent.address.slice(`${parent.kind.segment}/${database}/`.length)}`
  return `${kind.segment}/${database}${within}`
}

/** The address of an object that is known by its own name. */
export function addressIn(shelf: Shelf, { name }: { readonly name: string }): Address {
  return `${addressOf(shelf)}/${shelf.kind.scope === 'installation' ? name : addressSegment(name)}`
}

/** Whether anything in it, or in what it holds, may be wanted. */
export function mayHold(shelf: Shelf, kinds: readonly Kind[], maybeBelow: (address: Address) => boolean): boolean {
  if (maybeBelow(addressOf(shelf))) return true
  const inner = kinds.filter(({ parent, scope }) => parent === shelf.kind.name && scope === 'database')
  return inner.some((kind) => maybeBelow(addressOf({ ...shelf, kind, parent: undefined })))
}
