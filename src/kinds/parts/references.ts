// References to objects that exist, by name or with a database: as in manifests, and as the platform has them.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { DeclaredElement, Element, ItemElement, MisreadAnswer } from '@svcsync/core/model/kind.ts'
import { missingKey } from '@svcsync/core/model/misread.ts'

const database = {
  type: 'string',
  minLength: 1,
  description: 'Its database, if it differs.',
  examples: ['main'],
} as const

/** The schema of an entry: a name, or under `key` the name beside its database. */
export const referenceField = <const Key extends string>(key: Key, description: string, example: string) =>
  ({
    type: 'shorthand',
    short: { type: 'string', minLength: 1 },
    long: {
      type: 'object',
      required: [key],
      properties: {
        [key]: { type: 'nameOrId', description, examples: [example] },
        database,
      } as Record<Key | 'database', typeof database>,
    },
  }) as const

/** The element of an entry. `key`: under which the name stands beside its database. */
export function declaredReference(
  item: string,
  value: Json,
  path: DeclaredElement['path'],
  key = item,
): DeclaredElement<ItemElement> {
  const { [key]: ref, database } = isJsonObject(value) ? value : { [key]: value, database: undefined }
  const about = { ref: String(ref), ...(database !== undefined && { database: String(database) }) }
  return { element: { item }, about, path }
}

export function writtenReference({ item, about }: ItemElement, key = item): Json {
  if (about === undefined) return null
  return about.database === undefined ? about.name : { [key]: about.name, database: about.database }
}

export function referencesBody(elements: readonly Element[] = []): Json[] {
  return elements.flatMap(({ about }) => (about === undefined ? [] : [{ guid: about.guid, dbId: about.dbId }]))
}

/** As answers have them, as elements of one item. `what` is an entry in a sentence. */
export function readReferences(entries: readonly Json[], item: string, what: string): ItemElement[] | MisreadAnswer {
  const elements: ItemElement[] = []
  for (const entry of entries) {
    if (!isJsonObject(entry)) return { misread: `${what} is no object` }
    const { guid, dbId, name } = entry
    if (typeof guid !== 'string') return missingKey(entry, 'guid', ['dbId'])
    if (typeof dbId !== 'number') return missingKey(entry, 'dbId', [])
    elements.push({ item, about: { guid, dbId, name: typeof name === 'string' ? name : guid } })
  }
  return elements
}
