// Runs exactly the steps of a plan, waits, reads everything touched again, and reports how each step ended.
import { type Change, keyOf } from '@svcsync/core/compare/change.ts'
import { type Kind, kindsByName } from '@svcsync/core/model/kind.ts'
import { quoted } from '@svcsync/core/model/near-misses.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { doubtedNames } from '@svcsync/core/plan/doubted-fields.ts'
import type { Plan } from '@svcsync/core/plan/plan.ts'
import type { TargetIdentity } from '@svcsync/core/plan/plan-document.ts'
import type { ApplyReport } from '@svcsync/core/plan/report.ts'

import { InternalError } from '@svcsync/errors/index.ts'
import type { ApplyEvent, WriteLog } from './apply-event.ts'
import { addressesOthersWaitFor, awaitUsable, refersToItself } from './await-usable.ts'
import { executeStep } from './execute-step.ts'
import { OtherWriters } from './other-writers.ts'
import { createCreatedObjects, createRunState } from './run-state.ts'
import { createSharedRequests } from './shared-requests.ts'
import { createStepLedger } from './step-ledger.ts'
import { endedWell, type StepResult } from './step-result.ts'
import { runSteps } from './step-scheduler.ts'
import { Synchronisation } from './synchronisation.ts'
import { createVerifications } from './verifications.ts'

export interface ApplyOptions {
  readonly port: PlatformPort
  readonly target: TargetIdentity
  readonly kinds: readonly Kind[]
  readonly concurrency: number
  readonly pageSize: number
  /** Attempts at what is locked or lost, and the longest wait between two. */
  readonly retry: { readonly attempts: number; readonly maxDelayMs: number }
  readonly syncTimeoutMs: number
  /** First interrupt: no further step starts, and those that run end. */
  readonly stop: AbortSignal
  /** Second interrupt: nothing more is sent or waited for, and what was under way is unknown. */
  readonly kill?: AbortSignal | undefined
  /** Milliseconds since 1970: when the apply began. */
  clock(): number
  /** Milliseconds from any moment, for how long things take. It never jumps, unlike a clock that is set. */
  timer(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  onEvent?(event: ApplyEvent): void
  /** Ids of steps that another process may have sent: what they answered is lost. */
  readonly maybeSent?: ReadonlySet<string> | undefined
  readonly log?: WriteLog | undefined
}

/** Never rejects for what the platform does, but for a defect of ours. */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const { kill, syncTimeoutMs } = options
  const kinds = kindsByName(options.kinds)
  const ledger = createStepLedger(plan, options)
  const created = createCreatedObjects()
  const synchronisation = new Synchronisation({
    ...options,
    timeoutMs: syncTimeoutMs,
    onWaiting: (waiting) => tell({ type: 'synchronising', waiting }),
    onPlatformDown: () => run.halt('not started, because the platform is down'),
  })
  const run = createRunState(kill, () => synchronisation.giveUp())
  // A failing listener must not break off the writes.
  const tell = (event: ApplyEvent): void => {
    try {
      options.onEvent?.(event)
    } catch (error) {
      run.broke(error)
    }
  }
  const changeAt = new Map(plan.changes.map((change) => [change.address, change]))
  const others = new OtherWriters({ ...options, changes: changeAt, selfOf: created.selfOf })
  const known = {
    ...options,
    kinds,
    selfOf: created.selfOf,
    seenAt(address: string) {
      const change = changeAt.get(address)
      return { seen: change?.live, before: change?.live?.name ?? change?.desired?.previously }
    },
  }
  const sharing = createSharedRequests(known)
  const context = {
    others,
    sharing,
    ...known,
    ...options.retry,
    sleep: (delayMs: number) => options.sleep(delayMs, kill),
    onLocked: (step: Step, delayMs: number) => tell({ type: 'locked', step, delayMs }),
    created: created.add,
    isNew: created.has,
  }
  const keyAt = (address: string): string => keyOf(changeAt.get(address) ?? nothing)
  const deletions = plan.steps.filter(({ verb, restsOn }) => verb === 'delete' && restsOn === undefined)
  const verifications = createVerifications(plan, changeAt, {
    ...context,
    run,
    deleted: new Set(deletions.map(({ address }) => keyAt(address))),
    onVerified: (objects) => tell({ type: 'verified', objects }),
  })
  const awaited = addressesOthersWaitFor(plan.steps)
  const isAwaited = (address: string) => awaited.has(address)
  const usable = { ...known, synchronisation, run, syncTimeoutMs, isAwaited, onSeen: verifications.seen }
  const kindOf = (step: Step): Kind => kinds.get(step.kind) as Kind
  const carryOut = (step: Step) =>
    executeStep(step, kindOf(step), context).catch((error: unknown): StepResult => {
      run.broke(error)
      return defective
    })
  const write = async (step: Step) => {
    const result = await carryOut(step)
    options.log?.answered(step, result)
    if (result.stops !== undefined) run.halt(result.stops)
    if (!endedWell(result.outcome)) return { result, usable: Promise.resolve(result) }
    tell({ type: 'step-written', step })
    return { result, usable: awaitUsable(step, kindOf(step), result, usable) }
  }

