// Joins several plans, drifts and reports: equal statements about several targets appear once.
import { getOrInsert } from '@svcsync/core/model/group-by.ts'
import type { PlanDocument, TargetIdentity } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import type { Block } from '../blocks/block.ts'
import type { ShownPlan } from '../changes/by-cause.ts'
import { isEmpty } from '../changes/plan-counts.ts'
import { verdictOf } from '../changes/verdict.ts'
import { planBlocks } from '../plan/plan-blocks.ts'
import { commentLength, type MarkdownForm, namesOf, printMarkdown } from '../printers/markdown.ts'
import { formatCount } from '../text/counts.ts'
import { code, joinBlocks, prose } from '../text/markdown.ts'
import { neutralise } from '../text/neutralise.ts'
import { reportBlocks } from './report-blocks.ts'
import { reportVerdict } from './report-groups.ts'

export type RunResult =
  | { readonly command: 'plan' | 'drift'; readonly plan: ShownPlan }
  | { readonly command: 'apply'; readonly report: ApplyReport }

interface ResultGroup {
  readonly first: RunResult
  readonly targets: readonly TargetIdentity[]
  readonly all: readonly RunResult[]
}

/** Refusals and unreadable objects come first, then changes, in the order of the files. */
export function groupResults(all: readonly RunResult[]): readonly ResultGroup[] {
  const groups = new Map<string, { first: RunResult; targets: TargetIdentity[]; all: RunResult[] }>()
  for (const reported of all) {
    const group = getOrInsert(groups, comparableText(reported), () => ({ first: reported, targets: [], all: [] }))
    const target = targetOf(reported)
    if (group.targets.some((each) => keyOf(each) === keyOf(target))) continue
    group.targets.push(target)
    group.all.push(reported)
  }
  const sorted = [...groups.values()]
  return sorted.sort((a, b) => gravityOf(b.first) - gravityOf(a.first))
}

export const targetOf = (reported: RunResult): TargetIdentity =>
  reported.command === 'apply' ? reported.report.target : reported.plan.target

/** These differ from job to job, and from target to target. A verdict in a file is not believed: it is made anew. */
const ownFields = {
  ...{ target: 0, tool: 0, createdAt: 0, digest: 0, manifestsDigest: 0, steps: 0 },
  ...{ expiresAt: 0, application: 0, saved: 0, checksum: 0, verdict: 0, history: 0 },
} satisfies Partial<Record<keyof ShownPlan | keyof SavedPlan | 'verdict', 0>>

/** Equal for results that differ in their installation alone: steps and digests hold its ids. */
function comparableText(reported: RunResult): string {
  if (reported.command === 'apply') return JSON.stringify(reported)
  const { base, ...plan } = Object.fromEntries(
    Object.entries(reported.plan).filter(([key]) => !Object.hasOwn(ownFields, key)),
  ) as unknown as ShownPlan
  const content = { ...plan, base: base && { ...base, at: null, begun: base.begun?.map(({ commit }) => commit) } }
  const bare = (changes: PlanDocument['changes'] = []) => changes.map(({ digest: _own, ...change }) => change)
  return JSON.stringify([
    reported.command,
    { ...content, changes: bare(content.changes), pending: bare(content.pending) },
  ])
}

function gravityOf(reported: RunResult): number {
  if (reported.command === 'apply') return reportVerdict(reported.report).kind === 'declared' ? 1 : 4
  const { guards, unreadable, accessDrift } = reported.plan
  if (guards.some(({ verdict }) => verdict === 'refused')) return 4
  if (unreadable.length > 0 || (accessDrift && accessDrift.unread.length > 0)) return 3
  if (!isEmpty(reported.plan)) return 2
  return reported.plan.lacking ? 1 : 0
}

export const isQuiet = (reported: RunResult): boolean => gravityOf(reported) === 0

