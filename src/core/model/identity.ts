// Keys under which objects are the same, and whether an answer is about the object that was asked for.
import { addressKey, type FoldSvcId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import { subjectKey } from './elements.ts'
import { isJsonObject, type Json } from './json.ts'
import type { Element, Kind, LivePart, Location, Misread } from './kind.ts'
import { lacking } from './misread.ts'

/** The key of a name among its kind: folded where the platform does not tell case apart. */
export function nameKey({ comparesBy }: Pick<Kind, 'comparesBy'>, name: string, fold: FoldSvcId): string {
  return addressKey(name, comparesBy, fold)
}

/** A guid is the same in capitals. */
function sameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/**
 * Whether an answer is about what was asked for: by its id where the path holds one, and by its name. `before`: a name that
 * it may still bear. A list of privileges tells of nobody whose it is: there, the answer is taken as it comes.
 */
export function isAsked(
  kind: Pick<Kind, 'comparesBy' | 'lifecycle'>,
  { self, name }: Location,
  part: LivePart,
  fold: FoldSvcId,
  before?: string,
): boolean {
  if (kind.lifecycle === 'found' && part.self === '') return true
  const key = nameKey(kind, part.name, fold)
  const isNamed = (asked: string): boolean => nameKey(kind, asked, fold) === key
  const bearsName = name === undefined || isNamed(name) || (before !== undefined && isNamed(before))
  if (self === undefined) return bearsName
  const isSelf =
    kind.comparesBy === 'svcId' ? isNamed(self) : sameId(part.self, self) || (part.id !== undefined && part.id === self)
  return isSelf && bearsName
}

/** The guid of an object of a kind that is found by name, in the place of the object or of one that stands in it. */
export function guidIn(at: Location, { sections: [{ identity }] }: Pick<Kind, 'sections'>): string | undefined {
  return at[identity] as string | undefined
}

/** What an answer is known by: its guid, beside it the id, and its name. */
export function readIds(item: Json): { readonly self: string; readonly id?: string; readonly name: string } | Misread {
  if (!isJsonObject(item)) return { misread: 'it is no object' }
  const { guid, id, name } = item
  if (typeof guid !== 'string' || guid === '') return lacking(item, 'guid', [])
  if (typeof name !== 'string') return lacking(item, 'name', [])
  const hasId = typeof id === 'number' || (typeof id === 'string' && id !== '')
  return { self: guid, name, ...(hasId && { id: String(id) }) }
}

/** Two elements with one key are the same element. */
export function elementKey(element: Element, fold: FoldSvcId): string {
  if (element.svcId === undefined) return `${subjectKey(element, fold)} ${canonicalJson(element.settings ?? {})}`
  if (element.level === undefined) return fold(element.svcId)
  return `${fold(element.svcId)} ${element.level} ${element.company?.guid.toLowerCase() ?? ''}`
}
