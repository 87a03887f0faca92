// By what an installation knows an object again. Keys are made where data enters; what comes after compares keys.
import type { NormaliseSvcId } from './address.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import type { Kind, LivePart, Location, MisreadAnswer, Section } from './kind.ts'
import { missingKey } from './misread.ts'
import { fieldsOf, isAccount } from './schema-fields.ts'

export interface Identity {
  /** Its name among its kind: the normalised svcId of an account, else the exact name. */
  readonly key: string
  /** Keys of the accounts that its fields name, by field, where they are not as written. */
  readonly fieldKeys: FieldKeys
}

type FieldKeys = Readonly<Record<string, string>>

export interface KeyedFields {
  readonly spec: JsonObject
  readonly fieldKeys?: FieldKeys | undefined
}

const noKeys = {} as const

/** Joins the keys of fields: `over` wins over `under`. Undefined: none, as for nearly all objects. */
export function joinedKeys(under: KeyedFields | undefined, over?: KeyedFields): FieldKeys | undefined {
  const { fieldKeys: below = noKeys } = under ?? {}
  const { fieldKeys: above = noKeys, spec = {} } = over ?? {}
  if (below === noKeys) return above === noKeys ? undefined : above
  // A field whose svcId is its own key has none there: that of the live object is the key of another account.
  const kept = Object.entries(below).filter(([field]) => spec[field] === undefined)
  return kept.length === 0 && above === noKeys ? undefined : { ...Object.fromEntries(kept), ...above }
}

/** The keys of fields that refer to accounts. Such fields are at the top of an object. */
export function fieldKeysOf(section: Section, spec: JsonObject, normalise: NormaliseSvcId): FieldKeys {
  const { references } = fieldsOf(section)
  if (references.length === 0) return noKeys
  let result: Record<string, string> | undefined
  for (const { field } of references) {
    const value = spec[field]
    if (typeof value !== 'string') continue
    const key = normalise(value)
    if (key === value) continue
    result ??= {}
    result[field] = key
  }
  return result ?? noKeys
}

export function accountsNamed(section: Section, { spec, fieldKeys }: KeyedFields): readonly NamedAccount[] {
  const { references } = fieldsOf(section)
  if (references.length === 0) return nobody
  return references.flatMap(({ field, to }): NamedAccount[] => {
    const svcId = spec[field]
    return isAccount(to) && typeof svcId === 'string' && svcId !== ''
      ? [{ field, svcId, key: fieldKeys?.[field] ?? svcId }]
      : []
  })
}

interface NamedAccount {
  readonly field: string
  readonly svcId: string
  readonly key: string
}

const nobody: readonly NamedAccount[] = []

export function nameKey({ comparesBy }: Pick<Kind, 'comparesBy'>, name: string, normalise: NormaliseSvcId): string {
  return comparesBy === 'svcId' ? normalise(name) : name
}

/** True if the svcId is the name and the paths take it. */
export function isNamedBySvcId({ comparesBy, key }: Pick<Kind, 'comparesBy' | 'key'>): boolean {
  return comparesBy === 'svcId' && key === undefined
}

/** A guid is the same in capitals. */
function sameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** True if an answer is about the requested object. `before`: a former name that it may still have. */
export function isRequestedObject(
  kind: Pick<Kind, 'comparesBy' | 'lifecycle' | 'key'>,
  { self, name }: Location,
  part: Pick<LivePart, 'name' | 'self' | 'id'>,
  normalise: NormaliseSvcId,
  before?: string,
): boolean {
  if (kind.lifecycle === 'found') return true
  const key = nameKey(kind, part.name, normalise)
  const isNamed = (asked: string): boolean => nameKey(kind, asked, normalise) === key
  const bearsName = name === undefined || isNamed(name) || (before !== undefined && isNamed(before))
  if (self === undefined) return bearsName
  const isSelf = isNamedBySvcId(kind)
    ? isNamed(self)
    : sameId(part.self, self) || (part.id !== undefined && part.id === self)
  return isSelf && bearsName
}

/** The guid of an object that is found by name, from its own location or that of an object inside. */
export function guidAt(at: Location, { sections: [{ identity }] }: Pick<Kind, 'sections'>): string | undefined {
  return at[identity] as string | undefined
}

/** The identity in an answer: its guid, the id beside it, and its name. */
export function readIds(
  item: Json,
): { readonly self: string; readonly id?: string; readonly name: string } | MisreadAnswer {
  if (!isJsonObject(item)) return { misread: 'it is no object' }
  const { guid, id, name } = item
  if (typeof guid !== 'string' || guid === '') return missingKey(item, 'guid', [])
  // An object may have no name; then only its guid leads to it.
  if (typeof name !== 'string' && name !== null) return missingKey(item, 'name', [])
  const hasId = typeof id === 'number' || (typeof id === 'string' && id !== '')
  return { self: guid, name: name ?? '', ...(hasId && { id: String(id) }) }
}
