// Differences that are taken into the manifests, and those that are not.
import type { Address } from '@svcsync/core/model/address.ts'
import type { Declaration } from '@svcsync/core/model/declaration.ts'
import type { Desired } from '@svcsync/core/model/desired.ts'
import type { Json } from '@svcsync/core/model/json.ts'
import type { SourceEdit } from './declared.ts'

export interface Taken {
  readonly address: Address
  /** A field by dots, or a collection; empty: the object. */
  readonly path: string
  /** The key of an entry, by which facts know it. */
  readonly element?: string
  readonly entry?: string
  /** The present declaration, which identifies the object also without the platform. */
  readonly declaration?: Declaration
  readonly what: string
  readonly edits: readonly SourceEdit[]
  /** Whom it keeps as Administrator. */
  readonly administrator?: string
  /** The object is not there any more, and has to be looked for by itself. */
  readonly vanished?: Desired
}

export interface Refused {
  readonly address: Address
  readonly what: string
  readonly why: string
}

export const referenceThere = 'the manifest has a reference: svcsync does not replace it with a value'

export interface Acceptable {
  readonly taken: readonly Taken[]
  readonly refused: readonly Refused[]
  /** Differences that the manifests brought about, and that an apply is to carry out. */
  readonly pending: number
}

export function shown(value: Json | undefined): string {
  return value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)
}
