// The embedded platform: an HTTP server on the loopback that behaves as the platform's documents say.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { JsonObject } from '@svcsync/core/model/json.ts'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { putInPlace } from '@svcsync/files/write-atomically.ts'
import {
  type Behaviour,
  type BehaviourChanges,
  behaviourChangesShape,
  changeBehaviour,
  defaultBehaviour,
} from './behaviour.ts'
import { type Clock, systemClock } from './clock.ts'
import { answerControl, controlPrefix, controlRequests } from './control/control.ts'
import { applyEdits } from './control/edits.ts'
import { runExchange } from './http/exchange.ts'
import { type Fault, Faults } from './http/faults.ts'
import type { Platform } from './http/platform.ts'
import { RequestLog } from './http/request-log.ts'
import { Tokens } from './http/tokens.ts'
import { failuresOf } from './shape/shape.ts'
import { loadTenant, readTenantFile, readTenantJson } from './tenant/load-tenant.ts'
import { saveTenant } from './tenant/save-tenant.ts'
import { locateInObject, tenantError } from './tenant/tenant-error.ts'
import type { Tenant } from './tenant/tenant-shape.ts'

export { type BehaviourChanges, defaultBehaviour } from './behaviour.ts'
export { interfaceDocument } from './interface-document.ts'
export type { Tenant } from './tenant/tenant-shape.ts'

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
  readonly onExchange?: Platform['onExchange']
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

/** Throws OperatorError when the tenant or state file cannot be used, or the port is taken. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const clock = options.clock ?? systemClock()
  const stateFile = options.stateFile === undefined ? undefined : new StateFile(options.stateFile)
  const platform = newPlatform(options, clock, stateFile)
  const load = (tenant: unknown) => {
    const { syncDelayMs, behaviour: defaults } = platform.state
    platform.state = loadTenant(tenant, locateInObject, { clock, syncDelayMs, defaults, behaviour: {} })
    platform.changed()
  }
  const control = controlRequests(platform, load)
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith(controlPrefix)) void answerControl(control, incoming, outgoing)
    else void runExchange(platform, incoming, outgoing)
  })
  // Longer than a test pauses: a connection closed while a client takes it up again would look like a lost write.
  server.keepAliveTimeout = 120_000
  const port = await listen(server, options.port ?? 0)
  let closing: Promise<void> | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get behaviour() {
      return platform.state.behaviour
    },
    state: () => saveTenant(platform.state),
    load,
    setBehaviour: (changes) => {
      platform.state.behaviour = changeBehaviour(platform.state.behaviour, changes)
      platform.changed()
    },
    addFault: (fault) => platform.faults.add(fault),
    clearFaults: () => platform.faults.clear(),
    edit: (...edits) => {
      applyEdits(platform.state, edits)
      platform.changed()
    },
    requests: () => platform.log.show(),
    close: () => {
      closing ??= closeServer(server).then(() => stateFile?.write(saveTenant(platform.state)))
      return closing
    },
  }
}

function newPlatform(options: EmulatorOptions, clock: Platform['clock'], stateFile: StateFile | undefined): Platform {
  const { tenant = {}, tenantFile, syncDelayMs = 0, latencyMs = 0, random = randomUUID, onExchange } = options
  const behaviour = startBehaviour(options)
  const start = tenantFile === undefined ? { document: tenant, locate: locateInObject } : undefined
  const { document, locate } = stateFile?.read() ?? start ?? readTenantFile(tenantFile ?? '')
  let errors = 0
  const platform: Platform = {
    state: loadTenant(document, locate, { clock, syncDelayMs, defaults: defaultBehaviour, behaviour }),
    ...{ clock, tokens: new Tokens(clock, random), log: new RequestLog(), faults: new Faults(), latencyMs, onExchange },
    changed: () => stateFile?.touch(() => saveTenant(platform.state)),
    nextErrorNumber: () => ++errors,
  }
  return platform
}

function startBehaviour({ behaviour = {}, pageCap }: EmulatorOptions): BehaviourChanges {
  const failures = failuresOf(behaviourChangesShape, behaviour)
  if (failures.length > 0) throw tenantError(failures, (path) => `behaviour.${path.join('.')}`)
  return pageCap === undefined ? behaviour : { ...behaviour, pageCap }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'something else listens there' : `the system says ${cause.code}`
      const hint = 'Name another `--port`, or 0 for any that is free.'
      reject(new OperatorError('SVC2813', `cannot listen on 127.0.0.1:${port}: ${reason}`, { hint, cause }))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Writes that follow each other closely share one save. */
const debounceMs = 200

/** Keeps state in a file: written soon after a change, whole or not at all. */
class StateFile {
  readonly #file: string
  #timer: NodeJS.Timeout | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined when there is none yet. Throws OperatorError when it is there and cannot be used. */
  read(): ReturnType<typeof readTenantJson> | undefined {
    return existsSync(this.#file) ? readTenantJson(this.#file) : undefined
  }

  /** A change happened: `snapshot` is taken when the time to save has come. A failed save shows at close. */
  touch(snapshot: () => Tenant): void {
    this.#timer ??= setTimeout(() => {
      try {
        this.write(snapshot())
      } catch {}
    }, debounceMs)
    this.#timer.unref()
  }

  /** Throws OperatorError when it cannot be written. */
  write(tenant: Tenant): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      // It holds the secrets of the applications, and whatever somebody has put into the tenant.
      putInPlace(this.#file, `${JSON.stringify(tenant)}\n`, 0o600)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new OperatorError(
        'SVC2814',
        `the state file ${this.#file} cannot be written: ${whyUnwritable(String(code))}`,
        {
          hint: 'Check its folder and the rights on it. The state of this run is lost.',
          cause,
        },
      )
    }
  }
}
