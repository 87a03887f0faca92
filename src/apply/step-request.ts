// The request of a step, as its kind words it.
import { addressSegment, type NormaliseSvcId, objectAddress } from '@svcsync/core/model/address.ts'
import { guidAt, isRequestedObject, nameKey } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '@svcsync/core/model/json.ts'
import type { Collection, Kind, Location } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformRequest } from '@svcsync/core/model/platform-port.ts'
import { fieldsOf } from '@svcsync/core/model/schema-fields.ts'
import { revealSecrets } from '@svcsync/core/model/sensitive.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { segment } from '@svcsync/core/model/url.ts'
import { InternalError } from '@svcsync/errors/index.ts'

interface SeenObject {
  /** The object as guards saw it; undefined where it did not exist. */
  readonly seen: Live | undefined
  readonly before?: string | undefined
  readonly normalise: NormaliseSvcId
}

export function locate({ at, address }: Step, selfOf: (address: string) => string | undefined): Location {
  const self = at.self ?? selfOf(address)
  return self === undefined ? at : { ...at, self }
}

/** Throws where the step's address, what guards saw and what would be sent name different objects. */
export function requestOf(step: Step, kind: Kind, at: Location, known: SeenObject): PlatformRequest {
  const request = build(step, kind, at)
  if (request === undefined) throw new InternalError(`The kind ${kind.name} has no request for ${step.verb}`)
  const isOne =
    isAtAddress(step, kind, at, known.normalise) && isSeen(kind, at, known) && names(request, step, kind, at)
  if (!isOne)
    throw new InternalError(`The request for ${step.verb} ${step.address} would name another object: it was not sent`)
  return request.body === undefined ? request : { ...request, body: revealSecrets(request.body) as Json }
}

function isAtAddress({ address }: Step, kind: Kind, at: Location, normalise: NormaliseSvcId): boolean {
  const { name = '', self = name } = at
  const isSame = (a: string, b: string): boolean => nameKey(kind, a, normalise) === nameKey(kind, b, normalise)
  if (kind.scope === 'installation') {
    return isSame(objectAddress(kind, name), address) && (kind.key !== undefined || isSame(self, name))
  }
  // An object that shares its name with others has its guid there.
  return [name, idFound(kind, at)].some((each) => each !== undefined && address.endsWith(`/${addressSegment(each)}`))
}

function isSeen(kind: Kind, at: Location, { seen, before, normalise }: SeenObject): boolean {
  if (seen === undefined) return true
  return isRequestedObject(kind, at, seen, normalise, before) && idFound(kind, at) === idFound(kind, seen.at)
}

function names({ path, query, body }: PlatformRequest, { verb, spec = {} }: Step, kind: Kind, at: Location): boolean {
  if (verb === 'create' && kind.key !== undefined) return kind.key.of(spec) === at.name
  if (verb === 'create') return isJsonObject(body) && Object.values(body).includes(at.name)
  const id = idFound(kind, at) ?? at.self
  if (id === undefined) return false
  if (Object.values(query ?? {}).includes(id) || path.split('/').includes(segment(id))) return true
  // Accounts missing from path and query are in the items of the body.
  const items = query === undefined && isJsonObject(body) ? Object.values(body).flat() : []
  return items.length > 0 && items.every((item) => isJsonObject(item) && Object.values(item).includes(id))
}

/** The id or guid of an object that is found by name. */
function idFound(kind: Kind, at: Location): string | undefined {
  return kind.lookup && guidAt(at, kind)
}

function build(step: Step, kind: Kind, at: Location): PlatformRequest | undefined {
  const { requests, collections } = kind
  const { open = '' } = fieldsOf(kind.sections[0])
  const { [open]: extra, ...spec } = step.spec ?? {}
  switch (step.verb) {
    case 'create':
      return withExtra(requests.create?.(at, spec, step.collections ?? {}), extra)
    case 'update':
      return withExtra(requests.update?.(at, spec, step.collections ?? {}), extra)
    case 'delete':
      return requests.remove?.(at)
    default:
      return (collections[step.collection ?? ''] as Collection)[step.verb]?.(at, step.elements ?? [])
  }
}

/** Unknown fields go beside the known ones. */
function withExtra(request: PlatformRequest | undefined, extra: Json | undefined): PlatformRequest | undefined {
  if (request === undefined || !isJsonObject(extra)) return request
  return { ...request, body: { ...extra, ...(request.body as JsonObject) } }
}
