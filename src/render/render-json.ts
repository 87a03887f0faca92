// The machine formats: the data as they are, in the order in which they were made.
import type { DoctorReport } from '../core/doctor-report.ts'
import type { PlanDocument } from '../core/plan-document.ts'
import type { ApplyReport } from '../core/report.ts'
import { compareProblems, type Problem } from '../errors/index.ts'
import { countProblems } from './problem-counts.ts'
import { safeJson } from './safe-json.ts'

export function renderPlanJson(plan: PlanDocument): string {
  return safeJson(plan)
}

export function renderDoctorJson(report: DoctorReport): string {
  return safeJson(report)
}

export function renderReportJson(report: ApplyReport): string {
  return safeJson(report)
}

/** Sorted by place. */
export function renderProblemsJson(problems: readonly Problem[]): string {
  return safeJson({
    formatVersion: '1.0',
    counts: countProblems(problems),
    problems: [...problems].sort(compareProblems),
  })
}
