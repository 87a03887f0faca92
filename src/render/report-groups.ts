// The steps of a report that did not end well, those with one cause together.
import type { ApplyReport, Outcome, StepReport } from '../core/report.ts'

export interface StepGroup {
  readonly outcome: Exclude<Outcome, 'done' | 'unchanged'>
  readonly steps: readonly StepReport[]
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly hint?: string | undefined
  /** Of skipped steps: the step that began it, however many steps lie between. */
  readonly because?: StepReport | undefined
}

const order = ['failed', 'unknown', 'skipped'] as const

/** Failed first, then unknown, then skipped; within these in the order of the steps. */
export function groupTrouble(report: ApplyReport): StepGroup[] {
  const byId = new Map(report.steps.map((step) => [step.id, step]))
  const groups = new Map<string, StepGroup & { steps: StepReport[] }>()
  for (const outcome of order) {
    for (const step of report.steps) {
      if (step.outcome !== outcome) continue
      const because = outcome === 'skipped' ? rootOf(step, byId) : undefined
      const cause = because === undefined ? [step.code, step.reason, step.hint] : [because.id]
      const key = JSON.stringify([outcome, because !== undefined, ...cause])
      const group = groups.get(key)
      if (group === undefined) {
        const { code, reason, hint }: Pick<StepReport, 'code' | 'reason' | 'hint'> = because === undefined ? step : {}
        groups.set(key, { outcome, steps: [step], code, reason, hint, because })
      } else {
        group.steps.push(step)
      }
    }
  }
  return [...groups.values()]
}

function rootOf(step: StepReport, byId: ReadonlyMap<string, StepReport>): StepReport | undefined {
  const seen = new Set([step.id])
  let cause = step.because === undefined ? undefined : byId.get(step.because)
  while (cause?.because !== undefined && !seen.has(cause.id)) {
    const next = byId.get(cause.because)
    if (next === undefined) break
    seen.add(cause.id)
    cause = next
  }
  return cause
}

/** `create group/a`, `add members to group/a`: what a step does, for people. The address comes last. */
export function describeStep({ verb, collection, address }: StepReport): {
  readonly what: string
  readonly address: string
} {
  if (verb === 'add') return { what: `add ${collection ?? 'elements'} to`, address }
  if (verb === 'remove') return { what: `remove ${collection ?? 'elements'} from`, address }
  return { what: verb, address }
}

const endings: Readonly<Record<Outcome, string>> = {
  done: 'done',
  unchanged: 'unchanged',
  failed: 'failed',
  skipped: 'was skipped',
  unknown: 'ended unknown',
}

/** `failed`, `ended unknown`: the word behind a step that is the cause of others. */
export function describeEnding({ outcome }: StepReport): string {
  return endings[outcome]
}
