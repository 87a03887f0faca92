// Words the history of a target's runs: new differences, the age of the others, and the trend.
import type { HistoryDocument } from '@svcsync/core/plan/run-history.ts'
import { differencesOf, trendOf } from '@svcsync/core/plan/run-history.ts'
import { type Block, fold, name, names, note, type Text, table, words } from '../blocks/block.ts'
import { formatCount, formatNumber } from '../text/counts.ts'

/** `since 2026-11-22, 4 days`. */
export function formatAge(day: string, today: string): string {
  const days = Math.round((Date.parse(today) - Date.parse(day)) / 86_400_000)
  return days <= 0 ? 'since today' : `since ${day}, ${formatCount(days, 'day')}`
}

/** New differences come first. `today`: the time of the drift run, ISO 8601. */
export function newsBlocks(history: HistoryDocument | undefined, today: string): Block[] {
  if (history === undefined || history.differences.length === 0) return []
  const { before, differences } = history
  const fresh = differences.filter(({ isNew }) => isNew)
  const lasting = differences.filter(({ isNew }) => !isNew).sort((a, b) => (a.since < b.since ? -1 : 1))
  const [oldest] = lasting
  const day = today.slice(0, 10)
  const count = `${formatNumber(fresh.length)} of ${formatCount(differences.length, 'difference')}`
  const news: Text = [
    words(`New since the run of ${before}, ${count}:`, 'strong'),
    names(
      fresh.map(({ what }) => what),
      'news',
    ),
  ]
  return [
    ...(before === null ? [] : fresh.length === 0 ? describeNoNews(history, before) : [note(news)]),
    ...(oldest === undefined || oldest.since >= day
      ? []
      : [note([`Known longest, ${formatAge(oldest.since, day)}:`, name(oldest.what)])]),
    ...fold(
      'How long it has lasted',
      table(lasting.map(({ what, since }) => ({ cells: [[name(what), formatAge(since, day)]] }))),
    ),
  ]
}

/** A run that did not look at access says nothing about what is new of it. */
function describeNoNews({ runs }: HistoryDocument, before: string): Block[] {
  const { access, differences = 0 } = runs.at(-1)?.counts ?? {}
  const looksFirst = access !== undefined && runs.slice(0, -1).every(({ counts }) => counts.access === undefined)
  if (looksFirst && differences === 0) return []
  return [note(`${looksFirst ? 'Beside access, nothing' : 'Nothing'} is new since the run of ${before}.`)]
}

const mostRuns = 10

/** `2 → 5 → 0 in 3 runs of drift since 2026-11-22; 3 applies meanwhile, 1 not as declared`; empty for one run. */
export function formatTrend(runs: HistoryDocument['runs']): string {
  const last = trendOf(runs).slice(-mostRuns)
  const [first] = last
  if (first === undefined || last.length < 2) return ''
  const applies = runs.filter(({ command, at, refused }) => command === 'apply' && !refused && at > first.at)
  const bad = applies.filter(({ isComplete }) => !isComplete).length
  const applied = applies.length === 0 ? '' : `; ${formatCount(applies.length, 'apply', 'applies')} meanwhile`
  const failed = bad === 0 ? '' : `, ${formatNumber(bad)} not as declared`
  const counts = last
    .map((run) => `${run.isComplete ? '' : 'at least '}${formatNumber(differencesOf(run))}`)
    .join(' → ')
  return `${counts} in ${formatCount(last.length, 'run')} of drift since ${first.at.slice(0, 10)}${applied}${failed}`
}
