// Time as the embedded platform sees it. Tests bring their own.

export interface Clock {
  /** Milliseconds since 1970: token lifetimes, synchronisation, the request log. */
  now(): number
  /** Milliseconds with fractions, only for differences: when answers are due. */
  elapsed(): number
  /** Resolves once `elapsed()` has reached the time given. */
  until(elapsedMs: number): Promise<void>
}
