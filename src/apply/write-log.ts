// Where an apply tells of its writes before and after each of them, so that it is known when the process is killed.
import type { Step } from '../core/model/step.ts'
import type { StepResult } from './step-scheduler.ts'

export interface WriteLog {
  /** The request is sent when this resolves. Rejects with an OperatorError when it cannot be kept: then it is not sent. */
  sending(step: Step, attempt: number): Promise<void>
  /** Never fails: what it could not keep shows in `sending` of the next. */
  answered(step: Step, result: StepResult): void
}
