// Finds what the variable parts of a path stand for, or answers 404.
import { notFound, Refusal } from '../http/refusal.ts'
import type { Call } from '../http/route.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import type { Database } from '../state/database.ts'

export function databaseOf(call: Call): Database {
  const given = call.params.dbId ?? ''
  if (!/^\d{1,9}$/.test(given)) throw new Refusal(400, 'InvalidInput', 'The database id must be a whole number.')
  const database = call.state.databases.get(Number(given))
  if (database === undefined) throw notFound(`database ${given}`)
  return database
}

/** By id or guid, from a path parameter unless another value is given. */
export function find<T extends Catalogued>(catalog: Catalog<T>, what: string, idOrGuid: string | undefined): T {
  const item = catalog.find(idOrGuid ?? '')
  if (item === undefined) throw notFound(`${what} "${idOrGuid}"`)
  return item
}
