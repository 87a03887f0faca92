// The live state of what a run looks at.
import type { Address } from './address.ts'
import type { Kind, LivePart, Location } from './kind.ts'

export interface Live extends LivePart {
  readonly kind: Kind
  readonly address: Address
  readonly at: Location
}

/** Why an object could not be read. It is neither there nor absent: nothing is planned for it. */
export interface Unreadable {
  readonly address: Address
  /** Of the problem, as docs/problems.md has it; absent where none tells it. */
  readonly code?: string
  /** One sentence. */
  readonly reason: string
  readonly hint?: string | undefined
}

/** Live objects by address key (see AddressKey), and what could not be read. */
export interface LiveSnapshot {
  readonly objects: ReadonlyMap<string, Live>
  readonly unreadable: ReadonlyMap<string, Unreadable>
  /** Accounts that are known to exist, folded, declared or not. */
  readonly accounts: ReadonlySet<string>
  /** How many there are of a kind, by its name, where the platform listed all of them. */
  readonly totals: ReadonlyMap<string, number>
}
