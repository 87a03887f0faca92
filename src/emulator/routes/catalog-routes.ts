// The common part of constants and connections: list, read, create and update. There is no deletion.
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { conflict, missingField } from '../http/refusal.ts'
import { type Call, get, type Route, write } from '../http/route.ts'
import { listOf, named, record, type Shape } from '../shape/shape.ts'
import type { Catalog, CatalogItem } from '../state/catalog.ts'
import { extraFieldsOf, keepExtraFields } from '../state/undocumented.ts'
import { databaseOf, find, ids, listItem } from './lookup.ts'

const written = named('Written', record(ids))

interface CatalogRoutes<T extends CatalogItem, B extends { readonly name?: string | undefined }> {
  readonly what: 'constant' | 'connection'
  readonly path: string
  readonly reading: Route['scopes']
  readonly writing: Route['scopes']
  readonly catalog: (call: Call) => Catalog<T>
  /** Refuses a write, if it has to be. */
  readonly guard?: (call: Call) => void
  /** The fields in a list beside ids and names. */
  readonly listed: Readonly<Record<string, Shape<unknown>>>
  readonly answer: Shape<unknown>
  /** Besides its id, guid and name. */
  readonly view: (call: Call, object: T) => JsonObject
  readonly body: Shape<B>
  /** All but its id, guid and name; in an update, what is another afterwards. */
  readonly create: (call: Call, body: B) => Omit<T, keyof CatalogItem>
  readonly update: (call: Call, object: T, body: B) => Partial<T>
}

export function catalogRoutes<T extends CatalogItem, B extends { readonly name?: string | undefined }>(
  of: CatalogRoutes<T, B>,
): readonly Route[] {
  const { what, path, catalog, body, answer } = of
  const traits = { open: true, body, answer: written } as const
  const found = (call: Call) => find(catalog(call), what, call.params.idguid)
  const refuseTaken = (call: Call, name: string): void => {
    if (catalog(call).hasName(name) && call.state.behaviour.duplicateNames === 'refused')
      throw conflict(`There is a ${what} "${name}" already.`)
  }
  const listShape = record({ ...listItem, ...of.listed })
  return [
    get(path, of.reading, { answer: record({ [`${what}s`]: listOf(listShape) }) }, (call) => {
      const below = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(call.params[name] ?? ''))
      const all = catalog(call).list()
      return { [`${what}s`]: all.map((each) => listShape.tell({ ...each, links: call.link(`${below}/${each.id}`) })) }
    }),
    write('POST', path, of.writing, traits, (call, given) => {
      const home = catalog(call)
      of.guard?.(call)
      const { name } = given
      if (name === undefined) throw missingField('name')
      const made = of.create(call, given)
      refuseTaken(call, name)
      const identity = call.state.ids.identify(`${what}s`, databaseOf(call).id)
      home.add(keepExtraFields(call, { ...identity, name, ...made } as unknown as T))
      return identity
    }),
    get(`${path}/:idguid`, of.reading, { answer }, (call) => {
      const object = found(call)
      const { id, guid, name } = object
      return { id, guid, name, ...of.view(call, object), ...extraFieldsOf(call, object) }
    }),
    write('PATCH', `${path}/:idguid`, of.writing, traits, (call, given) => {
      const object = found(call)
      const { id, guid, name } = object
      of.guard?.(call)
      const changed = of.update(call, object, given)
      if (given.name !== undefined && given.name !== name) {
        refuseTaken(call, given.name)
        catalog(call).rename(object, given.name)
      }
      Object.assign(keepExtraFields(call, object), changed)
      return { id, guid }
    }),
  ]
}
