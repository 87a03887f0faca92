// The ledger for the terminal: each target with what was applied, what is pending, and who applies now.
import { groupBy } from '@svcsync/core/model/group-by.ts'
import type { StatusReport, TargetStatus } from '@svcsync/core/plan/status-report.ts'
import { type Block, note, type Row, section, type Text, type Tone, table, words } from '../blocks/block.ts'
import { historyRows } from '../plan/run-history.ts'
import { byCount, formatCount } from '../text/counts.ts'

/** `today`: `2026-11-26`. */
export function statusBlocks({ targets }: StatusReport, today: string): Block[] {
  const sum = targets.length > 1 ? [note(sayTogether(targets), 'strong')] : []
  return [...targets.flatMap((target) => targetBlocks(target, today)), ...sum]
}

const mostCommits = 3

function sayTogether(targets: readonly TargetStatus[]): string {
  const sound = targets.filter(({ problem }) => problem === undefined)
  const groups = groupBy(
    sound.filter(({ applied }) => applied !== null),
    ({ applied }) => applied?.commit.slice(0, 7) ?? '',
  )
  const sorted = [...groups]
    .map(([commit, { length }]) => ({ commit, count: length }))
    .sort((a, b) => b.count - a.count)
  const named = sorted
    .slice(0, mostCommits)
    .map(({ commit, count }, index) =>
      index === 0 ? `${count} of ${formatCount(targets.length, 'target')} at ${commit}` : `${count} at ${commit}`,
    )
  const others = sorted.slice(mostCommits).reduce((sum, { count }) => sum + count, 0)
  const counted: readonly (readonly [count: number, what: string])[] = [
    [others, 'at other commits'],
    [sound.filter(({ workingTree: { behind } }) => (behind ?? 0) > 0).length, 'behind what is checked out'],
    [sound.filter(({ begun }) => begun.length > 0).length, 'begun and not completed'],
    [sound.filter(({ applied }) => applied === null).length, 'with nothing applied'],
    [sound.filter(({ lease }) => lease?.state === 'held').length, 'being applied'],
    [targets.length - sound.length, 'with a problem'],
  ]
  return `${[...named, ...counted.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))].join(', ')}.`
}

function targetBlocks(target: TargetStatus, today: string): Block[] {
  const { name, baseUrl, applied, problem } = target
  const row = (title: string, text: string, tone?: Tone): Row => ({
    cells: [title, tone === undefined ? text : [words(text, tone)]],
  })
  const trouble = (found: NonNullable<typeof problem>): Row => {
    const hint: Text[] = found.hint === undefined ? [] : [[words('hint:', 'good'), found.hint]]
    return { cells: [[words('problem', 'error')], [words(found.code, 'error'), found.message]], below: hint }
  }
  const rows =
    problem !== undefined
      ? [trouble(problem)]
      : [
          row('applied', applied === null ? 'nothing yet' : sayApplied(applied)),
          ...target.begun.map((each) => row('begun', sayBegun(each), 'warning')),
          row('pending', sayPending(target), isEven(target) ? undefined : 'warning'),
          row('lease', sayLease(target)),
          ...historyRows(target.history.drift, target.history.runs, today).map(([title, text, isLoud]) =>
            row(title, text, isLoud ? 'warning' : undefined),
          ),
          ...(target.history.flaw === undefined ? [] : [row('history', `${target.history.flaw} (SVC2248)`, 'warning')]),
        ]
  return section(baseUrl === '' ? name : `${name} · ${baseUrl}`, 'strong', table(rows, { weight: 'loss' }))
}

function sayBegun({ commit, subject, at, only, undo }: TargetStatus['begun'][number]): string {
  const named = commit === null ? '' : `${commit.slice(0, 7)} ${subject}`
  const what = undo || commit === null ? `an undo${named && `, back to ${named}`}` : named
  const part = only.map((glob) => ` --only ${glob}`).join('')
  return `${what}${part} · ${at}, not completed: what the platform has of it counts as declared`
}

function sayApplied({ commit, subject, at, application }: NonNullable<TargetStatus['applied']>): string {
  return `${commit.slice(0, 7)} ${subject} · ${at}${application === '' ? '' : ` by ${application}`}`
}

function isEven({ applied, workingTree: { behind, missing, isCommitted } }: TargetStatus): boolean {
  return applied !== null && behind === 0 && missing === 0 && isCommitted
}

function sayPending({ applied, workingTree }: TargetStatus): string {
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
  return parts.length === 0 ? 'nothing' : `${parts.join('; ')}${why}`
}

function sayLease({ lease }: TargetStatus): string {
  if (lease?.flaw !== undefined) return `free; what is there is none: ${lease.flaw} (SVC2232)`
  if (lease === null || lease.state === 'free') return 'free'
  const { holder, where, since, until, state } = lease
  const who = `${holder}${where === '' ? '' : ` (${where})`} since ${since}`
  if (state === 'dead') return `left behind by ${who}: its process has ended`
  return state === 'held' ? `held by ${who}, until ${until} or longer` : `left behind by ${who}: it ran out at ${until}`
}
