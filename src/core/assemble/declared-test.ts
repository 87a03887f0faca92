// Which live objects the manifests declare.
import { addressKey, addressUnder, type FoldSvcId } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import type { Kind } from '../model/kind.ts'

export type IsDeclared = (kind: Kind, address: string, name: string) => boolean

/** Of these objects, which have their names found. */
export function declaredTest(desired: readonly Desired[], fold: FoldSvcId): IsDeclared {
  const keys = new Set<string>()
  for (const object of desired) {
    const { kind, address, at, previously } = object
    const name = at.name ?? ''
    keys.add(keyOf(kind, address, name, fold))
    // Until the plan has renamed it, it is there under its old name.
    if (previously === undefined) continue
    keys.add(keyOf(kind, addressUnder(previously, address, name), previously, fold))
  }
  return (kind, address, name) => keys.has(keyOf(kind, address, name, fold))
}

/** An account can be declared once only, whichever kind it is of. */
function keyOf(kind: Kind, address: string, name: string, fold: FoldSvcId): string {
  return kind.provides === undefined ? addressKey(address, kind.comparesBy, fold) : `account ${fold(name)}`
}
