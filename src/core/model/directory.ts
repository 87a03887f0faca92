// Where declared names lead: the platform's metadata as a resolver, so that assembling the desired state stays pure.
import type { Address } from './address.ts'
import type { CompanyRef, Location } from './kind.ts'
import type { Unreadable } from './live.ts'

export interface Found {
  readonly address: Address
  readonly at: Location
  /** Absent: nobody has looked. */
  readonly guid?: string
}

/** Near names, best first; or the candidates. `pending`: it cannot be said yet, and who asked has to ask again. */
export interface NotFound {
  readonly reason: 'unknown' | 'ambiguous' | 'pending'
  readonly candidates: readonly string[]
  /** Of several candidates, where each stands: the name of its application. Empty where they all stand in one place. */
  readonly within?: readonly string[]
  /** The whole problem, where its kind knows it better. */
  readonly detail?: { readonly code: string; readonly message: string; readonly hint?: string | undefined }
}

/** The list in which it would be could not be read: it may be there, or not. */
export interface Unlisted {
  readonly reason: 'unreadable'
  readonly why: Pick<Unreadable, 'code' | 'reason' | 'hint'>
}

export interface Directory {
  /** A database by its name in the project file, or by its id. Undefined: there is no such one. */
  database(ref: string): { readonly name: string; readonly dbId: number } | undefined
  readonly databases: readonly string[]
  readonly target?: string | undefined
  /** Of a found kind, by name, guid or id, inside `container`; without one, in all containers of the database. */
  find(kind: string, ref: string, container: Found | undefined, at: Location): Found | NotFound | Unlisted
  /** A business entity by code, name, guid or id. */
  company(dbId: number, ref: string): CompanyRef | NotFound | Unlisted
}

export function isFound(result: Found | NotFound | Unlisted): result is Found {
  return 'address' in result
}
