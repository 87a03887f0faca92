// Compares only the live with the declared state: an entry in a list that the plan leaves alone is undeclared.

import { type Change, kindOf } from '../compare/change.ts'
import { compareCollections } from '../compare/compare-collection.ts'
import type { Address } from '../model/address.ts'
import { standIn } from '../model/capabilities/stand-in.ts'
import type { DesiredCollection, DesiredElement } from '../model/desired.ts'

/**
 * The declarations that count: those of now, and with a base also those of then, since pending changes are no drift.
 */
type Side = 'declared' | 'declared-or-base' | 'base'

/**
 * Each list with its live entries before, and only its declared entries after; where the changes already say that, they
 * themselves. `untold`: objects whose answers do not tell if every entry is declared.
 */
export function declaredSide(
  changes: readonly Change[],
  side: Side,
): { readonly changes: readonly Change[]; readonly untold: readonly Address[] } {
  const untold: Address[] = []
  const result = changes.map((change) => {
    const { live, action, desired } = change
    if (standIn.of(kindOf(change)) !== undefined) return standInAs(change, side)
    if (live === undefined && side === 'base') return createdByBase(change)
    // A deletion counts as a declaration without holdings, except those of the base; an object that does not exist
    // holds nothing live.
    const isByBase = side !== 'declared' && baseOf(change)?.absent === false
    if (live === undefined || (action === 'delete' && side !== 'base' && !isByBase)) return change
    const kind = kindOf(change)
    const collections = Object.fromEntries(
      Object.keys(kind.collections)
        // A list that could not be read is somebody else's to name.
        .filter((name) => kind.collections[name]?.of !== 'items' && live.collections[name] !== undefined)
        .map((name) => [name, listedWhole(change, name, side)]),
    )
    const compared = compareCollections({ kind, collections, since: undefined }, live)
    const { differences } = compared
    if (compared.unverifiable.length > 0) untold.push(change.address)
    if (differences.length === 0 && action === 'none') return change
    return { ...change, action: 'update' as const, desired, collections: differences }
  })
  return { changes: result.every((each, at) => each === changes[at]) ? changes : result, untold }
}

/** Also what is gone by now, or is yet to come. */
function createdByBase(change: Change): Change {
  const base = baseOf(change)
  const nothing = change.desired && { ...change.desired, collections: {} }
  return { ...change, action: 'create', desired: base?.absent === false ? base : nothing, collections: [] }
}

/** Limits that the manifests do not manage count as they are live: without them, the substitution would be wider. */
function standInAs(change: Change, side: Side): Change {
  const { desired, live } = change
  const base = baseOf(change)
  const isWanted = desired !== undefined && !desired.absent && desired.since?.standing !== 'gone'
  if (side === 'base' && base !== undefined) return { ...change, action: 'create', desired: base }
  if (side !== 'base' && isWanted) return change
  if (side === 'declared-or-base' && base !== undefined) return { ...change, action: 'none' }
  return { ...change, action: live === undefined ? 'none' : 'delete' }
}

/** A live entry that is not listed is undeclared, whatever the manifests leave alone. */
function listedWhole(change: Change, name: string, side: Side): DesiredCollection {
  const listed = [
    side === 'base' ? undefined : change.desired?.collections[name],
    side === 'declared' ? undefined : baseOf(change)?.collections[name],
  ].flatMap((collection) => collection?.elements ?? [])
  const [only] = listed
  const elements =
    only !== undefined && listed.length === 1
      ? only
      : new Map<string, DesiredElement>(listed.flatMap((each) => [...each]))
  return { mode: 'exclusive', parts: 'all', elements, upcoming: [] }
}

/** Also of what goes since nothing declares it any more. */
export const baseOf = ({ desired, retired }: Change) => (desired ?? retired)?.since?.base
