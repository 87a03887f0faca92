// A plan as a comment on a pull request. Without times: an equal plan gives an equal comment, which needs no update.
import type { ShownPlan } from '../changes/by-cause.ts'
import { countFound, driftCaveat, foundAs, sayExtent } from '../changes/drift-words.ts'
import { changeDetails, nameList } from '../changes/markdown-changes.ts'
import {
  formatCounts,
  formatEffects,
  groupChanges,
  isEmpty,
  type PlanGroup,
  sayNothingToDo,
} from '../changes/plan-groups.ts'
import { verdictOf } from '../changes/verdict.ts'
import { asCalled } from '../text/as-called.ts'
import { formatCount, formatNumber } from '../text/counts.ts'
import { code, commentMarker, joinBlocks, listSection, prose, shortenMarkdown } from '../text/markdown.ts'
import { accessSection } from './access.ts'
import { guardNote, refusedSection } from './guards.ts'
import {
  destructiveSection,
  foundSection,
  unreadableSection,
  upcomingSection,
  warningSection,
} from './markdown-sections.ts'
import { sayNeeds, sayNotDue } from './needs.ts'
import { noLongerDeclaredSection, partsOf, sayPending } from './no-longer-declared.ts'
import { pruneSection } from './prune.ts'
import { describeBase, describeTarget, nameTarget } from './target.ts'
import { footnotes, unlistedSection, unmanagedSection } from './unmanaged.ts'
import { digestOffer, type WaySettings, waysOn } from './ways-on.ts'

interface PlanMarkdownOptions {
  /** In UTF-16 code units; default 65,000, since forges refuse comments of more than 65,536 characters. */
  readonly maxLength?: number
  /** What made the plan, for the marker and the headline; default `plan`, or `drift`. */
  readonly command?: string
  /** Says at the end how to apply this plan and no other. */
  readonly offersDigest?: boolean | WaySettings
  /** Says what was found on the platform, not what is to be done about it. */
  readonly drift?: WaySettings | undefined
}

export const commentLength = 65_000

type Stage = Parameters<typeof changeDetails>[1]

const stages: readonly Stage[] = [
  { details: 'all', lines: 300, names: 1000 },
  { details: 'all', lines: 40, names: 1000 },
  { details: 'without-creates', lines: 40, names: 2000 },
  { details: 'without-creates', lines: 20, names: 200 },
  { details: 'none', lines: 0, names: 1000 },
  { details: 'none', lines: 0, names: 100 },
  { details: 'none', lines: 0, names: 20 },
  { details: 'none', lines: 0, names: 0 },
]

export function renderPlanMarkdown(plan: ShownPlan, options: PlanMarkdownOptions = {}): string {
  const groups = groupChanges(plan)
  const render = (stage: Stage) => planMarkdown(plan, groups, options, stage)
  return shortenMarkdown(stages, render, options.maxLength ?? commentLength)
}

function commandOf({ command, drift }: PlanMarkdownOptions): string {
  return command ?? (drift === undefined ? 'plan' : 'drift')
}

function planMarkdown(
  plan: ShownPlan,
  groups: readonly PlanGroup[],
  options: PlanMarkdownOptions,
  stage: Stage,
): string {
  const left = leftOut(groups, stage)
  const changed = groups.flatMap(({ changes }) => changes).filter(({ action }) => action !== 'delete').length
  const drift = options.drift !== undefined
  const { headline, before, after, footer } = planSections(plan, groups, options, stage.names)
  return joinBlocks([
    [commentMarker(commandOf(options), plan.target.name)],
    [headline],
    ...before.slice(0, 2),
    left === '' ? [] : [`> **Shortened:** ${left}. The whole plan is in the output of the command.`],
    ...before.slice(2),
    ...partsOf(plan, groups, drift).flatMap(({ title, groups: own }) => {
      const blocks = own.flatMap((group) => groupBlocks(group, { ...stage, drift }, changed))
      return title === '' || blocks.length === 0 ? blocks : [[`#### ⚠️ ${prose(title)}`], ...blocks]
    }),
    ...after,
    [`<sub>${footer}</sub>`],
  ])
}

