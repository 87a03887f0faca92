// A plan on one screen: what nobody may miss, each in one line with its count and the first names, then the counts of each kind.
import { textWidth } from '../../core/model/text-width.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { countFound, foundAs, sayExtent } from '../changes/drift-words.ts'
import {
  actions,
  formatCounts,
  formatEffects,
  groupChanges,
  isEmpty,
  type PlanGroup,
  sayNothingToDo,
} from '../changes/plan-groups.ts'
import { type VerdictPoint, verdictOf } from '../changes/verdict.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import {
  cutLine,
  indent,
  type Line,
  layOut,
  lineWidth,
  paint,
  piece,
  type Style,
  say,
  type TextForm,
} from '../text/line.ts'
import { guardCountLines } from './guards.ts'
import { targetLine } from './target.ts'

interface SummaryOptions extends TextForm {
  /** Lines of the terminal. */
  readonly height: number
  readonly drift: boolean
}

/** Room for a prompt below it. Less than a terminal of old has is no screen. */
const leastHeight = 24

export function renderPlanSummary(plan: ShownPlan, { colour, height, drift, ...options }: SummaryOptions): string {
  const width = Math.max(options.width, 40)
  const groups = groupChanges(plan)
  const [target = []] = layOut([targetLine(drift ? 'Drift of' : 'Plan for', plan.target, plan.base)], width)
  const { points } = verdictOf(plan, drift)
  const warnings = formatCount(plan.warnings.length, 'warning')
  const codes = [...new Set(plan.warnings.map(({ code }) => code))].join(', ')
  const head = [
    target,
    ...points.map((point) => pointLine(point, width)),
    ...(codes === '' ? [] : [[piece('! ', 'warning'), piece(`${warnings}: `, 'warning'), piece(codes)]]),
  ]
  const sum = drift
    ? `Drift: ${[countFound(plan), sayExtent(plan, groups)].filter((part) => part !== '').join('; ')}`
    : `Plan: ${formatCounts(plan)}; ${formatEffects(plan, groups).join('; ')}`
  const foot = isEmpty(plan)
    ? layOut(say(sayNothingToDo(plan), 'good'), width).slice(0, 4)
    : [
        ...layOut(say(sum, 'strong'), width).slice(0, 4),
        ...layOut(guardCountLines(plan), width).slice(0, 2),
        [piece(`Without --summary: which, and how to ${drift ? 'heal' : 'apply'} it.`, 'faint')],
      ]
  const room = Math.max(height, leastHeight) - 1 - head.length - foot.length
  const lines = [...head, ...kindLines(groups, drift, room), ...foot].map((line) => cutLine(line, width))
  return paint(lines, { colour, width })
}

/** What a line begins with: for whoever cannot see colours. */
const marks: Readonly<Record<VerdictPoint['kind'], readonly [mark: string, style: Style]>> = {
  refused: ['✗', 'error'],
  'administrator-gained': ['+', 'add'],
  'access-lost': ['-', 'remove'],
  deleted: ['-', 'remove'],
  'taken-away': ['-', 'remove'],
  overwritten: ['!', 'warning'],
  unreadable: ['!', 'error'],
  'access-gained': ['+', 'add'],
  'no-longer-declared': ['-', 'remove'],
  changed: ['~', 'change'],
  pending: ['~', 'change'],
}

/** In one line: what does not fit is counted. */
function pointLine({ kind, sentence, accounts, addresses, certain }: VerdictPoint, width: number): Line {
  const [mark, style] = certain === false ? (['?', 'warning'] as const) : marks[kind]
  const head: Line = [piece(`${mark} `, style), piece(sentence, style)]
  const names = accounts ?? addresses
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

/** `Groups  1 to delete, 3 to update`; kinds for which there is no line are put together. */
function kindLines(groups: readonly PlanGroup[], drift: boolean, room: number): Line[] {
  const shown = groups.length <= room ? groups : groups.slice(0, Math.max(0, room - 1))
  const rest = groups.slice(shown.length)
  const column = Math.max(0, ...shown.map(({ title }) => textWidth(title))) + 2
  const said = (of: readonly PlanGroup[]): string =>
    actions
      .map((action) => [action, of.reduce((sum, { counts }) => sum + counts[action], 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([action, count]) => `${formatNumber(count)} ${drift ? foundAs[action] : `to ${action}`}`)
      .join(', ')
  return [
    ...shown.map((group) => {
      return [piece(group.title, 'strong'), indent(column - textWidth(group.title)), piece(said([group]))]
    }),
    ...(rest.length === 0 ? [] : [[piece(`… and ${formatCount(rest.length, 'more kind')}: ${said(rest)}`, 'faint')]]),
  ]
}
