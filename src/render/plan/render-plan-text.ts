// A plan for the terminal, in the order of the comment: the most serious first. What it comes to stands last, next to the prompt.
import type { PlanDocument } from '../../core/plan/plan-document.ts'
import { compareProblems } from '../../errors/index.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { countFound, driftCaveat, sayExtent } from '../changes/drift-words.ts'
import { formatEffects, groupChanges, isEmpty, type PlanGroup, sayNothingToDo } from '../changes/plan-groups.ts'
import { saySkipped, unreadLines } from '../changes/unread-groups.ts'
import { type Verdict, verdictOf } from '../changes/verdict.ts'
import { problemLines } from '../problems/render-problems-text.ts'
import { asCalled } from '../text/as-called.ts'
import { foldNames, formatCount } from '../text/counts.ts'
import {
  counted,
  type Flow,
  indent,
  type Piece,
  paintSections,
  piece,
  say,
  type TextForm,
  titled,
  wrapItems,
  wrapText,
} from '../text/line.ts'
import { accessLines } from './access.ts'
import { graveIn, groupLines, pick, setsAnew, takesAway } from './group-lines.ts'
import { guardCountLines, guardLines } from './guards.ts'
import { ownWarnings } from './markdown-sections.ts'
import { sayNeeds, sayNotDue } from './needs.ts'
import { noLongerDeclaredLines, partsOf, sayPending } from './no-longer-declared.ts'
import { pruneLines } from './prune.ts'
import { targetLine } from './target.ts'
import { footnotes, listsMore, unlistedLines, unmanagedLines } from './unmanaged.ts'
import { sayDays, upcomingLines } from './upcoming.ts'
import { digestOffer, type WaySettings, waysOn } from './ways-on.ts'

interface TextOptions extends TextForm {
  /** Shows everything: nothing is cut, collapsed or summarised. */
  readonly verbose?: boolean
  /** Only what is deleted or taken away, and numbers: the report that follows has the rest. Not where everything is shown. */
  readonly short?: boolean
  /** Says at the end how to apply this plan and no other. */
  readonly offersDigest?: boolean | WaySettings
  /** Lists what no manifest declares; default: where everything is shown. */
  readonly unmanaged?: boolean | undefined
  /** Says what was found on the platform, not what is to be done about it. */
  readonly drift?: WaySettings | undefined
  /** There is git, and nothing says what was declared before: how to get that is said at the end. */
  readonly hintsLedger?: boolean
}

const ledgerHint =
  'What is deleted from the files goes unnoticed: `ledger: { remote: origin }` in the project file, or --since, tells plans what was declared before.'

