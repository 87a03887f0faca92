// Problems of manifests for the terminal, in the order of their places.
import type { Problem } from '../errors/index.ts'
import { firstProblems, mostForPeople, omittedText } from './first-problems.ts'
import { type Line, paint, piece } from './line.ts'
import { countProblems, formatProblemCounts } from './problem-counts.ts'
import { problemLines } from './problem-lines.ts'

export interface ProblemTextOptions {
  readonly colour: boolean
  /** Columns of the terminal; default 100. */
  readonly width?: number
  /** Lines of the file around the place, without colours. */
  readonly frame?: (problem: Problem) => string | undefined
}

export function renderProblemsText(problems: readonly Problem[], options: ProblemTextOptions): string {
  const width = Math.max(options.width ?? 100, 40)
  const shown = firstProblems(problems, mostForPeople)
  const lines: Line[] = shown.flatMap((problem) => [
    ...problemLines(problem, { width, margin: 0, frame: options.frame?.(problem) }),
    [],
  ])
  const omitted = omittedText(problems, shown)
  if (omitted !== undefined) lines.push([piece(omitted)], [])
  return paint([...lines, countLine(problems)], options.colour)
}

function countLine(problems: readonly Problem[]): Line {
  if (problems.length === 0) return [piece('No problems found.', 'good')]
  const counts = countProblems(problems)
  return [piece(formatProblemCounts(counts), counts.errors > 0 ? 'error' : 'warning')]
}
