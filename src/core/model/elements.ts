// Elements of collections: by what they are known, whom they are about, and how they are shown.
import type { NormaliseSvcId } from './address.ts'
import { compareBy } from './group-by.ts'
import { canonicalJson } from './json.ts'
import type { AccountElement, Collection, CompanyRef, Element, ItemElement, LivePart } from './kind.ts'

/** Holds the key of an element whose svcId does not compare as written. A symbol: it is part of no document. */
export const KEY: unique symbol = Symbol('key')

/** Undefined: its svcId is the key; or it is no account. */
interface Keyed {
  readonly [KEY]: string | undefined
}

export type KeyedAccount = AccountElement & Keyed
type KeyedItem = ItemElement & Keyed

/** An element of a desired or live object, or of what is made of them: its account is known by its key. */
export type KeyedElement = KeyedAccount | KeyedItem

export function keyedElement<Sort extends Element>(element: Sort, normalise: NormaliseSvcId): Sort & Keyed {
  const key = element.svcId === undefined ? undefined : normalise(element.svcId)
  // Nearly all of them: nothing is kept beside the element.
  return key === element.svcId ? (element as Sort & Keyed) : { ...element, [KEY]: key }
}

/** The elements of an answer, each once: a list may tell one twice. */
export function keyedElements(
  collections: LivePart['collections'],
  normalise: NormaliseSvcId,
): Readonly<Record<string, readonly KeyedElement[]>> {
  const isAsWritten = ({ svcId }: Element): boolean => svcId === undefined || normalise(svcId) === svcId
  let result: Record<string, readonly Element[]> | undefined
  for (const name in collections) {
    const elements = collections[name] as readonly KeyedElement[]
    const keyed = elements.every(isAsWritten) ? elements : elements.map((element) => keyedElement(element, normalise))
    const distinct = eachOnce(keyed)
    if (distinct === elements) continue
    result ??= { ...collections }
    result[name] = distinct
  }
  return (result ?? collections) as Readonly<Record<string, readonly KeyedElement[]>>
}

/** Each once; but privileges whose level or company is not told look alike, and are several. */
function eachOnce(elements: readonly KeyedElement[]): readonly KeyedElement[] {
  if (elements.length < 2) return elements
  const seen = new Set<string>()
  const distinct = elements.filter((element) => {
    if (element.svcId !== undefined && (element.level === undefined || element.company === undefined)) return true
    const key = elementKey(element)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  return distinct.length === elements.length ? elements : distinct
}

/** Under which an element replaces another: an account at any level, an item with any settings. */
export function subjectKey(element: KeyedElement): string {
  // Nothing else is looked for on an account: there may be a million.
  if (element.svcId !== undefined) return element[KEY] ?? element.svcId
  const { item, about } = element
  // Objects of two databases may have one guid, from one import.
  return ` ${item} ${about === undefined ? '' : `${about.guid.toLowerCase()} ${about.dbId}`}`
}

/** The keys of an item with and without its limits: its last limit takes the item along. */
export function subjectKeys(item: KeyedElement): readonly string[] {
  return item.about === undefined ? [subjectKey(item)] : [subjectKey(item), subjectKey(withoutLimit(item))]
}

export function withoutLimit(item: KeyedElement): KeyedElement {
  return { ...item, about: undefined } as KeyedElement
}

export function elementKey(element: KeyedElement): string {
  const subject = subjectKey(element)
  if (element.svcId === undefined) return `${subject} ${element.settings ? canonicalJson(element.settings) : '{}'}`
  return element.level === undefined
    ? subject
    : `${subject} ${element.level} ${element.company?.guid.toLowerCase() ?? ''}`
}

export const byElement = compareBy(elementKey)

/** True if an object can have only one of the two items, as with other settings or limits. */
export function areExclusive(one: KeyedElement, other: KeyedElement): boolean {
  if (one.svcId !== undefined || one.item !== other.item) return false
  return one.about === undefined || other.about === undefined || subjectKey(one) === subjectKey(other)
}

export function accountKeys(elements: readonly KeyedElement[]): string[] {
  return elements.flatMap((element) => (element.svcId === undefined ? [] : subjectKey(element)))
}

/** An account in a list alone, as documents tell it: who is limited to no company has none. */
interface AccountOfList extends AccountElement, Keyed {
  readonly company?: CompanyRef
}

export function subjectOf({ svcId, level, company, [KEY]: key }: KeyedAccount): AccountOfList {
  const subject = { svcId, ...(level !== undefined && { level }), ...(company && { company }) } as AccountOfList
  return key === undefined ? subject : { ...subject, [KEY]: key }
}

/** As documents tell of an entry: who is in the list, or of what is no account, whose it is and which. */
export interface ListedSubject extends Partial<Keyed>, Pick<AccountOfList, 'svcId' | 'level' | 'company'> {
  readonly item?: string
  readonly about?: NonNullable<ItemElement['about']>
}

/** `holder`: the svcId of whom the list is about, where it is no list of accounts. */
export function listedSubject(element: KeyedElement, holder: string): ListedSubject {
  if (element.svcId !== undefined) {
    const { svcId, level, company, [KEY]: key } = element
    const subject = { svcId, ...(level !== undefined && { level }), ...(company && { company }) }
    return key === undefined ? subject : { ...subject, [KEY]: key }
  }
  const { item, about } = element
  return { svcId: holder, item, ...(about && { about }) }
}

/** The identity of an element, without its settings. */
export function listedElement(listed: ListedSubject): KeyedElement {
  const { svcId, level, company, item, about, [KEY]: key } = listed
  const of = item === undefined ? { svcId, level, company } : { item, about }
  return { ...of, ...(key !== undefined && { [KEY]: key }) } as KeyedElement
}

/** A privilege of a live list that does not tell its level: it may be any, and cannot be taken away. */
export function hasUnknownLevel({ svcId, level }: Element, collection: Pick<Collection, 'part'> | undefined): boolean {
  return collection?.part !== undefined && svcId !== undefined && level === undefined
}

export function accountsIn(elements: readonly Element[]): string[] {
  const accounts: string[] = []
  for (const { svcId } of elements) if (svcId !== undefined) accounts.push(svcId)
  return accounts
}

export function elementName({ svcId, item }: Element): string {
  return svcId ?? item ?? ''
}

/** To what it is limited: a level, a business entity, a process, settings. */
function elementLimits({ level, company, about, settings = {} }: Element, without?: 'level' | 'company'): string[] {
  return [
    ...(level === undefined || without === 'level' ? [] : [level]),
    ...(company == null || without === 'company' ? [] : [company.name]),
    ...(about === undefined ? [] : [about.name]),
    ...Object.entries(settings).map(([key, value]) => `${key}: ${canonicalJson(value ?? null)}`),
  ]
}

/** `ap-clerks@example.com (Modify, PL01)`, `User (Invoice approval)`. `without`: a part shown elsewhere. */
export function showElement(element: Element, without?: 'level' | 'company'): string {
  const limits = elementLimits(element, without)
  return limits.length === 0 ? elementName(element) : `${elementName(element)} (${limits.join(', ')})`
}
