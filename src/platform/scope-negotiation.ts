// Finds the set of scopes that an application may have and that covers what a run needs.
import type { ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { AccessError, failureCodes, tokenPath } from '@svcsync/errors/index.ts'
import type { AskForToken, TokenGrant } from './token-endpoint.ts'

export function coversNeeds(scopes: readonly string[], needs: readonly ScopeNeed[]): boolean {
  return needs.every(({ anyOf }) => anyOf.length === 0 || anyOf.some((scope) => scopes.includes(scope)))
}

/** The least that covers the needs, in one request where all is permitted. `refused` is remembered across calls. */
export async function negotiateScopes(
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
  // One after the other: all of them are asked for in the slot of one request.
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
