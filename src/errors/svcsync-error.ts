// The root of every error that svcsync throws on purpose.

/** Who has to act before the run can succeed. */
export type Actor = 'author' | 'operator' | 'platform' | 'svcsync'

export interface ErrorDetails {
  /** What to do about it: one sentence. */
  readonly hint?: string | undefined
  /** The address of the object concerned. */
  readonly address?: string | undefined
  readonly cause?: unknown
}

/** An error with a stable code, the party that must act, and a hint. Its text never holds a secret. */
export abstract class SvcsyncError extends Error {
  abstract readonly actor: Actor
  /** Stable, documented, e.g. `SVC2101`. */
  readonly code: string
  readonly hint: string | undefined
  readonly address: string | undefined

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.hint = details.hint
    this.address = details.address
  }
}
