// Finds missing and unlisted elements of a collection.
import { takesAll } from '../model/capabilities/takes-all.ts'
import { type Desired, type DesiredCollection, type DesiredElement, elementsOf } from '../model/desired.ts'
import {
  byElement,
  elementKey,
  hasUnknownLevel,
  type KeyedElement,
  listedElement,
  subjectKey,
  subjectKeys,
  withoutLimit,
} from '../model/elements.ts'
import { compareBy, groupBy } from '../model/group-by.ts'
import type { Collection } from '../model/kind.ts'
import type { Live } from '../model/live.ts'

export interface CollectionDifference {
  readonly collection: string
  readonly added: readonly DesiredElement[]
  readonly removed: readonly KeyedElement[]
}

type ComparedObject = Pick<Desired, 'kind' | 'collections' | 'since'>

/** `unverifiable`: where the platform did not say enough, e.g. the company of a privilege. */
export function compareCollections(
  desired: ComparedObject,
  { collections: live, asTold }: Pick<Live, 'collections' | 'asTold'>,
): { readonly differences: readonly CollectionDifference[]; readonly unverifiable: readonly string[] } {
  const differences: CollectionDifference[] = []
  const unverifiable: string[] = []
  for (const name of comparedCollections(desired)) {
    const wanted = desired.collections[name] ?? unmanagedCollection
    const definition = desired.kind.collections[name] as Collection
    const liveElements = live[name] ?? []
    if (isSame(liveElements, wanted, definition, desired) && asTold === undefined) continue
    const { added, wantedVaguely, isVaguely } = findMissing(liveElements, wanted)
    const isUnsure = (wanted.elements.size > 0 && isBelieved(asTold?.[name], definition, wanted)) || isVaguely
    const removed = [...findSurplus(liveElements, wanted, definition, wantedVaguely)]
    // A limit cannot be revoked like an entry: without it, the item would hold for more.
    if (desired.since?.takesEntries && !definition.whole) {
      const retired = findRetired(desired, name, liveElements).keys()
      removed.push(...[...retired].filter((element) => !removed.includes(element)))
    }
    if (takesAll.of(definition) && removed.length > 0) removeWhole(liveElements, wanted, removed, added)
    if (isUnsure) unverifiable.push(name)
    if (added.length > 0 || removed.length > 0) {
      differences.push({ collection: name, added: added.sort(byKey), removed: removed.sort(byElement) })
    }
  }
  return { differences, unverifiable }
}

/** A privilege with an unknown company matches any company. */
function findMissing(live: readonly KeyedElement[], { elements, mode }: DesiredCollection) {
  const vague = new Set(live.filter(hasUnknownCompany).map(vagueKey))
  const liveKeys = new Set(live.filter((element) => !hasUnknownCompany(element)).map(elementKey))
  const wantedVaguely = new Set<string>(
    vague.size === 0 ? [] : Array.from(elements.values(), ({ element }) => vagueKey(element)),
  )
  const isVaguelyThere = ({ element }: DesiredElement): boolean => vague.size > 0 && vague.has(vagueKey(element))
  // Limited to something it is there, too: where nothing is taken away, there is no giving it without limits.
  const isLimitedThere = ({ element }: DesiredElement): boolean =>
    live.some((each) => each.about !== undefined && subjectKey(withoutLimit(each)) === subjectKey(element))
  const added: DesiredElement[] = []
  let isVaguely = false
  for (const [key, wanted] of elements) {
    if (isVaguelyThere(wanted)) isVaguely ||= wanted.element.company != null
    else if (!liveKeys.has(key) && (mode === 'exclusive' || !isLimitedThere(wanted))) added.push(wanted)
  }
  return { added, wantedVaguely, isVaguely }
}

