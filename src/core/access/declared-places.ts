// Finds the lines of manifests that give somebody access: each line of the way from the account to the level.
import type { Place } from '@svcsync/errors/index.ts'
import { type Change, keyOf, kindOf } from '../compare/change.ts'
import type { NormaliseSvcId } from '../model/address.ts'
import { standIn } from '../model/capabilities/stand-in.ts'
import type { Declaration } from '../model/declaration.ts'
import {
  type Desired,
  type DesiredCollection,
  type DesiredElement,
  placeOfField,
  placesOfElement,
  writtenFor,
} from '../model/desired.ts'
import { type KeyedAccount, subjectKey } from '../model/elements.ts'
import { append, getOrInsert } from '../model/group-by.ts'
import { nestsOf } from './aftermath.ts'
import type { AccessEntry } from './describe-access.ts'

export interface DeclaredLine {
  readonly place: Place
  /** Undefined: it is no entry of a list. */
  readonly element: DesiredElement | undefined
  /** The declarations of a substitution. */
  readonly declarations?: readonly Declaration[]
  /** The line counts since then, by its own `from`; absent: since it is declared. */
  readonly from?: { readonly ms: number; readonly shown: string } | undefined
}

/** `entry`: as declared. The line of the account comes first, that of the level last. */
export function declaredPlaces(
  changes: readonly Change[],
  normalise: NormaliseSvcId,
): (entry: AccessEntry) => readonly DeclaredLine[] {
  const groups = new Map<string, DesiredCollection | undefined>()
  const objects = new Map<string, Change>()
  for (const change of changes) {
    objects.set(change.address, change)
    const nests = nestsOf(kindOf(change))
    if (nests !== undefined) groups.set(keyOf(change), change.desired?.collections[nests])
  }
  const grants = new Map<string, ReadonlyMap<string, readonly Grant[]>>()
  const grantsOf = (address: string) => getOrInsert(grants, address, () => grantsIn(objects.get(address)))
  const memberLine = (account: string, group: string) => lineOf(timedIn(groups.get(group), account))
  const grantOf = ({ address, level, company, kind }: AccessEntry, account: string): DeclaredLine | undefined => {
    const its = grantsOf(address).get(account)
    if (its === undefined) return undefined
    const named = kind === 'owner' ? '' : (level ?? '')
    // A right for all is passed on for the company of a substitution.
    const grant = grantIn(its, named, company ?? '') ?? grantIn(its, named, '')
    if (grant === undefined) return undefined
    // Many have a level by one grant.
    grant.line ??= lineOf(grant.entry)
    return grant.line
  }
  const wayOf = (subject: AccessEntry['subject'], via: readonly string[]) => {
    const keys = [String(subject), ...via].map(normalise)
    const lines = via.flatMap((_, at) => memberLine(keys[at] as string, keys[at + 1] as string) ?? [])
    return { subject, via, lines, holder: keys.at(-1) as string }
  }
  // Rows of one account by one way follow each other.
  let last = wayOf('', [])
  return (entry) => {
    const { subject, via, skipped, substitutions } = entry
    if (skipped !== undefined || substitutions !== undefined) return linesAlong(entry, normalise(String(subject)))
    if (subject !== last.subject || via !== last.via) last = wayOf(subject, via)
    const line = grantOf(entry, last.holder)
    return line === undefined ? last.lines : [...last.lines, line]
  }

  function linesAlong(entry: AccessEntry, self: string): readonly DeclaredLine[] {
    const { via, skipped, substitutions = [] } = entry
    const standIns = new Map(substitutions.map((each) => [normalise(each.person), objects.get(each.address)]))
    const way = [self, ...via.map(normalise)]
    return way.flatMap((account, index) => {
      // The next steps of a long way were left out.
      if (skipped !== undefined && index === via.length / 2) return []
      const group = way[index + 1]
      if (group === undefined) return grantOf(entry, account) ?? []
      const substitution = standIns.get(group)?.desired
      return (substitution === undefined ? memberLine(account, group) : standInLine(substitution)) ?? []
    })
  }
}

interface Grant {
  readonly level: string
  /** Empty: it holds for all. */
  readonly company: string
  readonly entry: Timed
  /** Undefined: nobody asked yet. */
  line: DeclaredLine | undefined
}

function grantIn(its: readonly Grant[], level: string, company: string): Grant | undefined {
  return its.findLast((each) => each.level === level && each.company === company)
}

function lineOf(timed: Timed): DeclaredLine
function lineOf(timed: Timed | undefined): DeclaredLine | undefined
function lineOf(timed: Timed | undefined): DeclaredLine | undefined {
  return timed && { place: placesOfElement(timed.element).place, ...timed }
}

function standInLine(desired: Desired): DeclaredLine {
  const shown = String(desired.spec[String(standIn.of(desired.kind)?.from)])
  const from = { ms: Date.parse(shown), shown }
  return { place: placeOfField(desired, []), element: undefined, declarations: writtenFor(desired), from }
}

interface Timed extends Pick<DeclaredLine, 'from'> {
  readonly element: DesiredElement
}

function timedIn(collection: DesiredCollection | undefined, key: string): Timed | undefined {
  const element = collection?.elements.get(key)
  return element && { element, from: collection?.begun?.get(key) }
}

/** Levels and owners, by the keys of accounts. */
function grantsIn(change: Change | undefined): ReadonlyMap<string, readonly Grant[]> {
  const found = new Map<string, Grant[]>()
  if (change?.desired === undefined) return found
  const { collections } = kindOf(change)
  for (const [name, collection] of Object.entries(change.desired.collections)) {
    if (collections[name]?.nests) continue
    for (const [key, each] of collection.elements) {
      const { level = '', company } = each.element as KeyedAccount
      const entry = { element: each, from: collection.begun?.get(key) }
      append(found, subjectKey(each.element), { level, company: company?.name ?? '', entry, line: undefined })
    }
  }
  return found
}
