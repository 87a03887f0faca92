// The parts of the embedded platform.
import type { Json } from '@svcsync/core/model/json.ts'
import type { Clock } from '../clock.ts'
import type { PlatformState } from '../state/platform-state.ts'
import type { Faults } from './faults.ts'
import type { RequestLog } from './request-log.ts'
import type { Tokens } from './tokens.ts'

/** The parts that all endpoints share. The control endpoint replaces the whole state: always read it anew. */
export interface Platform {
  state: PlatformState
  readonly clock: Clock
  readonly tokens: Tokens
  readonly log: RequestLog
  readonly faults: Faults
  latencyMs: number
  /** Called after every request that may have changed state. */
  readonly changed: () => void
  readonly nextErrorNumber: () => number
  readonly onExchange: ((exchange: ObservedExchange) => void) | undefined
}

interface ObservedExchange {
  readonly api: '5.0' | '6.0' | 'beta'
  readonly method: string
  /** As the interface's document has it, below the version: `/admin/groups/{svcId}`. */
  readonly path: string
  readonly body: unknown
  /** Undefined: it has nothing to say. */
  readonly answer: Json | undefined
}
