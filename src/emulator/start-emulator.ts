// Starts the embedded platform: an HTTP server on the loopback that behaves as the platform's documents say.
import { randomUUID } from 'node:crypto'
import { createAdaptorServer } from '@hono/node-server'
import { OperatorError } from '../errors/index.ts'
import { type BehaviourChanges, behaviourChangesShape, changeBehaviour, defaultBehaviour } from './behaviour.ts'
import { systemClock } from './clock.ts'
import { applyEdits } from './control/edits.ts'
import { mountControl } from './control/mount-control.ts'
import type { Emulator, EmulatorOptions } from './emulator.ts'
import { createApp } from './http/create-app.ts'
import type { Platform } from './http/exchange.ts'
import { Faults } from './http/faults.ts'
import { RequestLog } from './http/request-log.ts'
import { Tokens } from './http/tokens.ts'
import { failuresOf } from './shape/shape.ts'
import { StateFile } from './state-file.ts'
import { locateInObject, tenantError } from './tenant/load-problems.ts'
import { loadTenant } from './tenant/load-tenant.ts'
import { readTenantFile, type TenantSource } from './tenant/read-tenant-file.ts'
import { saveTenant } from './tenant/save-tenant.ts'

/** Throws OperatorError when the tenant or state file cannot be used, or the port is taken. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const clock = options.clock ?? systemClock()
  const stateFile = options.stateFile === undefined ? undefined : new StateFile(options.stateFile)
  const behaviour = startBehaviour(options)
  const syncDelayMs = options.syncDelayMs ?? 0
  const source = stateFile?.read() ?? startSource(options)
  let errors = 0
  const platform: Platform = {
    state: loadTenant(source.document, source.locate, { clock, syncDelayMs, defaults: defaultBehaviour, behaviour }),
    clock,
    tokens: new Tokens(clock, options.random ?? randomUUID),
    log: new RequestLog(),
    faults: new Faults(),
    latencyMs: options.latencyMs ?? 0,
    changed: () => stateFile?.touch(() => saveTenant(platform.state)),
    nextErrorNumber: () => ++errors,
    onExchange: options.onExchange,
  }
  const load = (tenant: unknown) => {
    const { syncDelayMs: delay, behaviour: defaults } = platform.state
    platform.state = loadTenant(tenant, locateInObject, { clock, syncDelayMs: delay, defaults, behaviour: {} })
    platform.changed()
  }
  const app = createApp(platform)
  mountControl(app, platform, load)
  // Globals stay as they are: the emulator runs inside other programs.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false })
  // Longer than a test pauses: a connection closed while a client takes it up again would look like a lost write.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 120_000
  const port = await listen(server, options.port ?? 0)
  let closing: Promise<void> | undefined
  const close = async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      if ('closeAllConnections' in server) server.closeAllConnections()
    })
    stateFile?.write(saveTenant(platform.state))
  }
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
      closing ??= close()
      return closing
    },
  }
}

function startBehaviour(options: EmulatorOptions): BehaviourChanges {
  const failures = failuresOf(behaviourChangesShape, options.behaviour ?? {})
  if (failures.length > 0) throw tenantError(failures, (path) => `behaviour.${path.join('.')}`)
  return options.pageCap === undefined ? { ...options.behaviour } : { ...options.behaviour, pageCap: options.pageCap }
}

function startSource({ tenant = {}, tenantFile }: EmulatorOptions): TenantSource {
  return tenantFile === undefined ? { document: tenant, locate: locateInObject } : readTenantFile(tenantFile)
}

function listen(server: ReturnType<typeof createAdaptorServer>, port: number): Promise<number> {
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
