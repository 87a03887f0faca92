// Verifies each object beside the writes, as soon as the last of its steps has ended well.
import type { Change } from '../core/compare/change.ts'
import type { Kind, LivePart } from '../core/model/kind.ts'
import { type Live, liveOf } from '../core/model/live.ts'
import type { Step } from '../core/model/step.ts'
import type { Plan } from '../core/plan/plan.ts'
import type { Outcome, Unequal } from '../core/plan/report.ts'
import type { RunState } from './run-state.ts'
import type { VerifiedObjects } from './step-ledger.ts'
import { endedWell } from './step-result.ts'
import { type VerifyContext, verifyObject } from './verify-object.ts'

interface Verifications {
  /** What synchronisation saw last of the step's object, so that it need not be read again. */
  seen(step: Step, live: LivePart | undefined): void
  stepEnded(step: Step, outcome: Outcome): void
  /** Resolves when all that began have ended. */
  all(): Promise<VerifiedObjects>
}

interface VerificationOptions extends VerifyContext {
  readonly kinds: ReadonlyMap<string, Kind>
  readonly run: RunState
  onVerified(objects: number): void
}

/** `changeAt`: the changes of the plan by their addresses. */
export function createVerifications(
  { steps }: Plan,
  changeAt: ReadonlyMap<string, Change>,
  options: VerificationOptions,
): Verifications {
  const left = new Map<string, number>()
  for (const { address } of steps) left.set(address, (left.get(address) ?? 0) + 1)
  const unwell = new Set<string>()
  const lastSeen = new Map<string, LivePart | undefined>()
  const begun: Promise<void>[] = []
  const unequal: Unequal[] = []
  const unverifiable: VerifiedObjects['unverifiable'][number][] = []
  let equal = 0

  const verify = async (change: Change, seen: Live | undefined): Promise<void> => {
    if (options.run.isOver()) return
    const verified = await verifyObject(change, seen, options)
    if (options.run.isOver()) return
    if ('unequal' in verified) unequal.push(verified.unequal)
    else {
      equal++
      const { unverifiable: paths } = verified
      if (paths.length > 0) unverifiable.push({ address: change.address, paths })
    }
    options.onVerified(equal + unequal.length)
  }
  return {
    seen: ({ address }, live) => {
      lastSeen.set(address, live)
    },
    stepEnded(step, outcome) {
      const { address } = step
      if (!endedWell(outcome)) unwell.add(address)
      const remaining = (left.get(address) as number) - 1
      left.set(address, remaining)
      const change = changeAt.get(address)
      if (remaining > 0 || unwell.has(address) || change === undefined) return
      const seen = wholeObject(step, change, lastSeen.get(address), options)
      begun.push(verify(change, seen).catch(options.run.broke))
    },
    async all() {
      await Promise.all(begun)
      return { equal, unequal, unverifiable, unverified: begun.length - equal - unequal.length }
    },
  }
}

/** The object as the watcher saw it, where what it read was the whole object. */
function wholeObject(
  step: Step,
  change: Change,
  seen: LivePart | undefined,
  { kinds, port }: VerificationOptions,
): Live | undefined {
  const kind = kinds.get(step.kind) as Kind
  if (seen === undefined || kind.parseItem !== undefined) return undefined
  return liveOf(seen, { kind, address: change.address, at: { ...step.at, self: seen.self } }, port.normalise)
}
