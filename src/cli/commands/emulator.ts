// `svcsync emulator`: the embedded platform, over HTTP, until it is interrupted.

import { once } from 'node:events'
import process from 'node:process'
import { startEmulator } from '../../emulator/index.ts'
import { openConsole } from '../console.ts'
import { exitCodes } from '../exit-codes.ts'
import { orphaned } from '../orphaned.ts'

interface EmulatorCommandOptions {
  readonly tenant?: string
  readonly state?: string
  readonly port: number
  readonly syncDelay: number
  readonly latency: number
  readonly color: boolean
  readonly quiet?: boolean
}

export async function emulatorCommand(options: EmulatorCommandOptions): Promise<number> {
  const console = openConsole(options)
  const emulator = await startEmulator({
    tenantFile: options.tenant,
    stateFile: options.state,
    port: options.port,
    syncDelayMs: options.syncDelay,
    latencyMs: options.latency,
  })
  // Before the address is known: whoever reads it may end the emulator at once, and its state is to be kept.
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), orphaned()])
  await console.result(emulator.url)
  console.note('The embedded platform runs until it is interrupted.')
  await interrupted
  await emulator.close()
  return exitCodes.done
}
