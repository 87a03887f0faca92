// A plan on one screen: what nobody may miss, each in one line with its count and the first names, then the counts of each kind.
import { showElement } from '../../core/model/elements.ts'
import { textWidth } from '../../core/model/text-width.ts'
import { partOf, type ShownPlan } from '../changes/by-cause.ts'
import { countFound, foundAs, sayExtent } from '../changes/drift-words.ts'
import {
  actions,
  formatAccess,
  formatCounts,
  formatEffects,
  groupChanges,
  isEmpty,
  type PlanGroup,
  sayNothingToDo,
} from '../changes/plan-groups.ts'
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

/** What there is to say of one thing. */
interface Point {
  readonly mark: string
  readonly style: Style
  /** `Deleted: 3 objects`. */
  readonly text: string
  /** As many as there is room for. */
  readonly names: readonly string[]
}

/** Room for a prompt below it. Less than a terminal of old has is no screen. */
const leastHeight = 24

export function renderPlanSummary(plan: ShownPlan, { colour, height, drift, ...options }: SummaryOptions): string {
  const width = Math.max(options.width, 40)
  const groups = groupChanges(plan)
  const [target = []] = layOut([targetLine(drift ? 'Drift of' : 'Plan for', plan.target, plan.base)], width)
  const head = [target, ...pointsOf(plan, groups, drift).map((point) => pointLine(point, width))]
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

/** In the order of the whole. */
function pointsOf(plan: ShownPlan, groups: readonly PlanGroup[], drift: boolean): Point[] {
  const { access, guards, unreadable, noLongerDeclared: gone = [], warnings, pending = [] } = plan
  const changes = groups.flatMap((group) => group.changes)
  const refused = guards.flatMap(({ verdict, guard }) => (verdict === 'refused' ? guard : []))
  const addresses = (of: readonly { readonly address: string }[]) => of.map(({ address }) => address)
  // What is live and declared nowhere is what healing takes away.
  const given = access?.[drift ? 'lost' : 'gained'] ?? []
  const administer = [
    ...new Set(given.flatMap(({ level, subject }) => (level === 'Administrator' ? (subject ?? []) : []))),
  ]
  const { unknown = [], more: cut } = access ?? {}
  const perhaps = unknown.flatMap(({ level, subject, may }) =>
    level === 'Administrator' && (may === 'gain') !== drift && subject !== null ? subject : [],
  )
  const mayAdminister = [...new Set(perhaps)].filter((subject) => !administer.includes(subject))
  const closed = unknown.flatMap(({ subject, address }) => (subject === null ? address : []))
  const deleted = changes.filter(({ action }) => action === 'delete')
  const taken = changes.flatMap(({ differences }) =>
    differences.flatMap(({ removed = [] }) => removed.map((each) => showElement(each))),
  )
  const overwritten = drift ? [] : addresses((['both', 'live'] as const).flatMap((part) => partOf(plan, part).changes))
  const undeclared = plan.accessDrift?.undeclared ?? 0
  const [mark, style] = drift ? (['+', 'add'] as const) : (['-', 'remove'] as const)
  const objects = (of: readonly unknown[]): string => formatCount(of.length, 'object')
  const entries = (of: readonly unknown[]): string => formatCount(of.length, 'entry', 'entries')
  const accounts = (of: readonly unknown[]): string => formatCount(of.length, 'account')
  const nowhere = 'declared nowhere'
  const codes = warnings.map(({ code }) => code)
  const moved = formatAccess(plan, drift)
  const [comes, mayCome] = drift
    ? ['as Administrator, undeclared', 'perhaps as Administrator, undeclared']
    : [administer.length === 1 ? 'comes to administer' : 'come to administer', 'may come to administer']
  const point = (mark: string, style: Style, text: string, names: readonly string[], count = names.length): Point[] =>
    count === 0 ? [] : [{ mark, style, text, names: [...new Set(names)] }]
  return [
    ...point('✗', 'error', 'Refused by guards', refused),
    ...point('!', 'error', `${objects(unreadable)} could not be read`, addresses(unreadable)),
    ...point('+', 'add', `${accounts(administer)} ${comes}`, administer),
    ...point('?', 'warning', `${accounts(mayAdminister)} ${mayCome}`, mayAdminister),
    // Of a list that is cut nobody can count the rest.
    ...point('?', 'warning', 'Access is not known on', cut?.unknown ? [] : closed, closed.length),
    ...point('~', 'change', `A${moved.slice(1)}`, [], moved.length),
    ...point('!', 'warning', `${formatCount(undeclared, 'level')} that nobody declared or accepted`, [], undeclared),
    ...point(mark, style, `${objects(deleted)} ${drift ? nowhere : 'deleted'}`, addresses(deleted)),
    ...point(mark, style, `${entries(taken)} ${drift ? nowhere : 'taken away'}`, taken),
    ...point('!', 'warning', `${objects(overwritten)} changed on the platform, and changed back`, overwritten),
    ...point('-', 'remove', `${entries(gone)} no longer declared`, addresses(gone)),
    ...point('~', 'change', `${objects(pending)} declared, and not applied yet`, [], pending.length),
    ...point('!', 'warning', formatCount(codes.length, 'warning'), codes),
  ]
}

/** In one line: what does not fit is counted. */
function pointLine({ mark, style, text, names }: Point, width: number): Line {
  const head: Line = [piece(`${mark} `, style), piece(text, style)]
  if (names.length === 0) return head
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
