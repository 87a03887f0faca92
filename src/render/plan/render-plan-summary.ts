// A plan on one screen: what nobody may miss, with counts and the first names, then the counts of each kind.

import { groupBy } from '@svcsync/core/model/group-by.ts'
import { textWidth } from '@svcsync/core/model/text-width.ts'
import type { ChangeDocument } from '@svcsync/core/plan/plan-document.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { driftVerbs } from '../changes/drift-words.ts'
import { describeEmptyPlan, formatDrift, formatEffects, isEmpty } from '../changes/plan-counts.ts'
import { reviewChanges } from '../changes/reviewed-change.ts'
import { verdictOf } from '../changes/verdict.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import type { Line, TextForm } from '../text/line.ts'
import { cutLine, indent, layOut, lineWidth, paint, piece, textLines, wrapItems } from '../text/line.ts'
import { formatGuards } from './guards.ts'
import { pointOf } from './plan-blocks.ts'
import { describeBase, describeTarget } from './target.ts'

interface SummaryOptions extends TextForm {
  readonly height: number
  readonly drift: boolean
}

/** Room for a prompt below it. Less than a terminal of old has is no screen. */
const leastHeight = 24

export function renderPlanSummary(plan: ShownPlan, { colour, height, drift, ...options }: SummaryOptions): string {
  const width = Math.max(options.width, 40)
  const { target, warnings } = plan
  const about = [...describeTarget(target), ...describeBase(plan)].map((text) => [piece(text, 'faint')])
  const title: Line = [piece(drift ? 'Drift of ' : ''), piece(target.name, 'strong')]
  const [first = []] = wrapItems([], [title, ...about], piece(' · ', 'faint'))(width)
  const codes = [...new Set(warnings.map(({ code }) => code))].join(', ')
  const head = [
    first,
    ...verdictOf(plan, drift).points.map((point) => pointLine(pointOf(point, drift), width)),
    ...(codes === ''
      ? []
      : [[piece('! ', 'warning'), piece(`${formatCount(warnings.length, 'warning')}: `, 'warning'), piece(codes)]]),
  ]
  const reviewed = reviewChanges(plan)
  const sum = drift ? `Drift: ${formatDrift(plan, reviewed)}.` : `Plan: ${formatEffects(plan, reviewed)}.`
  const foot = isEmpty(plan)
    ? layOut(textLines(`${drift ? 'No drift' : 'No changes'}. ${describeEmptyPlan(plan)}`, 'good'), width).slice(0, 4)
    : [
        ...layOut(textLines(sum, 'strong'), width).slice(0, 4),
        ...layOut(textLines(formatGuards(plan), 'faint'), width).slice(0, 2),
        [piece(`Without --summary: which, and how to ${drift ? 'heal' : 'apply'} it.`, 'faint')],
      ]
  const room = Math.max(height, leastHeight) - 1 - head.length - foot.length
  const kinds = [...groupBy(plan.changes, ({ kind }) => kind)].map(
    ([kind, own]) => [plan.kinds[kind] ?? kind, own] as const,
  )
  const lines = [...head, ...kindLines(kinds, drift, room), ...foot].map((line) => cutLine(line, width))
  return paint(lines, { colour, width })
}

function pointLine({ sign, tone, sentence, names }: ReturnType<typeof pointOf>, width: number): Line {
  const head: Line = [piece(`${sign} `, tone), piece(sentence, tone)]
  const rest = (count: number): string => (count === 0 ? '' : ` and ${formatNumber(count)} more`)
  let shown = ''
  for (const [index, name] of names.entries()) {
    const longer = `${shown}${index === 0 ? ': ' : ', '}${piece(name).text}`
    if (lineWidth(head) + textWidth(longer + rest(names.length - index - 1)) > width)
      return [...head, piece(shown === '' ? '' : shown + rest(names.length - index))]
    shown = longer
  }
  return [...head, piece(shown)]
}

const actions = ['delete', 'update', 'create'] as const
type ActionGroup = readonly [title: string, changes: readonly ChangeDocument[]]

function kindLines(kinds: readonly ActionGroup[], drift: boolean, room: number): Line[] {
  const shown = kinds.length <= room ? kinds : kinds.slice(0, Math.max(0, room - 1))
  const rest = kinds.slice(shown.length)
  const column = Math.max(0, ...shown.map(([title]) => textWidth(title))) + 2
  const phrase = (changes: readonly ChangeDocument[]): string =>
    actions
      .map((wanted) => [wanted, changes.filter(({ action }) => action === wanted).length] as const)
      .filter(([, count]) => count > 0)
      .map(([action, count]) => `${formatNumber(count)} ${drift ? driftVerbs[action] : `to ${action}`}`)
      .join(', ')
  const more = `… and ${formatCount(rest.length, 'more kind')}: ${phrase(rest.flatMap(([, changes]) => changes))}`
  return [
    ...shown.map(([title, changes]) => [
      piece(title, 'strong'),
      indent(column - textWidth(title)),
      piece(phrase(changes)),
    ]),
    ...(rest.length === 0 ? [] : [[piece(more, 'faint')]]),
  ]
}
