// Problems for the terminal, each place in the form that terminals and editors turn into a link.
import { formatPlace, type Problem } from '@svcsync/errors/index.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { codePieces, type Flow, indent, type Line, paint, piece, restLines, wrapText } from '../text/line.ts'
import { hintLines } from '../text/program-name.ts'
import { firstCauses, formatTargets } from './problem-sentences.ts'

type ProblemsOfCause = ReturnType<typeof firstCauses>[number]

interface ProblemTextOptions {
  readonly colour: boolean
  readonly width?: number
  readonly frame?: (problem: Problem) => string | undefined
}

/** People do not read longer lists. */
const mostForPeople = 200

export function renderProblemsText(problems: readonly Problem[], options: ProblemTextOptions): string {
  const { colour, width = 100, frame } = options
  const causes = firstCauses(problems, Number.POSITIVE_INFINITY)
  const shown = firstCauses(problems, mostForPeople)
  const lines = shown.flatMap((cause): Flow[] => [...problemLines(cause, frame?.(cause[0])), []])
  const omitted = omittedText(problems, shown.flat())
  if (omitted !== undefined) lines.push([piece(omitted)], [])
  return paint([...lines, countLine(causes)], { colour, width })
}

function countLine(causes: readonly ProblemsOfCause[]): Line {
  if (causes.length === 0) return [piece('No problems found.', 'good')]
  const hasErrors = causes.some(([{ severity }]) => severity === 'error')
  return [piece(formatCauseCounts(causes), hasErrors ? 'error' : 'warning')]
}

function formatCauseCounts(causes: readonly ProblemsOfCause[]): string {
  const countOf = (severity: Problem['severity']): string => {
    const own = causes.filter(([first]) => first.severity === severity)
    const places = own.reduce((sum, cause) => sum + cause.length, 0)
    const count = formatCount(own.length, severity)
    return places === own.length ? count : `${count} in ${formatNumber(places)} places`
  }
  return `${countOf('error')}, ${countOf('warning')}`
}

/** `1,300 more are not shown: 1,200 SVC1301, 100 SVC1317.` Undefined: all are. */
function omittedText(problems: readonly Problem[], shown: readonly Problem[]): string | undefined {
  if (problems.length === shown.length) return undefined
  const counts = new Map<string, number>()
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1)
  for (const { code } of shown) counts.set(code, (counts.get(code) ?? 0) - 1)
  const kinds = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  const each = kinds.map(([code, count]) => `${formatNumber(count)} ${code}`).join(', ')
  return `${formatNumber(problems.length - shown.length)} more are not shown: ${each}.`
}

const mostPlaces = 5

/** Columns in front of a line of a file. */
export const frameMargin = 4

function problemLines([problem, ...others]: ProblemsOfCause, frame: string | undefined): Flow[] {
  const { severity, code, message, place, address, hint, targets, related = [] } = problem
  const where = place === undefined ? address : formatPlace(place)
  const label = [piece(severity, severity === 'error' ? 'error' : 'warning'), indent(1), ...codePieces(code)]
  const isInside = place !== undefined && address !== undefined && !message.includes(address)
  const framed = frame === undefined ? [] : frame.replace(/\n+$/, '').split('\n')
  const below = indent(frameMargin)
  return [
    ...(where === undefined ? [] : [[piece(where, 'strong')]]),
    wrapText([...(where === undefined ? [] : [indent(2)]), ...label], message),
    ...(isInside ? [[below, piece(`in ${address}`, 'faint')]] : []),
    ...(targets === undefined ? [] : [[below, piece(formatTargets(targets), 'faint')]]),
    ...framed.map((line) => {
      const text = line.replaceAll('\t', '  ').replace(/\r$/, '')
      return [below, piece(text, /^\s*>/.test(line) ? 'strong' : 'faint')]
    }),
    ...placeLines(others),
    ...related.map((other) => [below, piece(`${formatPlace(other.place)}  ${other.message}`)]),
    ...hintLines(4, hint),
  ]
}

function placeLines(others: readonly Problem[]): Flow[] {
  if (others.length === 0) return []
  const shown = others.slice(0, mostPlaces - 1)
  return [
    [indent(4), piece(`and in ${formatCount(others.length, 'more place')}:`)],
    ...shown.map(({ place, address = '' }): Flow => {
      const where = place === undefined ? address : `${formatPlace(place)}  ${address}`
      return [indent(6), piece(where.trimEnd(), 'strong')]
    }),
    ...restLines(others.length - shown.length, 6),
  ]
}
