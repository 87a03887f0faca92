// Problems for the terminal, in the order of their places, each in the form that terminals and editors turn into a link.
import { formatPlace, type Problem } from '../../errors/index.ts'
import { hintLines } from '../text/as-called.ts'
import { indent, type Line, paint, piece, wrapText } from '../text/line.ts'
import {
  countProblems,
  firstProblems,
  formatProblemCounts,
  inTargets,
  mostForPeople,
  omittedText,
} from './problem-sentences.ts'

interface ProblemTextOptions {
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

interface ProblemLineOptions {
  readonly width: number
  readonly margin: number
  /** Lines of the file around the place, as text. */
  readonly frame?: string | undefined
}

export function problemLines(problem: Problem, { width, margin, frame }: ProblemLineOptions): Line[] {
  const { severity, code, message, place, address, hint } = problem
  const where = place === undefined ? address : formatPlace(place)
  const lines: Line[] = []
  const start = indent(margin)
  const label = [
    piece(severity, severity === 'error' ? 'error' : 'warning'),
    indent(1),
    piece(code, 'faint'),
    indent(2),
  ]
  if (where !== undefined) lines.push([start, piece(where, 'strong')])
  const inner = indent(where === undefined ? margin : margin + 2)
  lines.push(...wrapText([inner, ...label], message, width))
  const below = indent(margin + 4)
  if (place !== undefined && address !== undefined && !message.includes(address)) {
    lines.push([below, piece(`in ${address}`, 'faint')])
  }
  if (problem.targets !== undefined) lines.push([below, piece(inTargets(problem.targets), 'faint')])
  for (const line of frame === undefined ? [] : frame.replace(/\n+$/, '').split('\n')) {
    lines.push([below, piece(line.replaceAll('\t', '  ').replace(/\r$/, ''), /^\s*>/.test(line) ? 'strong' : 'faint')])
  }
  for (const related of problem.related ?? []) {
    lines.push([below, piece(`${formatPlace(related.place)}  ${related.message}`)])
  }
  return [...lines, ...hintLines([below], hint, width)]
}
