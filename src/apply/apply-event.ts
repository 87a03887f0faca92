// What an apply tells while it runs. The host renders it; the engine prints nothing.

import type { Step } from '../core/model/step.ts'
import type { Outcome } from '../core/plan/report.ts'

export type ApplyEvent =
  | { readonly type: 'step-started'; readonly step: Step }
  /** Its write was carried out; the platform may still have to synchronise it. */
  | { readonly type: 'step-written'; readonly step: Step }
  | {
      readonly type: 'step-ended'
      readonly step: Step
      readonly outcome: Outcome
      readonly reason?: string | undefined
    }
  /** How many written objects the platform has not synchronised yet; 0: none any more. */
  | { readonly type: 'synchronising'; readonly waiting: number }
  /** A process is checked out, or an object locked: the step is tried again. */
  | { readonly type: 'locked'; readonly step: Step; readonly delayMs: number }
  /** How many of the objects that were touched have been read again. */
  | { readonly type: 'verified'; readonly objects: number }
