// The live state of what a run looks at.
import type { Address, NormaliseSvcId } from './address.ts'
import { type KeyedAccount, type KeyedElement, keyedElements } from './elements.ts'
import { fieldKeysOf, type Identity, nameKey } from './identity.ts'
import type { Kind, LivePart, Location } from './kind.ts'

export interface Live extends LivePart, Identity {
  readonly kind: Kind
  readonly address: Address
  readonly at: Location
  readonly collections: Readonly<Record<string, readonly KeyedElement[]>>
  readonly inherited?: Readonly<Record<string, readonly KeyedAccount[]>>
  /** The collections as the platform told them, if not in full: `collections` are then as they are believed. */
  readonly asTold?: Live['collections']
}

export function liveOf(
  part: LivePart,
  { kind, address, at }: Pick<Live, 'kind' | 'address' | 'at'>,
  normalise: NormaliseSvcId,
): Live {
  const live: Live = {
    kind,
    address,
    at,
    key: nameKey(kind, part.name, normalise),
    fieldKeys: fieldKeysOf(kind.sections[0], part.spec, normalise),
    // Not first: in a literal that begins with a spread, Node 20 takes two microseconds for each property that follows.
    ...(part as Omit<LivePart, 'inherited' | 'collections'>),
    collections: keyedElements(part.collections, normalise),
  }
  if (part.inherited === undefined) return live
  return { ...live, inherited: keyedElements(part.inherited, normalise) as Record<string, KeyedAccount[]> }
}

/** Why an object could not be read. It is neither there nor absent: nothing is planned for it. */
export interface Unreadable {
  readonly address: Address
  /** The code of the problem, as in docs/problems.md; absent if there is none. */
  readonly code?: string
  readonly reason: string
  readonly hint?: string | undefined
  /** Key of the account that it is: steps that need that account rest on it. */
  readonly account?: string
  /** It could be read when the plan was made that is carried on with. */
  readonly isNew?: true
  /** The installation has nothing of its kind, and says so. */
  readonly isLacking?: boolean
  /** It is not there, and nothing makes it: what declares it has to go. */
  readonly isMissing?: boolean
}

/** Live objects, and what could not be read, by the addresses of what was wanted. */
export interface LiveSnapshot {
  readonly objects: ReadonlyMap<string, Live>
  readonly unreadable: ReadonlyMap<string, Unreadable>
  /** Keys of accounts that are known to exist, declared or not. */
  readonly accounts: ReadonlySet<string>
  /** Numbers of objects by kind, for kinds that the platform listed completely. */
  readonly totals: ReadonlyMap<string, number>
  /** Whether objects are there of which that is enough, as far as anybody can tell. */
  readonly presence?: ReadonlyMap<string, boolean>
}
