// One sort of edit: the shape of what it takes, and what it does; and the check that what is given fits.
import { OperatorError } from '@svcsync/errors/index.ts'
import { failuresOf, type Shape, showPath } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'

export interface Edit {
  readonly shape: Shape<unknown>
  readonly apply: (state: PlatformState, given: unknown) => void
}

export function edit<T>(shape: Shape<T>, apply: (state: PlatformState, given: T) => void): Edit {
  // Called with what has passed this very shape.
  return { shape, apply: (state, given) => apply(state, given as T) }
}

/** The value with its type. Throws OperatorError when it does not fit. */
export function checked<T>(shape: Shape<T>, value: unknown): T {
  const told = failuresOf(shape, value).map(({ path, message }) => `${showPath(path) || 'body'}: ${message}`)
  if (told.length > 0) throw unusable(told.join('; '))
  // The shape has just been checked.
  return value as T
}

export function unusable(message: string): OperatorError {
  return new OperatorError('SVC2815', message)
}

/** The object of an edit. Throws OperatorError if it is missing. */
export function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw unusable(`there is no ${what}`)
  return found
}