  await runSteps(plan.steps, {
    concurrency: options.concurrency,
    stop: options.stop,
    halted: run.halted,
    sharing,
    takesLong: (step) => kindOf(step).synchronises,
    needsUsable: (step) => refersToItself(step, kindOf(step), keyAt(step.address)),
    run: write,
    unsent: ({ id, address }, on) => unsentBecause(changeAt.get(address), on, options.maybeSent?.has(id) === true),
    onStart: (step) => {
      ledger.started(step)
      tell({ type: 'step-started', step })
    },
    onEnd: (step, result, because) => {
      ledger.ended(step, result, because)
      tell({ type: 'step-ended', step, outcome: result.outcome, reason: result.reason, written: result.written })
      verifications.stepEnded(step, result.outcome)
    },
    onStarving: (starving) => synchronisation.hurry(starving),
  })
  const verified = await verifications.all()
  const doubles = await lookAfterwards(others, run, verified.unequal)
  const report = ledger.report(verified, doubles, others.changes(), options.stop.aborted)
  const defect = run.defect()
  if (defect !== undefined) throw new BrokenApplyError(report, defect.error)
  return report
}

const defective: StepResult = {
  outcome: 'unknown',
  reason: 'svcsync itself failed during this step',
  hint: 'Run `svcsync plan`: it reads the live state.',
  attempts: 1,
}

/** Reads objects that share a name with one of this run. A defect there does not stop the report. */
async function lookAfterwards(
  others: OtherWriters,
  run: ReturnType<typeof createRunState>,
  unequal: ApplyReport['verified']['unequal'],
): Promise<ApplyReport['verified']['unequal']> {
  const failed = (error: unknown): ApplyReport['verified']['unequal'] => {
    run.broke(error)
    return []
  }
  const doubles = run.isOver() ? [] : await others.doubles().catch(failed)
  if (!run.isOver()) await others.lookAgain(unequal).catch(failed)
  return doubles
}

/** `maybeSent`: another process may have sent it before. */
function unsentBecause(change: Change | undefined, restsOn: string, maybeSent: boolean): StepResult {
  return { outcome: maybeSent ? 'unknown' : 'skipped', reason: whyUnsent(change, restsOn), attempts: 0 }
}

function whyUnsent(change: Change | undefined, restsOn: string): string {
  const names = change?.address === restsOn ? doubtedNames(change) : []
  if (names.length === 0) return `${restsOn} could not be read`
  return `it would send ${quoted(names)} along, which may have another name here`
}

const nothing = { desired: undefined, live: undefined }

/** A defect of ours in the middle of an apply: what was written until then is not lost with it. */
export class BrokenApplyError extends InternalError {
  /** The outcome of each step: unknown for the one with the defect; no later one started. */
  readonly report: ApplyReport

  constructor(report: ApplyReport, cause: unknown) {
    const said = cause instanceof Error ? cause.message : String(cause)
    super(`The apply broke off for a defect of svcsync: ${said}`, cause)
    this.report = report
  }
}
