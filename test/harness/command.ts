// Runs the built command as its users do: as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
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

export interface CommandForm {
  /** `none`: node runs what the first argument names. */
  readonly program?: 'svcsync' | 'none'
  /** A file that takes stdout. */
  readonly stdout?: string | undefined
}

/** The environment is what is given, and what node itself needs: nothing of the tests' own. */
export function startCommand(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
  form: CommandForm = {},
): RunningCommand {
  const sink = form.stdout === undefined ? undefined : openSync(form.stdout, 'w')
  const child = spawn(process.execPath, form.program === 'none' ? args : [command, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', sink ?? 'pipe', 'pipe'],
  })
  if (sink !== undefined) closeSync(sink)
  let stdout = ''
  let stderr = ''
  let check: () => void = () => {}
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    check()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
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
