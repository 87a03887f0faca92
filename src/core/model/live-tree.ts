// Objects found on the platform without any declaration, in their containers, as a manifest would refer to them.
import type { Address } from './address.ts'
import type { KeyedElement } from './elements.ts'
import type { JsonObject } from './json.ts'
import type { Kind, Location } from './kind.ts'

export interface LiveItem {
  readonly kind: Kind
  readonly address: Address
  /** The svcId or name that a manifest writes; the guid if several objects share the name. */
  readonly identity: string
  /** Its name, where the identity is not that. */
  readonly called?: string | undefined
  /** The database that it lives in, as the target names it. Undefined: it is there for all of the installation. */
  readonly database: string | undefined
  /** The location, for objects found by name. */
  readonly at?: Location | undefined
  /** The object that it was found in. */
  readonly parent: LiveItem | undefined
  /** False: it is only here for what is in it. */
  readonly wanted: boolean
  readonly spec: JsonObject
  readonly collections: Readonly<Record<string, readonly KeyedElement[]>>
  readonly perhapsGroups?: readonly string[] | undefined
}

/** Something that is on the platform and not told: an object, a part of one, or a whole list. */
export interface UnreadPart {
  /** The address of the object, or the beginning of a list's addresses, such as `connection/main`. */
  readonly address: Address
  readonly kind: Kind
  readonly database?: string | undefined
  /** In which it would stand. */
  readonly parent?: LiveItem | undefined
  /** The field of the object that is left out; undefined: all of it. */
  readonly field?: string | undefined
  readonly reason: string
  readonly hint?: string | undefined
  /** It is a whole list. */
  readonly isList?: boolean | undefined
  /** It is a whole list, and the platform says that there is no such one. */
  readonly isMissing?: boolean | undefined
  /** It was read: the platform does not tell enough of it to be declared. */
  readonly isUntold?: boolean | undefined
}

export interface LiveTree {
  /** Each after its container; otherwise sorted by address. */
  readonly items: readonly LiveItem[]
  readonly leftOut: readonly UnreadPart[]
  /** Selected live objects that are passed over, sorted: they are declared, or a plan deletes them (`prune`). */
  readonly passed: readonly { readonly address: Address; readonly why: 'declared' | 'prune' }[]
  /** Kinds of which the installation says that it has nothing. */
  readonly lacking: readonly Kind[]
  /** Display names of accounts that were read, by their keys. */
  readonly accountNames: ReadonlyMap<string, string>
}
