// An error that ended a run, for the terminal: what happened, where, and what to do. The stack is for those who ask.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { Json } from '@svcsync/core/model/json.ts'
import type { DifferenceDocument } from '@svcsync/core/plan/plan-document.ts'
import { type Discrepancy, PlanRefusal } from '@svcsync/core/saved/plan-refusal.ts'
import { AuthorError, OperatorError, PlatformError, RefusedError, SvcsyncError } from '@svcsync/errors/index.ts'
import type { DifferenceRow } from '../blocks/difference.ts'
import { rowsOf } from '../changes/difference-rows.ts'
import { differenceLines, valueLimit } from '../printers/text-difference.ts'
import { renderProblemsText } from '../problems/render-problems-text.ts'
import { codePieces, type Flow, indent, type Line, paint, piece, restLines, textLines, wrapText } from '../text/line.ts'
import { cutList, joinBlocks, prose } from '../text/markdown.ts'
import { hintLines } from '../text/program-name.ts'

type ErrorTextOptions = Parameters<typeof renderProblemsText>[1] & { readonly verbose?: boolean }

/** Causes of causes that are followed: a chain may be a ring. */
const depthLimit = 10
const reasonLimit = 20

export function renderErrorText(error: unknown, options: ErrorTextOptions): string {
  if (error instanceof AuthorError) return renderProblemsText(error.problems, options)
  const { colour, width = 100, verbose = false } = options
  return paint(errorLines(error, verbose), { colour, width })
}

function errorLines(error: unknown, verbose: boolean): Flow[] {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.slice(0, 100).flatMap((part) => errorLines(part, verbose))
  const known = error instanceof SvcsyncError ? error : undefined
  const label = [piece(known ? 'error' : 'unexpected error', 'error'), indent(1), ...codePieces(known?.code)]
  return [
    ...messageLines(label, error),
    ...(known ? detailLines(known) : verbose ? [] : hintLines(2, defectHint)),
    ...(verbose ? traceLines(error) : []),
  ]
}

const defectHint = 'This is probably a defect in svcsync. Run again with --verbose for its origin, and report it.'

/** Findings have their own lines. Any other message is one text, which must not look like our lines. */
function messageLines(label: Line, error: unknown): Flow[] {
  if (!(error instanceof OperatorError) || error.findings.length === 0) return [wrapText(label, messageOf(error))]
  const first = error.message.slice(0, error.message.indexOf('\n'))
  return [wrapText(label, first), ...error.findings.flatMap((finding) => textLines(finding, undefined, 4))]
}

function detailLines(error: SvcsyncError): Flow[] {
  const lines: Flow[] = []
  if (error.address !== undefined) lines.push([indent(2), piece(`in ${error.address}`, 'faint')])
  if (error instanceof PlatformError) {
    const answer = [error.status, error.type].filter((part) => part !== undefined).join(' ')
    const call = `${error.method} ${error.path}${answer === '' ? '' : ` answered ${answer}`}`
    lines.push([indent(2), piece(call, 'faint')])
    if (error.errorGuid !== undefined) lines.push([indent(2), piece(`error id ${error.errorGuid}`, 'faint')])
  }
  if (error instanceof RefusedError) {
    const { reasons } = error
    for (const reason of reasons.slice(0, reasonLimit)) lines.push(wrapText([indent(2), piece('✗ ', 'error')], reason))
    lines.push(...restLines(reasons.length - reasonLimit, 4, ', in the plan'))
  }
  if (error instanceof PlanRefusal) lines.push(...discrepancyLines(error.discrepancies))
  lines.push(...hintLines(2, error.hint))
  // In one piece, however long: it is there to be copied.
  if (error instanceof RefusedError && error.options !== undefined)
    lines.push([indent(4), piece(error.options, 'good')])
  return lines
}

