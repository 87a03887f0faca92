// Access tokens: issued for an application's scopes, good until they expire or are withdrawn.

import type { Clock } from '../clock.ts'
import type { TypeOf } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { apiApplicationShape } from '../tenant/directory-shape.ts'
import { Refusal } from './refusal.ts'
import { appContextScopes, openIdScopes, userContextScopes } from './scopes.ts'

/** What a token allows. */
export interface Grant {
  readonly application: TypeOf<typeof apiApplicationShape>
  readonly scopes: ReadonlySet<string>
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Old tokens are forgotten beyond this number, so that a long run does not grow. */
const keptTokens = 10_000

export class Tokens {
  readonly #grants = new Map<string, Grant>()
  readonly #clock: Clock
  readonly #random: () => string

  constructor(clock: Clock, random: () => string) {
    this.#clock = clock
    this.#random = random
  }

  /** The token and its grant. No scopes asked for: all that the application has. */
  issue(
    application: TypeOf<typeof apiApplicationShape>,
    wanted: readonly string[],
    lifetimeMs: number,
  ): [string, Grant] {
    const configured = configuredScopes(application)
    const foreign = wanted.find((scope) => !configured.includes(scope))
    if (foreign !== undefined) throw invalidScope(`The application may not ask for the scope "${foreign}".`)
    const openId = wanted.filter((scope) => openIdScopes.includes(scope)).length
    if (openId > 0 && openId < wanted.length) throw invalidScope('OpenID scopes stand alone.')
    const scopes = new Set(wanted.length === 0 ? configured : wanted)
    const issuedAt = this.#clock.now()
    const grant = { application, scopes, issuedAt, expiresAt: issuedAt + lifetimeMs }
    const token = `svc-${this.#random()}`
    this.#grants.set(token, grant)
    if (this.#grants.size > keptTokens) {
      for (const oldest of this.#grants.keys()) {
        this.#grants.delete(oldest)
        break
      }
    }
    return [token, grant]
  }

  /** Throws 401 for a header that holds no valid token. */
  check(authorization: string | undefined, state: PlatformState): Grant {
    if (authorization === undefined) throw unauthenticated('A bearer token is needed.')
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
    const grant = token === undefined ? undefined : this.#grants.get(token)
    if (grant === undefined) throw unauthenticated('The token is not known.')
    const { tokenRejectedAfterMs } = state.behaviour
    const early = tokenRejectedAfterMs === null ? Number.POSITIVE_INFINITY : grant.issuedAt + tokenRejectedAfterMs
    if (this.#clock.now() >= Math.min(early, grant.expiresAt)) throw unauthenticated('The token has expired.')
    return grant
  }

  expireAll(): void {
    this.#grants.clear()
  }
}

function configuredScopes(application: TypeOf<typeof apiApplicationShape>): readonly string[] {
  const { scopes = 'all', context = 'App' } = application
  if (scopes !== 'all') return scopes
  return context === 'App' ? appContextScopes : userContextScopes
}

function invalidScope(description: string): Refusal {
  return new Refusal(400, 'InvalidScope', description)
}

function unauthenticated(description: string): Refusal {
  return new Refusal(401, 'InvalidAuthenticationToken', description)
}
