// The exit codes that scripts rely on.
import type { ApplyReport } from '../core/plan/report.ts'
import { RefusedError } from '../errors/index.ts'
import { UnwrittenError } from './unwritten-error.ts'

export const exitCodes = {
  /** Done, and nothing (more) to do. */
  done: 0,
  /** An error: nothing is promised. */
  error: 1,
  /** There are differences. */
  differences: 2,
  /** Applied in part: some step failed, was skipped, or is unknown. */
  partial: 3,
  /** Refused before the first write. */
  refused: 4,
  /** All steps done, and the platform still differs. */
  notConverged: 5,
  interrupted: 130,
} as const

export function exitCodeOfReport(outcome: ApplyReport['outcome']): number {
  switch (outcome) {
    case 'converged':
    case 'nothing-to-do':
      return exitCodes.done
    case 'partial':
      return exitCodes.partial
    case 'different':
      return exitCodes.notConverged
    case 'interrupted':
      return exitCodes.interrupted
  }
}

export function exitCodeOfError(error: unknown): number {
  if (error instanceof UnwrittenError) return error.exitCode
  return error instanceof RefusedError ? exitCodes.refused : exitCodes.error
}
