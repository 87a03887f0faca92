// Reads an object again after its writes, and compares it with what was wanted: the proof of convergence.

import { type Change, changeOf, kindOf } from '../core/compare/change.ts'
import { elementKey, elementName, subjectKey } from '../core/model/elements.ts'
import type { Live } from '../core/model/live.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import { concealed } from '../core/model/sensitive.ts'
import { differencesOf } from '../core/plan/describe-change.ts'
import type { Unequal } from '../core/plan/report.ts'
import { PlatformError } from '../errors/index.ts'
import { readBack } from './read-back.ts'

export interface VerifyContext {
  readonly port: PlatformPort
  readonly pageSize: number
  sleep(delayMs: number): Promise<void>
  selfOf(address: string): string | undefined
  /** Keys of accounts that the plan deletes: what they had goes with them. */
  readonly deleted: ReadonlySet<string>
}

/** Some installations show a write a moment late: looked at three times before it counts. */
const lookDelaysMs = [0, 250, 1000] as const

/** As desired, but for what cannot be compared; or not. */
type Verified = { readonly unverifiable: readonly string[] } | { readonly unequal: Unequal }

/**
 * Whether the object is as desired. `seen`: the object as it was just read, where that was whole; it saves a
 * request.
 */
export async function verifyObject(change: Change, seen: Live | undefined, context: VerifyContext): Promise<Verified> {
  const { address, desired } = change
  const kind = kindOf(change)
  let result: Verified = { unverifiable: [] }
  for (const delayMs of lookDelaysMs) {
    if (delayMs > 0) await context.sleep(delayMs)
    let live = delayMs === 0 ? seen : undefined
    try {
      const self = context.selfOf(address)
      const at = { ...desired?.at, ...change.live?.at, ...(self !== undefined && { self }) }
      live ??= await readBack(context.port, kind, address, at, {
        pageSize: context.pageSize,
        before: change.live?.name,
      })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      result = { unequal: { address, differences: [], reason: concealed(error.message, desired?.spec) } }
      continue
    }
    result = compare(change, live, context)
    if ('unverifiable' in result) return result
  }
  return result
}

function compare(change: Change, live: Live | undefined, context: VerifyContext): Verified {
  const { address, desired } = change
  const unequal = (reason: string): Verified => ({ unequal: { address, differences: [], reason } })
  if (change.action === 'delete' || desired === undefined) {
    return live === undefined ? { unverifiable: [] } : unequal('it is still there')
  }
  if (live === undefined) return unequal('it is not there')
  const left = changeOf(desired, live)
  const reason = takenBeside(change, live, context)
  if (left.action === 'none' && reason === undefined) return { unverifiable: left.unverifiable }
  const differences = differencesOf(left)
  return { unequal: { address, differences, ...(reason !== undefined && { reason }) } }
}

/** Some installations take every level of a subject with one: what nobody planned to take is said, managed or not. */
function takenBeside(change: Change, live: Live, { deleted }: VerifyContext): string | undefined {
  const taken: string[] = []
  for (const { collection, removed } of change.collections) {
    if (removed.length === 0) continue
    const subjects = new Set(removed.map(subjectKey))
    const left = new Set([...removed, ...(live.collections[collection] ?? [])].map(elementKey))
    for (const element of change.live?.collections[collection] ?? []) {
      const subject = subjectKey(element)
      if (!subjects.has(subject) || deleted.has(subject) || left.has(elementKey(element))) continue
      taken.push(`${elementName(element)} ${element.level ?? ''}`.trim())
    }
  }
  return taken.length === 0 ? undefined : `the platform took more than was asked for: ${taken.join(', ')}`
}
