// What `doctor` found, for the terminal: what is wrong stands out, and each has what to do below it.
import type { Check, CheckName, CheckResult, DoctorReport, Variant } from '../core/plan/doctor-report.ts'
import { formatCount } from './format-count.ts'
import { indent, type Line, type Piece, paint, piece, type Style } from './line.ts'
import { targetLine } from './target-line.ts'
import { wrapText } from './wrap.ts'

export interface DoctorTextOptions {
  readonly colour: boolean
  readonly width?: number
}

const titles: Readonly<Record<CheckName, string>> = {
  project: 'project file',
  manifests: 'manifests',
  connection: 'connection',
  token: 'token',
  clock: 'clock',
  'scopes-to-read': 'scopes to read',
  'scopes-to-write': 'scopes to write',
  'api-version': 'API version',
  application: 'application',
  databases: 'databases',
  installation: 'installation',
  names: 'names',
  objects: 'reading',
  answers: 'answers',
  pages: 'pages',
  'svcid-case': 'case of svcIds',
}

const marks: Readonly<Record<CheckResult, readonly [word: string, style: Style]>> = {
  ok: ['ok', 'good'],
  warning: ['warning', 'warning'],
  problem: ['problem', 'error'],
  'not-checked': ['-', 'faint'],
}

const resultColumn = 'warning'.length + 2
const titleColumn = Math.max(...Object.values(titles).map(({ length }) => length)) + 2

export function renderDoctorText(report: DoctorReport, options: DoctorTextOptions): string {
  const width = Math.max(options.width ?? 100, 60)
  const { target, checks, variants } = report
  const lines: Line[] = [
    ...(target === undefined ? [] : [...targetLine('Target', target, width), []]),
    ...checks.filter((each) => !isBare(each)).flatMap((each) => checkLines(each, width)),
    ...uncheckedLines(checks.filter(isBare), width),
    [],
    ...(variants.length === 0 ? [] : [...variantLines(variants, width), []]),
    summaryLine(report),
  ]
  return paint(lines, options.colour)
}

function checkLines({ check, result, found, code, todo, details = [], copy = [] }: Check, width: number): Line[] {
  const [word, style] = marks[result]
  const head: Piece[] = [piece(word.padEnd(resultColumn), style), piece(titles[check].padEnd(titleColumn), 'strong')]
  const below = resultColumn + titleColumn
  const lines = wrapText(head, code === undefined ? found : `${found} (${code})`, width)
  // What is well needs no list.
  if (result === 'problem' || result === 'warning') {
    for (const detail of details) lines.push(...wrapText([indent(below), piece('· ', 'faint')], detail, width))
  }
  if (todo !== undefined) lines.push(...wrapText([indent(below), piece('→ ', style)], todo, width))
  // In one piece, however long.
  return [...lines, ...copy.map((line): Line => [indent(below + 2), piece(line, 'good')])]
}

/** Nothing is said of it, and nothing is to be done. */
function isBare({ result, todo }: Check): boolean {
  return result === 'not-checked' && todo === undefined
}

/** What has the same reason stands together. */
function uncheckedLines(checks: readonly Check[], width: number): Line[] {
  const byReason = new Map<string, string[]>()
  for (const { check, found } of checks) {
    byReason.set(found, [...(byReason.get(found) ?? []), titles[check]])
  }
  return [...byReason].flatMap(([reason, names]) => {
    const head = [piece('-'.padEnd(resultColumn), 'faint'), piece('not checked'.padEnd(titleColumn), 'faint')]
    return wrapText(head, `${names.join(', ')}: ${reason}`, width, 'faint')
  })
}

const notSeen = 'not seen'

function variantLines(variants: readonly Variant[], width: number): Line[] {
  const column = Math.max(...variants.map((each) => each.switch.length)) + 2
  const seen = variants.filter(({ state }) => state !== undefined)
  const unseen = variants.filter(({ state }) => state === undefined)
  const stateColumn = Math.max(...variants.map(({ state = notSeen }) => state.length)) + 2
  const lines: Line[] = [[piece('Where installations vary', 'strong')]]
  for (const { switch: name, state = '', found } of seen) {
    const head: Piece[] = [indent(2), piece(name.padEnd(column)), piece(state.padEnd(stateColumn), 'good')]
    lines.push(...wrapText(head, found, width, 'faint'))
  }
  for (const { switch: name, found } of unseen) {
    const head: Piece[] = [indent(2), piece(name.padEnd(column), 'faint'), piece(notSeen.padEnd(stateColumn), 'faint')]
    lines.push(...wrapText(head, found, width, 'faint'))
  }
  return lines
}

function summaryLine({ counts, result, requests }: DoctorReport): Line {
  const parts = [
    ...(counts.problem > 0 ? [formatCount(counts.problem, 'problem')] : []),
    ...(counts.warning > 0 ? [formatCount(counts.warning, 'warning')] : []),
    ...(counts.ok > 0 ? [`${counts.ok} ok`] : []),
    ...(counts['not-checked'] > 0 ? [`${counts['not-checked']} not checked`] : []),
  ]
  const style = result === 'problem' ? 'error' : result === 'warning' ? 'warning' : 'good'
  return [
    piece(`${parts.join(', ')}.`, style),
    piece(` ${formatCount(requests, 'request')}, nothing written.`, 'faint'),
  ]
}
