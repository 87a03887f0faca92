// A call to the platform failed: how, and what it leaves behind (an unknown effect, or a lock worth waiting for).
import { type Actor, type ErrorDetails, SvcsyncError } from './svcsync-error.ts'

/** How a call failed, which decides whether its effect is known. */
export type FailureKind =
  /** An HTTP answer with a status of 400 or more. */
  | 'status'
  /** The connection could not be made: nothing was sent. */
  | 'unreachable'
  /** The connection broke or timed out after the request may have been sent: the effect is unknown. */
  | 'lost'
  /** An answer of 2xx that is no JSON where JSON is needed, or was cut short. */
  | 'unreadable'

export interface PlatformFailure {
  readonly kind: FailureKind
  readonly method: string
  /** Path without the query and without the base address: it holds no secret. */
  readonly path: string
  readonly status?: number | undefined
  /** The platform's own error kind, e.g. `ResourceIsLocked`. */
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly errorGuid?: string | undefined
  /** It came with a `Retry-After`. */
  readonly asksToWait?: boolean | undefined
}

/** A call to the platform failed. Source: the error object of the reference, and facts on statuses. */
export class PlatformError extends SvcsyncError implements PlatformFailure {
  readonly actor: Actor = 'platform'
  readonly kind: FailureKind
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  readonly type: string | undefined
  readonly description: string | undefined
  readonly errorGuid: string | undefined
  readonly asksToWait: boolean

  constructor(code: string, message: string, failure: PlatformFailure, details: ErrorDetails = {}) {
    super(code, message, details)
    this.kind = failure.kind
    this.method = failure.method
    this.path = failure.path
    this.status = failure.status
    this.type = failure.type
    this.description = failure.description
    this.errorGuid = failure.errorGuid
    this.asksToWait = failure.asksToWait === true
  }
}

/**
 * The token was refused, or does not carry what the call needs: the operator must look at the credentials or scopes.
 */
export class AccessError extends PlatformError {
  override readonly actor: Actor = 'operator'
}

/** Path below the authentication address. Source: reference, authentication. */
export const tokenPath = '/api/oauth2/token'

/**
 * True if a failed call may have succeeded: the caller must read back before it repeats. 429 and every status below 500
 * are refusals; so is 503 with Retry-After, which gateways do not send when a connection broke after the request.
 * Without a token, nothing was sent.
 */
export function effectIsUnknown(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.method === 'GET' || error.path === tokenPath) return false
  if (error.kind === 'lost' || error.kind === 'unreadable') return true
  const { kind, status = 0, asksToWait } = error
  return kind === 'status' && status >= 500 && status !== 501 && !(status === 503 && asksToWait)
}

/**
 * True if the installation says that it lacks a kind, such as licences, by its build or its licence. Source: facts on
 * error types.
 */
export function isLackingKind(error: unknown): error is PlatformError {
  return error instanceof PlatformError && saysLacking(error.type)
}

/** By the type of an error. */
export function saysLacking(type: string | undefined): boolean {
  return type === 'UnsupportedInstallationType' || type === 'UnsupportedLicensingType'
}

/** True if the object is locked for the moment, so that waiting helps. Source: facts on 409. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.kind !== 'status') return false
  return error.status === 423 || (error.status === 409 && error.type === 'ResourceIsLocked')
}

export const failureCodes = {
  // Nothing reached the platform.
  unreachable: 'SVC3001',
  nameNotFound: 'SVC3002',
  tlsFailed: 'SVC3003',
  proxyFailed: 'SVC3004',
  interrupted: 'SVC3005',
  heldBack: 'SVC3006',
  platformDown: 'SVC3007',
  memoryUsedUp: 'SVC3068',
  // The request may have been carried out.
  connectionLost: 'SVC3010',
  timedOut: 'SVC3011',
  // An answer that cannot be used.
  notJson: 'SVC3020',
  cutShort: 'SVC3021',
  redirected: 'SVC3022',
  listMissing: 'SVC3023',
  endlessList: 'SVC3024',
  otherShape: 'SVC3025',
  tooLarge: 'SVC3026',
  notHttp: 'SVC3027',
  // An answer that says no.
  rejected: 'SVC3030',
  notFound: 'SVC3031',
  notAllowedHere: 'SVC3032',
  conflict: 'SVC3033',
  locked: 'SVC3034',
  tooManyRequests: 'SVC3035',
  serverFailed: 'SVC3036',
  // Access.
  tokenRefused: 'SVC3040',
  permissionMissing: 'SVC3041',
  credentialsRefused: 'SVC3042',
  scopesMissing: 'SVC3043',
  tokenAddressWrong: 'SVC3044',
  tokenUnusable: 'SVC3045',
  // Settings of the connection.
  addressUnusable: 'SVC3050',
  addressInsecure: 'SVC3051',
  certificateFileUnreadable: 'SVC3052',
  wireNamesAmbiguous: 'SVC3053',
  segmentUnusable: 'SVC3054',
  credentialsEmpty: 'SVC3055',
  proxyUnusable: 'SVC3056',
  // An answer that is not believed.
  otherObject: 'SVC3060',
  foreignNotFound: 'SVC3061',
  noIdentity: 'SVC3062',
  listDisproved: 'SVC3063',
} as const
