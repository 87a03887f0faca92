// The report of an apply that was broken off and gone on with: about its whole plan.
import { stepIdentity } from './build-plan-document.ts'
import { changedBy } from './changed-by.ts'
import type { PlanDocument, StepDocument } from './plan-document.ts'
import type { ApplyReport, Outcome, StepReport } from './report.ts'

/** How a step of before stands now. */
interface EarlierStep {
  readonly outcome: 'done' | 'unchanged'
  readonly attempts: number
}

/** `rest`: the report of the steps that were left. `earlier`: what is known of a step that was not. */
export function wholeReport(
  { steps, changes }: PlanDocument,
  rest: ApplyReport,
  earlier: (step: StepDocument) => EarlierStep,
): ApplyReport {
  const now = new Map(rest.steps.map((step) => [step.id, step]))
  const all = steps.map(
    (step): StepReport => now.get(step.id) ?? { ...stepIdentity(step), ...earlier(step), elapsedMs: 0, earlier: true },
  )
  const counts: Record<Outcome, number> = { done: 0, unchanged: 0, failed: 0, skipped: 0, unknown: 0 }
  for (const { outcome } of all) counts[outcome]++
  const done = new Set(all.filter(({ outcome }) => outcome === 'done').map(({ id }) => id))
  const left = new Set(rest.steps.map(({ address }) => address))
  // They were read when the rest was worked out, and nothing was left to do on them.
  const proven = new Set(steps.map(({ address }) => address).filter((address) => !left.has(address)))
  return {
    ...rest,
    outcome: rest.outcome === 'nothing-to-do' && all.length > 0 ? 'converged' : rest.outcome,
    counts,
    steps: all,
    changed: changedBy(changes, steps, ({ id }) => done.has(id)),
    verified: { ...rest.verified, equal: rest.verified.equal + proven.size },
  }
}
