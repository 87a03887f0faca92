// Resolves declared names by the platform's metadata: an interface, so that the desired state is assembled purely.
import type { Address } from './address.ts'
import type { CompanyRef, Location } from './kind.ts'
import type { Unreadable } from './live.ts'

export interface FoundObject {
  readonly address: Address
  readonly at: Location
  /** Absent: nobody has looked. */
  readonly guid?: string
}

/** Near names, best first; or the candidates. `pending`: it cannot be said yet, and who asked has to ask again. */
interface Unfound {
  readonly reason: 'unknown' | 'ambiguous' | 'pending'
  readonly candidates: readonly string[]
  /** The application of each candidate. Empty if all candidates are in one place. */
  readonly within?: readonly string[]
  /** The whole problem, where its kind knows it better. */
  readonly detail?: { readonly code: string; readonly message: string; readonly hint?: string | undefined }
}

/** `unreadable`: the list in which it would be could not be read: it may be there, or not. */
export type NotFound =
  | Unfound
  | { readonly reason: 'unreadable'; readonly why: Pick<Unreadable, 'code' | 'reason' | 'hint'> }

export interface Directory {
  /** A database by its name in the project file, or by its id. Undefined: there is no such one. */
  database(ref: string): { readonly name: string; readonly dbId: number } | undefined
  readonly databases: readonly string[]
  readonly target?: string | undefined
  /** Finds by name, guid or id, inside `container`, or in all containers of the database if there is none. */
  find(kind: string, ref: string, container: FoundObject | undefined, at: Location): FoundObject | NotFound
  /** A business entity by code, name, guid or id. */
  company(dbId: number, ref: string): CompanyRef | NotFound
}

export function isFound(result: FoundObject | NotFound): result is FoundObject {
  return 'address' in result
}
