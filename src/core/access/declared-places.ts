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
  // Many have a level by one grant, and each of them many levels by one group.
  const grantLines = new Map<DesiredElement, DeclaredLine>()
  const own = { account: '', lines: new Map<string, DeclaredLine | undefined>() }
  const ownLine = (account: string, group: string): DeclaredLine | undefined => {
    if (own.account !== account) own.lines.clear()
    own.account = account
    if (!own.lines.has(group)) own.lines.set(group, lineOf(memberOf(groups.get(group), account)))
    return own.lines.get(group)
  }
  const grantOf = ({ address, level, company, kind }: AccessEntry, account: string): DeclaredLine | undefined => {
    const its = grantsOf(address)
    const named = kind === 'owner' ? '' : (level ?? '')
    // What is declared for all is passed on for the company of a substitution.
    const element = its.get(grantKey(account, named, company ?? '')) ?? its.get(grantKey(account, named, ''))
    return element && getOrInsert(grantLines, element, lineOf)
  }
  const memberLine = (account: string, group: string, isOwn: boolean): DeclaredLine | undefined =>
    isOwn ? ownLine(account, group) : lineOf(memberOf(groups.get(group), account))
  return (entry) => {
    const { subject, via, skipped, substitutions } = entry
    const standIns =
      substitutions && new Map(substitutions.map((each) => [normalise(each.person), objects.get(each.address)]))
    const way = [String(subject), ...via].map(normalise)
    const lines: DeclaredLine[] = []
    for (const [index, account] of way.entries()) {
      // What comes next was left out of a long way.
      if (skipped !== undefined && index === via.length / 2) continue
      const group = way[index + 1]
      const standIn = standIns?.get(group ?? '')?.desired
      if (standIn !== undefined) lines.push({ place: placeOfField(standIn, []), element: undefined })
      else {
        const line = group === undefined ? grantOf(entry, account) : memberLine(account, group, index === 0)
        if (line !== undefined) lines.push(line)
      }
    }
    return lines
  }
}

function lineOf(element: DesiredElement): DeclaredLine
function lineOf(element: DesiredElement | undefined): DeclaredLine | undefined
function lineOf(element: DesiredElement | undefined): DeclaredLine | undefined {
  return element && { place: placesOfElement(element).place, element }
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
