// What constants and connections have in common: list, read, create and update of what has an id and a guid. There is no deletion.
import type { JsonObject } from '../../core/model/json.ts'
import { conflict, Refusal } from '../http/refusal.ts'
import { type Call, type Route, withBody } from '../http/route.ts'
import { listOf, named, record, type Shape } from '../shape/shape.ts'
import type { Catalog, Catalogued } from '../state/catalog.ts'
import { keepMore } from '../state/undocumented.ts'
import { identify } from '../tenant/load-parts.ts'
import { ids } from './answers.ts'
import { databaseOf, find } from './lookup.ts'

const written = named('Written', record(ids))

interface Catalogues<T extends Catalogued, B extends { readonly name?: string | undefined }> {
  readonly what: 'constant' | 'connection'
  readonly path: string
  readonly read: Route['scopes']
  readonly write: Route['scopes']
  readonly catalog: (call: Call) => Catalog<T>
  /** Refuses a write, if it has to be. */
  readonly guard?: (call: Call) => void
  /** As a list shows it, without its link, and as a read does. */
  readonly item: { readonly answer: Shape<unknown>; readonly view: (object: T) => JsonObject }
  readonly whole: { readonly answer: Shape<unknown>; readonly view: (call: Call, object: T) => JsonObject }
  readonly body: Shape<B>
  readonly create: (call: Call, body: B) => Omit<T, keyof typeof ids>
  /** What is another afterwards, but for the name. */
  readonly update: (call: Call, object: T, body: B) => Partial<T>
}

export function catalogRoutes<T extends Catalogued, B extends { readonly name?: string | undefined }>(
  of: Catalogues<T, B>,
): readonly Route[] {
  const { what, path, read, write, catalog, body } = of
  const detail = `${path}/:idguid`
  const found = (call: Call) => find(catalog(call), what, call.params.idguid)
  const refuseTaken = (call: Call, name: string | undefined): void => {
    const isTaken = name !== undefined && catalog(call).hasName(name)
    if (isTaken && call.state.behaviour.duplicateNames === 'refused')
      throw conflict(`There is a ${what} "${name}" already.`)
  }
  return [
    {
      method: 'GET',
      path,
      scopes: read,
      answer: record({ [`${what}s`]: listOf(of.item.answer) }),
      handle: (call) => {
        const below = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(call.params[name] ?? ''))
        const all = catalog(call).list()
        return { [`${what}s`]: all.map((each) => ({ ...of.item.view(each), links: call.link(`${below}/${each.id}`) })) }
      },
    },
    withBody({
      method: 'POST',
      path,
      scopes: write,
      open: true,
      body,
      answer: written,
      handle: (call, given) => {
        const home = catalog(call)
        of.guard?.(call)
        const made = of.create(call, given)
        refuseTaken(call, given.name)
        const identity = identify(`${what}s`, {}, databaseOf(call), call.state.ids)
        home.add(keepMore(call, { ...identity, ...made } as unknown as T))
        return identity
      },
    }),
    {
      method: 'GET',
      path: detail,
      scopes: read,
      answer: of.whole.answer,
      handle: (call) => of.whole.view(call, found(call)),
    },
    withBody({
      method: 'PATCH',
      path: detail,
      scopes: write,
      open: true,
      body,
      answer: written,
      handle: (call, given) => {
        const object = found(call)
        const { id, guid, name } = object
        of.guard?.(call)
        const changed = of.update(call, object, given)
        if (given.name !== undefined && given.name !== name) {
          refuseTaken(call, given.name)
          catalog(call).rename(object, given.name)
        }
        Object.assign(keepMore(call, object), changed)
        return { id, guid }
      },
    }),
  ]
}

export function missing(what: string): Refusal {
  return new Refusal(400, 'MissingRequiredBodyParameter', `"${what}" is missing.`)
}
