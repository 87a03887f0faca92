// Makes the checks of a report, without keys that say nothing.
import type { Check, CheckName, CheckResult } from '../core/plan/doctor-report.ts'

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
