// Problems as logging commands of Azure Pipelines, which lists them on the page of the run.
import { compareProblems, type Problem } from '../../errors/index.ts'
import { neutralise } from '../text/neutralise.ts'
import { countProblems, formatProblemCounts, problemSentences } from './problem-sentences.ts'

export function renderProblemsAzure(problems: readonly Problem[]): string {
  if (problems.length === 0) return 'No problems found.\n'
  const counts = countProblems(problems)
  const issues = [...problems].sort(compareProblems).map(issue)
  const summary = formatProblemCounts(counts)
  const end = counts.errors > 0 ? `##vso[task.complete result=Failed;]${summary}` : summary
  return `${[...issues, end].join('\n')}\n`
}

function issue(problem: Problem): string {
  const { severity, code, place } = problem
  const where = place && {
    sourcepath: place.file,
    linenumber: String(place.line),
    columnnumber: String(place.column),
  }
  const properties = Object.entries({ type: severity, ...where, code }).map(
    ([name, value]) => `${name}=${escapeValue(value)};`,
  )
  // In one line: the list of issues shows no more than that.
  return `##vso[task.logissue ${properties.join('')}]${escapeValue(problemSentences(problem).join(' '))}`
}

/** The agent undoes these in properties and messages alike. Its own escape of `%` keeps a `%3B` of the text as it is. */
function escapeValue(text: string): string {
  return neutralise(text)
    .replaceAll('%', '%AZP25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll(']', '%5D')
    .replaceAll(';', '%3B')
}
