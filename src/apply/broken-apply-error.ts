// A defect of ours in the middle of an apply: what was written until then is not lost with it.
import type { ApplyReport } from '../core/plan/report.ts'
import { InternalError } from '../errors/index.ts'

export class BrokenApplyError extends InternalError {
  /** How each step ended: the one that met the defect is unknown, and no further one was started. */
  readonly report: ApplyReport

  constructor(report: ApplyReport, cause: unknown) {
    const said = cause instanceof Error ? cause.message : String(cause)
    super(`The apply broke off for a defect of svcsync: ${said}`, cause)
    this.report = report
  }
}
