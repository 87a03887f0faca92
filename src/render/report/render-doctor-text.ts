// What `doctor` found, for the terminal: what is wrong stands out, and each has what to do below it.
import { groupBy } from '../../core/model/group-by.ts'
import type { Check, CheckName, DoctorReport, Variant } from '../../core/plan/doctor-report.ts'
import { targetLine } from '../plan/target.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount } from '../text/counts.ts'
import { indent, type Line, type Piece, paint, piece, type Style, wrapText } from '../text/line.ts'

interface DoctorTextOptions {
  readonly colour: boolean
  readonly width?: number
}

const titles: Readonly<Record<CheckName, string>> = {
  project: 'project file',
  manifests: 'manifests',
  ledger: 'ledger',
  connection: 'connection',
  token: 'token',
  clock: 'clock',
  'scopes-to-read': 'scopes to read',
  'scopes-to-write': 'scopes to write',
  'api-version': 'API version',
  application: 'application',
  databases: 'databases',
  installation: 'installation',
  interface: 'interface',
  names: 'names',
  objects: 'reading',
  answers: 'answers',
  pages: 'pages',
  'svcid-case': 'case of svcIds',
}

const marks: Readonly<Record<Check['result'], readonly [word: string, style: Style]>> = {
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
  if (todo !== undefined) lines.push(...wrapText([indent(below), piece('→ ', style)], withCommands(todo), width))
  // In one piece, however long.
  return [...lines, ...copy.map((line): Line => [indent(below + 2), piece(line, 'good')])]
}

/** Nothing is said of it, and nothing is to be done. */
function isBare({ result, todo }: Check): boolean {
  return result === 'not-checked' && todo === undefined
}

/** What has the same reason stands together. */
function uncheckedLines(checks: readonly Check[], width: number): Line[] {
  return [...groupBy(checks, ({ found }) => found)].flatMap(([reason, own]) => {
    const head = [piece('-'.padEnd(resultColumn), 'faint'), piece('not checked'.padEnd(titleColumn), 'faint')]
    return wrapText(head, `${own.map(({ check }) => titles[check]).join(', ')}: ${reason}`, width, 'faint')
  })
}

const notSeen = 'not seen'

function variantLines(variants: readonly Variant[], width: number): Line[] {
  const column = Math.max(...variants.map((each) => each.switch.length)) + 2
  const stateColumn = Math.max(...variants.map(({ state = notSeen }) => state.length)) + 2
  const seenFirst = [...variants].sort((a, b) => Number(a.state === undefined) - Number(b.state === undefined))
  return [
    [piece('Where installations vary', 'strong')],
    ...seenFirst.flatMap(({ switch: name, state, found }) => {
      const words = state === undefined ? 'faint' : undefined
      const head = [indent(2), piece(name.padEnd(column), words)]
      return wrapText([...head, piece((state ?? notSeen).padEnd(stateColumn), words ?? 'good')], found, width, 'faint')
    }),
  ]
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
