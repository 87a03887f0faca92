// Finds the set of scopes that an application may have and that covers what a run needs.
import type { ScopeNeed } from '../core/platform-port.ts'
import { AccessError } from '../errors/index.ts'
import { tokenPath } from './failure.ts'
import { failureCodes } from './failure-codes.ts'
import type { AskForToken, TokenGrant } from './token-endpoint.ts'

/** Whether these scopes satisfy every need. */
export function coversNeeds(scopes: readonly string[], needs: readonly ScopeNeed[]): boolean {
  return needs.every((need) => need.length === 0 || need.some((scope) => scopes.includes(scope)))
}

/**
 * A token with every alternative of every need that the application may have: installations differ in which
 * alternative they look at, so one of them is not always enough. One request where everything is permitted; otherwise
 * each alternative is tried by itself. `refused` remembers across calls what was refused. Rejects with an AccessError
 * that names the missing scopes.
 */
export async function negotiateScopes(
  needs: readonly ScopeNeed[],
  ask: AskForToken,
  refused: Set<string>,
): Promise<TokenGrant> {
  const required = unique(needs.filter((need) => need.length === 1))
  const optional = unique(needs.filter((need) => need.length > 1)).filter((scope) => !required.includes(scope))
  const hopeful = optional.filter((scope) => !refused.has(scope))
  const isPossible = coversNeeds([...required, ...hopeful], needs)
  const whole = isPossible ? await ask([...required, ...hopeful]) : undefined
  if (whole !== undefined) return checked(whole, needs)

  const allowed = await permitted(hopeful, ask)
  for (const scope of hopeful) if (!allowed.includes(scope)) refused.add(scope)
  const wanted = [...required, ...allowed]
  // Not asked again when it is the question that was just refused.
  if (coversNeeds(wanted, needs) && allowed.length < hopeful.length) {
    const grant = await ask(wanted)
    if (grant !== undefined) return checked(grant, needs)
  }
  const permittedRequired = required.length === 1 && optional.length === 0 ? [] : await permitted(required, ask)
  throw scopesMissing(needs, [...permittedRequired, ...allowed])
}

async function permitted(scopes: readonly string[], ask: AskForToken): Promise<readonly string[]> {
  const grants = await Promise.all(scopes.map((scope) => ask([scope])))
  return scopes.filter((_, index) => grants[index] !== undefined)
}

function checked(grant: TokenGrant, needs: readonly ScopeNeed[]): TokenGrant {
  if (!coversNeeds(grant.scopes, needs)) throw scopesMissing(needs, grant.scopes)
  return grant
}

function scopesMissing(needs: readonly ScopeNeed[], allowed: readonly string[]): AccessError {
  const unmet = needs.filter((need) => !coversNeeds(allowed, [need]))
  // Each by itself is permitted, together they are not: then all of them are the matter.
  const named = unmet.length > 0 ? unmet : needs
  const list = unique(named.map((need) => [need.length > 1 ? `one of ${need.join(', ')}` : (need[0] ?? '')]))
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

function unique(needs: readonly ScopeNeed[]): readonly string[] {
  return [...new Set(needs.flat())]
}
