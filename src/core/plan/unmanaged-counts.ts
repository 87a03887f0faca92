// How many live objects there are that no manifest declares: what "as declared" does not speak of.
import type { Address } from '../model/address.ts'

export const maxUnmanagedAddresses = 50

export interface Unlisted {
  /** Of the list: its beginning, such as `connection/main`. */
  readonly address: Address
  /** One sentence, without a full stop. */
  readonly reason: string
}

export interface UnmanagedKind {
  /** Without what prune deletes. null: nothing of the kind could be listed. */
  readonly live: number | null
  /** How many of them a manifest declares. */
  readonly declared: number
  /** Of the first that no manifest declares, in order. */
  readonly addresses: readonly Address[]
  readonly unlisted?: readonly Unlisted[]
  /** Lists that were not read, since they are inside of objects that no manifest declares. */
  readonly skippedLists?: number
}

/** By the name of the kind. */
export type Unmanaged = Readonly<Record<string, UnmanagedKind>>
