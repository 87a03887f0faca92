// The state of each target in the ledger: data for people and programs.
import { groupBy } from '../model/group-by.ts'
import type { BegunCommit } from './plan-document.ts'
import { differencesOf, type HistoryDocument, type HistoryRun, splitFingerprints, unpackDays } from './run-history.ts'

interface LastingDrift {
  /** When it was looked for last. */
  readonly at: string
  /** Everything was read. */
  readonly isComplete: boolean
  /** The remaining differences: later applies have healed the others. */
  readonly differences: number
  /** The first 50 of them, those first that are known longest. */
  readonly named: readonly Omit<NonNullable<HistoryRun['named']>[number], 'is'>[]
}

export interface TargetStatus {
  readonly name: string
  readonly baseUrl: string
  /** Null: nothing was applied with a ledger yet. */
  readonly applied: {
    readonly commit: string
    readonly subject: string
    readonly at: string
    readonly application: string
    readonly digest: string
  } | null
  /** Unfinished applies: the platform may hold parts of them. `subject`: the first line of the commit. */
  readonly begun: readonly (BegunCommit & { readonly subject: string })[]
  readonly workingTree: {
    /** The checked-out commit; null: no commit yet. */
    readonly commit: string | null
    /** Commits that touch the project's files and were not applied; null: it cannot be told, see `reason`. */
    readonly behind: number | null
    /** The same of commits that were applied and are not in what is checked out. */
    readonly missing: number | null
    /** The files of the project are those of the commit. */
    readonly isCommitted: boolean
    /** Why they are not, or why nothing can be told. */
    readonly reason?: string
  }
  /** Null: there was never one. */
  readonly lease: {
    readonly state: 'free' | 'held' | 'expired' | 'dead'
    readonly holder: string
    readonly where: string
    readonly since: string
    readonly until: string | null
    /** Why it is no lease, as the end of a sentence; the next apply that writes replaces it. Absent: it is one. */
    readonly flaw?: string
  } | null
  /** The findings of the last runs. */
  readonly history: {
    /** null: no run of drift is kept. */
    readonly drift: LastingDrift | null
    /** The oldest first. */
    readonly runs: HistoryDocument['runs']
    /** A sentence on parts of the ref that are not svcsync's, or on why it is unreadable. Absent: it is sound. */
    readonly flaw?: string
  }
  /** Absent: the ledger of this target is sound. */
  readonly problem?: { readonly code: string; readonly message: string; readonly hint: string | undefined }
}

export interface StatusReport {
  readonly formatVersion: string
  readonly remote: string
  readonly counts: StatusCounts
  readonly targets: readonly TargetStatus[]
}

/** Numbers of targets by state; one may count more than once. */
interface StatusCounts {
  readonly targets: number
  /** By the applied commit, most targets first. */
  readonly commits: readonly { readonly commit: string; readonly targets: number }[]
  /** Behind what is checked out. */
  readonly behind: number
  readonly begun: number
  /** Without unfinished applies. */
  readonly nothingApplied: number
  readonly beingApplied: number
  readonly problem: number
  /** Whose last apply was refused by guards. */
  readonly refused: number
  readonly refusedBy: readonly { readonly guard: string; readonly targets: number }[]
}

/** Guards that refused the last apply to the target. */
export function lastRefusalsOf({ history, problem }: Pick<TargetStatus, 'history' | 'problem'>): readonly string[] {
  if (problem !== undefined) return []
  return history.runs.findLast(({ command }) => command === 'apply')?.refused ?? []
}

/** An unfinished apply may have applied a part. */
export function hasNothingApplied({ applied, begun }: Pick<TargetStatus, 'applied' | 'begun'>): boolean {
  return applied === null && begun.length === 0
}

export function countStatus(targets: readonly TargetStatus[]): StatusCounts {
  const sound = targets.filter(({ problem }) => problem === undefined)
  const count = (holds: (target: TargetStatus) => boolean): number => sound.filter(holds).length
  const byMost = (names: readonly string[]) =>
    [...groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const).sort(([, a], [, b]) => b - a)
  return {
    targets: targets.length,
    commits: byMost(sound.flatMap(({ applied }) => applied?.commit ?? [])).map(([commit, of]) => ({
      commit,
      targets: of,
    })),
    behind: count(({ workingTree: { behind } }) => (behind ?? 0) > 0),
    begun: count(({ begun }) => begun.length > 0),
    nothingApplied: count(hasNothingApplied),
    beingApplied: count(({ lease }) => lease?.state === 'held'),
    problem: targets.length - sound.length,
    refused: count((target) => lastRefusalsOf(target).length > 0),
    refusedBy: byMost(sound.flatMap(lastRefusalsOf)).map(([guard, of]) => ({ guard, targets: of })),
  }
}

/** The last complete run's findings, without later changes by applies. Undefined: there was none. */
export function lastingDrift(runs: readonly HistoryRun[]): LastingDrift | undefined {
  const index = runs.findLastIndex(({ command, only }) => command === 'drift' && only.length === 0)
  const run = runs[index]
  if (run === undefined) return undefined
  const healed = new Set(runs.slice(index + 1).flatMap((each) => splitFingerprints(each.healed ?? '')))
  const known = unpackDays(run.days ?? {})
  const gone = [...healed].filter((each) => known.has(each)).length
  const named = (run.named ?? []).filter(({ is }) => !healed.has(is))
  return {
    at: run.at,
    isComplete: run.isComplete,
    differences: Math.max(0, differencesOf(run) - gone),
    named: named.map(({ is, ...each }) => each),
  }
}
