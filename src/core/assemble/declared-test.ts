// Tests if the manifests declare a live object.
import { addressUnder, type NormaliseSvcId } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import { nameKey } from '../model/identity.ts'
import type { Kind } from '../model/kind.ts'

export function declaredTest(
  desired: readonly Desired[],
  normalise: NormaliseSvcId,
): (kind: Kind, address: string, name: string) => boolean {
  const keys = new Set<string>()
  for (const object of desired) {
    const { kind, address, at, key, previously } = object
    keys.add(keyAmong(kind, address, key))
    // Until the plan has renamed it, it is there under its old name.
    if (previously === undefined) continue
    keys.add(keyAmong(kind, addressUnder(previously, address, at.name ?? ''), previously))
  }
  return (kind, address, name) => keys.has(keyAmong(kind, address, nameKey(kind, name, normalise)))
}

/** Only one kind may declare an account, and only once. Composite names of accounts can be written in several ways. */
function keyAmong({ provides, name, comparesBy }: Kind, address: string, key: string): string {
  if (provides !== undefined) return `account ${key}`
  return comparesBy === 'svcId' ? `${name} ${key}` : address
}
