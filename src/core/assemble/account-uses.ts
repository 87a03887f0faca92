// Every line that names an account besides the one that declares it: in lists, directly or through a set, as a manager, and
// as the group of memberships.
import type { FoldSvcId } from '../model/address.ts'
import { placeIn } from '../model/declaration.ts'
import { type Desired, type ProblemPlaces, placeOfField, placesOfElement, placesOfEntry } from '../model/desired.ts'
import { fieldsOf, isAccount } from '../model/schema-fields.ts'

interface AccountUse {
  readonly svcId: string
  /** Its svcId as it compares. */
  readonly key: string
  readonly object: Desired
  /** Worked out when it is asked for. */
  readonly places: () => ProblemPlaces
}

/**
 * Calls `visit` for each use of an account that `concerns`, in no order that means anything. Entries that begin later are
 * uses, those that are over are none, and nor is what stands in an object that is to go.
 */
export function visitAccountUses(
  desired: readonly Desired[],
  fold: FoldSvcId,
  concerns: (key: string) => boolean,
  visit: (use: AccountUse) => void,
): void {
  for (const object of desired) {
    for (const declaration of object.declarations) {
      const { section, kind } = declaration
      if (!section.partial || kind.provides === undefined) continue
      const svcId = object.at.name ?? ''
      const places = () => ({ place: placeIn(declaration, [section.identity]) })
      if (concerns(fold(svcId))) visit({ svcId, key: fold(svcId), object, places })
    }
    if (object.absent) continue
    for (const { elements, outside } of Object.values(object.collections)) {
      for (const [elementKey, wanted] of elements) {
        const { svcId, level } = wanted.element
        if (svcId === undefined) continue
        // Where there are no levels, an element's key is the svcId as it compares.
        const key = level === undefined ? elementKey : fold(svcId)
        if (concerns(key)) visit({ svcId, key, object, places: () => placesOfElement(wanted) })
      }
      for (const entry of outside?.values() ?? []) {
        const { svcId, event } = entry
        const key = fold(svcId)
        if (event === 'begins' && concerns(key)) visit({ svcId, key, object, places: () => placesOfEntry(entry) })
      }
    }
    for (const [field, svcId] of namedIn(object)) {
      const key = fold(svcId)
      if (concerns(key)) visit({ svcId, key, object, places: () => ({ place: placeOfField(object, [field]) }) })
    }
  }
}

/** Fields of an object that name an account, with the svcId; also that of its identity. */
export function namedIn({
  declarations,
  spec,
  at,
}: Pick<Desired, 'declarations' | 'spec' | 'at'>): readonly [string, string][] {
  const { references, holder } = fieldsOf(declarations[0].section)
  if (holder !== undefined) return [[holder, at.name ?? '']]
  return references.flatMap(({ field, to }): [string, string][] => {
    const value = spec[field]
    return isAccount(to) && typeof value === 'string' && value !== '' ? [[field, value]] : []
  })
}