function formatVerdict(reported: RunResult): string {
  if (reported.command === 'apply') return reportVerdict(reported.report).sentence
  const { plan, command } = reported
  const { severity, sentence } = verdictOf(plan, command === 'drift')
  const left = plan.lacking?.reduce((sum, { objects }) => sum + objects, 0)
  const lacking = left === undefined ? '' : `; ${formatCount(left, 'declared object')} left out`
  return `${severity === 'danger' ? '⚠️ ' : ''}${sentence}${lacking}`
}

export function endOfApply(report: ApplyReport): ReturnType<typeof verdictOf> {
  const { kind, sentence } = reportVerdict(report)
  return { severity: kind === 'declared' ? 'none' : 'danger', sentence, points: [] }
}

/** By which a job finds its earlier comment. */
export const reportMarker = '<!-- svcsync:report -->'

export function blocksOf({ first, targets }: ResultGroup, brief = false): Block[] {
  const blocks =
    first.command === 'apply'
      ? reportBlocks(first.report)
      : planBlocks(withSharedHistory(first.plan, targets), {
          brief,
          ...(first.command === 'drift' && { drift: noWays }),
        })
  return blocks.map((block) => (block.block === 'head' ? headFor(block, targets) : block))
}

/** A difference that is new to one target may be old on another. */
function withSharedHistory(plan: ShownPlan, targets: readonly TargetIdentity[]): ShownPlan {
  if (targets.length === 1) return plan
  const { history: _, ...rest } = plan
  return rest
}

function headFor(head: Block<'head'>, targets: readonly TargetIdentity[]): Block<'head'> {
  const [only, ...others] = targets.map(({ name }) => name)
  if (others.length === 0) return { ...head, target: only ?? head.target }
  return { ...head, targets: targets.map(({ name }) => name), sentence: `${head.sentence}; the same for each` }
}

/** Its name is stable for the same commands and targets. `leftOut`: the number of unreadable results. */
export function checkOf(all: readonly RunResult[], form: CombinedForm = {}) {
  const groups = groupResults(all)
  const { leftOut = [] } = form
  const targets = distinct(groups).map(({ name }) => neutralise(name))
  const which = targets.length > 3 ? formatCount(targets.length, 'target') : targets.join(', ')
  const [first, ...others] = groups as [ResultGroup, ...ResultGroup[]]
  const commands = [...new Set(all.map(({ command }) => command))].sort().join(', ')
  const verdict = others.length === 0 ? formatVerdict(first.first) : headline(groups)
  const sentence = leftOut.length === 0 ? verdict : `${formatCount(leftOut.length, 'result')} not reported; ${verdict}`
  // Differences are what a plan is for; of a drift they are the finding.
  const isFailed =
    leftOut.length > 0 || groups.some(({ first: each }) => gravityOf(each) > (each.command === 'drift' ? 1 : 2))
  return {
    name: cut(`svcsync ${commands}: ${which}`, 200),
    conclusion: isFailed ? ('failure' as const) : ('success' as const),
    title: cut(neutralise(sentence), 250),
    summary: combinedText(all, form),
  }
}

const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

interface CombinedForm extends Pick<MarkdownForm, 'maxLength' | 'link'> {
  readonly page?: string | undefined
  readonly leftOut?: readonly string[]
}

/** A table of all targets, then each in detail, within `maxLength` UTF-16 code units. */
export function renderCombinedMarkdown(all: readonly RunResult[], form: CombinedForm = {}): string {
  const { maxLength = commentLength } = form
  return `${reportMarker}\n\n${combinedText(all, { ...form, maxLength: maxLength - reportMarker.length - 2 })}`
}

