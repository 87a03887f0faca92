// One problem as terminal lines: its place first, in the form that terminals and editors turn into a link.
import { formatPlace, type Problem } from '../errors/index.ts'
import { indent, type Line, piece } from './line.ts'
import { inTargets } from './problem-sentences.ts'
import { wrapText } from './wrap.ts'

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
  if (hint !== undefined) lines.push(...wrapText([below, piece('hint: ', 'good')], hint, width))
  return lines
}
