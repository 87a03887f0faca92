// The seam between what svcsync knows about the platform and how a request travels. The only description of it.
import type { NormaliseSvcId } from './address.ts'
import type { Json } from './json.ts'
import type { KnownNames } from './known-names.ts'

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `{baseUrl}/api/data/v{apiVersion}`, encoded (see path.ts), in neutral names: the edge renames. */
  readonly path: string
  /** The path in API version 5.0, where it differs. */
  readonly pathIn50?: string
  /** Query parameters, not yet encoded. Undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: Json
}

/** A need for access: any one of these scopes is enough. */
export interface ScopeNeed {
  /** Least first. */
  readonly anyOf: readonly string[]
  /** `first`: of those that the application may have. `all`: installations differ in which of them they look at. */
  readonly ask: 'first' | 'all'
}

/** Gives the parsed body. Rejects with a PlatformError; retries what is safe to repeat. */
export interface PlatformPort {
  send(request: PlatformRequest): Promise<Json | undefined>
  /** Makes sure that the token carries these scopes from now on. Rejects with an AccessError that names the missing. */
  authorise(needs: readonly ScopeNeed[]): Promise<void>
  /** `5.0` or `6.0`: paths differ in few places. */
  readonly apiVersion: '5.0' | '6.0'
  /** The installation's comparison of svcIds, which makes the keys of read objects. */
  readonly normalise: NormaliseSvcId
  /** The zone of dates without an offset, and of comparisons. Absent: UTC. */
  readonly timeZone?: string | undefined
  /** Names that the target, or an answer of this run, has. Absent: each answer is judged by itself. */
  readonly names?: KnownNames | undefined
  /** `isField`: of an object, so that `extra` may hold it. */
  readonly onUnknownKey?: ((key: string, isField: boolean) => void) | undefined
}

/** The answer to a request for a token, including trials of scopes. */
export interface TokenAnswer {
  readonly scopes: readonly string[]
  /** The lifetime in `expires_in`; undefined: the answer has none. */
  readonly lifetimeMs: number | undefined
  /** How far the server's clock is ahead of ours, to about a second; undefined: the answer does not tell. */
  readonly aheadMs: number | undefined
}
