// The events of a platform client: data, so that the command line decides how they look.
import type { FailureKind } from '@svcsync/errors/index.ts'

interface DownReason {
  readonly code: string
  readonly status?: number | undefined
}

export type ClientEvent =
  | {
      readonly kind: 'retry'
      readonly method: string
      readonly path: string
      /** The attempt that failed, 1-based. */
      readonly attempt: number
      readonly delayMs: number
      readonly reason: { readonly kind: FailureKind; readonly code: string; readonly status?: number | undefined }
    }
  /** A further token was fetched: the old one ended, was refused, or carries too few scopes. */
  | { readonly kind: 'token-renewed'; readonly reason: 'expired' | 'refused' | 'scopes' }
  /** Requests fail in a row: no further one starts, and one probe looks for the platform after the pause. */
  | {
      readonly kind: 'platform-silent'
      readonly failures: number
      readonly delayMs: number
      readonly reason: DownReason
    }
  /** The probes failed, too: nothing more is sent. */
  | { readonly kind: 'platform-down'; readonly failures: number; readonly reason: DownReason }
  | { readonly kind: 'platform-back' }
  /** The platform asked for a pause: all requests of this client wait. */
  | { readonly kind: 'paused'; readonly delayMs: number }

/** The answer to a request for a token, including trials of scopes. */
export interface TokenAnswer {
  readonly scopes: readonly string[]
  /** The lifetime in `expires_in`; undefined: the answer has none. */
  readonly lifetimeMs: number | undefined
  /** How far the server's clock is ahead of ours, to about a second; undefined: the answer does not tell. */
  readonly aheadMs: number | undefined
}
