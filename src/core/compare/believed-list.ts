// The contents of a list whose levels the platform does not tell: as declared before, or else as declared now.
import { type Desired, elementsOf, sidesOf } from '../model/desired.ts'
import { elementKey, hasUnknownLevel, type KeyedElement, subjectKey } from '../model/elements.ts'
import { groupBy } from '../model/group-by.ts'
import type { Live } from '../model/live.ts'
import type { Change } from './change.ts'
import { hasUnknownCompany, vagueKey } from './compare-collection.ts'

/** The live object as its plan takes it. The same one where the platform tells everything. */
export function believedLive(desired: Desired, live: Live): Live {
  return believedAs(live, (name, elements) => knownOf(desired, name, elements))
}

/** The live object, with `known` of each list being what its accounts hold. */
export function believedAs(
  live: Live,
  known: (name: string, elements: readonly KeyedElement[]) => readonly KeyedElement[],
): Live {
  const believed: Record<string, readonly KeyedElement[]> = {}
  for (const name in live.collections) {
    const definition = live.kind.collections[name]
    const elements = live.collections[name] ?? []
    const isDoubtful = (element: KeyedElement): boolean =>
      hasUnknownCompany(element) || hasUnknownLevel(element, definition)
    if (definition?.part === undefined || !elements.some(isDoubtful)) continue
    const list = believedList(elements, known(name, elements))
    const isAsTold = list.length === elements.length && list.every((element, index) => element === elements[index])
    if (!isAsTold || elements.some((element) => hasUnknownLevel(element, definition))) believed[name] = list
  }
  if (Object.keys(believed).length === 0) return live
  return { ...live, collections: { ...live.collections, ...believed }, asTold: live.collections }
}

/** An account that is known to hold less than the list shows has the rest as the list shows it. */
function believedList(elements: readonly KeyedElement[], known: readonly KeyedElement[]): readonly KeyedElement[] {
  const bySubject = groupBy(known, subjectKey)
  const byLevel = groupBy(
    known.filter(({ company }) => company != null),
    vagueKey,
  )
  const vague = groupBy(elements.filter(hasUnknownCompany), vagueKey)
  const left = new Map<string, KeyedElement[]>()
  for (const [subject, own] of bySubject) left.set(subject, [...own])
  const result: KeyedElement[] = []
  const told = new Set<string>()
  for (const element of elements) {
    if (element.level === undefined) {
      const own = left.get(subjectKey(element)) ?? []
      const index = own.findIndex((each) => mayBe(element, each))
      result.push(...(index < 0 ? [element] : own.splice(index, 1)))
      continue
    }
    const key = vagueKey(element)
    const own = hasUnknownCompany(element) ? byLevel.get(key) : undefined
    // Fewer than are known: which of them went nobody knows.
    if (own === undefined || own.length > (vague.get(key)?.length ?? 0)) result.push(element)
    else if (!told.has(key)) {
      told.add(key)
      result.push(...own, ...(vague.get(key) ?? []).slice(own.length))
    }
  }
  return [...result, ...heldBesides(elements, left)]
}

/** One line may mean everything that an account holds for its business entity. */
function heldBesides(
  elements: readonly KeyedElement[],
  left: ReadonlyMap<string, readonly KeyedElement[]>,
): readonly KeyedElement[] {
  const lines = groupBy(
    elements.filter(({ level }) => level === undefined),
    subjectKey,
  )
  return [...lines].flatMap(([subject, own]) =>
    (left.get(subject) ?? []).filter((each) => own.some((line) => mayBe(line, each))),
  )
}

/** The accounts in the list. svcsync sends again entries of an unfinished apply, so they are left out. */
function knownOf(desired: Desired, name: string, elements: readonly KeyedElement[]): readonly KeyedElement[] {
  const wanted = desired.collections[name]
  const { since } = desired
  if (since === undefined) return desired.isNew ? [] : heldByCount(elementsOf(wanted), elements)
  const sides = sidesOf(since).map(({ said }) => said.collections[name]?.elements)
  const isSure = (key: string): boolean =>
    since.isBegun !== true && (since.begun?.length ?? 0) + 1 === sides.length && sides.every((side) => side?.has(key))
  const found = new Map<string, KeyedElement>()
  for (const side of sides) for (const [key, { element }] of side ?? []) found.set(key, element)
  return [...found].flatMap(([key, element]) => (wanted?.elements.has(key) && !isSure(key) ? [] : [element]))
}

/** As many levels as are declared may well be these; of an account that has fewer, nobody knows which. */
function heldByCount(wanted: readonly KeyedElement[], elements: readonly KeyedElement[]): KeyedElement[] {
  const lines = groupBy(
    elements.filter(({ level }) => level === undefined),
    subjectKey,
  )
  return [...groupBy(wanted, subjectKey)].flatMap(([subject, own]) => {
    const all = lines.get(subject) ?? []
    if (all.some(hasUnknownLimit)) return all.length < own.length ? [] : own
    return [...groupBy(own, companyOf)].flatMap(([company, each]) =>
      all.filter((line) => companyOf(line) === company).length < each.length ? [] : each,
    )
  })
}

const hasUnknownLimit = ({ company }: KeyedElement): boolean => company === undefined
const companyOf = ({ company }: KeyedElement): string => company?.guid.toLowerCase() ?? ''

/** A line without a level means any level of the business entity that it names. */
function mayBe(line: KeyedElement, known: KeyedElement): boolean {
  return hasUnknownLimit(line) || companyOf(line) === companyOf(known)
}

/** The list that a change leaves, as far as its contents were known. */
export function listAfter(
  before: readonly KeyedElement[],
  { added, removed }: { readonly added: readonly KeyedElement[]; readonly removed: readonly KeyedElement[] },
): KeyedElement[] {
  const gone = new Set(removed.map(elementKey))
  const come = new Set(added.map(elementKey))
  const stays = before.filter((element) => !gone.has(elementKey(element)) && !come.has(elementKey(element)))
  return [...stays.filter(({ level }) => level !== undefined), ...added]
}

export function listAfterChange({ live, collections }: Change, name: string): readonly KeyedElement[] {
  const { added = [], removed = [] } = collections.find(({ collection }) => collection === name) ?? {}
  return listAfter(live?.collections[name] ?? [], { added: added.map(({ element }) => element), removed })
}
