// The end of an apply for the terminal: what did not go well, and in the last line whether the platform is as declared.
import type { ChangeDocument } from '../../core/plan/plan-document.ts'
import type { ApplyReport, Meanwhile, StepReport, Unequal } from '../../core/plan/report.ts'
import { formatPlace } from '../../errors/index.ts'
import { changeLines, withNote } from '../changes/change-lines.ts'
import { rowsOf } from '../changes/difference-rows.ts'
import { reviewAlone } from '../changes/plan-groups.ts'
import { rowLines } from '../changes/row-lines.ts'
import { targetLine } from '../plan/target.ts'
import { notLookedAt } from '../plan/unmanaged.ts'
import { hintLines } from '../text/as-called.ts'
import { formatCount, formatDuration, formatNumber } from '../text/counts.ts'
import {
  codePieces,
  indent,
  type Line,
  type Piece,
  paintSections,
  piece,
  restLines,
  type Style,
  type TextForm,
  titled,
  wrapItems,
  wrapText,
} from '../text/line.ts'
import {
  countDone,
  describeStep,
  groupTrouble,
  inOrder,
  judge,
  sayBecause,
  sayLedger,
  sayMore,
} from './report-groups.ts'

const titles = {
  failed: { title: 'Failed', mark: '✗', style: 'error' },
  unknown: { title: 'Unknown', mark: '?', style: 'warning' },
  skipped: { title: 'Skipped', mark: '○', style: 'faint' },
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
  const width = Math.max(options.width, 40)
  const limit = options.verbose ? Number.POSITIVE_INFINITY : listed
  const groups = groupTrouble(report)
  const verdict = judge(report)
  const style: Style = verdict.kind === 'declared' ? 'good' : verdict.kind === 'unknown' ? 'warning' : 'error'
  const sections = [
    targetLine('Apply to', report.target, width),
    doneLines(report.changed, options.verbose ?? false, width),
    ...(['failed', 'unknown', 'skipped'] as const).map((outcome) => {
      const own = groups.filter((group) => group.outcome === outcome)
      const lines = own.flatMap((group) => groupLines(group, limit, width))
      return titled(titles[outcome].title, titles[outcome].style, lines)
    }),
    unequalLines(report.verified.unequal, options.verbose ?? false, width),
    meanwhileLines(report.meanwhile ?? [], limit, width),
    ledgerLines(report.ledger, width),
    [
      ...countLines(report, width),
      ...(verdict.kind === 'declared' && !report.undoes && !report.due
        ? wrapText([], notLookedAt, width, 'faint')
        : []),
      ...wrapText([], verdict.sentence, width, style),
    ],
  ]
  return paintSections(sections, options.colour)
}

/** What was done, by object: what was deleted or taken away first. */
function doneLines(changed: readonly ChangeDocument[], verbose: boolean, width: number): Line[] {
  if (changed.length === 0) return []
  const sorted = inOrder(changed)
  const shown = verbose || sorted.length <= listedDone + 2 ? sorted : sorted.slice(0, listedDone)
  const form = { width, verbose, drift: false, brief: !verbose }
  const rest = sorted.length - shown.length
  return [
    [piece('Done', 'strong'), indent(2), piece(countDone(changed), 'faint')],
    ...shown.flatMap((change) => changeLines(reviewAlone(change), form)),
    ...(rest > 0
      ? [[indent(2), piece(`… and ${sayMore(sorted.slice(shown.length))}, --verbose for all`, 'faint')]]
      : []),
  ]
}

function groupLines(group: ReturnType<typeof groupTrouble>[number], limit: number, width: number): Line[] {
  const { outcome, steps, code, reason, hint, because } = group
  const { mark, style } = titles[outcome]
  const lines: Line[] = []
  if (because !== undefined) {
    const cause = `${sayBecause(group, because)} ${describeStep(because).address}`
    lines.push(...wrapText([indent(2), piece(`${mark} `, style)], cause, width))
    lines.push(...steps.slice(0, limit).map((step): Line => [indent(6), ...stepPieces(step)]))
  } else {
    lines.push(
      ...steps.slice(0, limit).flatMap((step) => {
        const place = step.place === undefined ? '' : formatPlace(step.place)
        return withNote([indent(2), piece(`${mark} `, style), ...stepPieces(step)], place, width)
      }),
    )
  }
  lines.push(...restLines(steps.length - limit, 6))
  if (reason !== undefined) lines.push(...wrapText([indent(6), ...codePieces(code)], reason, width))
  return [...lines, ...hintLines([indent(6)], hint, width)]
}

function stepPieces(step: StepReport): Piece[] {
  const { what, address } = describeStep(step)
  const attempts = step.attempts > 1 ? `  step ${step.id}, ${step.attempts} attempts` : `  step ${step.id}`
  return [piece(`${what} `), piece(address, 'strong'), piece(attempts, 'faint')]
}

function unequalLines(unequal: readonly Unequal[], verbose: boolean, width: number): Line[] {
  if (unequal.length === 0) return []
  const limit = verbose ? Number.POSITIVE_INFINITY : 160
  return [
    [piece('Not as declared when read back', 'error'), piece('  on the platform → declared', 'faint')],
    ...unequal.flatMap(({ address, differences, reason }) => [
      [indent(2), piece('≠ ', 'error'), piece(address, 'strong')],
      ...(reason === undefined ? [] : wrapText([indent(6)], reason, width)),
      ...rowLines(rowsOf(differences, { creating: false, limit }), {
        width,
        verbose,
        margin: 6,
      }),
    ]),
  ]
}

function meanwhileLines(meanwhile: readonly Meanwhile[], limit: number, width: number): Line[] {
  return titled('Changed by another writer meanwhile', 'warning', [
    ...meanwhile
      .slice(0, limit)
      .flatMap(({ address, sentence }) =>
        wrapText([indent(2), piece('! ', 'warning')], `${address}: ${sentence}`, width),
      ),
    ...restLines(meanwhile.length - limit, 4),
  ])
}

function ledgerLines(ledger: ApplyReport['ledger'], width: number): Line[] {
  if (ledger === undefined) return []
  const { isGood, sentences } = sayLedger(ledger)
  return wrapText([piece('Ledger: ', 'strong')], sentences.join(' '), width, isGood ? undefined : 'warning')
}

function countLines({ counts, verified, elapsedMs }: ApplyReport, width: number): Line[] {
  const part = (count: number, word: string, style: Style): Line => {
    return [count > 0 ? piece(`${formatNumber(count)} ${word}`, style) : piece(`0 ${word}`)]
  }
  const read = verified.equal + verified.unequal.length
  const items: Line[] = [
    [piece('Steps: ', 'strong'), ...part(counts.done, 'done,', 'good')],
    part(counts.unchanged, 'unchanged,', 'good'),
    part(counts.failed, 'failed,', 'error'),
    part(counts.skipped, 'skipped,', 'warning'),
    part(counts.unknown, 'unknown;', 'warning'),
    [piece(`${formatCount(read, 'object')} read back;`)],
    [piece(formatDuration(elapsedMs))],
  ]
  return wrapItems([], items, width)
}
