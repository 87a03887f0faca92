// Problems for the terminal, in the order of their places, each in the form that terminals and editors turn into a link.
import { formatPlace, type Problem } from '../../errors/index.ts'
import { hintLines } from '../text/as-called.ts'
import { codePieces, type Flow, indent, type Line, paint, piece, wrapText } from '../text/line.ts'
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
  const { colour, width = 100, frame } = options
  const shown = firstProblems(problems, mostForPeople)
  const lines = shown.flatMap((problem): Flow[] => [...problemLines(problem, 0, frame?.(problem)), []])
  const omitted = omittedText(problems, shown)
  if (omitted !== undefined) lines.push([piece(omitted)], [])
  return paint([...lines, countLine(problems)], { colour, width })
}

function countLine(problems: readonly Problem[]): Line {
  if (problems.length === 0) return [piece('No problems found.', 'good')]
  const counts = countProblems(problems)
  return [piece(formatProblemCounts(counts), counts.errors > 0 ? 'error' : 'warning')]
}

/** `frame`: lines of the file around the place, as text. */
export function problemLines(problem: Problem, margin: number, frame?: string): Flow[] {
  const { severity, code, message, place, address, hint, targets, related = [] } = problem
  const where = place === undefined ? address : formatPlace(place)
  const label = [piece(severity, severity === 'error' ? 'error' : 'warning'), indent(1), ...codePieces(code)]
  const isInside = place !== undefined && address !== undefined && !message.includes(address)
  const framed = frame === undefined ? [] : frame.replace(/\n+$/, '').split('\n')
  const below = indent(margin + 4)
  return [
    ...(where === undefined ? [] : [[indent(margin), piece(where, 'strong')]]),
    wrapText([indent(where === undefined ? margin : margin + 2), ...label], message),
    ...(isInside ? [[below, piece(`in ${address}`, 'faint')]] : []),
    ...(targets === undefined ? [] : [[below, piece(inTargets(targets), 'faint')]]),
    ...framed.map((line) => {
      const text = line.replaceAll('\t', '  ').replace(/\r$/, '')
      return [below, piece(text, /^\s*>/.test(line) ? 'strong' : 'faint')]
    }),
    ...related.map((other) => [below, piece(`${formatPlace(other.place)}  ${other.message}`)]),
    ...hintLines(margin + 4, hint),
  ]
}
