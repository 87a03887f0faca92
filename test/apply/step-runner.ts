// The platform as one step meets it: it is asked for just what a script says, in its order.
import { expect } from 'vitest'
import { executeStep } from '../../src/apply/execute-step.ts'
import { OtherWriters } from '../../src/apply/other-writers.ts'
import { createCreatedObjects } from '../../src/apply/run-state.ts'
import { normaliserOf } from '../../src/core/model/address.ts'
import type { Json } from '../../src/core/model/json.ts'
import type { Kind } from '../../src/core/model/kind.ts'
import type { PlatformPort } from '../../src/core/model/platform-port.ts'
import type { Step } from '../../src/core/model/step.ts'
import { AccessError, failureCodes, PlatformError } from '../../src/errors/index.ts'

type Context = Parameters<typeof executeStep>[2]
export const normalise = normaliserOf('ignore-case')

export const at = { method: 'POST', path: '/x' } as const
export const failed = (code: string, status: number, message = `answered ${status}`) =>
  new PlatformError(code, message, { kind: 'status', ...at, status })
export const lost = new PlatformError(failureCodes.connectionLost, 'the connection broke', { kind: 'lost', ...at })
export const away = new PlatformError(failureCodes.unreachable, 'nobody there', { kind: 'unreachable', ...at })
export const locked = failed(failureCodes.locked, 423, 'somebody works on it')
export const absent = failed(failureCodes.notFound, 404)
export const refused = failed(failureCodes.rejected, 400)
export const forbidden = new AccessError(failureCodes.tokenRefused, 'no token', { kind: 'status', ...at, status: 401 })

export type Exchange = readonly [string, Json | Error]

/** Expected requests and answers are pushed to `script`; any further request fails the test. */
export function createStepRunner(more: Partial<Context> = {}) {
  const script: Exchange[] = []
  const sleeps: number[] = []
  const locks: number[] = []
  const created = createCreatedObjects()
  const port: PlatformPort = {
    ...{ apiVersion: '6.0', normalise, authorise: async () => undefined },
    async send({ method, path }) {
      const [wanted, answer] = script.shift() ?? ['nothing', null]
      expect(`${method} ${path}`).toBe(wanted)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const others = new OtherWriters({ port, pageSize: 9, changes: new Map(), selfOf: created.selfOf })
  const context: Context = {
    ...{ port, others, pageSize: 9, attempts: 3, maxDelayMs: 1000, syncTimeoutMs: 1000 },
    sleep: async (delayMs) => void sleeps.push(delayMs),
    onLocked: (_, delayMs) => void locks.push(delayMs),
    seenAt: () => ({ seen: undefined, before: undefined }),
    selfOf: created.selfOf,
    created: created.add,
    isNew: created.has,
    sharing: { answerTo: () => undefined },
    ...more,
  }
  const carryOut = async (step: Step, kind: Kind, ...exchanges: readonly Exchange[]) => {
    script.push(...exchanges)
    const result = await executeStep(step, kind, context)
    expect(script).toEqual([])
    return result
  }
  return { carryOut, created, others, script, sleeps, locks }
}
