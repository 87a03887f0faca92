// Comparing with a memory: objects are compared while others are still being read, and that is not done twice.
import type { FoldSvcId } from '../model/address.ts'
import type { Desired } from '../model/desired.ts'
import type { Live } from '../model/live.ts'
import { type Change, changeOf } from './change.ts'

export type Compare = (desired: Desired, live: Live | undefined) => Change

/** Gives what `changeOf` gives, and the same object for the same two. */
export function rememberingComparison(fold: FoldSvcId): Compare {
  const known = new WeakMap<Live, Change>()
  return (desired, live) => {
    if (live === undefined) return changeOf(desired, live, fold)
    const earlier = known.get(live)
    if (earlier?.desired === desired) return earlier
    const change = changeOf(desired, live, fold)
    known.set(live, change)
    return change
  }
}
