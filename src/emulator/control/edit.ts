// One sort of edit: the shape of what it takes, and what it does.
import type { Shape } from '../shape/shape.ts'
import type { PlatformState } from '../state/platform-state.ts'

export interface Edit {
  readonly shape: Shape<unknown>
  readonly apply: (state: PlatformState, given: unknown) => void
}

export function edit<T>(shape: Shape<T>, apply: (state: PlatformState, given: T) => void): Edit {
  // Called with what has passed this very shape.
  return { shape, apply: (state, given) => apply(state, given as T) }
}
