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

/** Settings by which a repository would have git run a program when it speaks to a remote. */
const runsPrograms =
  /^(?:core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|receivepack|vcs)|gpg\.(?:.*\.)?program)$/

/**
 * Which settings of the repository itself, and not of whoever runs svcsync, name a program to run: whoever packed the folder may
 * have written them.
 */
export function programsOf(dir: string): readonly string[] {
  const own = ['local', 'worktree'].flatMap((scope) => {
    const { status, stdout } = runGit(dir, ['config', `--${scope}`, '--includes', '--name-only', '--null', '--list'])
    return status === 0 ? stdout.toString().split('\0') : []
  })
  return [...new Set(own.filter((name) => runsPrograms.test(name)))].sort()
}