export function renderPlanText(plan: ShownPlan, options: TextOptions): string {
  const verbose = options.verbose ?? false
  const groups = groupChanges(plan)
  const { drift } = options
  const empty = isEmpty(plan)
  const isShort = options.short === true && !verbose
  const parts = partsOf(plan, groups, drift !== undefined)
  const declared = parts.filter(({ title }) => title === '')
  // Also in short: what somebody did by hand is overwritten.
  const byHand = parts
    .filter(({ title }) => title !== '')
    .map(({ title, groups: all }) => ({
      title,
      groups: isShort ? pick(all, ({ action }) => action !== 'create') : all,
    }))
  const own = declared.flatMap((part) => part.groups)
  const [taking, rest] = [pick(own, takesAway), pick(own, (change) => !takesAway(change))]
  const others = isShort ? pick(rest, setsAnew) : rest
  const form = { verbose, drift: drift !== undefined, isGrave: graveIn(plan) }
  // What is made anew is in nobody's way.
  const handForm = { ...form, isGrave: ({ action }: { readonly action: string }) => action !== 'create' }
  const linesOf = (of: readonly PlanGroup[], with_: Parameters<typeof groupLines>[1]) =>
    of.map((group) => groupLines(group, with_))
  const below = (title: string, lines: readonly (readonly Flow[])[]) =>
    lines.length === 0 ? [] : [say(title, 'warning'), ...lines]
  // Whoever looks for drift reads all of it first: below the title of what is only pending it would pass for that.
  const notDrift = [
    noLongerDeclaredLines(plan, verbose),
    ...(plan.pending ? pendingLines(plan, { ...form, drift: false }) : []),
  ]
  const what = drift !== undefined ? 'Drift of' : plan.due === undefined ? 'Plan for' : 'What is due for'
  const sections = [
    [targetLine(what, plan.target, plan.base), ...verdictLines(verdictOf(plan, drift !== undefined), empty)],
    drift === undefined || plan.changes.length === 0 || plan.base ? [] : say(driftCaveat, 'faint'),
    guardLines(plan, verbose, 'refused'),
    unreadableLines(plan, verbose, drift !== undefined),
    accessLines(plan, verbose, drift !== undefined),
    ...below(drift === undefined ? 'Deleted or taken away' : '', linesOf(taking, form)),
    ...(drift === undefined ? notDrift : []),
    pruneLines(plan, verbose),
    warningLines(plan, verbose),
    upcomingLines(plan, verbose, `Within ${sayDays(plan)}`),
    ...below(taking.length > 0 && drift === undefined ? 'Other changes' : '', linesOf(others, form)),
    ...byHand.flatMap(({ title, groups: changed }) => below(title, linesOf(changed, handForm))),
    ...(drift === undefined ? [] : notDrift),
    isShort ? say(sayLeftOut(groups, [...taking, ...others, ...byHand.flatMap((part) => part.groups)]), 'faint') : [],
    say(sayNeeds(plan.needs), 'faint'),
    say(sayNotDue(plan)),
    empty ? say(sayNothingToDo(plan), plan.unreadable.length > 0 || plan.lacking ? 'warning' : 'good') : [],
    footLines(plan, verbose, options.unmanaged ?? verbose),
    guardLines(plan, verbose, 'allowed'),
    empty ? [] : [...guardCountLines(plan), (drift === undefined ? summaryFlow : foundFlow)(plan, groups)],
    drift === undefined ? [] : wayLines(plan, drift),
    options.offersDigest ? digestLines(plan, options.offersDigest === true ? {} : options.offersDigest) : [],
    options.hintsLedger ? say(ledgerHint, 'faint') : [],
  ]
  return paintSections(sections, options)
}

/** What somebody could say aloud. */
function verdictLines({ severity, sentence, points }: Verdict, empty: boolean): Flow[] {
  const isGrave = severity === 'danger'
  // That there is nothing to do is said below, with what is pending.
  if (empty && !isGrave && !points.some(({ certain }) => certain === false)) return []
  return [wrapText([indent(2), piece(isGrave ? '⚠ ' : '', 'warning')], sentence, isGrave ? 'warning' : 'strong')]
}

/** What was merged and not applied: no drift. */
function pendingLines(plan: ShownPlan, form: Parameters<typeof groupLines>[1]): Flow[][] {
  const { pending = [] } = plan
  if (pending.length === 0) return []
  const groups = groupChanges({ ...plan, changes: pending })
  return [say(sayPending(plan.base), 'strong'), ...groups.map((group) => groupLines(group, form))]
}

function sayLeftOut(all: readonly PlanGroup[], shown: readonly PlanGroup[]): string {
  const seen = new Set(shown.flatMap(({ changes }) => changes.map(({ address }) => address)))
  const rest = all.flatMap(({ changes }) => changes).filter(({ address }) => !seen.has(address)).length
  if (rest === 0) return ''
  const others = seen.size === 0 ? formatCount(rest, 'change') : formatCount(rest, 'other change')
  const [takes, them] = rest === 1 ? ['takes', 'it'] : ['take', 'them']
  return `${others} ${takes} nothing away; the report names ${them}, and --verbose shows all.`
}

