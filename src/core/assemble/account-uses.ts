// Every line that names an account besides the one that declares it, and the accounts that are declared.
import { placeIn } from '../model/declaration.ts'
import { type Desired, type ProblemPlaces, placeOfField, placesOfElement, placesOfEntry } from '../model/desired.ts'
import { KEY, subjectKey } from '../model/elements.ts'
import { getOrInsert } from '../model/group-by.ts'
import { accountsNamed } from '../model/identity.ts'
import { fieldsOf } from '../model/schema-fields.ts'

interface AccountUse {
  readonly svcId: string
  readonly key: string
  readonly object: Desired
  readonly places: () => ProblemPlaces
}

/** Future entries are uses; ended ones, and those of an object to delete, are not. */
export function visitAccountUses(
  desired: readonly Desired[],
  concerns: (key: string) => boolean,
  visit: (use: AccountUse) => void,
): void {
  const tell = (use: AccountUse): void => {
    if (concerns(use.key)) visit(use)
  }
  for (const object of desired) {
    visitMemberships(object, tell)
    if (object.absent) continue
    visitLists(object, tell)
    for (const { field, svcId, key } of namedIn(object))
      tell({ svcId, key, object, places: () => ({ place: placeOfField(object, [field]) }) })
  }
}

function visitMemberships(object: Desired, tell: (use: AccountUse) => void): void {
  for (const declaration of object.declarations) {
    const { section, kind } = declaration
    if (!section.partial || kind.provides === undefined) continue
    const places = () => ({ place: placeIn(declaration, [section.identity]) })
    tell({ svcId: object.at.name ?? '', key: object.key, object, places })
  }
}

function visitLists(object: Desired, tell: (use: AccountUse) => void): void {
  for (const { elements, outside } of Object.values(object.collections)) {
    for (const wanted of elements.values()) {
      const { svcId } = wanted.element
      if (svcId !== undefined)
        tell({ svcId, key: subjectKey(wanted.element), object, places: () => placesOfElement(wanted) })
    }
    for (const entry of outside?.values() ?? []) {
      const { svcId, event, item } = entry
      if (event === 'begins' && item === undefined)
        tell({ svcId, key: entry[KEY] ?? svcId, object, places: () => placesOfEntry(entry) })
    }
  }
}

export function namedIn({ declarations, at, key, spec, fieldKeys }: Desired): ReturnType<typeof accountsNamed> {
  const { section } = declarations[0]
  const { holder } = fieldsOf(section)
  return holder === undefined
    ? accountsNamed(section, { spec, fieldKeys })
    : [{ field: holder, svcId: at.name ?? '', key }]
}

const known = new WeakMap<readonly Desired[], ReturnType<typeof accountsAmong>>()

/** Accounts with partial declarations count too. */
export function declaredAccounts(desired: readonly Desired[]): ReturnType<typeof accountsAmong> {
  return getOrInsert(known, desired, accountsAmong)
}

function accountsAmong(desired: readonly Desired[]) {
  const users = new Map<string, Desired>()
  const groups = new Map<string, Desired>()
  for (const object of desired) {
    const { provides } = object.kind
    if (provides !== undefined) (provides === 'user' ? users : groups).set(object.key, object)
  }
  return { users, groups }
}
