// Holds the one token of a client: fetched once for all who wait, renewed when it ends or is refused.

import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { AccessError, failureCodes, tokenPath } from '@svcsync/errors/index.ts'
import type { PlatformClientOptions } from './client-options.ts'
import type { createTokenEndpoint, TokenGrant } from './token-endpoint.ts'

type AskForToken = ReturnType<typeof createTokenEndpoint>

/** A token is renewed this much before its end, so that it does not end on its way; short-lived ones at nine tenths. */
const earlyMs = 30_000

export function createTokenSource(
  endpoint: AskForToken,
  timer: () => number,
  onEvent: PlatformClientOptions['onEvent'],
) {
  let grant: TokenGrant | undefined
  let staleAtMs = Number.POSITIVE_INFINITY
  let secrets: readonly string[] = []
  let fetched = 0
  let needs: readonly ScopeNeed[] = []
  let pending: Promise<TokenGrant> | undefined
  let negotiations: Promise<unknown> | undefined
  const refusedScopes = new Set<string>()

  const ask: AskForToken = async (scopes) => {
    const answer = await endpoint(scopes)
    if (answer !== undefined) fetched += 1
    return answer
  }

  function keep(next: TokenGrant, reason: 'expired' | 'refused' | 'scopes'): TokenGrant {
    if (grant !== undefined) onEvent?.({ kind: 'token-renewed', reason })
    secrets = grant === undefined ? [next.token] : [grant.token, next.token]
    grant = next
    const lifetimeMs = next.expiresAtMs === undefined ? undefined : next.expiresAtMs - timer()
    staleAtMs =
      lifetimeMs === undefined ? Number.POSITIVE_INFINITY : timer() + lifetimeMs - Math.min(earlyMs, lifetimeMs / 10)
    return next
  }

  function fetchShared(reason: 'expired' | 'refused'): Promise<TokenGrant> {
    pending ??= negotiateScopes(needs, ask, refusedScopes)
      .then((next) => keep(next, reason))
      .finally(() => {
        pending = undefined
      })
    return pending
  }

  /** A token fetched beside a negotiation could replace its wider one. */
  async function negotiationsEnd(): Promise<void> {
    while (negotiations !== undefined) await negotiations.catch(() => undefined)
  }

  async function afterWaiting(): Promise<TokenGrant> {
    await negotiationsEnd()
    return grant !== undefined && isFresh() ? grant : fetchShared('expired')
  }

  function isFresh(): boolean {
    return timer() < staleAtMs
  }

  async function negotiate(wanted: readonly ScopeNeed[]): Promise<void> {
    await pending?.catch(() => undefined)
    if (grant !== undefined && isFresh() && coversNeeds(grant.scopes, wanted)) return
    const together = [...needs, ...wanted]
    keep(await negotiateScopes(together, ask, refusedScopes), 'scopes')
    // Only now: needs that cannot be met must not spoil the renewals to come.
    needs = together
  }

  return {
    /** The present token, without waiting when there is one. Rejects with an AccessError or a PlatformError. */
    current(): TokenGrant | Promise<TokenGrant> {
      return grant !== undefined && isFresh() ? grant : afterWaiting()
    },
    /** All refused requests share one renewal. `asked`: this call requested the token. */
    async renew(refused: TokenGrant): Promise<{ readonly grant: TokenGrant; readonly asked: boolean }> {
      await negotiationsEnd()
      if (grant !== undefined && grant !== refused) return { grant, asked: false }
      const asked = pending === undefined
      return { grant: await fetchShared('refused'), asked }
    },
    async authorise(wanted: readonly ScopeNeed[]): Promise<void> {
      const turn: Promise<void> = (negotiations ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => negotiate(wanted))
      negotiations = turn
      try {
        await turn
      } finally {
        if (negotiations === turn) negotiations = undefined
      }
    },
    /** The last two tokens, to be kept out of messages. */
    secrets: () => secrets,
    count: () => fetched,
  }
}

function coversNeeds(scopes: readonly string[], needs: readonly ScopeNeed[]): boolean {
  return needs.every(({ anyOf }) => anyOf.length === 0 || anyOf.some((scope) => scopes.includes(scope)))
}

/** The least that covers the needs, in one request where all is permitted. `refused` is remembered across calls. */
async function negotiateScopes(
  needs: readonly ScopeNeed[],
  ask: AskForToken,
  refused: Set<string>,
): Promise<TokenGrant> {
  for (;;) {
    const wanted = wantedScopes(needs, refused)
    if (!coversNeeds(wanted, needs)) throw scopesMissing(needs, refused)
    const grant = await ask(wanted)
    if (grant !== undefined) {
      if (!coversNeeds(grant.scopes, needs)) throw scopesMissing(needs, refused, grant.scopes)
      return grant
    }
    const before = refused.size
    if (wanted.length === 1) refused.add(wanted[0] as string)
    else for (const scope of await notPermitted(wanted, ask)) refused.add(scope)
    // Each by itself is permitted, together they are not: there is no way on.
    if (refused.size === before) throw scopesMissing(needs, refused)
  }
}

function wantedScopes(needs: readonly ScopeNeed[], refused: ReadonlySet<string>): readonly string[] {
  const wanted = needs.flatMap(({ anyOf, ask }) => {
    const possible = anyOf.filter((scope) => !refused.has(scope))
    return ask === 'all' ? possible : possible.slice(0, 1)
  })
  return [...new Set(wanted)]
}

async function notPermitted(scopes: readonly string[], ask: AskForToken): Promise<readonly string[]> {
  const refused: string[] = []
  // One after the other, within the slot of one request.
  for (const scope of scopes) if ((await ask([scope])) === undefined) refused.push(scope)
  return refused
}

function scopesMissing(
  needs: readonly ScopeNeed[],
  refused: ReadonlySet<string>,
  granted?: readonly string[],
): AccessError {
  const unmet = needs.filter(({ anyOf }) =>
    granted === undefined
      ? anyOf.every((scope) => refused.has(scope))
      : !coversNeeds(granted, [{ anyOf, ask: 'first' }]),
  )
  // Each by itself is permitted, together they are not: then all of them are the matter.
  const named = unmet.length > 0 ? unmet : needs
  const list = [
    ...new Set(named.map(({ anyOf }) => (anyOf.length > 1 ? `one of ${anyOf.join(', ')}` : (anyOf[0] ?? '')))),
  ]
  const together = unmet.length > 0 ? '' : ' together'
  return new AccessError(
    failureCodes.scopesMissing,
    list.length === 0
      ? 'The application has no scopes'
      : `The application may not have these scopes${together}: ${list.join('; ')}`,
    { kind: 'status', method: 'POST', path: tokenPath, type: 'InvalidScope' },
    { hint: "Add them to the application's scopes in the admin panel of the platform." },
  )
}
