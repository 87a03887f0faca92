// The request of a step, as its kind words it.
import type { Json } from '../core/json.ts'
import type { Collection, Kind, Location } from '../core/kind.ts'
import type { PlatformRequest } from '../core/platform-port.ts'
import { revealed } from '../core/sensitive.ts'
import type { Step } from '../core/step.ts'
import { InternalError } from '../errors/index.ts'

/** With its secrets. Throws an InternalError where the kind does not offer what the step wants. */
export function requestOf(step: Step, kind: Kind, at: Location): PlatformRequest {
  const request = build(step, kind, at)
  if (request === undefined) throw new InternalError(`The kind ${kind.name} has no request for ${step.verb}`)
  return request.body === undefined ? request : { ...request, body: revealed(request.body) as Json }
}

function build(step: Step, { requests, collections }: Kind, at: Location): PlatformRequest | undefined {
  switch (step.verb) {
    case 'create':
      return requests.create?.(at, step.spec ?? {}, step.collections ?? {})
    case 'update':
      return requests.update?.(at, step.spec ?? {})
    case 'delete':
      return requests.remove?.(at)
    default:
      return (collections[step.collection ?? ''] as Collection)[step.verb](at, step.elements ?? [])
  }
}
