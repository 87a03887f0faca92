// So many problems that nobody reads them all, and no terminal or service takes them: those that are shown, and what is said of
// the others.
import { compareProblems, type Problem } from '../errors/index.ts'
import { formatNumber } from './format-count.ts'

/** What a person looks through at most. */
export const mostForPeople = 200

/** What services take: some refuse a file of more than 25,000. */
export const mostForMachines = 10_000

/** In the order of places: all, or so many, errors before warnings. */
export function firstProblems(problems: readonly Problem[], most: number): readonly Problem[] {
  const sorted = [...problems].sort(compareProblems)
  if (sorted.length <= most) return sorted
  const urgent = [...sorted.filter(isError), ...sorted.filter((problem) => !isError(problem))]
  const shown = new Set(urgent.slice(0, most))
  return sorted.filter((problem) => shown.has(problem))
}

/** `1,300 more are not shown: 1,200 SVC1301, 100 SVC1317.` Undefined: all are. */
export function omittedText(problems: readonly Problem[], shown: readonly Problem[]): string | undefined {
  if (problems.length === shown.length) return undefined
  const counts = new Map<string, number>()
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1)
  for (const { code } of shown) counts.set(code, (counts.get(code) ?? 0) - 1)
  const kinds = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  const each = kinds.map(([code, count]) => `${formatNumber(count)} ${code}`).join(', ')
  return `${formatNumber(problems.length - shown.length)} more are not shown: ${each}.`
}

function isError({ severity }: Problem): boolean {
  return severity === 'error'
}
