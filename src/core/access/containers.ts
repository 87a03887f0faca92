// The containers of objects, whose Administrators no list of the object tells: those of an application administer its
// processes.
import { type Change, kindOf } from '../compare/change.ts'
import type { Address } from '../model/address.ts'
import { append } from '../model/group-by.ts'
import type { Location } from '../model/kind.ts'

interface Container {
  readonly address: Address
  /** The level that administers it. */
  readonly level: string
}

/** By the address of an object; the nearest last. */
export function containersOf(changes: readonly Change[]): ReadonlyMap<Address, readonly Container[]> {
  const placeOf = ({ live, desired }: Change) => (live ?? desired)?.at as Location
  const identities = new Set<string>()
  const containers = new Map<string, Container>()
  const keyIn = (at: Location, identity: string): string => JSON.stringify([at.dbId, identity, at[identity]])
  for (const change of changes) {
    const { sections, administeredBy } = kindOf(change)
    const { identity } = sections[0]
    const at = placeOf(change)
    if (administeredBy?.level === undefined || at[identity] === undefined) continue
    identities.add(identity)
    containers.set(keyIn(at, identity), { address: change.address, level: administeredBy.level })
  }
  const found = new Map<Address, Container[]>()
  for (const change of changes) {
    for (const identity of identities) {
      const holding = containers.get(keyIn(placeOf(change), identity))
      if (holding !== undefined && holding.address !== change.address) append(found, change.address, holding)
    }
  }
  return found
}
