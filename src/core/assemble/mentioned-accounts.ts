// Every account that a manifest names anywhere: whoever is named is wanted, also if the entry begins later or is over.
import type { Place } from '@svcsync/errors/index.ts'
import { readAccountEntry } from '../model/account-entry.ts'
import { type AccountSet, placeInSet } from '../model/account-sets.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { type Declaration, identityOf, placeIn } from '../model/declaration.ts'
import { fieldsOf } from '../model/schema-fields.ts'
import type { Path } from '../model/source.ts'

/** By key, with the first place that names each account. Accounts in sets count, used or not. */
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
  for (const declaration of declarations)
    for (const { svcId, path } of namesIn(declaration)) add(svcId, () => placeIn(declaration, path))
  for (const set of sets.values()) {
    for (const [index, entry] of set.items.entries()) {
      add(readAccountEntry(entry).svcId, () => placeInSet(set, [index]))
    }
  }
  return found
}

type MentionedName = { readonly svcId: string | undefined; readonly path: Path }

function namesIn(declaration: Declaration): readonly MentionedName[] {
  const { kind, section, item } = declaration
  const { fields, collections, holder } = fieldsOf(section)
  const listed = collections.flatMap(({ field, collection }): MentionedName[] => {
    const value = item[field]
    const elements = value === undefined ? [] : (kind.collections[collection]?.fromManifest(value).elements ?? [])
    return elements.map(({ element, path }) => ({ svcId: element.svcId, path: [field, ...path] }))
  })
  const named = fields.flatMap((field): MentionedName[] => {
    const value = item[field]
    const isReference = section.schema.properties[field]?.reference !== undefined
    return isReference && typeof value === 'string' ? [{ svcId: value, path: [field] }] : []
  })
  return [...(holder === undefined ? [] : [{ svcId: identityOf(declaration), path: [holder] }]), ...listed, ...named]
}
