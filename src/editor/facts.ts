// Lists the facts of an assembled project, so that an edit can be checked against its purpose.
import { namedIn } from '@svcsync/core/assemble/account-uses.ts'
import { readAccountEntry } from '@svcsync/core/model/account-entry.ts'
import type { AccountSet } from '@svcsync/core/model/account-sets.ts'
import type { Address, NormaliseSvcId } from '@svcsync/core/model/address.ts'
import { standIn } from '@svcsync/core/model/capabilities/stand-in.ts'
import type { Desired, DesiredCollection } from '@svcsync/core/model/desired.ts'
import { elementKey, type KeyedElement, listedElement, showElement, subjectKey } from '@svcsync/core/model/elements.ts'
import { canonicalJson, isMapping, type Json } from '@svcsync/core/model/json.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'

export interface DeclaredFact {
  readonly address: Address
  /** A field with its parts, or a collection, by dots. */
  readonly path: string
  /** Two facts of one path with one value are the same. */
  readonly value: string
  readonly shown: string
  /** Keys of the accounts that it names, or is about. */
  readonly accounts: readonly string[]
  /** Keys of the accounts of the object: itself, a holder, or both sides of a substitution. */
  readonly about: readonly string[]
  /** The account or item of an entry, and its level, without its limits. */
  readonly entry?: string
  /** It is an entry of a set; its address is no object's. */
  readonly isSet?: true
}

interface DeclaredState {
  readonly desired: readonly Desired[]
  readonly assembly: { readonly sets: ReadonlyMap<string, AccountSet>; readonly normalise: NormaliseSvcId }
}

export function changedFacts(before: DeclaredState, after: DeclaredState) {
  const [old, now] = [factsBySubject(before), factsBySubject(after)]
  const removed: DeclaredFact[] = []
  const added: DeclaredFact[] = []
  for (const subject of new Set([...old.keys(), ...now.keys()])) {
    const [left, right] = [old.get(subject)?.() ?? [], now.get(subject)?.() ?? []]
    // Nearly all are as they were.
    if (left.length === right.length && left.every((fact, index) => isSame(fact, right[index]))) continue
    const [known, wanted] = [new Set(left.map(keyOf)), new Set(right.map(keyOf))]
    removed.push(...left.filter((fact) => !wanted.has(keyOf(fact))))
    added.push(...right.filter((fact) => !known.has(keyOf(fact))))
  }
  return { gone: removed, added }
}

function isSame({ path, value }: DeclaredFact, other: DeclaredFact | undefined): boolean {
  return other !== undefined && path === other.path && value === other.value
}

/** Fields that differ between two accounts as declared; but for those that name accounts. */
export function changedFields(before: DeclaredState, key: string, after: DeclaredState, login: string): string[] {
  const fieldsOfAccount = ({ desired }: DeclaredState, own: string): ReadonlyMap<string, string> => {
    const object = desired.find((each) => each.kind.provides !== undefined && each.key === own)
    if (object === undefined) return new Map()
    const named = new Set(namedIn(object).map(({ field }) => field))
    return new Map(
      leaves(object.spec).flatMap(([path, value]) => (named.has(path) ? [] : [[path, canonicalJson(value)] as const])),
    )
  }
  const [old, now] = [fieldsOfAccount(before, key), fieldsOfAccount(after, login)]
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path))
}

/** The account or item, and its level: business entities and processes cannot be recognised without the platform. */
export function entryOf(element: KeyedElement): string {
  return element.svcId === undefined ? (element.item ?? '') : `${subjectKey(element)} ${element.level ?? ''}`
}

function keyOf({ address, path, value }: Pick<DeclaredFact, 'address' | 'path' | 'value'>): string {
  return JSON.stringify([address, path, value])
}

export function allFacts(whole: DeclaredState): DeclaredFact[] {
  return [...factsBySubject(whole).values()].flatMap((facts) => facts())
}

function factsBySubject({ desired, assembly }: DeclaredState): Map<string, () => readonly DeclaredFact[]> {
  const result = new Map<string, () => readonly DeclaredFact[]>()
  for (const object of desired) result.set(object.address, () => factsOf(object))
  for (const set of assembly.sets.values()) result.set(`sets.${set.name}`, () => factsOfSet(set, assembly.normalise))
  return result
}

