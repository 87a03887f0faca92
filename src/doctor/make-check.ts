// Makes the checks of a report, also from an error that ended the way to the platform; orders and counts them.
import {
  type Check,
  checkNames,
  type DoctorReport,
  doctorFormatVersion,
  type Variant,
} from '@svcsync/core/plan/doctor-report.ts'
import { failureCodes, type SvcsyncError } from '@svcsync/errors/index.ts'

interface CheckDetails {
  readonly code?: string | undefined
  readonly todo?: string | undefined
  readonly details?: readonly string[] | undefined
  readonly copy?: readonly string[] | undefined
}

export function check(name: Check['check'], result: Check['result'], found: string, more: CheckDetails = {}): Check {
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

export function notChecked(name: Check['check'], because: string): Check {
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
  const name: Check['check'] = ofToken.includes(code)
    ? 'token'
    : ofScopes.includes(code)
      ? 'scopes-to-read'
      : ofAnswers.includes(code)
        ? 'answers'
        : 'connection'
  return check(name, 'problem', sentence(message), { code, todo: hint })
}

const occasional: readonly Check['check'][] = ['interface', 'ledger', 'access']

interface ReportParts {
  readonly target: DoctorReport['target']
  readonly checks: readonly Check[]
  /** Why the others have no result. */
  readonly because: string
  readonly variants: readonly Variant[]
  readonly requests: number
}

/** Every check is in the report, once: what nothing is known of is not checked, and never left out. */
export function makeReport({ target, checks, because, variants, requests }: ReportParts): DoctorReport {
  const made = new Map<Check['check'], Check>(checks.map((each) => [each.check, each]))
  const expected = checkNames.filter((name) => !occasional.includes(name) || made.has(name))
  const all = expected.map((name) => made.get(name) ?? notChecked(name, because))
  const counts: Record<Check['result'], number> = { ok: 0, warning: 0, problem: 0, 'not-checked': 0 }
  for (const { result } of all) counts[result]++
  const result = counts.problem > 0 ? 'problem' : counts.warning > 0 ? 'warning' : 'ok'
  return {
    formatVersion: doctorFormatVersion,
    result,
    ...(target && { target }),
    counts,
    checks: all,
    variants,
    requests,
  }
}
