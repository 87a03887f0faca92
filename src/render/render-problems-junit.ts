// Problems as a JUnit report: the one that every pipeline can show.
import { compareProblems, formatPlace, type Problem } from '../errors/index.ts'
import { neutralise } from './neutralise.ts'
import { problemPlace } from './problem-place.ts'
import { problemSentences } from './problem-sentences.ts'
import { renderXml, type XmlElement } from './xml-element.ts'

export interface JunitOptions {
  /** As places show it: what a problem without a place belongs to. */
  readonly projectFile: string
  /** All that were looked at, as places show them: one without problems is a test that passed. */
  readonly files: readonly string[]
}

export function renderProblemsJunit(problems: readonly Problem[], { projectFile, files }: JunitOptions): string {
  const byFile = new Map<string, Problem[]>([...new Set(files)].sort().map((file) => [file, []]))
  for (const problem of [...problems].sort(compareProblems)) {
    const { file } = problemPlace(problem, projectFile)
    const inFile = byFile.get(file)
    if (inFile === undefined) byFile.set(file, [problem])
    else inFile.push(problem)
  }
  const suites = [...byFile].map(([file, inFile]) => suite(file, inFile, projectFile))
  const passed = [...byFile.values()].filter((inFile) => inFile.length === 0).length
  return renderXml({
    name: 'testsuites',
    attributes: { name: 'svcsync validate', ...totals(problems, passed) },
    content: suites,
  })
}

function totals(problems: readonly Problem[], passed: number): Record<string, number> {
  const failures = problems.filter(({ severity }) => severity === 'error').length
  const skipped = problems.length - failures
  // No time was measured, and equal input shall give equal bytes; some readers want the attribute.
  return { tests: problems.length + passed, failures, errors: 0, skipped, time: 0 }
}

function suite(file: string, problems: readonly Problem[], projectFile: string): XmlElement {
  const seen = new Map<string, number>()
  const cases = problems.map((problem) => {
    const { code, message } = problem
    const { line } = problemPlace(problem, projectFile)
    const name = distinctName(`${code} ${message}`, seen)
    return testcase(name, file, { line }, outcome(problem))
  })
  return {
    name: 'testsuite',
    attributes: { name: file, ...totals(problems, problems.length === 0 ? 1 : 0) },
    content: cases.length > 0 ? cases : [testcase('no problems', file, {})],
  }
}

/** Reports are compared by class and name: two of one name count as one. A line in the name would move with edits. */
function distinctName(name: string, seen: Map<string, number>): string {
  const count = (seen.get(name) ?? 0) + 1
  seen.set(name, count)
  return count === 1 ? name : `${name} (${count})`
}

function testcase(name: string, file: string, more: Record<string, number>, content?: XmlElement): XmlElement {
  return {
    name: 'testcase',
    attributes: { name, classname: file, file, ...more, time: 0 },
    ...(content && { content: [content] }),
  }
}

/** A warning is a skipped test: of what a report can say, only that is seen by people and yet does not fail the job. */
function outcome(problem: Problem): XmlElement {
  const { severity, code, place } = problem
  const sentences = problemSentences(problem)
  const lines = place === undefined ? sentences : [neutralise(formatPlace(place)), ...sentences]
  if (severity === 'error') {
    return { name: 'failure', attributes: { message: problem.message, type: code }, content: lines }
  }
  return { name: 'skipped', attributes: { message: lines.join(' ') } }
}
