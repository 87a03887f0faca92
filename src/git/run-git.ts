// Runs git on a repository that somebody else may have written: no hook, no code of it, and never another repository.
import { dirname } from 'node:path'
import process from 'node:process'

/** The answer of git. `status` null: it was killed, or did not start. */
interface GitAnswer {
  readonly status: number | null
  readonly stdout: Buffer
  /** May quote addresses of remotes with credentials, so it is never shown unchanged. */
  readonly stderr: string
  readonly isMissing: boolean
}

interface GitOptions {
  readonly input?: string | Uint8Array | undefined
  /** Milliseconds until git is ended. */
  readonly timeoutMs?: number | undefined
  /** Bytes of its answer, and of each part of its memory: it fails where it needs more. */
  readonly mostMemory?: number | undefined
  /** With the settings of whoever runs svcsync as they count where a remote is spoken to. */
  readonly asForRemotes?: true | undefined
}

/** So that nothing is run but git itself, whatever the repository configures, and whoever owns it. */
const harmless = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.directory=*'],
  // It may tell other parents than the commits do.
  'core.commitGraph=false',
].flatMap((each) => ['-c', each])

/** Systems search programs here first: a folder that nobody else writes to. */
const ownFolder = dirname(process.execPath)

const maxAnswer = 2 ** 30

/** `dir`: the folder with `.git` (see repositoryOf): git would find others from below. Never rejects or asks. */
export function runGit(
  dir: string,
  args: readonly string[],
  { input, timeoutMs, mostMemory, asForRemotes }: GitOptions = {},
): GitAnswer {
  // Few runs need git: all others are spared the loading.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { status, stdout, stderr, error } = spawnSync('git', [...harmless, '-C', dir, ...args], {
    cwd: ownFolder,
    // git must not fetch what a partial clone lacks.
    env: {
      ...gitEnvironment(dir, asForRemotes && ofRemotes),
      ...(mostMemory !== undefined && { GIT_ALLOC_LIMIT: `${mostMemory}` }),
      GIT_ALLOW_PROTOCOL: 'none',
    },
    input: input ?? '',
    timeout: timeoutMs ?? 10_000,
    maxBuffer: mostMemory ?? maxAnswer,
    windowsHide: true,
  })
  const isMissing = (error as { readonly code?: unknown } | undefined)?.code === 'ENOENT'
  return { status, stdout: stdout ?? Buffer.alloc(0), stderr: String(stderr ?? ''), isMissing }
}

/** Variables by which the user or a pipeline configures git's access to remotes. */
const ofRemotes = /^GIT_(?:SSH|ASKPASS|CONFIG_|SSL|HTTP|PROXY|ALLOW_PROTOCOL)/

/** Drops variables that lead git to another repository, a program or a prompt. Replaced objects are ignored. */
function gitEnvironment(dir: string, keeps?: RegExp): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || keeps?.test(name))
  return {
    ...Object.fromEntries(own),
    GIT_CEILING_DIRECTORIES: dirname(dir),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    LC_ALL: 'C',
  }
}

/** Transports that run a program which an address names are none of them. */
const transports = 'file:git:http:https:ssh'

/** Nor does anything ask in a window. */
const noWindows = { GCM_INTERACTIVE: 'never', SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' }

interface RemoteGitOptions {
  /** Milliseconds until git is ended. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** As runGit, with the user's credentials and settings; see refusedSettings. Without a terminal, git never asks. */
export function runRemoteGit(
  dir: string,
  args: readonly string[],
  { timeoutMs, signal }: RemoteGitOptions,
): Promise<GitAnswer> {
  if (signal?.aborted) return Promise.resolve({ status: null, stdout: Buffer.alloc(0), stderr: '', isMissing: false })
  const { spawn } = process.getBuiltinModule('node:child_process')
  const quiet = ['maintenance.auto=false', 'gc.auto=0', 'credential.interactive=false'].flatMap((each) => ['-c', each])
  const child = spawn('git', [...harmless, ...quiet, '-C', dir, ...args], {
    cwd: ownFolder,
    env: { GIT_ALLOW_PROTOCOL: transports, ...gitEnvironment(dir, ofRemotes), ...noWindows },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A session of its own: no terminal, and an interrupt is svcsync's to answer.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const end = (): void => {
    try {
      // With what it has started.
      if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  const timer = setTimeout(end, timeoutMs)
  signal?.addEventListener('abort', end)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  return new Promise((resolve) => {
    const settle = (status: number | null, isMissing: boolean): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve({ status, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), isMissing })
    }
    child.on('error', (error: { readonly code?: unknown }) => settle(null, error.code === 'ENOENT'))
    child.on('close', (status) => settle(status, false))
  })
}
