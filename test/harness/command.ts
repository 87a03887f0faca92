// Runs the built command as its users do: as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<CommandResult>
  /** Resolves when stderr or stdout holds the text. */
  shows(text: string): Promise<void>
}

const command = resolve(import.meta.dirname, '../../dist/svcsync.js')

/** The environment is what is given, and what node itself needs: nothing of the tests' own. */
export function startCommand(args: readonly string[], cwd: string, env: Record<string, string> = {}): RunningCommand {
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let check: () => void = () => {}
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    check()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    check()
  })
  const ended = new Promise<CommandResult>((done) => {
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
  const shows = (text: string): Promise<void> =>
    new Promise((done) => {
      check = () => {
        if (stdout.includes(text) || stderr.includes(text)) done()
      }
      check()
    })
  return { child, ended, shows }
}

export function runCommand(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<CommandResult> {
  return startCommand(args, cwd, env).ended
}
