// A plan or a drift as blocks, for every medium: the verdict, the details by danger, the gaps, the way on.
import { type Block, maybeNote, note, type Sign, section, words } from '../blocks/block.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { changeSections } from '../changes/change-blocks.ts'
import { driftCaveat } from '../changes/drift-words.ts'
import { describeEmptyPlan, formatDrift, formatEffects, isEmpty } from '../changes/plan-counts.ts'
import { type ReviewedChange, reviewChanges } from '../changes/reviewed-change.ts'
import { verdictOf } from '../changes/verdict.ts'
import { type MarkdownForm, printMarkdown } from '../printers/markdown.ts'
import { printShort } from '../printers/text.ts'
import { enumerateFirst, formatNeeds } from '../problems/problem-sentences.ts'
import { byCount, formatCount } from '../text/counts.ts'
import type { TextForm, Tone } from '../text/line.ts'
import { commentMarker } from '../text/markdown.ts'
import { withProgramName } from '../text/program-name.ts'
import { accessBlocks } from './access-blocks.ts'
import { exceptionsSection } from './exceptions.ts'
import { formatGuards, guardSection, heldSection } from './guards.ts'
import { type CommandOptions, digestOffer, nextCommands } from './next-commands.ts'
import { formatBase, noLongerDeclaredSection, weakenedSection } from './no-longer-declared.ts'
import { pruneSection, unknownAccounts, unreadSection, upcomingSection, warningSection } from './notices.ts'
import { newsBlocks } from './run-history.ts'
import { describeBase, describeTarget } from './target.ts'
import { footBlocks, footnotes, unmanagedOptions, unmanagedRows } from './unmanaged.ts'

type VerdictPoint = ReturnType<typeof verdictOf>['points'][number]

export const driftLegend = 'Below, `+` is on the platform and `-` is declared.'

interface PlanBlockOptions {
  /** Only what is deleted, taken away or set anew, and counts: the report that follows has the rest. */
  readonly short?: boolean | undefined
  readonly brief?: boolean | undefined
  readonly offersDigest?: boolean | CommandOptions | undefined
  readonly unmanaged?: boolean | undefined
  readonly drift?: CommandOptions | undefined
  /** True in a git repository without a base: the end then shows how to get one. */
  readonly hintsLedger?: boolean | undefined
}

const ledgerHint =
  'svcsync does not notice deleted lines: add `ledger: { remote: origin }` to the project file, or use --since.'

export function renderPlanText(plan: ShownPlan, options: TextForm & PlanBlockOptions): string {
  const { verbose = false, short } = options
  const blocks = planBlocks(plan, { ...options, short: short && !verbose, brief: !verbose })
  return printShort(blocks, options)
}

/** As a comment on a pull request. Without times: an equal plan gives an equal comment, which needs no update. */
export function renderPlanMarkdown(
  plan: ShownPlan,
  { command, ...options }: MarkdownForm & PlanBlockOptions & { readonly command?: string } = {},
): string {
  const made = command ?? (options.drift === undefined ? 'plan' : 'drift')
  return printMarkdown(planBlocks(plan, { ...options, brief: true }), options, [commentMarker(made, plan.target.name)])
}

