// What an apply did, step by step, and whether the platform then was as desired.
import type { ChangeDocument, DifferenceDocument, PlanDocument, StepIdentity, TargetIdentity } from './plan-document.ts'

/**
 * How a step ended. `unchanged`: the platform was so already. `skipped`: a step it depends on did not end well, or the run
 * was interrupted. `unknown`: the answer was lost, and reading back did not settle whether it was carried out.
 */
export type Outcome = 'done' | 'unchanged' | 'failed' | 'skipped' | 'unknown'

export interface StepReport extends StepIdentity {
  readonly outcome: Outcome
  /** Of the problem because of which it did not end well, as docs/problems.md has it. */
  readonly code?: string
  /** Of what did not end well: one sentence. */
  readonly reason?: string
  readonly hint?: string
  /** Of a skipped step: the id of the step because of which. */
  readonly because?: string
  /** Times that the request was sent. */
  readonly attempts: number
  readonly elapsedMs: number
  /** It ended before the run that reports: in the one that was broken off and is gone on with. */
  readonly earlier?: true
}

export interface Unequal {
  readonly address: string
  readonly differences: readonly DifferenceDocument[]
  /** What the differences do not say: it could not be read at all, or lost more than was planned. */
  readonly reason?: string
}

/** What another writer changed while the run was under way, as far as it was seen. */
export interface Meanwhile {
  readonly address: string
  /** Without a full stop. */
  readonly sentence: string
}

export const reportFormatVersion = '1.1'

export interface ApplyReport {
  readonly formatVersion: string
  readonly target: TargetIdentity
  readonly outcome: 'converged' | 'partial' | 'different' | 'interrupted' | 'nothing-to-do'
  readonly counts: Readonly<Record<Outcome, number>>
  readonly steps: readonly StepReport[]
  /** What was done, by object: of the plan's changes those parts whose steps were carried out. */
  readonly changed: readonly ChangeDocument[]
  /** What was touched was read again: how many are as desired, and which are not. */
  readonly verified: {
    readonly equal: number
    readonly unequal: readonly Unequal[]
    /** Of those that are equal, what could not be compared. Absent: all could. */
    readonly unverifiable?: PlanDocument['unverifiable']
  }
  /** Absent: nobody else was seen to write. */
  readonly meanwhile?: readonly Meanwhile[]
  readonly startedAt: string
  readonly elapsedMs: number
}
