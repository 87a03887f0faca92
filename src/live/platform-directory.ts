// The directory over the platform's metadata: turns names, guids and ids of a manifest into places on the platform.

import { findDatabase } from '../core/assemble/as-written-directory.ts'
import { addressSegment } from '../core/model/address.ts'
import { type Directory, type Found, isFound, type NotFound } from '../core/model/directory.ts'
import type { Kind, Location, Lookup } from '../core/model/kind.ts'
import { PlatformError } from '../errors/index.ts'
import { type Candidate, companyList, type MetadataLists, matching } from './metadata-lists.ts'

/** While a list that is needed has not been read yet, everything in it is pending: see MetadataLists. */
export function platformDirectory(
  databases: Readonly<Record<string, number>>,
  kinds: ReadonlyMap<string, Kind>,
  lists: MetadataLists,
): Directory {
  const candidatesOf = (kind: Kind, at: Location) => {
    const lookup = kind.lookup as Lookup
    return lists.get({ request: lookup.request(at), key: lookup.key })
  }

  /** The containers in which to look: the one that is given, or all that there are. */
  const containersOf = (
    kind: Kind,
    container: Found | undefined,
    at: Location,
  ): readonly Found[] | PlatformError | undefined => {
    if (container !== undefined || kind.parent === undefined) return [container ?? { address: '', at }]
    const parent = kinds.get(kind.parent)
    if (parent?.lookup === undefined) return []
    const candidates = candidatesOf(parent, at)
    return candidates === undefined || candidates instanceof PlatformError
      ? candidates
      : candidates.map((candidate) => foundOf(parent, candidate, candidates, undefined, at))
  }

  const foundOf = (
    kind: Kind,
    candidate: Candidate,
    siblings: readonly Candidate[],
    container: Found | undefined,
    at: Location,
  ): Found => {
    // Several of one name are different objects: what was found by its guid keeps it, or they would pass for one.
    const isOnly = matching(siblings, candidate.name).length === 1
    const name = addressSegment(isOnly ? candidate.name : candidate.guid)
    const database = findDatabase(databases, String(at.dbId))?.name ?? String(at.dbId)
    const { name: _, ...outer } = container?.at ?? at
    const outerBase = `${kinds.get(kind.parent ?? '')?.segment}/${database}/`
    const within = container === undefined ? '' : `${container.address.slice(outerBase.length)}/`
    const address =
      kind.scope === 'parent'
        ? `${container?.address}/${kind.segment}/${name}`
        : `${kind.segment}/${database}/${within}${name}`
    const { guid } = candidate
    return { address, at: { ...outer, [kind.sections[0].identity]: guid, name: candidate.name }, guid }
  }

  return {
    databases: Object.keys(databases),
    database: (ref) => findDatabase(databases, ref),
    find(kindName, ref, container, at): Found | NotFound {
      const kind = kinds.get(kindName)
      if (kind?.lookup === undefined) return { reason: 'unknown', candidates: [] }
      const containers = containersOf(kind, container, at)
      if (containers === undefined) return pending
      if (containers instanceof PlatformError) return unreadable(containers)
      const found: { readonly result: Found; readonly guid: string; readonly within: string | undefined }[] = []
      const searched: (readonly Candidate[])[] = []
      let refusal: PlatformError | undefined
      let isPending = false
      for (const outer of containers) {
        const candidates = candidatesOf(kind, outer.at)
        // Goes on, so that all lists that are missing are asked for together.
        if (candidates === undefined) {
          isPending = true
          continue
        }
        if (candidates instanceof PlatformError) {
          refusal = candidates
          continue
        }
        for (const candidate of matching(candidates, ref)) {
          found.push({
            result: foundOf(kind, candidate, candidates, outer.address === '' ? undefined : outer, outer.at),
            guid: candidate.guid,
            within: outer.address === '' ? undefined : outer.at.name,
          })
        }
        searched.push(candidates)
      }
      if (isPending) return pending
      const [only, second] = found
      if (only === undefined) {
        const candidates = searched.flat().map(({ name }) => name)
        return refusal === undefined ? { reason: 'unknown', candidates } : unreadable(refusal)
      }
      if (second !== undefined) {
        const within = found.flatMap((each) => each.within ?? [])
        return { reason: 'ambiguous', candidates: found.map(({ guid }) => guid), within }
      }
      // Another one of the name may be where svcsync could not look.
      if (refusal !== undefined && only.result.at.name === ref) return unreadable(refusal)
      return only.result
    },
    company(dbId, ref) {
      const list = lists.get(companyList(dbId))
      if (list === undefined) return pending
      if (list instanceof PlatformError) return unreadable(list)
      const [only, second] = matching(list, ref)
      if (only === undefined)
        return { reason: 'unknown', candidates: list.flatMap(({ name, code }) => (code ? [code, name] : [name])) }
      if (second !== undefined) return { reason: 'ambiguous', candidates: matching(list, ref).map(({ guid }) => guid) }
      return { guid: only.guid, name: only.code ?? only.name, ...(only.id !== undefined && { id: only.id }) }
    },
  }
}

const pending: NotFound = { reason: 'pending', candidates: [] }

function unreadable({ message, hint, status, path }: PlatformError): NotFound {
  // A list of a database that is not there: the likeliest reason is its number.
  const database = status === 404 ? /\/db\/(\d+)\//.exec(path)?.[1] : undefined
  const check = database && `Check whether the platform has a database ${database}: see \`databases\` of the target.`
  return { reason: 'unreadable', candidates: [], detail: { message, hint: check ?? hint } }
}

/**
 * How a manifest has to refer to something that the platform lists: by its name where that leads to it alone. Undefined:
 * nothing does.
 */
export function findCandidate(
  directory: Directory,
  kind: Kind,
  candidate: Candidate,
  container: Found | undefined,
  at: Location,
): { readonly identity: string; readonly found: Found } | undefined {
  for (const identity of [candidate.name, candidate.guid, String(candidate.id ?? '')]) {
    if (identity === '') continue
    const found = directory.find(kind.name, identity, container, at)
    if (isFound(found) && found.guid === candidate.guid) return { identity, found }
  }
  return undefined
}
