// A request that the platform refuses: the status and the kind of error that its answer carries.
import { SvcsyncError } from '@svcsync/errors/index.ts'

/** The kinds of errors, by their usual status. Source: facts, error `type` values. */
const types = {
  400: [
    ...(['InvalidInput', 'InvalidQueryParameterValue', 'MissingRequiredBodyParameter', 'InvalidFieldData'] as const),
    ...(['MissingRequiredQueryParameter', 'UnsupportedHeader', 'InvalidBodyParameterValue'] as const),
    ...(['UnsupportedContentType', 'InvalidScope', 'ImportException'] as const),
  ],
  401: ['AuthenticationFailed', 'InvalidAuthenticationToken'],
  403: ['InsufficientAccountPermissions'],
  404: ['ResourceNotFound'],
  405: ['UnsupportedOperation', 'UnsupportedInstallationType'],
  409: ['ValidationError', 'LicenseError', 'ResourceIsLocked', 'InvalidData'],
  500: ['InternalError'],
} as const
type RefusalType = (typeof types)[keyof typeof types][number]
const entries = Object.entries(types).flatMap(([status, all]) => all.map((type) => [type, Number(status)] as const))
const statuses = new Map<RefusalType, number>(entries)

export class Refusal extends SvcsyncError {
  readonly actor = 'platform'
  readonly type: RefusalType
  readonly status: number

  constructor(type: RefusalType, description: string, status = statuses.get(type) ?? 500) {
    super('SVC8100', description)
    this.type = type
    this.status = status
  }
}

export function notFound(what: string): Refusal {
  return new Refusal('ResourceNotFound', `There is no ${what}.`)
}

export function conflict(description: string): Refusal {
  return new Refusal('InvalidData', description)
}

export function badQuery(description: string): Refusal {
  return new Refusal('InvalidQueryParameterValue', description)
}

/** A field that a body needs. */
export function missingField(what: string): Refusal {
  return new Refusal('MissingRequiredBodyParameter', `"${what}" is missing.`)
}
