// A change: the action on one object, with its reasons.
import type { Address } from '../model/address.ts'
import { hasEnded } from '../model/capabilities/has-ended.ts'
import type { Desired } from '../model/desired.ts'
import type { Kind } from '../model/kind.ts'
import type { Live } from '../model/live.ts'
import { type CollectionDifference, compareCollections } from './compare-collection.ts'
import { compareFields, type FieldDifference } from './compare-fields.ts'

type Action = 'create' | 'update' | 'delete' | 'none'

export interface Change {
  readonly address: Address
  readonly action: Action
  /** Undefined for an object that is deleted because a prune pattern says so, or since nothing declares it any more. */
  readonly desired: Desired | undefined
  readonly live: Live | undefined
  readonly prunedBy?: string
  readonly retired?: Desired
  /** For an update. A create sends all declared fields. */
  readonly fields: readonly FieldDifference[]
  readonly collections: readonly CollectionDifference[]
  /** Declared fields that cannot be compared, since the platform does not return them. */
  readonly unverifiable: readonly string[]
}

const nothing: readonly never[] = []
/** For objects that are created, deleted or left as a whole. */
export const noDifferences = { fields: nothing, collections: nothing, unverifiable: nothing } as const

export function kindOf({ desired, live }: Pick<Change, 'desired' | 'live'>): Kind {
  return (desired?.kind ?? live?.kind) as Kind
}

/** The key of the live object; for a new object, that of its declaration. */
export function keyOf({ desired, live }: Pick<Change, 'desired' | 'live'>): string {
  return live?.key ?? desired?.key ?? ''
}

export function nameOf({ desired, live }: Pick<Change, 'desired' | 'live'>): string {
  return desired?.at.name ?? live?.name ?? ''
}

export function changeOf(desired: Desired, live: Live | undefined): Change {
  const { address } = desired
  if (desired.absent || live === undefined) {
    // An undeclared object is not created again.
    const isWanted = !desired.absent && desired.overByMs === undefined && desired.since?.standing !== 'gone'
    const action = isWanted ? 'create' : live === undefined ? 'none' : 'delete'
    return { address, desired, live, action, ...noDifferences }
  }
  const { overByMs, kind } = desired
  // A substitution that still holds ends as declared.
  if (overByMs !== undefined && hasEnded.of(kind)?.(live.spec, overByMs)) {
    return { address, desired, live, action: 'none', ...noDifferences }
  }
  const fields = compareFields(desired.declarations[0].section, desired, live)
  const collections = compareCollections(desired, live)
  const renaming = renamingOf(desired, live)
  const differs = renaming.length > 0 || fields.differences.length > 0 || collections.differences.length > 0
  return {
    address,
    desired,
    live,
    action: differs ? 'update' : 'none',
    fields: renaming.length > 0 ? [...renaming, ...fields.differences] : fields.differences,
    collections: collections.differences,
    unverifiable:
      collections.unverifiable.length === 0
        ? fields.unverifiable
        : [...fields.unverifiable, ...collections.unverifiable],
  }
}

/** An object that was found under the name it had before gets its new one in place. */
function renamingOf({ previously, at, declarations }: Desired, live: Live): readonly FieldDifference[] {
  if (previously === undefined || at.name === undefined || live.name !== previously) return nothing
  return [{ path: [declarations[0].section.identity], before: live.name, after: at.name }]
}
