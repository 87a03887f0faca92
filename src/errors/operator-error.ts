import { type ErrorDetails, SvcsyncError } from './svcsync-error.ts'

/** The one who runs the command must act: wrong options, credentials, missing files, an unusable target. */
export class OperatorError extends SvcsyncError {
  readonly actor = 'operator'
  /** What was found, each with its place; the message holds them as well, a line each. */
  readonly findings: readonly string[]

  constructor(code: string, message: string, details: ErrorDetails & { readonly findings?: readonly string[] } = {}) {
    super(code, [message, ...(details.findings ?? []).map((finding) => `  ${finding}`)].join('\n'), details)
    this.findings = details.findings ?? []
  }
}

/** The run was refused before the first write: a guard, or a plan that is stale or meant for another target. */
export class RefusedError extends SvcsyncError {
  readonly actor = 'operator'
  /** Every reason, each a sentence. */
  readonly reasons: readonly string[]
  /** Options with which the run would not be refused, as they are written in a shell. */
  readonly options: string | undefined

  constructor(code: string, message: string, details: RefusalDetails = {}) {
    super(code, message, details)
    this.reasons = details.reasons ?? []
    this.options = details.options
  }
}

interface RefusalDetails extends ErrorDetails {
  readonly reasons?: readonly string[]
  readonly options?: string | undefined
}
