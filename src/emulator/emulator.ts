// A running emulator as programs see it, and what it is started with.
import type { Json, JsonObject } from '@svcsync/core/model/json.ts'
import type { Behaviour, BehaviourChanges } from './behaviour.ts'
import type { Clock } from './clock.ts'
import type { Fault } from './http/faults.ts'
import type { Tenant } from './tenant/tenant-shape.ts'

export interface EmulatorOptions {
  /** Starting state as data. Without it and without a file: one empty database. */
  readonly tenant?: Tenant | undefined
  /** YAML, or JSON when the name ends in .json. */
  readonly tenantFile?: string | undefined
  /** State is kept here and, once the file exists, read from here instead of from the tenant. */
  readonly stateFile?: string | undefined
  /** 0, the default: any free port. */
  readonly port?: number | undefined
  /** Every answer is sent this long after its request arrived. */
  readonly latencyMs?: number | undefined
  /** Users and groups wait this long for synchronisation after a write. */
  readonly syncDelayMs?: number | undefined
  /** Short for `behaviour.pageCap`. */
  readonly pageCap?: number | null | undefined
  /** Wins over what the tenant says. */
  readonly behaviour?: BehaviourChanges | undefined
  /** For tests: time, and the changing part of access tokens. */
  readonly clock?: Clock | undefined
  readonly random?: (() => string) | undefined
  /** For tests: told of each request that was carried out, before faults. */
  readonly onExchange?: ((exchange: SeenExchange) => void) | undefined
}

interface SeenExchange {
  readonly api: '5.0' | '6.0' | 'beta'
  readonly method: string
  /** As the interface's document has it, below the version: `/admin/groups/{svcId}`. */
  readonly path: string
  readonly body: unknown
  /** Undefined: it has nothing to say. */
  readonly answer: Json | undefined
}

export interface Emulator {
  readonly url: string
  readonly port: number
  readonly behaviour: Behaviour
  /** The whole state as a tenant document. */
  state(): Tenant
  /** Replaces the whole state. Tokens, faults and the log stay. Throws OperatorError for an unusable document. */
  load(tenant: Tenant): void
  setBehaviour(changes: BehaviourChanges): void
  /** As `POST /_control/faults`; gives the fault's number. */
  addFault(fault: Fault): number
  clearFaults(): void
  /** As `POST /_control/edits`. Throws OperatorError for an edit that cannot be done. */
  edit(...edits: readonly JsonObject[]): void
  /** As `GET /_control/requests`: all requests so far, oldest first, secrets masked. */
  requests(): readonly JsonObject[]
  /** Saves the state and closes the server with all connections. */
  close(): Promise<void>
}
