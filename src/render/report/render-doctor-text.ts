// What `doctor` found, for the terminal: what is wrong stands out, and each has what to do below it.
import { groupBy } from '../../core/model/group-by.ts'
import type { Check, CheckName, DoctorReport, Variant } from '../../core/plan/doctor-report.ts'
import { targetLine } from '../plan/target.ts'
import { withCommands } from '../text/as-called.ts'
import { formatCount } from '../text/counts.ts'
import { type Flow, indent, type Line, paint, piece, type Style, type TextForm, wrapText } from '../text/line.ts'

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

export function renderDoctorText(
  report: DoctorReport,
  {
    colour,
    width = 100,
    verbose = false,
  }: Pick<TextForm, 'colour'> & Partial<TextForm> & { readonly verbose?: boolean },
): string {
  const { target, checks, variants } = report
  const lines: Flow[] = [
    ...(target === undefined ? [] : [targetLine('Target', target), []]),
    ...checks.filter((each) => !isBare(each)).flatMap((each) => checkLines(each, verbose)),
    ...uncheckedLines(checks.filter(isBare)),
    [],
    ...(variants.length === 0 ? [] : [...variantLines(variants), []]),
    summaryLine(report),
  ]
  return paint(lines, { colour, width: Math.max(width, 60) })
}

function checkLines({ check, result, found, code, todo, details = [], copy = [] }: Check, verbose: boolean): Flow[] {
  const [word, style] = marks[result]
  const head = [piece(word.padEnd(resultColumn), style), piece(titles[check].padEnd(titleColumn), 'strong')]
  const below = indent(resultColumn + titleColumn)
  // What is well needs no list.
  const listed = verbose || result === 'problem' || result === 'warning' ? details : []
  return [
    wrapText(head, code === undefined ? found : `${found} (${code})`),
    ...listed.map((detail) => wrapText([below, piece('· ', 'faint')], detail)),
    ...(todo === undefined ? [] : [wrapText([below, piece('→ ', style)], withCommands(todo))]),
    // In one piece, however long.
    ...copy.map((line): Line => [below, indent(2), piece(line, 'good')]),
  ]
}

/** Nothing is said of it, and nothing is to be done. */
function isBare({ result, todo }: Check): boolean {
  return result === 'not-checked' && todo === undefined
}

/** What has the same reason stands together. */
function uncheckedLines(checks: readonly Check[]): Flow[] {
  return [...groupBy(checks, ({ found }) => found)].map(([reason, own]) => {
    const head = [piece('-'.padEnd(resultColumn), 'faint'), piece('not checked'.padEnd(titleColumn), 'faint')]
    return wrapText(head, `${own.map(({ check }) => titles[check]).join(', ')}: ${reason}`, 'faint')
  })
}

const notSeen = 'not seen'

function variantLines(variants: readonly Variant[]): Flow[] {
  const column = Math.max(...variants.map((each) => each.switch.length)) + 2
  const stateColumn = Math.max(...variants.map(({ state = notSeen }) => state.length)) + 2
  const seenFirst = [...variants].sort((a, b) => Number(a.state === undefined) - Number(b.state === undefined))
  return [
    [piece('Where installations vary', 'strong')],
    ...seenFirst.map(({ switch: name, state, found }) => {
      const words = state === undefined ? 'faint' : undefined
      const head = [indent(2), piece(name.padEnd(column), words)]
      return wrapText([...head, piece((state ?? notSeen).padEnd(stateColumn), words ?? 'good')], found, 'faint')
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
