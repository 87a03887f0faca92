// The ledger for people: each target with what was applied, what is pending, and who applies now.
import { shellWord } from '@svcsync/core/guards/shell-option.ts'
import { differencesOf } from '@svcsync/core/plan/run-history.ts'
import {
  hasNothingApplied,
  lastRefusalsOf,
  type StatusReport,
  type TargetStatus,
} from '@svcsync/core/plan/status-report.ts'
import { type Block, name, note, type Row, section, table, words } from '../blocks/block.ts'
import { hintOf } from '../plan/notices.ts'
import { formatAge, formatTrend } from '../plan/run-history.ts'
import { inlines } from '../printers/text-items.ts'
import { byCount, formatCount, formatNumber } from '../text/counts.ts'
import type { Tone } from '../text/line.ts'

/** `today`: `2026-11-26`. */
export function statusBlocks({ targets, counts }: StatusReport, today: string): Block[] {
  const sum = targets.length > 1 ? [note(`${formatTotals(counts)}.`, 'strong')] : []
  return [...targets.flatMap((target) => targetBlocks(target, today)), ...sum]
}

/** One row for each target, filtered by its counts. */
export function statusPageBlocks({ targets, counts, remote }: StatusReport, today: string): Block[] {
  const rows = targets.map((target): Row => {
    const { name: of, baseUrl, applied } = target
    const tags = tagsOf(target)
    const isCalm = tags.length === 0
    const lines = rowsOf(target, today).map(({ cells: [title = '', ...rest], below = [] }) => [
      [...inlines(title), ...rest.flatMap((cell) => [' ', ...inlines(cell)])],
      ...below,
    ])
    return {
      ...{ sign: isCalm ? '•' : '~', tone: isCalm ? 'good' : 'warning' },
      cells: [[name(of)], baseUrl === '' ? '' : [name(baseUrl)], applied?.commit.slice(0, 7) ?? '', tags.join(', ')],
      below: lines.flat(),
      tags: [...tags, ...(applied === null ? [] : [`at ${applied.commit.slice(0, 7)}`])],
    }
  })
  const severity =
    counts.problem + counts.refused > 0 ? 'danger' : rows.some(({ sign }) => sign === '~') ? 'notice' : 'none'
  const head = { block: 'head', what: 'Status', target: '', points: [] } as const
  const headings = ['Target', 'Address', 'Commit', 'State']
  return [
    { ...head, severity, about: [`ledger in ${remote}`], sentence: formatTotals(counts) },
    ...section('Targets', 'strong', table(rows, { noun: ['target', 'targets'], headings, weight: 'loss' })),
  ]
}

/** The categories of a target in the sum, besides its commit. */
function tagsOf(target: TargetStatus): readonly string[] {
  const { begun, lease, problem, workingTree } = target
  if (problem !== undefined) return ['problem']
  return [
    ...lastRefusalsOf(target).map((guard) => `refused (${guard})`),
    ...((workingTree.behind ?? 0) > 0 ? ['behind'] : []),
    ...(begun.some((each) => !isUndo(each)) ? ['begun'] : []),
    ...(begun.some(isUndo) ? ['undo'] : []),
    ...(hasNothingApplied(target) ? ['nothing applied'] : []),
    ...(lease?.state === 'held' ? ['being applied'] : []),
  ]
}

const mostCommits = 3

/** `288 of 300 targets at a1b2c3d, 9 at d4e5f6a, 9 behind what is checked out, 3 refused (last-administrator)`. */
function formatTotals({ targets, commits, refusedBy: guards, ...counts }: StatusReport['counts']): string {
  const named = commits.slice(0, mostCommits).map(({ commit, targets: of }, index) => {
    const at = `at ${commit.slice(0, 7)}`
    return index === 0 ? `${of} of ${formatCount(targets, 'target')} ${at}` : `${of} ${at}`
  })
  const others = commits.slice(mostCommits).reduce((sum, each) => sum + each.targets, 0)
  const [only] = guards
  const by = guards.length === 1 ? only?.guard : guards.map(({ guard, targets: of }) => `${guard} ${of}`).join(', ')
  const counted: readonly (readonly [count: number, what: string])[] = [
    [others, 'at other commits'],
    [counts.behind, 'behind the checked out commit'],
    [counts.refused, `refused (${by})`],
    [counts.begun, 'with an unfinished apply or an undo'],
    [counts.nothingApplied, 'with nothing applied'],
    [counts.beingApplied, 'being applied'],
    [counts.problem, 'with a problem'],
  ]
  return [...named, ...counted.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))].join(', ')
}

function targetBlocks(target: TargetStatus, today: string): Block[] {
  const { name: of, baseUrl } = target
  const rows = table(rowsOf(target, today), { weight: 'loss' })
  return section(baseUrl === '' ? of : `${of} · ${baseUrl}`, 'strong', rows)
}

