// Problems as workflow commands, which GitHub shows beside the lines of a pull request.
import { compareProblems, formatPlace, type Problem } from '../../errors/index.ts'
import { formatCount } from '../text/counts.ts'
import { neutralise } from '../text/neutralise.ts'
import { countProblems, formatProblemCounts, problemSentences } from './problem-sentences.ts'

/** Of each severity, from one step. What comes later stays in the log only, and nothing there says so. */
const shownPerSeverity = 10

export function renderProblemsGithub(problems: readonly Problem[]): string {
  const sorted = [...problems].sort(compareProblems)
  // Errors first: a job has a limit as well, and warnings must not use it up.
  const lines = (['error', 'warning'] as const).flatMap((severity) =>
    sorted.filter((problem) => problem.severity === severity).map((problem, index) => command(problem, index)),
  )
  return `${[...lines, summary(problems)].join('\n')}\n`
}

function command(problem: Problem, index: number): string {
  const { severity, code, place } = problem
  const where = place && { file: place.file, line: String(place.line), col: String(place.column) }
  const properties = Object.entries({ ...where, title: code }).map(
    ([name, value]) => `${name}=${escapeProperty(value)}`,
  )
  const text = problemSentences(problem).join('\n')
  // The log shows a message without the properties: what has no annotation says its place itself.
  const isShown = index < shownPerSeverity || place === undefined
  const message = isShown ? text : `${neutralise(formatPlace(place))}: ${text}`
  return `::${severity} ${properties.join(',')}::${escapeData(message)}`
}

function summary(problems: readonly Problem[]): string {
  if (problems.length === 0) return 'No problems found.'
  const counts = countProblems(problems)
  const hidden = [
    { count: counts.errors - shownPerSeverity, noun: 'error' },
    { count: counts.warnings - shownPerSeverity, noun: 'warning' },
  ].filter(({ count }) => count > 0)
  const found = `${formatProblemCounts(counts)}.`
  if (hidden.length === 0) return found
  const rest = hidden.map(({ count, noun }) => formatCount(count, noun)).join(' and ')
  const total = hidden.reduce((sum, { count }) => sum + count, 0)
  const verb = total === 1 ? 'stands' : 'stand'
  return `${found} GitHub shows ${shownPerSeverity} of each in a step: ${rest} not shown there ${verb} above.`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(neutralise(text)).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
