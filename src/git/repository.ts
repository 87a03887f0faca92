// The git repository in which a path lies, and what git says of the path.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runGit } from './run-git.ts'

/** The nearest folder with `.git`, which is a file in a work tree or a submodule. No commit can hold one. */
export function repositoryOf(folder: string): string | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return undefined
  }
}

/**
 * A file that git tracks is none that it ignores. False where there is no repository, or no git; true where git cannot say,
 * since files of the repository may have brought that about. `path`: absolute, real.
 */
export function isIgnoredByGit(path: string): boolean {
  const dir = repositoryOf(dirname(path))
  if (dir === undefined) return false
  const { status, isMissing } = runGit(dir, ['check-ignore', '--quiet', '--', path])
  return !isMissing && status !== 1
}
