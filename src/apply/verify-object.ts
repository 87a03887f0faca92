// Reads an object again after its writes, and compares it with what was wanted: the proof of convergence.
import type { FoldSvcId } from '../core/address.ts'
import { type Change, changeOf } from '../core/change.ts'
import { differencesOf } from '../core/describe-change.ts'
import type { Live } from '../core/live.ts'
import type { PlatformPort } from '../core/platform-port.ts'
import type { Unequal } from '../core/report.ts'
import { PlatformError } from '../errors/index.ts'
import { readBack } from './read-back.ts'

export interface VerifyContext {
  readonly port: PlatformPort
  readonly fold: FoldSvcId
  readonly pageSize: number
  sleep(delayMs: number): Promise<void>
  selfOf(address: string): string | undefined
}

/** Some installations show a write a moment late: looked at three times before it counts. */
const lookDelaysMs = [0, 250, 1000] as const

/**
 * Undefined when the object is as desired. `seen`: the object as it was just read, where that was whole; it saves a
 * request.
 */
export async function verifyObject(
  change: Change,
  seen: Live | undefined,
  context: VerifyContext,
): Promise<Unequal | undefined> {
  const { address, desired } = change
  const kind = (desired?.kind ?? change.live?.kind) as Live['kind']
  let result: Unequal | undefined
  for (const delayMs of lookDelaysMs) {
    if (delayMs > 0) await context.sleep(delayMs)
    let live = delayMs === 0 ? seen : undefined
    try {
      const self = context.selfOf(address)
      const at = { ...desired?.at, ...change.live?.at, ...(self !== undefined && { self }) }
      live ??= await readBack(context.port, kind, address, at, context)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      result = { address, differences: [], reason: error.message }
      continue
    }
    result = compare(change, live, context.fold)
    if (result === undefined) return undefined
  }
  return result
}

function compare(change: Change, live: Live | undefined, fold: FoldSvcId): Unequal | undefined {
  const { address, desired } = change
  if (change.action === 'delete' || desired === undefined) {
    return live === undefined ? undefined : { address, differences: [], reason: 'it is still there' }
  }
  if (live === undefined) return { address, differences: [], reason: 'it is not there' }
  const left = changeOf(desired, live, fold)
  return left.action === 'none' ? undefined : { address, differences: differencesOf(left) }
}
