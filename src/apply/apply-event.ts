// The events of a running apply. The engine prints nothing.

import type { Step } from '@svcsync/core/model/step.ts'
import type { Outcome } from '@svcsync/core/plan/report.ts'
import type { StepResult } from './step-result.ts'

export type ApplyEvent =
  | { readonly type: 'step-started'; readonly step: Step }
  /** Its write was carried out; the platform may still have to synchronise it. */
  | { readonly type: 'step-written'; readonly step: Step }
  | {
      readonly type: 'step-ended'
      readonly step: Step
      readonly outcome: Outcome
      readonly reason?: string | undefined
      readonly written?: true | undefined
    }
  /** The number of written objects that the platform has not synchronised yet. */
  | { readonly type: 'synchronising'; readonly waiting: number }
  /** A process is checked out, or an object locked: the step is tried again. */
  | { readonly type: 'locked'; readonly step: Step; readonly delayMs: number }
  | { readonly type: 'verified'; readonly objects: number }

/** Is told of each write before and after it, so that it is known when the process is killed. */
export interface WriteLog {
  /** Rejects when it cannot be kept: then the request is not sent. */
  sending(step: Step, attempt: number): Promise<void>
  /** Never fails: what it could not keep shows in `sending` of the next. */
  answered(step: Step, result: StepResult): void
}
