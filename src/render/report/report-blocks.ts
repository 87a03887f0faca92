// The end of an apply as blocks: whether the platform is as declared, what was done, and what did not go well.
import type { ChangeDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport, StepReport } from '@svcsync/core/plan/report.ts'
import { formatPlace } from '@svcsync/errors/index.ts'
import type { Block, Row, Sign, Text } from '../blocks/block.ts'
import { head, maybeNote, name, names, note, section, table, words } from '../blocks/block.ts'
import { changeMarks, takesAway } from '../changes/change-blocks.ts'
import { differencesOf, rowsOf } from '../changes/difference-rows.ts'
import { review } from '../changes/reviewed-change.ts'
import { heldSection } from '../plan/guards.ts'
import { hintOf, unreadSection } from '../plan/notices.ts'
import { describeTarget } from '../plan/target.ts'
import { undeclaredNotRead } from '../plan/unmanaged.ts'
import { type MarkdownForm, printMarkdown } from '../printers/markdown.ts'
import { printText } from '../printers/text.ts'
import { formatCount, formatDuration, formatNumber } from '../text/counts.ts'
import type { TextForm, Tone } from '../text/line.ts'
import { commentMarker } from '../text/markdown.ts'
import {
  describeCause,
  describeStep,
  endingsShown,
  endingTitles,
  groupTrouble,
  reportVerdict,
} from './report-groups.ts'

const endings: Readonly<Record<(typeof endingsShown)[number], { readonly sign: Sign; readonly tone: Tone }>> = {
  ...{ failed: { sign: '✗', tone: 'error' }, skipped: { sign: '○', tone: 'faint' } },
  ...{ unconfirmed: { sign: '?', tone: 'warning' }, unknown: { sign: '?', tone: 'warning' } },
}

export const renderReportText = (report: ApplyReport, form: TextForm): string => printText(reportBlocks(report), form)

export const renderReportMarkdown = (report: ApplyReport, form: MarkdownForm = {}): string =>
  printMarkdown(reportBlocks(report), form, [commentMarker('apply', report.target.name)])

export function reportBlocks(report: ApplyReport): Block[] {
  const { target, verified, ledger } = report
  const { kind, sentence } = reportVerdict(report)
  const isGood = kind === 'declared'
  const groups = groupTrouble(report)
  const parts = isGood && !report.undoes && !report.due ? [undeclaredNotRead] : []
  return [
    head('Apply to', target.name, describeTarget(target), {
      ...{ severity: isGood ? 'notice' : 'danger', sentence: sentence.replace(/\.$/, ''), isGood },
      calm: report.outcome === 'nothing-to-do' ? '' : formatCounts(report),
    }),
    ...endingsShown.flatMap((ending) => {
      const rows = groups.filter((group) => group.ending === ending).map(troubleRow)
      return section(endingTitles[ending], endings[ending].tone, table(rows, { noun: ['cause', 'causes'] }))
    }),
    ...heldSection(report.refused),
    ...unreadSection(report.unreadable ?? [], 'Could not be read, and was left alone'),
    ...unequalSection(verified.unequal),
    ...sentenceSection('Not reverted', report.left ?? []),
    ...sentenceSection('To complete by hand', report.byHand ?? []),
    ...sentenceSection('Changed by another writer meanwhile', report.meanwhile ?? []),
    ...doneSection(report.changed),
    ...(ledger === undefined ? [] : ledgerBlocks(ledger)),
    { block: 'footer', parts, blocks: [] },
  ]
}

function formatCounts({ counts, verified, elapsedMs, steps }: ApplyReport): string {
  const { done, unchanged, failed, skipped, unknown } = counts
  const all = Math.max(steps.length, done + unchanged + failed + skipped + unknown)
  const read = verified.equal + verified.unequal.length
  const equal = `${formatNumber(verified.equal)} of ${formatCount(read, 'object')} as declared when read back`
  const parts = [
    `${formatNumber(done)} of ${formatCount(all, 'step')} done`,
    ...(unchanged > 0 ? [`${formatNumber(unchanged)} unchanged`] : []),
    ...(verified.unequal.length > 0 ? [equal] : []),
  ]
  return `${parts.join(', ')} (${formatDuration(elapsedMs)}).`
}

