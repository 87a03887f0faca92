// Work for the time that requests take, and requests for the time that work takes: a plan comes out the same without it.
// Each of these buys some milliseconds where the platform is near by, and more with what is declared: parts a and e of
// `npm run bench` show it. Nobody has measured them one by one.
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { type Change, changeOf } from '../../core/compare/change.ts'
import { refusals } from '../../core/guards/judge-guards.ts'
import type { FoldSvcId } from '../../core/model/address.ts'
import type { Desired } from '../../core/model/desired.ts'
import type { Kind } from '../../core/model/kind.ts'
import type { Live } from '../../core/model/live.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { manifestsText } from '../../core/plan/plan-digest.ts'
import type { PlatformClient } from '../../platform/index.ts'
import { writeNeeds } from '../open/scope-needs.ts'
import { sha256 } from '../open/sha256.ts'

/** Until then a connection on the way is open, at least to a platform near by. */
const tokenSentMs = 3

/** Lets the request for the token get on its way: what is computed next is computed while it is answered. */
export async function sendTokenRequest(authorised: Promise<void>): Promise<void> {
  await Promise.race([authorised.catch(() => undefined), delay(tokenSentMs)])
}

/** What can be computed while the platform is still being read: `onDesired` and `onLive` are for `observe`. */
export function createWorkWhileReading(fold: FoldSvcId) {
  const compared = new WeakMap<Live, Change>()
  let digest: string | undefined
  /** Gives what `changeOf` gives. Companies are named after an object was read: those objects are compared once more. */
  const compare = (desired: Desired, live: Live | undefined): Change => {
    if (live === undefined) return changeOf(desired, live, fold)
    const earlier = compared.get(live)
    if (earlier?.desired === desired) return earlier
    const change = changeOf(desired, live, fold)
    compared.set(live, change)
    return change
  }
  return {
    compare,
    onLive: compare,
    onDesired: (desired: readonly Desired[]): void => {
      digest = sha256(manifestsText(desired))
    },
    manifestsDigest: (): string | undefined => digest,
  }
}

/**
 * Access for steps that will be carried out without a question is asked for while the plan is put into words. That it is
 * refused shows when they are carried out.
 */
export async function requestWriteAccess(
  { steps, guards }: Plan,
  client: PlatformClient,
  kinds: ReadonlyMap<string, Kind>,
): Promise<void> {
  if (steps.length === 0 || refusals(guards).length > 0) return
  client.authorise(writeNeeds(steps, kinds)).catch(() => undefined)
  // A turn of the loop, in which the request leaves.
  await setImmediate()
}