/** Everything but the changes themselves, `before` them first what there is of them. `names`: so many of a list. */
export function planSections(
  plan: ShownPlan,
  groups: readonly PlanGroup[],
  options: Omit<PlanMarkdownOptions, 'maxLength'>,
  names: number,
) {
  const { drift, offersDigest = false } = options
  const { target, tool } = plan
  const empty = isEmpty(plan)
  const { severity, sentence } = verdictOf(plan, drift !== undefined)
  const sign = severity === 'danger' ? '⚠️ ' : ''
  const verdict = empty && plan.lacking ? `${sentence} in what was compared` : sentence
  const headline = `### ${sign}svcsync ${prose(commandOf(options))} for ${nameTarget(target)}: ${prose(verdict)}`
  const counted =
    drift === undefined
      ? [formatCounts(plan), ...formatEffects(plan, groups)]
      : [countFound(plan), sayExtent(plan, groups)]
  const effects = counted.filter((part) => part !== '').join('; ')
  const footer = [`svcsync ${tool.version}`, ...describeTarget({ ...target, baseUrl: '' }), ...describeBase(plan.base)]
  return {
    headline,
    before: [
      empty || effects !== '' ? [prose(empty ? sayNothingToDo(plan) : effects)] : [],
      drift === undefined || plan.changes.length === 0 ? [] : [prose(plan.base ? signs : `${driftCaveat} ${signs}`)],
      empty ? [] : refusedSection(plan, names),
      unreadableSection(plan, names, drift === undefined),
      accessSection(plan, names, drift !== undefined),
      drift === undefined ? destructiveSection(groups, names) : foundSection(groups, names, Boolean(plan.base)),
      noLongerDeclaredSection(plan, names),
      pendingSection(plan, names),
      pruneSection(plan, names),
      warningSection(plan, names),
      upcomingSection(plan, names),
      countTable(groups, drift !== undefined),
    ],
    after: [
      ...[footnotes(plan).map(prose).join(' '), prose(sayNeeds(plan.needs)), sayNotDue(plan, code)].map((sentence) =>
        sentence === '' ? [] : [sentence],
      ),
      unlistedSection(plan, names),
      unmanagedSection(plan, names),
      empty ? [] : guardNote(plan, names),
      offersDigest ? digestSentence(plan, offersDigest === true ? {} : offersDigest) : [],
      drift === undefined ? [] : Object.values(waysOn(plan, drift)).map(waySentence),
    ],
    footer: prose(footer.join(' · ')),
  }
}

function digestSentence(plan: ShownPlan, settings: WaySettings): string[] {
  const offer = digestOffer(plan, settings)
  if (offer === undefined) return []
  const also = offer.wantsAllowances ? ' with the options above' : ''
  return [`Digest ${code(offer.digest)}: ${code(asCalled(offer.command))}${also} applies this plan and no other.`]
}

/** What was merged and not applied: no drift. */
function pendingSection({ pending = [], base }: ShownPlan, names: number): string[] {
  const items = pending.map(({ action, address }) => `- ${action} ${code(address)}`)
  return listSection(prose(sayPending(base)), items, Math.min(names, 50))
}

const signs = 'Below, `+` is on the platform and `-` is declared.'

function waySentence({ what, lines }: NonNullable<ReturnType<typeof waysOn>['heal']>): string {
  return `- ${prose(what)}${lines.length === 0 ? '.' : `: ${lines.map((line) => code(asCalled(line))).join(', ')}`}`
}

function countTable(groups: readonly PlanGroup[], drift: boolean): string[] {
  if (groups.length === 0) return []
  const cell = (count: number): string => (count === 0 ? '' : formatNumber(count))
  return [
    drift ? '| | Created | Changed | Missing |' : '| | Delete | Update | Create |',
    '|:--|--:|--:|--:|',
    ...groups.map(({ title, counts }) => {
      return `| ${prose(title)} | ${cell(counts.delete)} | ${cell(counts.update)} | ${cell(counts.create)} |`
    }),
  ]
}

/** Deletions stand in a section of their own. */
function groupBlocks(
  { title, changes }: PlanGroup,
  stage: Stage & { readonly drift: boolean },
  changed: number,
): string[][] {
  const detailed = changes.filter(({ action }) => {
    return (
      action !== 'delete' && (stage.details === 'all' || (stage.details === 'without-creates' && action === 'update'))
    )
  })
  const named = changes.filter((change) => change.action !== 'delete' && !detailed.includes(change))
  if (detailed.length === 0 && (named.length === 0 || stage.names === 0)) return []
  return [
    [`#### ${prose(title)}`],
    ...detailed.map((change) => changeDetails(change, stage, changed <= 15, stage.drift)),
    ...(['update', 'create'] as const).flatMap((action) => {
      const names = named.filter((change) => change.action === action).map(({ address }) => address)
      return names.length === 0 ? [] : [nameList(stage.drift ? foundAs[action] : `to ${action}`, names, stage.names)]
    }),
  ]
}

function leftOut(groups: readonly PlanGroup[], { details, lines, names }: Stage): string {
  const changes = groups.flatMap((group) => group.changes)
  const creates = changes.filter(({ action }) => action === 'create').length
  const updates = changes.filter(({ action }) => action === 'update').length
  const parts: string[] = []
  if (details === 'all' && lines < 300) parts.push(`at most ${lines} lines of each object are shown`)
  if (details === 'without-creates') {
    parts.push(`the fields of ${formatCount(creates, 'object')} to create are left out`)
    parts.push(`at most ${lines} lines of each update are shown`)
  }
  if (details === 'none') parts.push(`the differences of ${formatCount(updates + creates, 'object')} are left out`)
  if (names === 0) parts.push('so are the lists of objects')
  else if (details !== 'all') parts.push(`lists end after ${formatCount(names, 'entry', 'entries')}`)
  return parts.join(', ')
}
