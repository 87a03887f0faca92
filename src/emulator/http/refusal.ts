// A request that the platform refuses: the status and the kind of error that its answer carries.
import { SvcsyncError } from '../../errors/index.ts'

/** By facts, error `type` values, with the status that goes with each where nothing else is said. */
const statuses = {
  InvalidInput: 400,
  InvalidQueryParameterValue: 400,
  MissingRequiredBodyParameter: 400,
  MissingRequiredQueryParameter: 400,
  UnsupportedHeader: 400,
  AuthenticationFailed: 401,
  InvalidAuthenticationToken: 401,
  InsufficientAccountPermissions: 403,
  ResourceNotFound: 404,
  UnsupportedOperation: 405,
  InvalidBodyParameterValue: 400,
  InvalidFieldData: 400,
  ValidationError: 409,
  UnsupportedContentType: 400,
  InternalError: 500,
  UnsupportedInstallationType: 405,
  LicenseError: 409,
  InvalidScope: 400,
  ResourceIsLocked: 409,
  InvalidData: 409,
  ImportException: 400,
} as const

export class Refusal extends SvcsyncError {
  readonly actor = 'platform'
  readonly type: keyof typeof statuses
  readonly status: number

  constructor(type: keyof typeof statuses, description: string, status: number = statuses[type]) {
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
export function missing(what: string): Refusal {
  return new Refusal('MissingRequiredBodyParameter', `"${what}" is missing.`)
}
