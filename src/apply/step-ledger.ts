// Keeps how each step ended, until all of it is the report.
import { byAddress } from '@svcsync/core/model/address.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import {
  describeChanges,
  type Mutable,
  placeOfDeclaration,
  stepIdentity,
} from '@svcsync/core/plan/build-plan-document.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { TargetIdentity } from '@svcsync/core/plan/plan-document.ts'
import {
  type ApplyReport,
  changesDone,
  countOutcomes,
  type Outcome,
  reportFormatVersion,
  type StepReport,
} from '@svcsync/core/plan/report.ts'
import type { StepResult } from './step-result.ts'

interface VerifiedObjects {
  readonly equal: number
  readonly unequal: ApplyReport['verified']['unequal']
  readonly unverifiable: NonNullable<ApplyReport['verified']['unverifiable']>
  /** Written, and not read back to the end. */
  readonly unverified: number
}

interface LedgerSettings {
  readonly target: TargetIdentity
  clock(): number
  timer(): number
}

export function createStepLedger({ steps, changes, unreadable, lacking }: Plan, settings: LedgerSettings) {
  const { target, clock, timer } = settings
  const startedAt = new Date(clock()).toISOString()
  const beganMs = timer()
  const startedMs = new Map<string, number>()
  const results = new Map<string, StepReport>()
  const elapsed = (sinceMs: number): number => Math.round(timer() - sinceMs)
  return {
    started: ({ id }: Step): void => {
      startedMs.set(id, timer())
    },
    ended: (step: Step, result: StepResult, because?: string): void => {
      const since = startedMs.get(step.id)
      startedMs.delete(step.id)
      const report = reportOf(step, result, because)
      report.elapsedMs = since === undefined ? 0 : elapsed(since)
      if (since !== undefined) report.startedMs = Math.round(since - beganMs)
      results.set(step.id, report)
    },
    /** `doubles`: other objects with the name of one that this run created. */
    report: (
      verified: VerifiedObjects,
      doubles: ApplyReport['verified']['unequal'],
      meanwhile: NonNullable<ApplyReport['meanwhile']>,
      interrupted: boolean,
    ): ApplyReport => {
      const { equal, unequal, unverifiable, unverified } = withDoubles(verified, doubles)
      const troubled = new Set(steps.filter(({ id }) => isTrouble(results.get(id))).map(({ address }) => address))
      const changeAt = new Map(
        changes.filter(({ address }) => troubled.has(address)).map((each) => [each.address, each]),
      )
      const reports = steps.map((step) => {
        const report = results.get(step.id) as StepReport
        const change = isTrouble(report) ? changeAt.get(step.address) : undefined
        const place = change && placeOfDeclaration(change)
        return place === undefined ? report : { ...report, place }
      })
      const counts = countOutcomes(reports)
      const isDone = ({ id }: Pick<Step, 'id'>): boolean => results.get(id)?.outcome === 'done'
      const touched = new Set(reports.flatMap(({ outcome, address }) => (outcome === 'done' ? address : [])))
      const described = describeChanges(changes.filter(({ address }) => touched.has(address)))
      const sorted = [...unequal].sort(byAddress)
      return {
        formatVersion: reportFormatVersion,
        target,
        outcome: overallOutcome(counts, sorted, interrupted, unverified, unreadable.length),
        counts,
        steps: reports,
        changed: counts.done === steps.length ? described : changesDone(described, steps, isDone),
        verified: {
          equal,
          unequal: sorted,
          ...(unverifiable.length > 0 && { unverifiable: [...unverifiable].sort(byAddress) }),
        },
        ...(unreadable.length > 0 && { unreadable }),
        ...(lacking && { lacking }),
        ...(meanwhile.length > 0 && { meanwhile }),
        startedAt,
        elapsedMs: elapsed(beganMs),
      }
    },
  }
}

function isTrouble(report: StepReport | undefined): boolean {
  return report?.outcome === 'failed' || report?.outcome === 'unknown'
}

function overallOutcome(
  counts: Readonly<Record<Outcome, number>>,
  unequal: ApplyReport['verified']['unequal'],
  interrupted: boolean,
  unverified: number,
  unreadable: number,
): ApplyReport['outcome'] {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (interrupted && counts.skipped + counts.unknown > 0) return 'interrupted'
  if (counts.failed + counts.skipped + counts.unknown > 0) return 'partial'
  // Stopped at once while it was being read again: all is written, and nothing is proven.
  if (unverified > 0) return 'interrupted'
  // Nobody knows if an unread object is as declared.
  if (unreadable > 0) return 'partial'
  if (unequal.length > 0) return 'different'
  return total === 0 ? 'nothing-to-do' : 'converged'
}

function reportOf(step: Step, result: StepResult, because: string | undefined): Mutable<StepReport> {
  const { outcome, written, code, reason, hint, attempts } = result
  const report = stepIdentity(step) as Mutable<StepReport>
  report.outcome = outcome
  if (written) report.written = true
  if (code !== undefined) report.code = code
  if (reason !== undefined) report.reason = reason
  if (hint !== undefined) report.hint = hint
  if (because !== undefined) report.because = because
  report.attempts = attempts
  return report
}

/** An object that shares its name with others is not proven to be as declared, even if it is equal. */
function withDoubles(
  { equal, unequal, ...rest }: VerifiedObjects,
  doubles: ApplyReport['verified']['unequal'],
): VerifiedObjects {
  const known = new Map(unequal.map((each) => [each.address, each]))
  const fresh = doubles.filter(({ address }) => !known.has(address))
  for (const double of doubles) {
    const before = known.get(double.address)
    if (before === undefined) known.set(double.address, double)
    else known.set(double.address, { ...before, reason: [before.reason, double.reason].filter(Boolean).join('; ') })
  }
  const unverifiable = rest.unverifiable.filter(({ address }) => !known.has(address))
  return { ...rest, equal: Math.max(0, equal - fresh.length), unequal: [...known.values()], unverifiable }
}
