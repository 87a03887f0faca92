// Problems as a JUnit report: the one that every pipeline can show.
import { append } from '@svcsync/core/model/group-by.ts'
import { compareProblems, formatPlace, type Problem } from '@svcsync/errors/index.ts'
import { neutralise } from '../text/neutralise.ts'
import { problemPlace } from './problem-places.ts'
import { countProblems, problemSentences } from './problem-sentences.ts'

/** `files`: all checked files, as places show them. A file without problems is a passed test. */
export function renderProblemsJunit(
  problems: readonly Problem[],
  { projectFile, files }: { readonly projectFile: string; readonly files: readonly string[] },
): string {
  const byFile = new Map<string, Problem[]>([...new Set(files)].sort().map((file) => [file, []]))
  for (const problem of [...problems].sort(compareProblems)) {
    append(byFile, problemPlace(problem, projectFile).file, problem)
  }
  const passed = [...byFile.values()].filter((inFile) => inFile.length === 0).length
  const attributes = { name: 'svcsync validate', ...totals(problems, passed) }
  const suites = [...byFile].map(([file, inFile]) => suite(file, inFile))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('', 'testsuites', attributes, suites)}`
}

function totals(problems: readonly Problem[], passed: number): Record<string, number> {
  const { errors, warnings } = countProblems(problems)
  // No time was measured, and equal input shall give equal bytes; some readers want the attribute.
  return { tests: problems.length + passed, failures: errors, errors: 0, skipped: warnings, time: 0 }
}

function suite(file: string, problems: readonly Problem[]): string {
  const counts = new Map<string, number>()
  const testcase = (name: string, more: Record<string, number>, outcome: readonly string[]): string =>
    element('    ', 'testcase', { name, classname: file, file, ...more, time: 0 }, outcome)
  const cases = problems.map((problem) => {
    const name = distinctName(`${problem.code} ${problem.message}`, counts)
    return testcase(name, { line: problem.place?.line ?? 1 }, [outcome(problem)])
  })
  const attributes = { name: file, ...totals(problems, problems.length === 0 ? 1 : 0) }
  return element('  ', 'testsuite', attributes, cases.length > 0 ? cases : [testcase('no problems', {}, [])])
}

/** Reports are compared by class and name: two of one name count as one. A line in the name would move with edits. */
function distinctName(name: string, counts: Map<string, number>): string {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return count === 1 ? name : `${name} (${count})`
}

/** A warning is a skipped test: of what a report can say, only that is seen by people and yet does not fail the job. */
function outcome(problem: Problem): string {
  const { severity, code, message, place } = problem
  const sentences = problemSentences(problem)
  const lines = place === undefined ? sentences : [neutralise(formatPlace(place)), ...sentences]
  if (severity === 'warning') return element('      ', 'skipped', { message: lines.join(' ') })
  // No white space is added to text.
  return `      <failure${asText({ message, type: code })}>${lines.map(escapeXml).join('\n')}</failure>\n`
}

type Attributes = Readonly<Record<string, string | number>>

function element(margin: string, name: string, attributes: Attributes, elements: readonly string[] = []): string {
  const start = `${margin}<${name}${asText(attributes)}`
  return elements.length === 0 ? `${start}/>\n` : `${start}>\n${elements.join('')}${margin}</${name}>\n`
}

function asText(attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  return pairs.join('')
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
const escapeXml = (text: string): string =>
  neutralise(text).replace(/[&<>"'\ufffe\uffff]|#(?=#)|:(?=:)/g, (char) => entities[char] as string)
