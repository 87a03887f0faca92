// Every account that a manifest names anywhere: whoever is named is wanted, also where the entry begins later or is over.
import type { Place } from '../../errors/index.ts'
import { readAccountEntry } from '../model/account-entry.ts'
import { type AccountSet, placeInSet } from '../model/account-sets.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import type { Json } from '../model/json.ts'
import { fieldsOf } from '../model/schema-fields.ts'

/** By their keys, where each is named first. Those in sets count as well, used or not. */
export function mentionedAccounts(
  declarations: readonly Declaration[],
  sets: ReadonlyMap<string, AccountSet>,
  normalise: NormaliseSvcId,
): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  const add = (svcId: string | undefined, place: () => Place): void => {
    const key = svcId === undefined || svcId === '' ? undefined : normalise(svcId)
    if (key !== undefined && !found.has(key)) found.set(key, place())
  }
  for (const declaration of declarations) {
    const { kind, section, item } = declaration
    const { fields, collections, holder } = fieldsOf(section)
    if (holder !== undefined) add(identityOf(declaration), () => placeIn(declaration, [holder]))
    for (const { field, collection } of collections) {
      const value = item[field]
      if (value === undefined) continue
      for (const { element, path } of kind.collections[collection]?.fromManifest(value).elements ?? []) {
        add(element.svcId, () => placeIn(declaration, [field, ...path]))
      }
    }
    for (const field of fields) {
      const value: Json | undefined = item[field]
      if (section.schema.properties[field]?.reference === undefined || typeof value !== 'string') continue
      add(value, () => placeIn(declaration, [field]))
    }
  }
  for (const set of sets.values()) {
    for (const [index, entry] of set.items.entries()) {
      add(readAccountEntry(entry).svcId, () => placeInSet(set, [index]))
    }
  }
  return found
}
