// The requests that a kind may make, about an object that is nowhere: what it asks of the interface at most.
import { page } from './capabilities/page.ts'
import type { Collection, Element, Kind, Location } from './kind.ts'
import type { PlatformRequest } from './platform-port.ts'

interface KindRequest {
  readonly request: PlatformRequest
  /** The work that is impossible without it. */
  readonly cannot: string
  readonly collection?: string
  /** The property of the answer that holds objects of the kind. */
  readonly list?: string
}

/** Any location, with any key. */
export const anyLocation = new Proxy<Location>(
  { dbId: 1 },
  { get: (target, key) => (key === 'dbId' ? target.dbId : '2') },
)

export function requestsOf(kind: Kind): readonly KindRequest[] {
  const { requests, lookup, collections } = kind
  const at = anyLocation
  const list = requests.list?.(at)
  const paged = list?.paged === true ? { query: { page: 0, size: 1 } } : {}
  const nothingFound = 'nothing of it can be found'
  const all: readonly (Omit<KindRequest, 'request'> & { readonly request: PlatformRequest | undefined })[] = [
    { request: lookup?.request(at), cannot: nothingFound },
    { request: page.of(kind)?.request('/'), cannot: 'it cannot be named by an address' },
    ...(list
      ? [{ request: { method: 'GET', path: list.path, ...paged } as const, cannot: nothingFound, list: list.key }]
      : []),
    { request: requests.read?.(at), cannot: 'nothing of it can be read' },
    { request: requests.create?.(at, {}, {}), cannot: 'it cannot be created' },
    { request: requests.update?.(at, {}, {}), cannot: 'it cannot be changed' },
    { request: requests.remove?.(at), cannot: 'it cannot be deleted' },
    ...Object.entries(collections).flatMap(([name, collection]) => {
      const element: Element = collection.of === 'items' ? { item: '2' } : { svcId: '2', level: '2' }
      const [add, remove] = changesOf(collection, element)
      return [
        { request: add, cannot: `${name} cannot be added`, collection: name },
        { request: remove, cannot: `${name} cannot be removed`, collection: name },
      ]
    }),
  ]
  return all.filter((each): each is KindRequest => each.request !== undefined)
}

export function changesOf({ add, remove }: Collection, element: Element): readonly PlatformRequest[] {
  return add === undefined || remove === undefined ? [] : [add(anyLocation, [element]), remove(anyLocation, [element])]
}
