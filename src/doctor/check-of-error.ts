// Which check an error answers that ended the way to the platform.
import type { Check, CheckName } from '../core/plan/doctor-report.ts'
import { failureCodes, type SvcsyncError } from '../errors/index.ts'
import { check, sentence } from './make-check.ts'

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
