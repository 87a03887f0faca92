// Problems as a JUnit report: the one that every pipeline can show.
import { append } from '../../core/model/group-by.ts'
import { compareProblems, formatPlace, type Problem } from '../../errors/index.ts'
import { neutralise } from '../text/neutralise.ts'
import { problemPlace } from './problem-places.ts'
import { problemSentences } from './problem-sentences.ts'

interface JunitOptions {
  /** As places show it: what a problem without a place belongs to. */
  readonly projectFile: string
  /** All that were looked at, as places show them: one without problems is a test that passed. */
  readonly files: readonly string[]
}

export function renderProblemsJunit(problems: readonly Problem[], { projectFile, files }: JunitOptions): string {
  const byFile = new Map<string, Problem[]>([...new Set(files)].sort().map((file) => [file, []]))
  for (const problem of [...problems].sort(compareProblems)) {
    append(byFile, problemPlace(problem, projectFile).file, problem)
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

interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  /** Elements, or lines of text. */
  readonly content?: readonly XmlElement[] | readonly string[]
}

function renderXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root, '')}`
}

function renderElement({ name, attributes, content = [] }: XmlElement, margin: string): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  const start = `${margin}<${name}${pairs.join('')}`
  if (content.length === 0) return `${start}/>\n`
  const lines = content.filter((item) => typeof item === 'string')
  // No white space is added to text.
  if (lines.length > 0) return `${start}>${lines.map(escapeXml).join('\n')}</${name}>\n`
  const inner = content.filter((item) => typeof item !== 'string').map((item) => renderElement(item, `${margin}  `))
  return `${start}>\n${inner.join('')}${margin}</${name}>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '#': '&#35;',
  ':': '&#58;',
  '\ufffe': '\\u{fffe}',
  '\uffff': '\\u{ffff}',
}

/**
 * XML has no way to write a control character, not even as an entity: they are shown as elsewhere. Neither has it one
 * for the last two code units. `##` and `::` are taken apart because runners look for commands behind them in a log.
 */
function escapeXml(text: string): string {
  return neutralise(text).replace(/[&<>"'\ufffe\uffff]|#(?=#)|:(?=:)/g, (char) => entities[char] as string)
}
