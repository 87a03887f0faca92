import { type ErrorDetails, SvcsyncError } from './svcsync-error.ts'

/** The one who runs the command must act: wrong options, credentials, missing files, an unusable target. */
export class OperatorError extends SvcsyncError {
  readonly actor = 'operator'
}

/** The run was refused before the first write: a guard, or a plan that is stale or meant for another target. */
export class RefusedError extends SvcsyncError {
  readonly actor = 'operator'
  /** Every reason, each a sentence. */
  readonly reasons: readonly string[]

  constructor(code: string, message: string, details: ErrorDetails & { readonly reasons?: readonly string[] } = {}) {
    super(code, message, details)
    this.reasons = details.reasons ?? []
  }
}