export function planBlocks(plan: ShownPlan, options: PlanBlockOptions): Block[] {
  const { drift, short, brief, hintsLedger } = options
  const isDrift = drift !== undefined
  const { unreadable, base } = plan
  const reviewed = reviewChanges(plan)
  const changes = changeSections(plan, reviewed, { drift: isDrift, short, brief }, formatBase(base))
  // Words the roles outside the interface, for every answer about access.
  const notDrift = [...noLongerDeclaredSection(plan), ...pendingSection(plan)]
  const access = accessBlocks(plan, isDrift, brief)
  const them = byCount(unreadable.length, 'it', 'them')
  const unread = `${formatCount(unreadable.length, 'object')} could not be read. Nothing is planned for ${them}`
  return [
    headOf(plan, isDrift, hintsLedger && brief),
    ...(isDrift && plan.changes.length > 0
      ? maybeNote(base ? driftLegend : `${driftCaveat} ${driftLegend}`, 'faint')
      : []),
    ...(isDrift ? newsBlocks(plan.history, plan.createdAt) : []),
    ...guardSection(plan, 'refused'),
    ...heldSection(plan.due?.refused),
    ...unreadSection(unreadable, unread, isDrift ? [] : plan.steps),
    ...unknownAccounts(plan),
    ...access,
    ...(isDrift ? [] : weakenedSection(plan)),
    ...changes,
    ...notDrift,
    ...exceptionsSection(plan),
    ...pruneSection(plan),
    ...warningSection(plan),
    ...upcomingSection(plan.upcoming, `Begins or ends within ${formatDays(plan)}`),
    ...guardSection(plan, 'allowed'),
    ...endOf(plan, reviewed, { ...options, isAccessTold: access.length > 0 }),
  ]
}

export function headOf(plan: ShownPlan, isDrift: boolean, lacksBase = false): Block {
  const { target, tool, due, lacking } = plan
  const { severity, sentence, points } = verdictOf(plan, isDrift)
  const isNothing = isEmpty(plan)
  const isCalm =
    isDrift && points.length > 0 && points.every(({ kind }) => kind === 'pending' || kind === 'no-longer-declared')
  return {
    block: 'head',
    what: isDrift ? 'Drift of' : due === undefined ? '' : 'Due changes for',
    target: target.name,
    about: [
      ...describeTarget(target),
      ...describeBase(plan),
      ...(lacksBase ? ['no base: deleted lines go unnoticed'] : []),
    ],
    tool: `svcsync ${tool.version}`,
    severity,
    sentence:
      isNothing && isCalm
        ? `no drift: ${sentence}`
        : isNothing && lacking
          ? `${sentence} in what was compared`
          : sentence,
    ...(isNothing && { calm: describeEmptyPlan(plan) }),
    points: points
      .filter((point) => isDrift || !isImpliedByLosses(point, points, plan))
      .map((point) => pointOf(point, isDrift)),
  }
}

/** All that is no longer declared is all that is deleted or removed, which says it already. */
function isImpliedByLosses({ kind, count }: VerdictPoint, points: readonly VerdictPoint[], plan: ShownPlan): boolean {
  if (kind !== 'no-longer-declared') return false
  const taking = points.filter((point) => point.kind === 'deleted' || point.kind === 'taken-away')
  const { noLongerDeclared = [] } = plan
  const isTaken = noLongerDeclared.every(({ becomes }) => becomes === 'removed' || becomes === 'deleted')
  return isTaken && count === taking.reduce((sum, point) => sum + point.count, 0)
}

/** The sign of a point, for readers who cannot see colours. */
const marks: Readonly<Record<VerdictPoint['kind'], readonly [Sign, Tone]>> = {
  ...{ refused: ['✗', 'error'], 'policy-broken': ['!', 'error'], 'unknown-account': ['?', 'warning'] },
  ...{ 'administrator-gained': ['+', 'add'], 'access-gained': ['+', 'add'], 'access-lost': ['-', 'remove'] },
  ...{ 'level-lost': ['-', 'remove'], deleted: ['-', 'remove'], 'taken-away': ['-', 'remove'] },
  ...{ overwritten: ['!', 'warning'], weakened: ['!', 'warning'], unreadable: ['!', 'error'] },
  ...{ 'licence-missing': ['!', 'warning'], 'no-longer-declared': ['-', 'remove'] },
  ...{ changed: ['~', 'change'], pending: ['~', 'change'] },
}

export function pointOf({ kind, sentence, accounts, addresses, certain }: VerdictPoint, drift: boolean) {
  // Drift shows with `+` what is on the platform and nowhere declared.
  const isFound = drift && (kind === 'deleted' || kind === 'taken-away')
  const [sign, tone] = certain === false ? marks['unknown-account'] : isFound ? marks['access-gained'] : marks[kind]
  return { kind, sentence, names: accounts ?? addresses, sign, tone }
}

