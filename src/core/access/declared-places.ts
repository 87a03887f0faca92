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
  placeOfElement,
  placeOfField,
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
  let grants: ReturnType<typeof grantsIn> | undefined
  const heldBy = (account: string) => {
    grants ??= grantsIn(changes)
    return grants.get(account)
  }
  const memberLine = (account: string, group: string) => lineOf(groups.get(group), account)
  const grantOf = ({ address, level, company, kind }: AccessEntry, held: GrantsOf | undefined) => {
    const its = held?.get(address)
    if (its === undefined) return undefined
    const named = kind === 'owner' ? '' : (level ?? '')
    // A right for all is passed on for the company of a substitution.
    return (grantIn(its, named, company ?? '') ?? grantIn(its, named, ''))?.line
  }
  /** From group to group. */
  const behind = (via: readonly string[]) => {
    const keys = via.map(normalise)
    const lines = keys.slice(1).flatMap((group, at) => memberLine(keys[at] as string, group) ?? [])
    return { members: groups.get(keys[0] as string), lines, held: heldBy(keys.at(-1) as string) }
  }
  // All members of a group go on by the same lists of names.
  const known = new WeakMap<readonly string[], ReturnType<typeof behind>>()
  const wayOf = (subject: AccessEntry['subject'], via: readonly string[]) => {
    const account = normalise(String(subject))
    if (via.length === 0) return { subject, via, lines: [], held: heldBy(account) }
    const { members, lines, held } = getOrInsert(known, via, behind)
    const own = lineOf(members, account)
    return { subject, via, lines: own === undefined ? lines : [own, ...lines], held }
  }
  // Rows of one account by one way follow each other.
  let last: ReturnType<typeof wayOf> | undefined
  return (entry) => {
    const { subject, via, skipped, substitutions } = entry
    if (skipped !== undefined || substitutions !== undefined) return linesAlong(entry, normalise(String(subject)))
    if (subject !== last?.subject || via !== last.via) last = wayOf(subject, via)
    const line = grantOf(entry, last.held)
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
      if (group === undefined) return grantOf(entry, heldBy(account)) ?? []
      const substitution = standIns.get(group)?.desired
      return (substitution === undefined ? memberLine(account, group) : standInLine(substitution)) ?? []
    })
  }
}

interface Grant {
  readonly level: string
  /** Empty: it holds for all. */
  readonly company: string
  readonly line: DeclaredLine
}

function grantIn(its: readonly Grant[], level: string, company: string): Grant | undefined {
  return its.findLast((each) => each.level === level && each.company === company)
}

function lineOf(list: DesiredCollection | undefined, key: string): DeclaredLine | undefined {
  const element = list?.elements.get(key)
  const place = element && (element.listedAt ?? placeOfElement(element))
  return place && { place, element, from: list?.begun?.get(key) }
}

function standInLine(desired: Desired): DeclaredLine {
  const shown = String(desired.spec[String(standIn.of(desired.kind)?.from)])
  const from = { ms: Date.parse(shown), shown }
  return { place: placeOfField(desired, []), element: undefined, declarations: writtenFor(desired), from }
}

/** By addresses. */
type GrantsOf = ReadonlyMap<string, readonly Grant[]>

/** Levels and owners, by the keys of accounts. */
function grantsIn(changes: readonly Change[]): ReadonlyMap<string, GrantsOf> {
  const found = new Map<string, Map<string, Grant[]>>()
  for (const change of changes) {
    const { collections } = kindOf(change)
    for (const [name, list] of Object.entries(change.desired?.collections ?? {})) {
      if (collections[name]?.of === 'items' || collections[name]?.nests) continue
      for (const [key, { element }] of list.elements) {
        const { level = '', company } = element as KeyedAccount
        const line = lineOf(list, key) as DeclaredLine
        const own = getOrInsert(found, subjectKey(element), () => new Map<string, Grant[]>())
        append(own, change.address, { level, company: company?.name ?? '', line })
      }
    }
  }
  return found
}
