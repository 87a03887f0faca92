// Where manifests say that somebody can do something: each line of the way from the account to the level.
import type { Place } from '@svcsync/errors/index.ts'
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { type DesiredElement, placeOfField, placesOfElement } from '../model/desired.ts'
import { subjectKey } from '../model/elements.ts'
import { getOrInsert } from '../model/group-by.ts'
import { nestsOf } from './aftermath.ts'
import type { AccessEntry } from './describe-access.ts'

export interface DeclaredLine {
  readonly place: Place
  /** Undefined: it is no entry of a list. */
  readonly element: DesiredElement | undefined
}

/** `entry`: as it is declared. The line of the account first, that of the level last. */
export function declaredPlaces(
  changes: readonly Change[],
  normalise: NormaliseSvcId,
): (entry: AccessEntry) => readonly DeclaredLine[] {
  const groups = new Map<string, Change>()
  const objects = new Map<string, Change>()
  for (const change of changes) {
    objects.set(change.address, change)
    if (nestsOf(kindOf(change)) !== undefined) groups.set(keyOf(change), change)
  }
  const grants = new Map<string, ReadonlyMap<string, DesiredElement>>()
  const grantsOf = (address: string) => getOrInsert(grants, address, () => grantsIn(objects.get(address)))
  return ({ subject, via, skipped, address, level, company, kind, substitutions = [] }) => {
    const way = [String(subject), ...via].map(normalise)
    const standIns = new Map(substitutions.map((each) => [normalise(each.person), objects.get(each.address)]))
    return way.flatMap((account, index): DeclaredLine[] => {
      // What comes next was left out of a long way.
      if (skipped !== undefined && index === via.length / 2) return []
      const group = way[index + 1]
      const standIn = standIns.get(group ?? '')?.desired
      if (standIn !== undefined) return [{ place: placeOfField(standIn, []), element: undefined }]
      const element =
        group === undefined
          ? // What is declared for all is passed on for the company of a substitution.
            [company ?? '', ''].flatMap(
              (its) => grantsOf(address).get(grantKey(account, kind === 'owner' ? '' : (level ?? ''), its)) ?? [],
            )[0]
          : memberOf(groups.get(group), account)
      return element === undefined ? [] : [{ place: placesOfElement(element).place, element }]
    })
  }
}

const grantKey = (account: string, level: string, company: string): string => `${account}\n${level}\n${company}`

function memberOf(group: Change | undefined, account: string): DesiredElement | undefined {
  const nests = group && nestsOf(kindOf(group))
  return nests === undefined ? undefined : group?.desired?.collections[nests]?.elements.get(account)
}

/** Levels and owners. */
function grantsIn(change: Change | undefined): ReadonlyMap<string, DesiredElement> {
  const found = new Map<string, DesiredElement>()
  if (change?.desired === undefined) return found
  const { collections } = kindOf(change)
  for (const [name, { elements }] of Object.entries(change.desired.collections)) {
    if (collections[name]?.of === 'items' || collections[name]?.nests) continue
    for (const each of elements.values()) {
      const { element } = each
      if (element.svcId === undefined) continue
      found.set(grantKey(subjectKey(element), element.level ?? '', element.company?.name ?? ''), each)
    }
  }
  return found
}