function doneSection(changed: readonly ChangeDocument[]): Block[] {
  const rows = sortByGravity(changed).map((change): Row => {
    const { address, action, place } = change
    return {
      ...{ sign: changeMarks[action], cells: [[name(address)]], place },
      ...{ isGrave: takesAway(change), tags: [`${action}d`] },
      differences: (limit) => rowsOf(review(change).differences, { creating: action === 'create', place, limit }),
    }
  })
  const { length } = changed
  return section(
    `Done: ${countDone(changed)}`,
    'strong',
    table(rows, { noun: ['object', 'objects'], title: formatCount(length, 'object') }),
  )
}

function troubleRow(group: ReturnType<typeof groupTrouble>[number]): Row {
  const { ending, steps, code, reason, hint, because } = group
  const { sign, tone } = endings[ending]
  const [first, ...others] = steps as [StepReport, ...StepReport[]]
  const named = names(
    steps.map((step) => `${describeReportStep(step)}${step.place === undefined ? '' : ` ${formatPlace(step.place)}`}`),
  )
  const why: Text[] = reason === undefined ? [] : [code === undefined ? reason : [words(code, 'faint'), reason]]
  const below = [...why, ...hintOf(hint)]
  const row = { sign, tone, isGrave: ending !== 'skipped', stands: 1, tags: [endingTitles[ending].toLowerCase()] }
  if (because !== undefined)
    return {
      ...row,
      cells: [[describeCause(group, because), name(describeStep(because).address)]],
      below: [[named], ...below],
    }
  if (others.length > 0) return { ...row, cells: [[`${formatCount(steps.length, 'step')}:`, named]], below }
  const { what, address } = describeStep(first)
  const attempts = first.attempts > 1 ? `step ${first.id}, ${first.attempts} attempts` : `step ${first.id}`
  return { ...row, cells: [[what, name(address), words(attempts, 'faint')]], place: first.place, below }
}

function describeReportStep(step: StepReport): string {
  const { what, address } = describeStep(step)
  return `${what} ${address}`
}

function unequalSection(unequal: ApplyReport['verified']['unequal']): Block[] {
  const rows = unequal.map(({ address, differences, reason }): Row => {
    return {
      sign: '≠',
      cells: [[name(address)]],
      below: reason === undefined ? [] : [reason],
      tags: ['different'],
      ...differencesOf(differences, { creating: false }),
    }
  })
  const legend = note('On the platform → declared.', 'faint')
  return section(
    'Not as declared when read back',
    'error',
    rows.length === 0 ? [] : [legend, ...table(rows, { noun: ['object', 'objects'] })],
  )
}

function sentenceSection(title: string, changes: NonNullable<ApplyReport['meanwhile']>): Block[] {
  const rows = changes.map(({ address, sentence }): Row => ({ sign: '!', cells: [[name(address), ':', sentence]] }))
  return section(title, 'warning', table(rows, { noun: ['object', 'objects'] }))
}

function ledgerBlocks(ledger: NonNullable<ApplyReport['ledger']>): Block[] {
  const { isGood, sentences } = describeLedger(ledger)
  return maybeNote(`Ledger: ${sentences.join(' ')}`, isGood ? undefined : 'warning')
}

/** Words the state of the ledger, sentence by sentence; `isGood`: it is as it should be. */
function describeLedger({ ref, commit, moved, reason, hint, lease = [] }: NonNullable<ApplyReport['ledger']>) {
  const at = commit === null ? 'is not there yet' : `is at ${commit.slice(0, 12)}`
  const state = commit === null ? 'is not there yet' : `stays at ${commit.slice(0, 12)}`
  const first = reason === undefined ? `${ref} ${at}${moved ? ' now' : ' already'}.` : `${ref} ${state}: ${reason}.`
  return {
    isGood: reason === undefined && lease.length === 0,
    sentences: [first, ...(hint === undefined ? [] : [hint]), ...lease],
  }
}

/** Deleted objects first, then those from which something was taken, then the rest as the plan has them. */
function sortByGravity(changed: readonly ChangeDocument[]): ChangeDocument[] {
  const rank = (change: ChangeDocument): number =>
    change.action === 'delete' ? 0 : takesAway(change) ? 1 : change.action === 'update' ? 2 : 3
  return [...changed].sort((a, b) => rank(a) - rank(b))
}

function countDone(changed: readonly ChangeDocument[]): string {
  return (['delete', 'update', 'create'] as const)
    .map((verb) => [changed.filter(({ action }) => action === verb).length, `${verb}d`] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatNumber(count)} ${word}`)
    .join(', ')
}
