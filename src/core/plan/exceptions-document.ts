// The effects of exceptions on a plan, as data.
import type { Place } from '@svcsync/errors/index.ts'
import type { Address } from '../model/address.ts'
import type { Element } from '../model/kind.ts'

export interface ExceptionDocument {
  /** The address of an object, a field or an entry. */
  readonly address?: Address
  readonly path?: string
  readonly entry?: string
  readonly person?: string
  readonly object?: Address
  readonly level?: string
  readonly company?: string
  /** As it is written. */
  readonly until: string
  /** From then on it is over: ISO 8601, UTC. */
  readonly ends: string
  readonly reason: string
  readonly place: Place
}

/** A difference that an exception is about. No value: what it leaves alone is not compared any further. */
export interface ExceptedDocument {
  readonly address: Address
  readonly path?: string
  readonly element?: Element
  /** The act of an apply without the exception. */
  readonly act: 'create' | 'delete' | 'set' | 'add' | 'remove'
  readonly by: ExceptionDocument
}

export interface ExceptionsDocument {
  readonly left: readonly ExceptedDocument[]
  /** The manifests moved since the base, so that the plan changes it all the same. */
  readonly overruled: readonly ExceptedDocument[]
  /** The exception is over: a difference like any other. */
  readonly expired: readonly ExceptedDocument[]
  /** They are about what was compared, and match nothing. */
  readonly idle: readonly ExceptionDocument[]
}