/** What the plan does not speak of: one paragraph, unless everything is shown. */
function footLines(plan: PlanDocument, verbose: boolean, unmanaged: boolean): Flow[] {
  const notes = footnotes(plan)
  const hint = !verbose && listsMore(plan) ? ['--verbose lists them.'] : []
  return [
    ...(verbose ? notes.flatMap((note) => say(note, 'faint')) : say([...notes, ...hint].join(' '), 'faint')),
    ...(verbose ? [...plan.unverifiable.map(unverifiableLine), ...unlistedLines(plan)] : []),
    ...(unmanaged ? unmanagedLines(plan) : []),
  ]
}

function unverifiableLine({ address, paths }: PlanDocument['unverifiable'][number]): Flow {
  const items = paths.map((path) => [piece(path, 'faint')])
  return wrapItems([indent(2), piece(address), indent(2)], items)
}

function warningLines(plan: PlanDocument, verbose: boolean): Flow[] {
  const sorted = verbose ? [...plan.warnings].sort(compareProblems) : ownWarnings(plan)
  const codes = [...new Set(sorted.map(({ code }) => code))]
  const folded = codes.map((code) => {
    const own = sorted.filter((warning) => warning.code === code)
    return { code, ...foldNames(own, '+', { whole: verbose }) }
  })
  const shown = new Set(folded.flatMap((each) => each.shown))
  return titled('Warnings', 'warning', [
    ...sorted.filter((each) => shown.has(each)).flatMap((warning) => problemLines([warning], 2)),
    ...folded
      .filter(({ note }) => note !== '')
      .map(({ code, note }) => [indent(2), piece(`${note.replace(' more,', ` more ${code},`)}`, 'faint')]),
  ])
}

function unreadableLines(plan: PlanDocument, verbose: boolean, drift: boolean): Flow[] {
  const { unreadable } = plan
  if (unreadable.length === 0) return []
  const objects = formatCount(unreadable.length, 'object')
  const them = unreadable.length === 1 ? 'it' : 'them'
  return [
    wrapText([piece('! ', 'error')], `${objects} could not be read. Nothing is planned for ${them}:`, 'error'),
    ...unreadLines(unreadable, verbose),
    ...say(drift ? '' : saySkipped(plan), 'warning', 2),
  ]
}

function summaryFlow(plan: PlanDocument, groups: readonly PlanGroup[]): Flow {
  const { counts, unreadable } = plan
  const parts: Piece[][] = [
    [piece('Plan: ', 'strong'), counted(counts.create, 'to create,', 'add')],
    [counted(counts.update, 'to update,', 'change')],
    [counted(counts.delete, 'to delete;', 'remove')],
    ...formatEffects(plan, groups).map((text, index, all) => [piece(index === all.length - 1 ? text : `${text};`)]),
  ]
  if (unreadable.length > 0)
    parts.push([piece('— ', 'faint'), piece(`${formatCount(unreadable.length, 'object')} unreadable`, 'error')])
  return wrapItems([], parts)
}

function foundFlow(plan: PlanDocument, groups: readonly PlanGroup[]): Flow {
  const unread = plan.unreadable.length > 0 ? `; ${formatCount(plan.unreadable.length, 'object')} unreadable` : ''
  const said = [countFound(plan), sayExtent(plan, groups)].filter((part) => part !== '').join('; ')
  return wrapText([piece('Drift: ', 'strong')], `${said}${unread}`)
}

/** What there is to copy stays in one piece. */
function wayLines(plan: ShownPlan, settings: WaySettings): Flow[] {
  return Object.values(waysOn(plan, settings)).flatMap(({ what, lines }) => [
    ...say(`${what}${lines.length === 0 ? '.' : ':'}`, 'faint'),
    ...lines.map((line) => [indent(2), piece(asCalled(line))]),
  ])
}

function digestLines(plan: PlanDocument, settings: WaySettings): Flow[] {
  const offer = digestOffer(plan, settings)
  if (offer === undefined) return []
  const also = offer.wantsAllowances ? ', with the options above' : ''
  const says = `Digest ${offer.digest}. To apply this plan and no other${also}:`
  // The command stays in one piece, to be copied.
  return [...say(says, 'faint'), [indent(2), piece(asCalled(offer.command))]]
}