function findSurplus(
  live: readonly KeyedElement[],
  wanted: DesiredCollection,
  definition: Collection,
  wantedVaguely: ReadonlySet<string>,
): readonly KeyedElement[] {
  if (wanted.mode === 'exclusive') return tooMany(live, wanted, definition, wantedVaguely)
  // svcsync gave the entries whose time is over, and takes them away.
  const ended = [...(wanted.outside ?? [])].flatMap(([key, { event }]) => (event === 'ended' ? key : []))
  if (ended.length === 0) return []
  // There is one of each: whoever changed its settings by hand changed ours.
  if (definition.of === 'items') return endedItems(wanted, live)
  return ownAmong(ended, live, wantedVaguely)
}

function endedItems({ outside, elements }: DesiredCollection, live: readonly KeyedElement[]): readonly KeyedElement[] {
  const ended = new Set(
    [...(outside?.values() ?? [])].flatMap((each) => (each.event === 'ended' ? subjectKey(listedElement(each)) : [])),
  )
  const wanted = new Set(Array.from(elements.values(), ({ element }) => subjectKey(element)))
  return live.filter((element) => ended.has(subjectKey(element)) && !wanted.has(subjectKey(element)))
}

function tooMany(
  live: readonly KeyedElement[],
  wanted: DesiredCollection,
  definition: Collection,
  wantedVaguely: ReadonlySet<string>,
): readonly KeyedElement[] {
  // Adding replaces it. An unlimited item goes with all of its sort, and stays if it gets limits.
  const replaced = definition.of === 'items' ? new Set(elementsOf(wanted).flatMap(subjectKeys)) : undefined
  const isWhole = managesWhole(wanted, definition)
  let declared: ReadonlySet<string> | undefined
  return live.filter((element) => {
    if (hasUnknownLevel(element, definition)) {
      // Its level may be any: of an account that nothing declares it goes where all levels are managed.
      declared ??= new Set(elementsOf(wanted).map(subjectKey))
      return isWhole && !declared.has(subjectKey(element))
    }
    const part = definition.part?.(element)
    if (part !== undefined && wanted.parts !== 'all' && !wanted.parts.includes(part)) return false
    const kept = hasUnknownCompany(element)
      ? wantedVaguely.has(vagueKey(element))
      : (replaced?.has(subjectKey(element)) ?? wanted.elements.has(elementKey(element)))
    return !kept
  })
}

/** True if every level is managed: an undeclared account in the list then has no level that somebody else manages. */
export function managesWhole({ mode, parts }: DesiredCollection, { allParts = [] }: Collection): boolean {
  return (
    mode === 'exclusive' && (parts === 'all' || (allParts.length > 0 && allParts.every((part) => parts.includes(part))))
  )
}

/** True if the elements come from an earlier declaration, not from the platform: nobody knows if they still hold. */
function isBelieved(
  told: readonly KeyedElement[] | undefined,
  definition: Collection,
  { elements }: DesiredCollection,
): boolean {
  if (told === undefined) return false
  if (told.some((element) => hasUnknownLevel(element, definition))) return true
  const vague = new Set(told.filter(hasUnknownCompany).map(vagueKey))
  return [...elements.values()].some(({ element }) => element.company != null && vague.has(vagueKey(element)))
}

const byKey = compareBy(({ element }: DesiredElement) => elementKey(element))

/** As many elements as are wanted, each wanted and told in full: true of nearly all objects. */
function isSame(
  live: readonly KeyedElement[],
  { elements }: DesiredCollection,
  definition: Collection,
  { since }: ComparedObject,
): boolean {
  if (live.length === 0 || live.length !== elements.size || since !== undefined) return false
  const keys = new Set<string>()
  for (const element of live) {
    const key = elementKey(element)
    if (hasUnknownCompany(element) || hasUnknownLevel(element, definition) || !elements.has(key)) return false
    keys.add(key)
  }
  // The platform may list one twice.
  return keys.size === elements.size
}

/** Elements that a removal takes along are given anew; an account with an unmanaged element keeps everything. */
function removeWhole(
  live: readonly KeyedElement[],
  wanted: DesiredCollection,
  removed: KeyedElement[],
  added: DesiredElement[],
): void {
  const own = groupBy(live, subjectKey)
  for (const subject of new Set(removed.map(subjectKey))) {
    const others = (own.get(subject) ?? []).filter((element) => !removed.includes(element))
    const anew = others.map((element) => wanted.elements.get(elementKey(element)))
    if (anew.every((element) => element !== undefined)) {
      removed.push(...others)
      added.push(...anew)
    } else {
      removed.splice(0, removed.length, ...removed.filter((element) => subjectKey(element) !== subject))
    }
  }
}

