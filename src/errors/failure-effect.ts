// What a failed call leaves behind: an unknown effect, or a lock worth waiting for.
import { PlatformError } from './platform-error.ts'

/** Path below the authentication address. Source: reference, authentication. */
export const tokenPath = '/api/oauth2/token'

/**
 * Whether the call may have been carried out although it failed: the caller must read back before it repeats it.
 * 429, 503 and everything below 500 are refusals; a token that could not be fetched means that nothing was sent.
 */
export function effectIsUnknown(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.method === 'GET' || error.path === tokenPath) return false
  if (error.kind === 'lost' || error.kind === 'unreadable') return true
  return error.kind === 'status' && (error.status ?? 0) >= 500 && error.status !== 501 && error.status !== 503
}

/** Whether the object is locked for the moment, so that waiting helps. Source: facts on 409. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.kind !== 'status') return false
  return error.status === 423 || (error.status === 409 && error.type === 'ResourceIsLocked')
}
