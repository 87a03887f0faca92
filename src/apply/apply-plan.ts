// Applies a plan: runs exactly its steps, waits for what the platform synchronises, reads everything touched again, and
// reports how each step ended.
import type { FoldSvcId } from '../core/address.ts'
import type { Change } from '../core/change.ts'
import type { Kind, LivePart } from '../core/kind.ts'
import type { Live } from '../core/live.ts'
import type { Plan } from '../core/plan.ts'
import { planFormatVersion, type TargetIdentity } from '../core/plan-document.ts'
import type { PlatformPort } from '../core/platform-port.ts'
import type { ApplyReport, Outcome, StepReport, Unequal } from '../core/report.ts'
import type { Step } from '../core/step.ts'

import type { ApplyEvent } from './apply-event.ts'
import { type ExecutionContext, executeStep } from './execute-step.ts'
import { endedWell, runSteps, type StepResult, type Written } from './step-scheduler.ts'
import { createSynchronisation } from './synchronisation.ts'
import { verifyObject } from './verify-object.ts'

export interface ApplyOptions {
  readonly port: PlatformPort
  readonly target: TargetIdentity
  readonly kinds: ReadonlyMap<string, Kind>
  readonly fold: FoldSvcId
  readonly concurrency: number
  readonly pageSize: number
  /** Attempts at what is locked or lost, and the longest wait between two. */
  readonly retry: { readonly attempts: number; readonly maxDelayMs: number }
  readonly syncTimeoutMs: number
  /** First interrupt: no further step starts, and those that run end. */
  readonly stop: AbortSignal
  /** Second interrupt: nothing more is sent or waited for, and what was under way is unknown. */
  readonly kill?: AbortSignal | undefined
  /** Milliseconds since 1970. */
  clock(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  onEvent?(event: ApplyEvent): void
}

/** Never rejects for what the platform does: the report says it. */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const startedAtMs = options.clock()
  const { onEvent } = options
  const changes = new Map(plan.changes.map((change) => [change.address, change]))
  const selves = new Map<string, string>()
  const created = new Set<string>()
  const results = new Map<string, StepReport>()
  const startedMs = new Map<string, number>()
  const stepsLeft = countByAddress(plan.steps)
  const unwell = new Set<string>()
  const unequal: Unequal[] = []
  const verifications: Promise<void>[] = []
  let equal = 0
  let halt: string | undefined

  const synchronisation = createSynchronisation({
    ...options,
    timeoutMs: options.syncTimeoutMs,
    onWaiting: (waiting) => onEvent?.({ type: 'synchronising', waiting }),
  })
  const context: ExecutionContext = {
    ...options,
    ...options.retry,
    sleep: (delayMs) => options.sleep(delayMs, options.kill),
    onLocked: (step, delayMs) => onEvent?.({ type: 'locked', step, delayMs }),
    selfOf: (address) => selves.get(address),
    created: (address, self) => {
      if (self !== undefined) selves.set(address, self)
      created.add(address)
    },
    isNew: (address) => created.has(address),
  }
  const deletions = plan.steps.filter(({ verb }) => verb === 'delete')
  const deleted = new Set(deletions.map(({ at }) => options.fold(at.name ?? '')))
  const hasDependents = addressesOthersWaitFor(plan.steps)

  const verify = async (change: Change, seen: Live | undefined): Promise<void> => {
    const isOver = (): boolean => options.kill?.aborted === true || halt !== undefined
    if (isOver()) return
    const difference = await verifyObject(change, seen, { ...context, deleted })
    if (isOver()) return
    if (difference === undefined) equal++
    else unequal.push(difference)
    onEvent?.({ type: 'verified', objects: equal + unequal.length })
  }

  const usableAfter = async (step: Step, kind: Kind, result: StepResult): Promise<StepResult> => {
    const gone = step.verb === 'delete'
    const at = { ...step.at, self: step.at.self ?? selves.get(step.address) ?? step.at.name ?? '' }
    const target = {
      kind,
      address: step.address,
      at,
      until: gone ? 'gone' : 'ready',
      urgent: hasDependents.has(step.address),
    } as const
    const seen = kind.synchronises ? await synchronisation.wait(target) : undefined
    if (seen === 'late' && (options.kill?.aborted || halt !== undefined)) {
      const reason = 'it was written, and the run ended before the platform was seen to have synchronised it'
      return { ...result, outcome: 'unknown', reason, hint: 'Run plan again: it reads what is there now.' }
    }
    if (seen === 'late') {
      const seconds = Math.round(options.syncTimeoutMs / 1000)
      return {
        ...result,
        outcome: 'failed',
        reason: `it was written, but the platform had not synchronised it within ${seconds} s`,
        hint: 'Run again later; `settings.sync.timeout` says how long to wait.',
      }
    }
    lastSeen.set(step.address, seen)
    return result
  }
  const lastSeen = new Map<string, LivePart | undefined>()