function rowsOf(target: TargetStatus, today: string): Row[] {
  const { applied, problem } = target
  const row = (title: string, text: string, tone?: Tone): Row => ({
    cells: [title, tone === undefined ? text : [words(text, tone)]],
  })
  const trouble = (found: NonNullable<typeof problem>): Row => {
    const cells = [[words('problem', 'error')], [words(found.code, 'error'), found.message]]
    return { cells, below: hintOf(found.hint) }
  }
  if (problem !== undefined) return [trouble(problem)]
  const refused = lastRefusalsOf(target)
  const nothingYet = hasNothingApplied(target) ? 'nothing yet' : 'nothing completely yet'
  return [
    row('applied', applied === null ? nothingYet : describeApplied(applied)),
    ...target.begun.map((each) => row(isUndo(each) ? 'undo' : 'begun', describeBegunRun(each), 'warning')),
    ...(refused.length === 0 ? [] : [row('refused', `the last apply, by ${refused.join(', ')}`, 'warning')]),
    row('pending', describePending(target), isUpToDate(target) ? undefined : 'warning'),
    row('lease', describeLease(target)),
    ...historyRows(target.name, target.history, today).map(([title, text, isLoud]) =>
      row(title, text, isLoud ? 'warning' : undefined),
    ),
    ...(target.history.flaw === undefined ? [] : [row('history', `${target.history.flaw} (SVC2248)`, 'warning')]),
  ]
}

type BegunRun = TargetStatus['begun'][number]

/** Also one that is complete: the platform differs from the applied commit since. */
const isUndo = ({ commit, undo }: BegunRun): boolean => undo === true || commit === null

function describeBegunRun(begun: BegunRun): string {
  const { commit, subject, at, only } = begun
  const part = only.map((glob) => ` --only ${glob}`).join('')
  const named = `${commit === null ? 'no known commit' : `${commit.slice(0, 7)} ${subject}`}${part}`
  const what = isUndo(begun) ? `back to ${named}` : `${named} · ${at}, not completed`
  return `${what}: what the platform has of it counts as declared`
}

const describeApplied = ({ commit, subject, at, application }: NonNullable<TargetStatus['applied']>): string =>
  `${commit.slice(0, 7)} ${subject} · ${at}${application === '' ? '' : ` by ${application}`}`

const isUpToDate = ({ applied, begun, workingTree: { behind, missing, isCommitted } }: TargetStatus): boolean =>
  applied !== null && !begun.some(isUndo) && behind === 0 && missing === 0 && isCommitted

function describePending({ applied, begun, workingTree }: TargetStatus): string {
  const { commit, behind, missing, isCommitted, reason } = workingTree
  const were = byCount(missing ?? 0, 'was applied and is', 'were applied and are')
  const parts = [
    ...(applied === null || commit === null || behind !== null ? [] : ['commits that cannot be counted']),
    ...(applied === null ? ['everything'] : []),
    ...(behind ? [`${formatCount(behind, 'commit')} of the project, up to ${commit?.slice(0, 7)}`] : []),
    ...(missing ? [`${formatCount(missing, 'commit')} that ${were} not in ${commit?.slice(0, 7)}`] : []),
    ...(isCommitted || reason === undefined ? [] : [reason]),
  ]
  const why = isCommitted && reason !== undefined ? `: ${reason}` : ''
  const none = begun.some(isUndo) ? 'no commit, but an undo came since the last apply' : 'nothing'
  return parts.length === 0 ? none : `${parts.join('; ')}${why}`
}

function describeLease({ lease }: TargetStatus): string {
  if (lease?.flaw !== undefined) return `free; the lease is not valid: ${lease.flaw} (SVC2232)`
  if (lease === null || lease.state === 'free') return 'free'
  const { holder, where, since, until, state } = lease
  const who = `${holder}${where === '' ? '' : ` (${where})`} since ${since}`
  if (state === 'dead') return `left behind by ${who}: its process has ended`
  return state === 'held' ? `held by ${who}, until ${until} or longer` : `left behind by ${who}: it ran out at ${until}`
}

/** So many are named in a text. */
const mostNamed = 10

/** Rows of a target: what differs and since when, one line each, and the trend. */
function historyRows(
  target: string,
  { drift: lasting, runs }: TargetStatus['history'],
  today: string,
): readonly (readonly [title: string, text: string, isLoud: boolean])[] {
  if (lasting === null) return []
  const { at, differences, named, isComplete } = lasting
  const run = runs.find((each) => each.command === 'drift' && each.at === at)
  const what = formatLasting(differences, run === undefined ? differences : differencesOf(run), at)
  const shown = named.slice(0, mostNamed)
  const rest = differences - shown.length
  const trend = formatTrend(runs)
  return [
    ['drift', `${what}${isComplete ? '' : ', but not everything could be read'}`, differences > 0 || !isComplete],
    ...shown.map((each) => ['lasts', `${formatAge(each.since, today)}: ${each.what}`, true] as const),
    ...(rest > 0 && shown.length > 0
      ? [['lasts', `… and ${formatNumber(rest)} more: svcsync drift --target ${shellWord(target)}`, false] as const]
      : []),
    ...(trend === '' ? [] : [['trend', trend, false] as const]),
  ]
}

/** Applies may have healed some since: they were there at that time. */
function formatLasting(left: number, found: number, at: string): string {
  if (left < found)
    return `${left === 0 ? 'nothing' : formatNumber(left)} left of ${formatCount(found, 'difference')} found at ${at}`
  return `${left === 0 ? 'nothing' : formatCount(left, 'difference')}, as of ${at}`
}
