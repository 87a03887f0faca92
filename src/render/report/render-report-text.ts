// The end of an apply for the terminal: what did not go well, and in the last line whether the platform is as declared.
import type { ChangeDocument } from '../../core/plan/plan-document.ts'
import type { ApplyReport, Meanwhile, StepReport, Unequal } from '../../core/plan/report.ts'
import { formatPlace } from '../../errors/index.ts'
import { changeLines, withNote } from '../changes/change-lines.ts'
import { rowsOf } from '../changes/difference-rows.ts'
import { reviewAlone } from '../changes/plan-groups.ts'
import { rowLines } from '../changes/row-lines.ts'
import { unreadLines } from '../changes/unread-groups.ts'
import { targetLine } from '../plan/target.ts'
import { notLookedAt } from '../plan/unmanaged.ts'
import { hintLines } from '../text/as-called.ts'
import { formatCount, formatDuration } from '../text/counts.ts'
import {
  codePieces,
  counted,
  type Flow,
  indent,
  type Line,
  type Piece,
  paintSections,
  piece,
  restLines,
  type Style,
  say,
  type TextForm,
  titled,
  wrapItems,
  wrapText,
} from '../text/line.ts'
import {
  countDone,
  countEndings,
  describeStep,
  endingsShown,
  endingTitles,
  groupTrouble,
  inOrder,
  judge,
  sayBecause,
  sayLedger,
  sayMore,
} from './report-groups.ts'

const marks = {
  failed: { mark: '✗', style: 'error' },
  unconfirmed: { mark: '?', style: 'warning' },
  unknown: { mark: '?', style: 'warning' },
  skipped: { mark: '○', style: 'faint' },
} as const

/** So many objects that were changed are listed, unless everything is asked for. */
const listedDone = 20
/** So many steps or objects with one cause are listed; the others are counted. */
const listed = 10

interface ReportTextOptions extends TextForm {
  /** Nothing is cut. */
  readonly verbose?: boolean
}

export function renderReportText(report: ApplyReport, options: ReportTextOptions): string {
  const { verbose = false } = options
  const limit = verbose ? Number.POSITIVE_INFINITY : listed
  const groups = groupTrouble(report)
  const verdict = judge(report)
  const style: Style = verdict.kind === 'declared' ? 'good' : verdict.kind === 'unknown' ? 'warning' : 'error'
  const sections = [
    [targetLine('Apply to', report.target)],
    doneLines(report.changed, verbose),
    ...endingsShown.map((ending) => {
      const own = groups.filter((group) => group.ending === ending)
      const lines = own.flatMap((group) => groupLines(group, limit))
      return titled(endingTitles[ending], marks[ending].style, lines)
    }),
    titled('Could not be read, and was left alone', 'error', unreadLines(report.unreadable ?? [], verbose)),
    unequalLines(report.verified.unequal, verbose),
    sentenceLines('Not taken back', report.left ?? [], limit),
    sentenceLines('Changed by another writer meanwhile', report.meanwhile ?? [], limit),
    ledgerLines(report.ledger),
    [
      countFlow(report),
      ...(verdict.kind === 'declared' && !report.undoes && !report.due ? say(notLookedAt, 'faint') : []),
      ...say(verdict.sentence, style),
    ],
  ]
  return paintSections(sections, options)
}

/** What was done, by object: what was deleted or taken away first. */
function doneLines(changed: readonly ChangeDocument[], verbose: boolean): Flow[] {
  if (changed.length === 0) return []
  const sorted = inOrder(changed)
  const shown = verbose || sorted.length <= listedDone + 2 ? sorted : sorted.slice(0, listedDone)
  const form = { verbose, drift: false, brief: !verbose }
  const rest = sorted.slice(shown.length)
  return [
    [piece('Done', 'strong'), indent(2), piece(countDone(changed), 'faint')],
    ...shown.flatMap((change) => changeLines(reviewAlone(change), form)),
    ...(rest.length > 0 ? [[indent(2), piece(`… and ${sayMore(rest)}, --verbose for all`, 'faint')]] : []),
  ]
}

function groupLines(group: ReturnType<typeof groupTrouble>[number], limit: number): Flow[] {
  const { ending, steps, code, reason, hint, because } = group
  const { mark, style } = marks[ending]
  const begin = [indent(2), piece(`${mark} `, style)]
  const cause = because && wrapText(begin, `${sayBecause(group, because)} ${describeStep(because).address}`)
  return [
    ...(cause === undefined ? [] : [cause]),
    ...steps.slice(0, limit).map((step): Flow => {
      if (cause !== undefined) return [indent(6), ...stepPieces(step)]
      return withNote([...begin, ...stepPieces(step)], step.place === undefined ? '' : formatPlace(step.place))
    }),
    ...restLines(steps.length - limit, 6),
    ...(reason === undefined ? [] : [wrapText([indent(6), ...codePieces(code)], reason)]),
    ...hintLines(6, hint),
  ]
}

function stepPieces(step: StepReport): Piece[] {
  const { what, address } = describeStep(step)
  const attempts = step.attempts > 1 ? `  step ${step.id}, ${step.attempts} attempts` : `  step ${step.id}`
  return [piece(`${what} `), piece(address, 'strong'), piece(attempts, 'faint')]
}

function unequalLines(unequal: readonly Unequal[], verbose: boolean): Flow[] {
  if (unequal.length === 0) return []
  const limit = verbose ? Number.POSITIVE_INFINITY : 160
  return [
    [piece('Not as declared when read back', 'error'), piece('  on the platform → declared', 'faint')],
    ...unequal.flatMap(({ address, differences, reason = '' }): Flow[] => [
      [indent(2), piece('≠ ', 'error'), piece(address, 'strong')],
      ...say(reason, undefined, 6),
      ...rowLines(rowsOf(differences, { creating: false, limit }), { verbose, margin: 6 }),
    ]),
  ]
}

function sentenceLines(title: string, told: readonly Meanwhile[], limit: number): Flow[] {
  const mark = [indent(2), piece('! ', 'warning')]
  return titled(title, 'warning', [
    ...told.slice(0, limit).map(({ address, sentence }) => wrapText(mark, `${address}: ${sentence}`)),
    ...restLines(told.length - limit, 4),
  ])
}

function ledgerLines(ledger: ApplyReport['ledger']): Flow[] {
  if (ledger === undefined) return []
  const { isGood, sentences } = sayLedger(ledger)
  return [wrapText([piece('Ledger: ', 'strong')], sentences.join(' '), isGood ? undefined : 'warning')]
}

function countFlow(report: ApplyReport): Flow {
  const { verified, elapsedMs } = report
  const counts = countEndings(report)
  const read = verified.equal + verified.unequal.length
  const items: Line[] = [
    [piece('Steps: ', 'strong'), counted(counts.done, 'done,', 'good')],
    [counted(counts.unchanged, 'unchanged,', 'good')],
    [counted(counts.failed, 'failed,', 'error')],
    [counted(counts.skipped, 'skipped,', 'warning')],
    ...(counts.unconfirmed > 0 ? [[counted(counts.unconfirmed, 'not confirmed,', 'warning')]] : []),
    [counted(counts.unknown, 'unknown;', 'warning')],
    [piece(`${formatCount(read, 'object')} read back;`)],
    [piece(formatDuration(elapsedMs))],
  ]
  return wrapItems([], items)
}
