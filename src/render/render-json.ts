// The machine formats: the data as they are, in the order in which they were made.
import type { PlanDocument } from '../core/plan-document.ts'
import type { ApplyReport } from '../core/report.ts'
import { compareProblems, type Problem } from '../errors/index.ts'
import { neutralise } from './neutralise.ts'

export function renderPlanJson(plan: PlanDocument): string {
  return renderJson(plan)
}

export function renderReportJson(report: ApplyReport): string {
  return renderJson(report)
}

/** Sorted by place. */
export function renderProblemsJson(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return renderJson({
    formatVersion: '1.0',
    counts: { errors, warnings: problems.length - errors },
    problems: [...problems].sort(compareProblems),
  })
}

// JSON.stringify escapes the controls below U+0020 only. The rest would steer a terminal or hide in a review just as well,
// and an escape means the same data to every reader.
function renderJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  return `${text.replace(/[^\n -~]/gu, (char) => (neutralise(char) === char ? char : escapeUnits(char)))}\n`
}

function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, index) => {
    return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}