function ownAmong(
  own: readonly string[],
  live: readonly KeyedElement[],
  wantedVaguely: ReadonlySet<string>,
): KeyedElement[] {
  const keys = new Set(own)
  const countOf = (vague: string): number => own.filter((key) => key.slice(0, key.lastIndexOf(' ')) === vague).length
  return live.filter((element) => {
    if (!hasUnknownCompany(element)) return keys.has(elementKey(element))
    const vague = vagueKey(element)
    const same = live.filter((other) => hasUnknownCompany(other) && vagueKey(other) === vague)
    return !wantedVaguely.has(vague) && same.length <= countOf(vague)
  })
}

const unmanagedCollection: DesiredCollection = { mode: 'additive', parts: [], elements: new Map(), upcoming: [] }

function comparedCollections({ collections, since }: ComparedObject): readonly string[] {
  const names = Object.keys(collections)
  if (since === undefined) return names
  const more = Object.keys(since.entries).filter((name) => collections[name] === undefined)
  return more.length === 0 ? names : [...names, ...more]
}

/** Each with where it stood. */
export function findRetired(
  { kind, collections, since }: ComparedObject,
  name: string,
  live: readonly KeyedElement[],
): ReadonlyMap<KeyedElement, DesiredElement> {
  const gone = since?.entries[name]
  const definition = kind.collections[name] as Collection
  if (gone === undefined) return none
  if (definition.of === 'items') return retiredItems(gone, live)
  const wanted = new Set(elementsOf(collections[name]).map(vagueKey))
  const found = ownAmong([...gone.keys()], live, wanted).map((element): [KeyedElement, DesiredElement] => {
    const same = ({ element: other }: DesiredElement): boolean => vagueKey(other) === vagueKey(element)
    return [element, gone.get(elementKey(element)) ?? ([...gone.values()].find(same) as DesiredElement)]
  })
  return new Map(found)
}

/** There is one of each: whoever changed its settings by hand changed ours. */
function retiredItems(
  gone: ReadonlyMap<string, DesiredElement>,
  live: readonly KeyedElement[],
): ReadonlyMap<KeyedElement, DesiredElement> {
  const bySubject = new Map([...gone.values()].map((each) => [subjectKey(each.element), each]))
  const found = new Map<KeyedElement, DesiredElement>()
  for (const element of live) {
    const retired = bySubject.get(subjectKey(element))
    if (retired === undefined) continue
    // Taking what is limited to nothing takes all of its sort: also what somebody else gave.
    const others = live.filter((other) => other.item === element.item && !bySubject.has(subjectKey(other)))
    if (element.about !== undefined || others.length === 0) found.set(element, retired)
  }
  return found
}

const none: ReadonlyMap<KeyedElement, DesiredElement> = new Map()

/** Missing elements. A live one with an unknown company matches any company. */
export function missingElements(
  wanted: readonly KeyedElement[],
  live: readonly KeyedElement[],
): readonly KeyedElement[] {
  const keys = new Set(live.map(elementKey))
  const vague = new Set(live.filter(hasUnknownCompany).map(vagueKey))
  return wanted.filter((element) => !keys.has(elementKey(element)) && !vague.has(vagueKey(element)))
}

/** The item that an added one replaces: the same with other settings. Undefined: it is new. */
export function replacedBy(item: KeyedElement, live: readonly KeyedElement[] = []): KeyedElement | undefined {
  if (item.settings === undefined) return undefined
  return live.find((each) => each.settings !== undefined && subjectKey(each) === subjectKey(item))
}

export function hasUnknownCompany(element: KeyedElement): boolean {
  return element.level !== undefined && element.company === undefined
}

export function vagueKey(element: KeyedElement): string {
  return `${subjectKey(element)} ${element.level ?? ''}`
}
