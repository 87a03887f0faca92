// How a manifest has to refer to something that the platform lists: by its name where that leads to it alone.
import { type Directory, type Found, isFound } from '../core/model/directory.ts'
import type { Kind, Location, Lookup } from '../core/model/kind.ts'
import type { Candidate } from './metadata-lists.ts'

/** Asks the directory that plans ask. Undefined: nothing leads to it alone. */
export function findCandidate(
  directory: Directory,
  kind: Kind,
  lookup: Lookup,
  candidate: Candidate,
  container: Found | undefined,
  at: Location,
): { readonly identity: string; readonly found: Found } | undefined {
  for (const identity of [candidate.name, candidate.guid, String(candidate.id ?? '')]) {
    if (identity === '') continue
    const found = directory.find(kind.name, identity, container, at)
    if (isFound(found) && found.at[lookup.fills] === candidate.guid) return { identity, found }
  }
  return undefined
}
