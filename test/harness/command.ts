// Runs the built command as its users do: as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { commands } from '../../src/cli/commands/index.ts'
import { exitsOf } from '../../src/cli/program/program.ts'
import { nodeFlags } from './node-flags.ts'
import { isThorough } from './thorough.ts'

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<CommandResult>
  /** Resolves when stderr or stdout holds the text; rejects where the command ends without it. */
  shows(text: string): Promise<void>
  /** Resolves when it is so; rejects where the command ends before: nothing that it does would bring it about. */
  until(isSo: () => boolean): Promise<void>
}

/** An executable to try in place of the built command (`npm run executable`), but where a test changes node itself. */
const executable = process.env.SVCSYNC_PROGRAM === undefined ? undefined : resolve(process.env.SVCSYNC_PROGRAM)
const command = resolve(import.meta.dirname, '../../dist/svcsync.cjs')

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
  const isOfNode = executable === undefined || Object.keys(env).some(isForNode)
  const given = form.program === 'none' ? args : isOfNode ? [command, ...args] : args
  const file = form.program === 'none' || isOfNode ? process.execPath : executable
  const child = spawn(file, given, {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', sink ?? 'pipe', 'pipe'],
  })
  if (sink !== undefined) closeSync(sink)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = new Promise<CommandResult>((done, fail) => {
    child.on('close', (code) => {
      const unlisted = form.program === 'none' ? undefined : unlistedExit(args, code)
      if (unlisted === undefined) done({ code, stdout, stderr })
      else fail(unlisted)
    })
  })
  let hasEnded = false
  const end = (): void => {
    hasEnded = true
  }
  ended.then(end, end)
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      if (hasEnded) throw new Error(`The command ended before what was waited for:\n${stdout}${stderr}`)
      await new Promise((next) => setTimeout(next, 5))
    }
  }
  const shows = (text: string) => until(() => stdout.includes(text) || stderr.includes(text))
  return { child, ended, shows, until }
}

/**
 * The same, where nothing of the process itself matters: in one that has run others before. Where everything is tried
 * (`isThorough`), in one of its own.
 */
export async function runCommand(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<CommandResult> {
  if (isThorough || executable !== undefined || Object.keys(env).some(isForNode))
    return startCommand(args, cwd, env).ended
  const { both: _, ...result } = await runInHost({ args, cwd, env: { PATH: process.env.PATH ?? '', ...env } })
  return result
}

/** Node reads them when it starts. */
const isForNode = (name: string): boolean => name.startsWith('NODE_') || name === 'TZ'

interface AskedOfHost {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** `both`: what came on stdout and on stderr, in the order in which it came. */
type HostResult = CommandResult & { readonly both: string }

/** Some commands wait for a platform meanwhile. */
const mostHosts = 2
const idle: ChildProcess[] = []
const waiting: ((host: ChildProcess | undefined) => void)[] = []
let hosts = 0

export async function runInHost(asked: AskedOfHost): Promise<HostResult> {
  const host =
    idle.pop() ??
    (hosts < mostHosts ? undefined : await new Promise<ChildProcess | undefined>((take) => waiting.push(take)))
  const result = await askHost(host ?? startHost(), asked)
  const unlisted = unlistedExit(asked.args, result.code)
  if (unlisted !== undefined) throw unlisted
  return result
}

/**
 * Whatever a test is about, a command ends with an exit code that its help lists. A signal is no exit code of its own.
 */
function unlistedExit([name = '']: readonly string[], code: number | null): Error | undefined {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined || code === null || exitsOf(command).some(([listed]) => listed === code)) return undefined
  return new Error(`\`svcsync ${name}\` exits with ${code}, which its help does not list`)
}

function startHost(): ChildProcess {
  hosts++
  const env = { PATH: process.env.PATH ?? '' }
  const program = resolve(import.meta.dirname, 'command-host.mjs')
  const host = spawn(process.execPath, [...nodeFlags, program, command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // It ends with whoever started it.
  host.unref()
  return host
}

function askHost(host: ChildProcess, asked: AskedOfHost): Promise<HostResult> {
  return new Promise((done) => {
    let printed = ''
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString()
    }
    const settle = (result: HostResult, isOver: boolean): void => {
      host.stderr?.off('data', hear)
      const next = waiting.shift()
      if (isOver) hosts--
      if (next !== undefined) next(isOver ? undefined : host)
      else if (!isOver) idle.push(host)
      done(result)
    }
    const answer = (message: unknown): void => {
      host.off('close', fall)
      const { isOver, ...result } = message as HostResult & { readonly isOver: boolean }
      // What node itself says, which may come a little later by its own way, is seen by whoever started the command.
      setImmediate(() => settle({ ...result, stderr: result.stderr + printed, both: result.both + printed }, isOver))
    }
    // A crash of the command is one of the process.
    const fall = (code: number | null): void => {
      host.off('message', answer)
      settle({ code, stdout: '', stderr: printed, both: printed }, true)
    }
    host.stderr?.on('data', hear)
    host.once('message', answer)
    host.once('close', fall)
    host.send(asked)
  })
}
