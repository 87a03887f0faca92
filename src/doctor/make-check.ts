// Makes the checks of a report, without keys that say nothing, also from an error that ended the way to the platform.
import type { Check, CheckName, CheckResult } from '../core/plan/doctor-report.ts'
import { failureCodes, type SvcsyncError } from '../errors/index.ts'

interface More {
  readonly code?: string | undefined
  readonly todo?: string | undefined
  readonly details?: readonly string[] | undefined
  readonly copy?: readonly string[] | undefined
}

export function check(name: CheckName, result: CheckResult, found: string, more: More = {}): Check {
  const { code, todo, details = [], copy = [] } = more
  return {
    check: name,
    result,
    found,
    ...(code !== undefined && { code }),
    ...(todo !== undefined && { todo }),
    ...(details.length > 0 && { details }),
    ...(copy.length > 0 && { copy }),
  }
}

export function notChecked(name: CheckName, because: string): Check {
  return check(name, 'not-checked', because)
}

/** A message with its full stop: what the platform says may have one of its own. */
export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

const ofToken: readonly string[] = [
  failureCodes.credentialsRefused,
  failureCodes.credentialsEmpty,
  failureCodes.tokenRefused,
]
const ofScopes: readonly string[] = [failureCodes.scopesMissing]
const ofAnswers: readonly string[] = [failureCodes.wireNamesAmbiguous]

/** Everything that is not about credentials is about the way: name, port, certificate, proxy, and who answers there. */
export function checkOfError({ code, message, hint }: SvcsyncError): Check {
  const name: CheckName = ofToken.includes(code)
    ? 'token'
    : ofScopes.includes(code)
      ? 'scopes-to-read'
      : ofAnswers.includes(code)
        ? 'answers'
        : 'connection'
  return check(name, 'problem', sentence(message), { code, todo: hint })
}
