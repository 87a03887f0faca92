// A bare repository as the remote, and clones of it: real git, in a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git, openRepository } from './repository.ts'

export interface GitRemote {
  /** The bare repository. */
  readonly path: string
  /** Makes a repository of a folder, with the bare one as `origin`. */
  adopt(dir: string): void
  /** A clone in a folder of its own; gives the folder. */
  clone(name: string, ...options: readonly string[]): string
  close(): void
}

/** Everything in the folder as a commit; gives its id. */
export function commitAll(dir: string, message: string): string {
  return openRepository(dir).commit(message)
}

export function openGitRemote(): GitRemote {
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-git-'))
  const path = join(folder, 'remote.git')
  git(folder, 'init', '--quiet', '--bare', path)
  return {
    path,
    adopt(dir) {
      openRepository(dir).git('remote', 'add', 'origin', path)
    },
    clone(name, ...options) {
      git(folder, 'clone', '--quiet', ...options, `file://${path}`, name)
      return join(folder, name)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
