// Where a file lies: below a folder, in a repository, and whether git leaves it out of that.
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import process from 'node:process'

/** True where `path` is `folder` or lies below it, as the two are written; links are not followed. */
export function liesWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

/** So that nothing is run but git itself, whatever the repository configures, and whoever owns it. */
const harmless = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.directory=*'].flatMap((each) => [
  '-c',
  each,
])

/**
 * A file that git tracks is none that it ignores. False where there is no repository, or no git; true where git cannot say,
 * since files of the repository may have brought that about. `path`: absolute, real.
 */
export function isIgnoredByGit(path: string): boolean {
  const dir = repositoryOf(dirname(path))
  if (dir === undefined) return false
  // Few projects refer to files: all others are spared the loading.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  // From there, git finds this repository: below, anybody may have committed what it takes for another one.
  const args = [...harmless, '-C', dir, 'check-ignore', '--quiet', '--', path]
  const { status, error } = spawnSync('git', args, { env, stdio: 'ignore', timeout: 10_000, windowsHide: true })
  if ((error as { readonly code?: unknown } | undefined)?.code === 'ENOENT') return false
  return status !== 1
}

/** The nearest folder with `.git`, which is a file in a work tree or a submodule. No commit can hold one. */
export function repositoryOf(folder: string): string | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return undefined
  }
}
