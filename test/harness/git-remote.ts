// A bare repository as the remote, and clones of it: real git, in a folder of its own.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git, shell } from './repository.ts'

export { commitAll } from './repository.ts'

export interface GitRemote {
  /** The bare repository. */
  readonly path: string
  /** Makes a repository of a folder, with the bare one as `origin`. */
  adopt(dir: string): void
  /** A clone in a folder of its own; gives the folder. */
  clone(name: string, ...options: readonly string[]): string
  close(): void
}

export function openGitRemote(): GitRemote {
  const folder = mkdtempSync(join(tmpdir(), 'svcsync-git-'))
  const path = join(folder, 'remote.git')
  git(folder, 'init', '--quiet', '--bare', path)
  // A process that each push would start, and that finds nothing to do.
  appendFileSync(join(path, 'config'), '[receive]\n\tautogc = false\n')
  return {
    path,
    adopt(dir) {
      shell(dir, 'git init --quiet --initial-branch=main && git remote add origin "$1"', path)
    },
    clone(name, ...options) {
      git(folder, 'clone', '--quiet', ...options, `file://${path}`, name)
      return join(folder, name)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