  const onEnd = (step: Step, result: StepResult, because?: string): void => {
    const elapsedMs = startedMs.has(step.id) ? options.clock() - (startedMs.get(step.id) as number) : 0
    results.set(step.id, reportOf(step, result, because, elapsedMs))
    onEvent?.({ type: 'step-ended', step, outcome: result.outcome, reason: result.reason })
    if (!endedWell(result.outcome)) unwell.add(step.address)
    const left = (stepsLeft.get(step.address) as number) - 1
    stepsLeft.set(step.address, left)
    const change = changes.get(step.address)
    if (left > 0 || unwell.has(step.address) || change === undefined) return
    const verification = verify(change, wholeObject(step, change, lastSeen.get(step.address), options.kinds))
    // A defect of ours is reported when all steps have ended: unheard until then, it would end the process between two.
    verification.catch(() => undefined)
    verifications.push(verification)
  }

  await runSteps(plan.steps, {
    concurrency: options.concurrency,
    stop: options.stop,
    halted: () => (halt === undefined ? undefined : `not started, since an earlier step failed for all: ${halt}`),
    async run(step): Promise<Written> {
      const kind = options.kinds.get(step.kind) as Kind
      const result = await executeStep(step, kind, context)
      if (result.stops === true && halt === undefined) {
        halt = result.reason
        synchronisation.giveUp()
      }
      if (endedWell(result.outcome)) onEvent?.({ type: 'step-written', step })
      return { result, usable: endedWell(result.outcome) ? usableAfter(step, kind, result) : Promise.resolve(result) }
    },
    onStart: (step) => {
      startedMs.set(step.id, options.clock())
      onEvent?.({ type: 'step-started', step })
    },
    onEnd,
    onStarving: (starving) => synchronisation.hurry(starving),
  })
  await Promise.all(verifications)

  const steps = plan.steps.map((step) => results.get(step.id) as StepReport)
  const counts: Record<Outcome, number> = { done: 0, unchanged: 0, failed: 0, skipped: 0, unknown: 0 }
  for (const { outcome } of steps) counts[outcome]++
  unequal.sort((a, b) => (a.address < b.address ? -1 : 1))
  return {
    formatVersion: planFormatVersion,
    target: options.target,
    outcome: overallOutcome(counts, unequal, options.stop.aborted, verifications.length - equal - unequal.length),
    counts,
    steps,
    verified: { equal, unequal },
    startedAt: new Date(startedAtMs).toISOString(),
    elapsedMs: options.clock() - startedAtMs,
  }
}

function overallOutcome(
  counts: Readonly<Record<Outcome, number>>,
  unequal: readonly Unequal[],
  interrupted: boolean,
  unverified: number,
): ApplyReport['outcome'] {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (interrupted && counts.skipped + counts.unknown > 0) return 'interrupted'
  if (counts.failed + counts.skipped + counts.unknown > 0) return 'partial'
  // Stopped at once while it was being read again: all is written, and nothing is proven.
  if (unverified > 0) return 'interrupted'
  if (unequal.length > 0) return 'different'
  return total === 0 ? 'nothing-to-do' : 'converged'
}

function countByAddress(steps: readonly Step[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { address } of steps) counts.set(address, (counts.get(address) ?? 0) + 1)
  return counts
}

/** Addresses with a step that a step on another object depends on. */
function addressesOthersWaitFor(steps: readonly Step[]): ReadonlySet<string> {
  const addressOf = new Map(steps.map(({ id, address }) => [id, address]))
  const result = new Set<string>()
  for (const { address, dependsOn } of steps) {
    for (const id of dependsOn) {
      const other = addressOf.get(id)
      if (other !== undefined && other !== address) result.add(other)
    }
  }
  return result
}

/** The object as the watcher saw it, where what it read was the whole object. */
function wholeObject(
  step: Step,
  change: Change,
  seen: LivePart | undefined,
  kinds: ReadonlyMap<string, Kind>,
): Live | undefined {
  const kind = kinds.get(step.kind) as Kind
  if (seen === undefined || kind.requests.list?.(step.at).gives !== 'whole') return undefined
  return { ...seen, kind, address: change.address, at: { ...step.at, self: seen.self } }
}

function reportOf(step: Step, result: StepResult, because: string | undefined, elapsedMs: number): StepReport {
  const { id, address, kind, verb, collection } = step
  return {
    id,
    address,
    kind,
    verb,
    ...(collection !== undefined && { collection }),
    outcome: result.outcome,
    ...(result.reason !== undefined && { reason: result.reason }),
    ...(result.hint !== undefined && { hint: result.hint }),
    ...(because !== undefined && { because }),
    attempts: result.attempts,
    elapsedMs,
  }
}
