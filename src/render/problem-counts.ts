// How many problems there are of each severity.
import type { Problem } from '../errors/index.ts'
import { formatCount } from './format-count.ts'

interface ProblemCounts {
  readonly errors: number
  readonly warnings: number
}

export function countProblems(problems: readonly Problem[]): ProblemCounts {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: problems.length - errors }
}

/** `2 errors, 1 warning`. */
export function formatProblemCounts({ errors, warnings }: ProblemCounts): string {
  return `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`
}
