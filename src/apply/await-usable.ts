// Waits until what a step wrote is usable by others, and says who needs that.
import { accountsNamed } from '@svcsync/core/model/identity.ts'
import type { Kind, LivePart } from '@svcsync/core/model/kind.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import type { StepResult } from './step-result.ts'
import type { Synchronisation } from './synchronisation.ts'

interface UsableContext {
  readonly synchronisation: Synchronisation
  readonly run: { isOver(): boolean }
  readonly syncTimeoutMs: number
  selfOf(address: string): string | undefined
  isAwaited(address: string): boolean
  /** The last seen state of the object; undefined: not read, or deleted. */
  onSeen(step: Step, seen: LivePart | undefined): void
}

/** The result of the step, or another one when what it wrote did not become usable. */
export async function awaitUsable(
  step: Step,
  kind: Kind,
  result: StepResult,
  context: UsableContext,
): Promise<StepResult> {
  if (!kind.synchronises) return result
  const self = step.at.self ?? context.selfOf(step.address) ?? step.at.name ?? ''
  const seen = await context.synchronisation.wait({
    kind,
    address: step.address,
    at: { ...step.at, self },
    until: step.verb === 'delete' ? 'gone' : 'ready',
    urgent: context.isAwaited(step.address),
  })
  if (seen !== 'late') {
    context.onSeen(step, seen === 'gone' ? undefined : seen)
    return result
  }
  if (context.run.isOver()) {
    const reason = 'it was written, but the run ended before the platform had synchronised it'
    return {
      ...result,
      outcome: 'unknown',
      written: true,
      reason,
      hint: 'Run `svcsync plan`: it reads the live state.',
    }
  }
  const seconds = context.syncTimeoutMs / 1000
  const trouble = context.synchronisation.troubleAt(step.address)
  const last = trouble === undefined ? '' : `, and the last look at it failed: ${trouble}`
  return {
    ...result,
    outcome: 'failed',
    written: true,
    reason: `it was written, but the platform had not synchronised it within ${seconds} s${last}`,
    hint: 'Run again later; `settings.sync.timeout` says how long to wait.',
  }
}

/** Addresses with a step that a step on another object depends on. */
export function addressesOthersWaitFor(steps: readonly Step[]): ReadonlySet<string> {
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

/** True if the step makes its object, known by `own`, refer to itself: somebody who is their own manager. */
export function refersToItself({ spec, fieldKeys }: Step, { sections: [section] }: Kind, own: string): boolean {
  return spec !== undefined && accountsNamed(section, { spec, fieldKeys }).some(({ key }) => key === own)
}
