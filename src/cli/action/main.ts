// The entry point that GitHub starts for `uses: …/svcsync`: the action, with svcsync beside it.
import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { exitCodes } from '../program/exit-codes.ts'
import { folderInRepository } from '../program/service-formats.ts'
import { withoutInputs } from './inputs.ts'
import { runAction } from './run-action.ts'

process.exitCode = exitCodes.error

const program = fileURLToPath(new URL('svcsync.cjs', import.meta.url))

/** A job that is cancelled tells the action alone. An apply ends what is under way, and says what it did. */
let running: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void running?.kill(signal))

const svcsync: Parameters<typeof runAction>[2] = (args, { taken = false, env = {} } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...withoutInputs(process.env), ...env },
      stdio: ['ignore', taken ? 'pipe' : 'inherit', 'inherit'],
    })
    running = child
    const parts: Buffer[] = []
    child.stdout?.on('data', (part: Buffer) => parts.push(part))
    child.on('error', reject)
    child.on('close', (code) => {
      running = undefined
      resolve({ code: code ?? exitCodes.error, stdout: Buffer.concat(parts).toString() })
    })
  })

const print = (text: string) => process.stdout.write(text)
process.exitCode = await runAction(process.env, folderInRepository(), svcsync, print)