function factsOfSet({ name, items }: AccountSet, normalise: NormaliseSvcId): DeclaredFact[] {
  return items.map((item) => {
    const { svcId, ...entry } = readAccountEntry(item)
    const key = svcId === undefined ? undefined : normalise(svcId)
    const value = canonicalJson({ ...entry, ...(key !== undefined && { svcId: key }) } as Json)
    const shown = `${svcId ?? `set ${entry.set}`} in the set`
    return {
      address: `sets.${name}`,
      path: 'entries',
      value,
      shown,
      accounts: key === undefined ? [] : [key],
      about: [],
      isSet: true,
    }
  })
}

function factsOf(object: Desired): DeclaredFact[] {
  const { address, kind, key, spec, absent, partial, previously, replaces, unmanaged = [], end } = object
  const named = namedIn(object)
  const isAccounts = kind.provides !== undefined || fieldsOf(object.declarations[0].section).holder !== undefined
  const own = [...(isAccounts ? [key] : []), ...(standIn.of(kind) === undefined ? [] : named.map((each) => each.key))]
  const fact = (path: string, value: string, shown: string, accounts: readonly string[] = []): DeclaredFact => {
    return { address, path, value, shown, accounts: [...own, ...accounts], about: own }
  }
  const facts = [fact('', absent ? 'absent' : partial ? 'in part' : 'declared', absent ? 'absent: true' : 'declared')]
  if (end !== undefined) facts.push(fact('until', end.at, `until: ${end.shown}`))
  if (replaces !== undefined) facts.push(fact('replaces', replaces, `replaces: ${replaces}`))
  if (previously !== undefined) facts.push(fact('previously', previously, `previously: ${previously}`))
  for (const { path } of unmanaged) facts.push(fact('unmanaged', path, `unmanaged: ${path}`))
  for (const [path, value] of leaves(spec)) {
    const account = named.find(({ field }) => field === path)?.key
    const text = account === undefined ? canonicalJson(value) : JSON.stringify(account)
    facts.push(fact(path, text, `${path}: ${canonicalJson(value)}`, account === undefined ? [] : [account]))
  }
  for (const [name, collection] of Object.entries(object.collections)) facts.push(...listFacts(name, collection, fact))
  return facts
}

function listFacts(
  name: string,
  { mode, parts, elements, outside, upcoming, uses = [] }: DesiredCollection,
  fact: (path: string, value: string, shown: string, accounts?: readonly string[]) => DeclaredFact,
): DeclaredFact[] {
  const accountsOf = (element: KeyedElement): string[] => (element.svcId === undefined ? [] : [subjectKey(element)])
  return [
    fact(`${name} managed`, JSON.stringify([mode, parts]), `${name} managed`),
    ...uses.map(({ set, part = '' }) => fact(`${name} sets`, `${part} ${set}`, `the set ${set} in ${name}`)),
    ...[...elements].map(([key, { element }]): DeclaredFact => {
      return { ...fact(name, key, `${showElement(element)} in ${name}`, accountsOf(element)), entry: entryOf(element) }
    }),
    ...[...(outside ?? [])].map(([key, entry]) => {
      const shown = `${entry.item ?? entry.svcId} in ${name}, ${entry.event} ${entry.shown}`
      return fact(`${name} outside`, `${key} ${entry.event} ${entry.at}`, shown, accountsOf(listedElement(entry)))
    }),
    ...upcoming.map(({ event, at, shown = at, ...subject }): DeclaredFact => {
      const element = listedElement(subject)
      const value = `${elementKey(element)} ${event} ${at}`
      const text = `${subject.item ?? subject.svcId} in ${name} ${event} ${shown}`
      return { ...fact(`${name} upcoming`, value, text, accountsOf(element)), entry: entryOf(element) }
    }),
  ]
}

function leaves(value: Json, path = ''): [string, Json][] {
  if (!isMapping(value) || Object.keys(value).length === 0) return [[path, value]]
  return Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : leaves(part, path === '' ? key : `${path}.${key}`),
  )
}