/** Merged changes that are not applied are no drift. */
function pendingSection(plan: ShownPlan): Block[] {
  const { pending = [], base, guards } = plan
  if (pending.length === 0) return []
  const { pending: _, ...rest } = plan
  const alone = { ...rest, base: null, changes: pending, noLongerDeclared: [] }
  const changes = changeSections(alone, reviewChanges(alone), { drift: false }, '')
  // An older checkout declares what was there before.
  const isOlder = guards.some(({ guard, verdict }) => guard === 'older-commit' && verdict !== 'passed')
  const told = formatBase(base)
  const title = isOlder ? `Declared otherwise than in ${told}` : `Declared since ${told}, and not applied yet`
  return section(title, 'strong', changes, ['pending'])
}

/** Ends a plan: its limits, its sum, and the next command, next to the prompt. */
function endOf(
  plan: ShownPlan,
  reviewed: readonly ReviewedChange[],
  options: PlanBlockOptions & NonNullable<Parameters<typeof footnotes>[1]>,
): Block[] {
  const { drift, offersDigest, unmanaged, hintsLedger, brief } = options
  const sums =
    drift === undefined ? `Plan: ${formatEffects(plan, reviewed)}.` : `Drift: ${formatDrift(plan, reviewed)}.`
  const sum = isEmpty(plan) ? '' : [sums, formatGuards(plan)].filter((part) => part !== '').join(' ')
  const parts = [...footnotes(plan, brief ? options : undefined), formatNeeds(plan.needs), describeNotDue(plan)].filter(
    (part) => part !== '',
  )
  const folds = footBlocks(plan)
  const rows = unmanagedRows(plan)
  const hidden: Block[] =
    unmanaged || rows.length === 0 ? [] : [{ block: 'fold', title: 'Undeclared objects', blocks: rows }]
  return [
    { block: 'footer', parts, blocks: [...folds, ...hidden] },
    ...(unmanaged ? section('Not managed', 'faint', [...rows, ...unmanagedOptions(plan, drift?.options)]) : []),
    ...maybeNote(sum, plan.guards.some(({ verdict }) => verdict === 'refused') ? 'error' : 'strong'),
    ...(drift === undefined ? [] : Object.values(nextCommands(plan, drift)).map(optionBlock)),
    ...(offersDigest ? digestBlocks(plan, offersDigest === true ? {} : offersDigest) : []),
    ...(hintsLedger && (isEmpty(plan) || !brief) ? maybeNote(ledgerHint, 'faint') : []),
  ]
}

const optionBlock = ({ what, lines }: NonNullable<ReturnType<typeof nextCommands>['heal']>): Block =>
  lines.length === 0 ? note(`${what}.`, 'faint') : { block: 'copy', says: [words(`${what}:`, 'faint')], lines }

function digestBlocks(plan: ShownPlan, settings: CommandOptions): Block[] {
  const offer = digestOffer(plan, settings)
  if (offer === undefined) return []
  const also = offer.allows ? ', and allow what the guards refuse' : ''
  return [{ block: 'copy', says: `Apply exactly this plan${also}:`, lines: [offer.command] }]
}

/** Empty: the plan is of all that is declared, or nothing is left. */
function describeNotDue({ due }: ShownPlan): string {
  const { pending = [] } = due ?? {}
  if (pending.length === 0) return ''
  const is = byCount(pending.length, 'is', 'are')
  return (
    `${formatCount(pending.length, 'object')} would change besides, and ${is} left: ${enumerateFirst(pending)}. ` +
    `${withProgramName('svcsync apply')} without --due applies all.`
  )
}

/** With a base, a difference from it is shown regardless of its date. */
const formatDays = ({ base }: Pick<ShownPlan, 'base'>): string =>
  `14 days${base ? `, or later and new since ${formatBase(base)}` : ''}`
