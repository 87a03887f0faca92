// A git repository of a test's own, which knows nothing of the machine's configuration.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'

export interface Repository {
  readonly dir: string
  git(...args: string[]): string
  write(file: string, text: string | Uint8Array): void
  /** Commits everything; gives the commit. */
  commit(message?: string): string
  remove(): void
}

/** Equal commits have equal names, whenever and wherever they are made. */
export const gitEnvironment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  // No hooks to look at: most of what a new repository costs.
  GIT_TEMPLATE_DIR: '',
  GIT_AUTHOR_NAME: 'Anna',
  GIT_AUTHOR_EMAIL: 'anna@example.com',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Anna',
  GIT_COMMITTER_EMAIL: 'anna@example.com',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
}

/** Everything in the folder as a commit; gives its id. The look for upkeep, a process each time, would find nothing. */
export function commitAll(dir: string, message: string): string {
  const commit = 'git -c maintenance.auto=false commit --quiet --allow-empty --no-gpg-sign -m "$1"'
  return shell(dir, `${isThere} || ${init}; git add --all && ${commit} && git rev-parse HEAD`, message)
}

const isThere = 'test -e .git'
const init = 'git init --quiet --initial-branch=main'

/** `script` has `text` as `$1`. */
export function shell(dir: string, script: string, text: string): string {
  return run(dir, 'sh', ['-c', script, 'sh', text])
}

export function git(dir: string, ...args: string[]): string {
  return run(dir, 'git', args)
}

/**
 * A process costs what it takes to copy the tables of the memory of the tests, 15 ms for 600 MB: one that runs several
 * is cheaper.
 */
function run(dir: string, program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: dir, env: gitEnvironment, encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** `dir`: a folder that is there, and stays. */
export function openRepository(dir?: string): Repository {
  const top = dir ?? realpathSync(mkdtempSync(join(tmpdir(), 'svcsync-git-')))
  git(top, 'init', '--quiet', '--initial-branch=main')
  return {
    dir: top,
    git: (...args) => git(top, ...args),
    write: (file, text) => {
      mkdirSync(dirname(join(top, file)), { recursive: true })
      writeFileSync(join(top, file), text)
    },
    commit: (message = 'as it is') => commitAll(top, message),
    remove: () => rmSync(top, { recursive: true, force: true }),
  }
}