function combinedText(
  all: readonly RunResult[],
  { maxLength = commentLength, page, link, leftOut = [] }: CombinedForm,
): string {
  const groups = groupResults(all)
  const loud = groups.filter(({ first }) => !isQuiet(first))
  const whole = page === undefined ? [] : [[`[All of it as a page](<${page}>)`]]
  const isOne = loud.length === 1 && groups.length === 1
  const verdict = groups.length === 0 && leftOut.length > 0 ? 'no results' : headline(groups, code)
  // One result says its verdict first, and needs no table.
  const head = [
    ...(isOne ? [] : [[`### svcsync: ${verdict}`]]),
    ...(leftOut.length === 0 ? [] : [describeLeftOut(leftOut)]),
    ...(isOne || loud.length === 0 ? [] : [table(groups, maxLength / 3)]),
  ]
  const foot = loud.length === 0 ? [] : whole
  const room = maxLength - joinBlocks(head).length - joinBlocks(foot).length - 4
  const shown = loud.slice(0, Math.max(1, Math.floor(room / leastSection)))
  const rest = formatCount(loud.length - shown.length, 'more result')
  const more = shown.length < loud.length ? [[`> **Shortened:** ${rest} in the output of the command.`]] : []
  const level = isOne ? 3 : 4
  const sections = shown.map(
    (group) => (limit: number) => printMarkdown(blocksOf(group, true), { maxLength: limit, link, level }).trimEnd(),
  )
  const texts = fitSections(sections, room - joinBlocks(more).length - 1)
  return joinBlocks([...head, ...texts.filter((text) => text !== '').map((text) => text.split('\n')), ...more, ...foot])
}

const mostLeftOut = 5

function describeLeftOut(leftOut: readonly string[]): string[] {
  const lines = leftOut.slice(0, mostLeftOut).map((each) => `> **Not reported:** ${prose(each.slice(0, 300))}`)
  const more = leftOut.length - lines.length
  return [...lines, ...(more > 0 ? [`> and ${formatCount(more, 'more file')}`] : [])]
}

function headline(groups: readonly ResultGroup[], show: (name: string) => string = neutralise): string {
  const all = distinct(groups)
  // A shard may have none.
  if (all.length === 0) return 'no targets'
  const loud = distinct(groups.filter(({ first }) => !isQuiet(first)))
  if (loud.length === 0)
    return `nothing to do for ${namesOf(
      all.map(({ name }) => name),
      show,
    )}`
  if (loud.length === all.length) return formatCount(all.length, 'target')
  return `${loud.length} of ${formatCount(all.length, 'target')} with something to say`
}

const distinct = (groups: readonly ResultGroup[]): readonly TargetIdentity[] => [
  ...new Map(groups.flatMap(({ targets }) => targets).map((each) => [keyOf(each), each])).values(),
]

const keyOf = ({ name, baseUrl }: TargetIdentity): string => JSON.stringify([name, baseUrl])

const leastSection = 400

function table(groups: readonly ResultGroup[], room: number): string[] {
  const rows: string[] = []
  let left = room
  for (const { first, targets } of groups) {
    const row = `| ${namesOf(targets.map(({ name }) => name))} | ${first.command} | ${prose(formatVerdict(first))} |`
    left -= row.length + 1
    if (left < 0) break
    rows.push(row)
  }
  const rest = formatCount(groups.length - rows.length, 'more result')
  return ['| Target | | |', '|:--|:--|:--|', ...rows, ...(rows.length < groups.length ? [`| … and ${rest} | | |`] : [])]
}

/** Only the output of the command can show the way to heal, since results do not contain its options. */
const noWays = { options: [] }

/** Each has what it takes while all have room; what is too long shares what the shorter ones leave. */
function fitSections(sections: readonly ((limit: number) => string)[], room: number): readonly string[] {
  const whole = sections.map((section) => section(Number.POSITIVE_INFINITY))
  const between = 2
  if (whole.reduce((sum, text) => sum + text.length + between, 0) <= room) return whole
  const order = whole.map((text, index) => ({ length: text.length, index })).sort((a, b) => a.length - b.length)
  const texts: string[] = []
  let left = room
  for (const [position, { length, index }] of order.entries()) {
    const share = Math.floor(left / (order.length - position)) - between
    const text = length <= share ? (whole[index] as string) : (sections[index]?.(Math.max(0, share)) ?? '')
    texts[index] = text
    left -= text.length + between
  }
  return texts
}
