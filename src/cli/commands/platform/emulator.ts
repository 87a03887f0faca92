// `svcsync emulator`: the embedded platform, over HTTP, until it is interrupted.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import process, { env } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmulator } from '@svcsync/emulator/index.ts'
import type { Values } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-codes.ts'
import type { Console } from '../../terminal/console.ts'
import type { emulator as table } from '../platform.ts'

export async function emulatorCommand(options: Values<typeof table>, console: Console) {
  const { tenant: tenantFile, state: stateFile, port, syncDelay: syncDelayMs, latency: latencyMs } = options
  const emulator = await startEmulator({ tenantFile, stateFile, port, syncDelayMs, latencyMs })
  // Before the address is known: whoever reads it may end the emulator at once, and its state is to be kept.
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), parentEnded()])
  await console.result(emulator.url)
  console.note('The embedded platform runs until it is interrupted.')
  await interrupted
  await emulator.close()
  return exitCodes.done
}

const lookEveryMs = 300

/** Resolves when the npm or npx that runs this command is gone; a shell may well end before. */
async function parentEnded(): Promise<void> {
  if (env.npm_command === undefined) return new Promise(() => {})
  const parent = process.ppid
  const watched = [parent, ...ancestorsOf(parent)]
  while (process.ppid === parent && watched.every(isThere)) await delay(lookEveryMs)
}

/** Between npm and the command there is a shell, unless that gave its place to the command. */
function ancestorsOf(shell: number): readonly number[] {
  const { name, parent } = processOf(shell) ?? {}
  return parent !== undefined && /(?:^|[/-])(?:sh|ash|bash|dash|ksh|zsh)$/.test(name ?? '') ? [parent] : []
}

/** Undefined where it cannot be told: only the parent is watched then. */
function processOf(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return { name: /^Name:\s*(.*)$/m.exec(status)?.[1] ?? '', parent: Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1]) }
  } catch {}
  try {
    const line = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
    const [, parent, name = ''] = /^\s*(\d+)\s+(.*?)\s*$/.exec(line) ?? []
    return parent === undefined ? undefined : { name, parent: Number(parent) }
  } catch {
    return undefined
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The system knows a process that it may not signal.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
