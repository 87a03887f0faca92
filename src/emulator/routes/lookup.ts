// Finds the objects of a path's variable parts, or answers 404; and builds answers that several endpoints share.
import { notFound, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import * as s from '../shape/shape.ts'
import type { Catalog, CatalogItem } from '../state/catalog.ts'
import type { Database } from '../state/database.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { PlaceReference } from '../tenant/tenant-shape.ts'

export const ids = { id: s.integer, guid: s.text }
const links = s.named('Links', s.listOf(s.record(s.each(['href', 'method', 'rel'], s.text))))
export const listItem = { ...ids, name: s.text, links }

export function databaseOf(call: Call): Database {
  const given = call.params.dbId ?? ''
  if (!/^\d{1,9}$/.test(given)) throw new Refusal('InvalidInput', 'The database id must be a whole number.')
  const database = call.state.databases.get(Number(given))
  if (database === undefined) throw notFound(`database ${given}`)
  return database
}

/** By id or guid. */
export function find<T extends CatalogItem>(catalog: Catalog<T>, what: string, idOrGuid = ''): T {
  const item = catalog.find(idOrGuid)
  if (item === undefined) throw notFound(`${what} "${idOrGuid}"`)
  return item
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null | undefined }

/** Resolves a reference in a body, in the database that it names. */
export function placeOf(
  { databases }: PlatformState,
  catalog: 'businessEntities' | 'applications' | 'processes',
  { id, guid, dbId }: Nullable<PlaceReference>,
): PlaceReference | undefined {
  const database = databases.get(dbId ?? 1)
  const item = database?.[catalog].find(guid ?? String(id ?? ''))
  return item && database && { id: item.id, guid: item.guid, dbId: database.id, name: item.name }
}
