// What kinds add to what everything speaks: filled by `defineKind` while they are loaded, and only read afterwards.
import type { ObjectSchema, Schema } from './schema.ts'

/** Beside fields of kinds: the level of an element and where it comes from, how far an object is, what a page shows. */
const words = new Set<string>(['level', 'permissionsScope', 'status', 'mode'])
const wholeNames = new Set<string>()
const shared = new Set<string>()

interface Speech {
  readonly scope: 'installation' | 'database' | 'parent'
  readonly segment: string
  readonly sections: readonly { readonly schema: ObjectSchema }[]
  readonly collections?: Readonly<Record<string, { readonly shared?: true }>>
}

export function addVocabulary({ scope, segment, sections, collections = {} }: Speech): void {
  for (const name in collections) if (collections[name]?.shared) shared.add(name)
  if (scope === 'installation') wholeNames.add(segment.toLowerCase())
  for (const { schema } of sections) addWords(schema)
}

function addWords(schema: Schema, key?: string): void {
  if (schema.word && key !== undefined) words.add(key)
  if (schema.type === 'object') for (const [name, part] of Object.entries(schema.properties)) addWords(part, name)
  else if (schema.type === 'array') addWords(schema.items, key)
  else if (schema.type === 'shorthand') addWords(schema.long)
}

/** Whether strings under this key are words of the interface, which installations may call otherwise (the mark `word`). */
export function isWordKey(key: string): boolean {
  return words.has(key)
}

/** Whether what lies behind the first slash of such an address is one name, whatever stands in it: a svcId. In lower case. */
export function endsWithName(segment: string): boolean {
  return wholeNames.has(segment)
}

/** Whether steps of such a collection may share requests. */
export function sharesRequests(collection: string | undefined): boolean {
  return collection !== undefined && shared.has(collection)
}
