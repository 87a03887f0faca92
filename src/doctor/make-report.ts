// Puts the checks in order, and counts them.
import {
  type Check,
  type CheckName,
  type CheckResult,
  checkNames,
  type DoctorReport,
  doctorFormatVersion,
  type Variant,
} from '../core/plan/doctor-report.ts'
import { notChecked } from './make-check.ts'

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
  const made = new Map<CheckName, Check>(checks.map((each) => [each.check, each]))
  const asked = checkNames.filter((name) => name !== 'interface' || made.has(name))
  const all = asked.map((name) => made.get(name) ?? notChecked(name, because))
  const counts: Record<CheckResult, number> = { ok: 0, warning: 0, problem: 0, 'not-checked': 0 }
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
