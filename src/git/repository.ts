// The git repository in which a path lies, and what git says of the path.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import process from 'node:process'
import { runGit } from './run-git.ts'

/** The nearest folder with `.git`, which is a file in a work tree or a submodule. No commit can hold one. */
export function repositoryOf(folder: string): string | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return undefined
  }
}

/** Whether the checkout that a folder lies in may leave files out: git knows, and is not asked here. */
export function isPerhapsSparse(folder: string): boolean {
  const dir = repositoryOf(realOf(folder))
  if (dir === undefined) return false
  return !statSync(join(dir, '.git')).isDirectory() || existsSync(join(dir, '.git/info/sparse-checkout'))
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
  /^(?:core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|receivepack|vcs)|gpg\.(?:.*\.)?program|hook\..*\.command)$/

/** Of whoever runs svcsync, or of the machine. */
const foreign: ReadonlySet<string> = new Set(['system', 'global', 'command'])

/**
 * Which settings of the repository itself, and not of whoever runs svcsync, name a program to run: whoever packed the folder may
 * have written them. Undefined: git cannot say, and nobody knows.
 */
export function programsOf(dir: string): readonly string[] | undefined {
  const list = ['config', '--includes', '--show-scope', '--name-only', '--null', '--list']
  const { status, stdout } = runGit(dir, list)
  if (status !== 0) return undefined
  const own = stdout
    .toString()
    .split('\0')
    .filter((name, index, all) => index % 2 === 1 && !foreign.has(all[index - 1] as string) && runsPrograms.test(name))
  return [...new Set(own)].sort()
}

/**
 * Whether what is pushed to the remote would be taken in by a repository in this one, or by this one itself: it runs its own hooks, and
 * whoever packed the folder may have written those. True also where git cannot say.
 */
export function pushesInside(dir: string, remote: string): boolean {
  const ask = (...args: readonly string[]) => runGit(dir, args)
  const [urls, common] = [
    ask('remote', 'get-url', '--push', '--all', '--', remote),
    ask('rev-parse', '--git-common-dir'),
  ]
  if (urls.status !== 0 || common.status !== 0) return true
  const own = [dir, resolve(dir, common.stdout.toString().trimEnd())].map((path) => realpathSync(path))
  return urls.stdout
    .toString()
    .split('\n')
    .some((url) => {
      const path = localPath(url)
      if (path === undefined) return false
      // As git completes it.
      const ends = ['', '.git', '/.git'].map((end) => realOf(resolve(dir, `${path}${end}`)))
      return ends.some((end) => own.some((top) => end === top || end.startsWith(`${top}${sep}`)))
    })
}

/** Undefined: it leads to a server. */
function localPath(url: string): string | undefined {
  if (url === '') return undefined
  const isDrive = process.platform === 'win32' && /^[a-z]:/i.test(url)
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(url)) return /^[^/]+:/.test(url) && !isDrive ? undefined : url
  if (!/^file:/i.test(url)) return undefined
  const path = url.slice('file://'.length)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What is not there is where it would be. */
export function realOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path)
  const above = dirname(path)
  return above === path ? path : join(realOf(above), basename(path))
}
