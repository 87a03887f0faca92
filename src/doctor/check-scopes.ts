// Checks the rights of svcsync: the token, its lifetime, the platform's clock, and the scopes that the manifests need.
import { enumerate } from '@svcsync/core/model/near-misses.ts'
import type { ScopeNeed, TokenAnswer } from '@svcsync/core/model/platform-port.ts'
import type { Check } from '@svcsync/core/plan/doctor-report.ts'
import { failureCodes } from '@svcsync/errors/index.ts'
import { check, notChecked } from './make-check.ts'

/** The scopes for one kind of object, and whether the application has them. */
interface KindAccess {
  /** In plural: `Groups`. */
  readonly what: string
  readonly needs: readonly ScopeNeed[]
  readonly granted: boolean
}

interface ScopeProbe {
  readonly access: readonly KindAccess[]
  /** All that any token carried. */
  readonly scopes: ReadonlySet<string>
}

export function checkReadScopes(seen: ScopeProbe): Check {
  if (seen.access.length === 0) return notChecked('scopes-to-read', 'No manifest declares anything.')
  const { details, missing } = linesOf(seen)
  if (missing.length === 0) {
    return check('scopes-to-read', 'ok', 'The application may read all that is declared.', { details })
  }
  return check('scopes-to-read', 'problem', `The application lacks scopes to read ${enumerate(missing)}.`, {
    code: failureCodes.scopesMissing,
    todo: "Add them to the application's scopes in the admin panel of the platform: one of the named scopes is enough.",
    details,
  })
}

/** `isNeeded`: the application is meant to apply. If not, being able only to read is but a warning. */
export function checkWriteScopes(seen: ScopeProbe, isNeeded: boolean): Check {
  if (seen.access.length === 0) return notChecked('scopes-to-write', 'No manifest declares anything that is written.')
  const { details, missing } = linesOf(seen)
  if (missing.length === 0) {
    return check('scopes-to-write', 'ok', 'The application has the scopes to write all that is declared.', { details })
  }
  const more = {
    code: failureCodes.scopesMissing,
    todo: isNeeded
      ? "Add them to the application's scopes in the admin panel of the platform."
      : 'For `plan` and `drift` that is as it should be. For `apply`, add them in the admin panel of the platform.',
    details,
  }
  return check(
    'scopes-to-write',
    isNeeded ? 'problem' : 'warning',
    `The application lacks scopes to write ${enumerate(missing)}.`,
    more,
  )
}

function linesOf({ access, scopes }: ScopeProbe) {
  const details = access.map(({ what, needs, granted }) => {
    const named = needs.map(({ anyOf }) => (granted ? heldScopes(anyOf, scopes) : oneOf(anyOf)))
    return `${what}: ${granted ? '' : 'needs '}${[...new Set(named)].join(', and ')}`
  })
  return { details, missing: access.filter(({ granted }) => !granted).map(({ what }) => lower(what)) }
}

/** The scopes that meet the need; if the platform did not say, the first that would do. */
function heldScopes(anyOf: readonly string[], scopes: ReadonlySet<string>): string {
  const met = anyOf.filter((scope) => scopes.has(scope))
  return met.length > 0 ? met.join(', ') : oneOf(anyOf)
}

function oneOf(anyOf: readonly string[]): string {
  return anyOf.length > 1 ? `one of ${anyOf.join(', ')}` : (anyOf[0] ?? 'nothing')
}

function lower(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1)
}

/** Up to this, clocks are as alike as they need be: entries with bounds in time and saved plans count in minutes. */
const toleratedMs = 60_000
/** A token that lives shorter is renewed every few requests. */
const shortMs = 120_000

/** A secret is hidden wherever an answer quotes it: an everyday word disappears from the platform's messages. */
export function checkSecret(token: Check, clientSecret: string | undefined): Check {
  if (token.result !== 'ok' || clientSecret === undefined || !/^(?:[a-z]{1,11}|.{1,5})$/i.test(clientSecret))
    return token
  return {
    ...token,
    result: 'warning',
    found:
      `${token.found} The client secret is short, or a word: ` +
      'messages of the platform show `[secret]` wherever it occurs.',
    todo: 'Give the application a long and random secret.',
  }
}

export function checkToken({ lifetimeMs }: TokenAnswer): Check {
  if (lifetimeMs === undefined) {
    return check(
      'token',
      'ok',
      'The platform gave a token without a usable `expires_in`: svcsync renews it when the platform refuses it.',
    )
  }
  const life = `${Math.round(lifetimeMs / 1000)} s`
  if (lifetimeMs >= shortMs) return check('token', 'ok', `The platform gave a token for ${life}.`)
  return check('token', 'warning', `Tokens live for ${life} only: runs spend much of their time on new ones.`, {
    todo: "Ask the platform's administrators for tokens that live longer.",
  })
}

export function checkClock({ aheadMs }: TokenAnswer): Check {
  if (aheadMs === undefined) return notChecked('clock', 'The platform does not say what time it is there.')
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (Math.abs(aheadMs) <= toleratedMs) return check('clock', 'ok', 'The clocks here and there agree to a minute.')
  return check(
    'clock',
    'warning',
    `The clock here is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the platform's.`,
    {
      todo: 'Set the clock of this machine: entries with `from` and `until`, and the age of saved plans, go by it.',
    },
  )
}
