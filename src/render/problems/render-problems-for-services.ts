// Problems as GitHub and Azure Pipelines read them in the log of a job, and GitLab in a Code Quality report.
import { compareProblems, formatPlace, type Problem } from '@svcsync/errors/index.ts'
import { byCount, formatCount } from '../text/counts.ts'
import { neutralise, safeJson } from '../text/neutralise.ts'
import { fingerprintProblems, problemPlace } from './problem-places.ts'
import { countProblems, problemSentences } from './problem-sentences.ts'

/** GitHub shows only this many annotations of each severity and step, and does not say that it drops the rest. */
const shownPerSeverity = 10

export function renderProblemsGithub(problems: readonly Problem[]): string {
  const sorted = [...problems].sort(compareProblems)
  // Errors first: a job has a limit as well, and warnings must not use it up.
  const lines = (['error', 'warning'] as const).flatMap((severity) => ofSeverity(sorted, severity).map(githubCommand))
  return `${[...lines, githubSummary(problems)].join('\n')}\n`
}

/** The first annotations of each severity, in their order; the rest is reported at `where`. */
export function renderFirstGithub(problems: readonly Problem[], where: string): string {
  const lines = (['error', 'warning'] as const).flatMap((severity) => {
    const own = ofSeverity(problems, severity)
    const rest = own.length - shownPerSeverity
    const more = `${formatCount(rest, `more ${severity}`)} in ${where}.`
    return [...own.slice(0, shownPerSeverity).map(githubCommand), ...(rest > 0 ? [more] : [])]
  })
  return lines.length === 0 ? 'Nothing to point out.\n' : `${lines.join('\n')}\n`
}

const ofSeverity = (problems: readonly Problem[], severity: Problem['severity']): readonly Problem[] =>
  problems.filter((problem) => problem.severity === severity)

function githubCommand(problem: Problem, index: number): string {
  const { severity, code, place } = problem
  const where = place && { file: place.file, line: place.line, col: place.column }
  const properties = Object.entries({ ...where, title: code }).map(
    ([name, value]) => `${name}=${escapeProperty(String(value))}`,
  )
  const text = problemSentences(problem).join('\n')
  // The log shows a message without the properties: what has no annotation says its place itself.
  const isShown = index < shownPerSeverity || place === undefined
  const message = isShown ? text : `${neutralise(formatPlace(place))}: ${text}`
  return `::${severity} ${properties.join(',')}::${escapeForGithub(message)}`
}

function githubSummary(problems: readonly Problem[]): string {
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
  const verb = byCount(total, 'stands', 'stand')
  return `${found} GitHub shows ${shownPerSeverity} of each in a step: ${rest} not shown there ${verb} above.`
}

const escapeForGithub = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string =>
  escapeForGithub(neutralise(text)).replaceAll(':', '%3A').replaceAll(',', '%2C')

export function renderProblemsAzure(problems: readonly Problem[]): string {
  if (problems.length === 0) return 'No problems found.\n'
  const counts = countProblems(problems)
  const summary = formatProblemCounts(counts)
  const end = counts.errors > 0 ? `##vso[task.complete result=Failed;]${summary}` : summary
  return `${renderAzureIssues([...problems].sort(compareProblems))}${end}\n`
}

export const renderAzureIssues = (problems: readonly Problem[]): string =>
  problems.map((problem) => `${azureIssue(problem)}\n`).join('')

function azureIssue(problem: Problem): string {
  const { severity, code, place } = problem
  const where = place && { sourcepath: place.file, linenumber: place.line, columnnumber: place.column }
  const properties = Object.entries({ type: severity, ...where, code }).map(
    ([name, value]) => `${name}=${escapeForAzure(String(value))};`,
  )
  // In one line: the list of issues shows no more than that.
  return `##vso[task.logissue ${properties.join('')}]${escapeForAzure(problemSentences(problem).join(' '))}`
}

/** The agent undoes these in properties and messages alike; `%AZP25` keeps a `%3B` of the text. */
function escapeForAzure(text: string): string {
  return neutralise(text)
    .replaceAll('%', '%AZP25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll(']', '%5D')
    .replaceAll(';', '%3B')
}

export function renderProblemsGitlab(
  problems: readonly Problem[],
  { projectFile }: { readonly projectFile: string },
): string {
  const sorted = [...problems].sort(compareProblems)
  const fingerprints = fingerprintProblems(sorted, projectFile)
  return safeJson(
    sorted.map((problem, index) => {
      const { file, line } = problemPlace(problem, projectFile)
      return {
        description: problemSentences(problem).join(' '),
        check_name: problem.code,
        fingerprint: fingerprints[index],
        severity: problem.severity === 'error' ? 'major' : 'minor',
        location: { path: file, lines: { begin: line } },
      }
    }),
  )
}

const formatProblemCounts = ({ errors, warnings }: ReturnType<typeof countProblems>): string =>
  `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`
