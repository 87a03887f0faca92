// A request that the platform refuses: the status and the kind of error that its answer carries.
import { SvcsyncError } from '../../errors/index.ts'

type RefusalType =
  | 'InvalidInput'
  | 'InvalidQueryParameterValue'
  | 'MissingRequiredBodyParameter'
  | 'MissingRequiredQueryParameter'
  | 'UnsupportedHeader'
  | 'AuthenticationFailed'
  | 'InvalidAuthenticationToken'
  | 'InsufficientAccountPermissions'
  | 'ResourceNotFound'
  | 'UnsupportedOperation'
  | 'InvalidBodyParameterValue'
  | 'InvalidFieldData'
  | 'ValidationError'
  | 'UnsupportedContentType'
  | 'InternalError'
  | 'UnsupportedInstallationType'
  | 'LicenseError'
  | 'InvalidScope'
  | 'ResourceIsLocked'
  | 'InvalidData'
  | 'ImportException'

export class Refusal extends SvcsyncError {
  readonly actor = 'platform'
  readonly status: number
  readonly type: RefusalType

  constructor(status: number, type: RefusalType, description: string) {
    super('SVC8100', description)
    this.status = status
    this.type = type
  }
}

export function notFound(what: string): Refusal {
  return new Refusal(404, 'ResourceNotFound', `There is no ${what}.`)
}

export function conflict(description: string): Refusal {
  return new Refusal(409, 'InvalidData', description)
}

export function badBody(description: string): Refusal {
  return new Refusal(400, 'InvalidInput', description)
}

export function badQuery(description: string): Refusal {
  return new Refusal(400, 'InvalidQueryParameterValue', description)
}