function traceLines(error: unknown): Flow[] {
  const lines: Flow[] = []
  let cause = error instanceof Error ? error.cause : undefined
  for (let depth = 0; cause !== undefined && cause !== null && depth < depthLimit; depth++) {
    lines.push(wrapText([indent(2), piece('caused by ', 'faint')], messageOf(cause)))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  // The first lines of a stack repeat the message, which may hold line breaks of its own.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return [...lines, ...frames.map((line): Line => [indent(4), piece(line.trim(), 'faint')])]
}

function messageOf(error: unknown): string {
  if (error instanceof SvcsyncError) return error.message
  if (error instanceof Error) return error.message === '' ? error.name : `${error.name}: ${error.message}`
  return typeof error === 'string' ? error : 'something that is not an error was thrown'
}

const margin = 6

function discrepancyLines(discrepancies: readonly Discrepancy[]): Flow[] {
  return [...groupBy(discrepancies, ({ under }) => under)].flatMap(([under, own]) => {
    const values = own.some(({ remark }) => remark === undefined)
    const heading = under ?? (values ? 'when it was planned → now' : undefined)
    return [
      ...(heading === undefined ? [] : [[indent(2), piece(heading, 'faint')]]),
      ...[...groupBy(own, ({ subject }) => subject)].flatMap(([subject, list]) => [
        [indent(2), piece('~ ', 'change'), piece(subject, 'strong')],
        ...list.flatMap(({ path, remark = '' }) =>
          textLines(path === '' || remark === '' ? remark : `${path}: ${remark}`, undefined, margin),
        ),
        ...valueLines(list),
      ]),
    ]
  })
}

function valueLines(list: readonly Discrepancy[]): Flow[] {
  const differences = list.filter(({ remark }) => remark === undefined).map(differenceOf)
  return differenceLines(rowsOf(differences, { creating: false, limit: valueLimit }), margin, false)
}

function differenceOf({ subject, path, planned, found, added, removed }: Discrepancy): DifferenceDocument {
  const shown = (value: Json | undefined): Json => (value === undefined ? null : value)
  return {
    path: path === '' ? subject : path,
    ...(added === undefined && { before: shown(planned), after: shown(found) }),
    ...(added && { added }),
    ...(removed && { removed }),
  }
}

/** For programs: `group/a: members: +x -y since the plan was made`, or the fate of a step, and which sort it is. */
export function discrepancySentences(discrepancy: Discrepancy): string[] {
  const { under } = discrepancy
  return phrasesOf(discrepancy).map((phrase) => (under === undefined ? phrase : `${phrase} (${under})`))
}

function phrasesOf(discrepancy: Discrepancy): string[] {
  const { subject, path, remark, under } = discrepancy
  if (remark !== undefined) return [`${subject}: ${path === '' ? remark : `${path}: ${remark}`}`]
  const about = (where: string): string => (where === subject ? subject : `${subject}: ${where}`)
  const isToCome = under !== undefined
  const describe = (row: DifferenceRow): string => {
    if (row.form === 'lines') return `some of its lines ${isToCome ? 'change' : 'are not as they were'}`
    if (row.form === 'value') {
      const before = row.before?.text ?? 'absent'
      return isToCome ? `${before} → ${row.after.text}` : `was ${before}, and is ${row.after.text} now`
    }
    const signed = [...row.added.map((who) => `+${who}`), ...row.removed.map((who) => `-${who}`)].join(' ')
    return isToCome ? signed : `${signed} since the plan was made`
  }
  const rows = rowsOf([differenceOf(discrepancy)], { creating: false, limit: 1000 })
  return rows.map((row) => `${about(row.label)}: ${describe(row)}`)
}

export function renderUnapprovedMarkdown({ message, discrepancies, hint = '' }: PlanRefusal): string {
  const sections = [...groupBy(discrepancies, ({ under = '' }) => under)].flatMap(([under, own]) => [
    [`**${prose(under)}**`],
    cutList(
      own.flatMap(phrasesOf).map((phrase) => `- ${prose(phrase)}`),
      mostInSummary,
    ),
  ])
  return joinBlocks([['### svcsync apply: not approved'], [prose(message)], ...sections, [prose(hint)]])
}

/** A summary holds a megabyte; nobody reads more than this. */
const mostInSummary = 500
