// The outcome of a step, with reason and hint.
import type { Outcome } from '@svcsync/core/plan/report.ts'
import { failureCodes, type PlatformError, SvcsyncError } from '@svcsync/errors/index.ts'
import { answerOf } from './next-action.ts'

export interface StepResult {
  readonly outcome: Outcome
  /** The platform carried the write out, and was not seen to have synchronised it. */
  readonly written?: true
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly hint?: string | undefined
  readonly attempts: number
  /** The failure concerns every step to come: what to say of those that do not start. */
  readonly stops?: string
}

/** True if dependent steps may start. */
export function endedWell(outcome: Outcome): boolean {
  return outcome === 'done' || outcome === 'unchanged'
}

/** The result of a step whose last answer was `error`. `trouble`: why reading back failed, if it did. */
export function resultOf(
  outcome: 'done' | 'unchanged' | 'failed' | 'unknown',
  error: PlatformError,
  trouble: unknown,
  attempts: number,
): StepResult {
  switch (outcome) {
    case 'done':
    case 'unchanged':
      return { outcome, attempts }
    case 'failed': {
      const reason = answerOf(error) === 'locked' ? `locked: ${error.message}` : error.message
      return { outcome, code: error.code, reason, hint: error.hint, attempts }
    }
    case 'unknown': {
      const cause = trouble ?? error
      const said = cause instanceof SvcsyncError ? cause.message : 'reading back failed'
      return {
        outcome,
        code: cause instanceof SvcsyncError ? cause.code : error.code,
        reason: `svcsync does not know whether the platform carried it out: ${said}`,
        hint: 'Run `svcsync plan`: it reads the live state.',
        attempts,
      }
    }
  }
}

export function whyStopped(error: PlatformError): string {
  // The failed step has the reason, which a thousand others need not repeat.
  if (error.code === failureCodes.platformDown) return 'not started, because the platform is down'
  return `not started, because an earlier step failed for all: ${error.message}`
}

/** A write of which the journal could not tell: it was not sent, or is not sent again. */
export function unkeptResult(error: unknown, attempts: number, lost: boolean): StepResult {
  const said = error instanceof SvcsyncError ? error.message : 'the journal failed'
  const reason = lost ? `svcsync does not know whether the platform carried it out: ${said}` : said
  const outcome = lost ? 'unknown' : attempts > 0 ? 'failed' : 'skipped'
  const code = error instanceof SvcsyncError ? error.code : undefined
  return { outcome, code, reason, attempts, stops: 'not started, because the journal cannot be written' }
}

/** Only the operator can mend a failure before sending; any other is a defect of svcsync. */
export function failedResult(error: unknown, attempts: number): StepResult {
  if (error instanceof SvcsyncError && error.actor !== 'svcsync') {
    return { outcome: 'failed', code: error.code, reason: error.message, hint: error.hint, attempts }
  }
  throw error
}
