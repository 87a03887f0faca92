// Runs git on a repository that somebody else may have written: no hook, no code of it, and never another repository.
import { dirname } from 'node:path'
import process from 'node:process'

/** What git answered. `status` null: it did not end by itself, or could not be started. */
export interface GitAnswer {
  readonly status: number | null
  readonly stdout: Buffer
  /** May quote addresses of remotes, with whatever is in them: never shown as it is. */
  readonly stderr: string
  /** There is no git on this machine. */
  readonly isMissing: boolean
}

export interface GitOptions {
  /** What git reads; nothing otherwise. */
  readonly input?: string | Uint8Array | undefined
  /** Milliseconds until git is ended. */
  readonly timeoutMs?: number | undefined
  /** By which it may reach other repositories: `https:ssh:file`. By none otherwise: what a partial clone lacks is not fetched. */
  readonly protocols?: string | undefined
}

/** So that nothing is run but git itself, whatever the repository configures, and whoever owns it. */
const harmless = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.directory=*'],
  // It may tell other parents than the commits do.
  'core.commitGraph=false',
].flatMap((each) => ['-c', each])

const maxAnswer = 2 ** 30

/** `dir`: the folder with `.git` (see repositoryOf), since git would find others from below. Never rejects, never asks anybody. */
export function runGit(
  dir: string,
  args: readonly string[],
  { input, timeoutMs, protocols }: GitOptions = {},
): GitAnswer {
  // Few runs need git: all others are spared the loading.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { status, stdout, stderr, error } = spawnSync('git', [...harmless, '-C', dir, ...args], {
    env: { ...gitEnvironment(), GIT_CEILING_DIRECTORIES: dirname(dir), GIT_ALLOW_PROTOCOL: protocols ?? 'none' },
    input: input ?? '',
    timeout: timeoutMs ?? 10_000,
    maxBuffer: maxAnswer,
    windowsHide: true,
  })
  const isMissing = (error as { readonly code?: unknown } | undefined)?.code === 'ENOENT'
  return { status, stdout: stdout ?? Buffer.alloc(0), stderr: String(stderr ?? ''), isMissing }
}

/** Without what would lead git to another repository, or have it run something. What a commit holds is what it was made of. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  return {
    ...Object.fromEntries(own),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    LC_ALL: 'C',
  }
}
