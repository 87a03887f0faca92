// The git repository in which a path lies, and what git says of the path.

import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import process from 'node:process'
import { isUnread, readBounded } from '@svcsync/files/read-bounded.ts'
import { runGit } from './run-git.ts'
import type { refusedSettings } from './setting-classes.ts'

/** The nearest folder with `.git`, which is a file in a work tree or a submodule. No commit can hold one. */
export function repositoryOf(folder: string): string | undefined {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return undefined
  }
}

/** True if the checkout around a folder may leave files out: only git could tell for certain. */
export function isPerhapsSparse(folder: string): boolean {
  const dir = repositoryOf(realOf(folder))
  if (dir === undefined) return false
  const own = join(dir, '.git')
  if (!statSync(own).isDirectory() || readdirSync(own).some((name) => name.startsWith('sharedindex.'))) return true
  // The second version of the index cannot mark a file as left out: git writes a later one then.
  const index = readBounded(join(own, 'index'), largestIndex)
  return isUnread(index) || index.toString('latin1', 0, 8) !== 'DIRC\0\0\0\u0002'
}

/** In MB. */
const largestIndex = 64

/** Tracked files are not ignored; if git cannot say, the answer is true. `path`: absolute, real. */
export function isIgnoredByGit(path: string): boolean {
  const dir = repositoryOf(dirname(path))
  if (dir === undefined) return false
  const { status, isMissing } = runGit(dir, ['check-ignore', '--quiet', '--', path])
  return !isMissing && status !== 1
}

/** The scopes of the user who runs svcsync, and of the machine. */
const users: ReadonlySet<string> = new Set(['system', 'global', 'command'])

/** All settings that count where git speaks to a remote, included files too. Undefined: git cannot say. */
export function readSettings(dir: string): Parameters<typeof refusedSettings>[0] | undefined {
  const list = ['config', '--includes', '--show-scope', '--null', '--list']
  const { status, stdout } = runGit(dir, list, { asForRemotes: true })
  if (status !== 0) return undefined
  const parts = stdout.toString().split('\0')
  return parts.flatMap((scope, index) => {
    const [, key, value = ''] = /^([^\n]*)\n?(.*)$/s.exec(parts[index + 1] ?? '') ?? []
    return index % 2 === 0 && key ? [{ isUsers: users.has(scope), key, value }] : []
  })
}

/** True if git works in another folder than `dir`: paths of remotes begin there. Also true if git cannot tell. */
export function worktreeElsewhere(dir: string): boolean {
  const { status, stdout } = runGit(dir, ['rev-parse', '--show-toplevel'], { asForRemotes: true })
  return status !== 0 || realOf(stdout.toString().replace(/\n$/, '')) !== realpathSync(dir)
}

/** The folder with `refs`, of all work trees. Undefined: git cannot say. */
export function commonFolderOf(dir: string): string | undefined {
  const own = join(dir, '.git')
  // Git reads `commondir` as well: mostly there is none, and each run of git costs as much as a request.
  if (lstatSync(own).isDirectory() && !existsSync(join(own, 'commondir'))) return realpathSync(own)
  const { status, stdout } = runGit(dir, ['rev-parse', '--git-common-dir'])
  return status === 0 ? realpathSync(resolve(dir, stdout.toString().replace(/\n$/, ''))) : undefined
}

/** `inside`: in this repository, whose packer may have written hooks. `unclear`: git would go to another address. */
export function placeOfRemote(
  dir: string,
  common: string,
  remote: string,
  settings: Parameters<typeof refusedSettings>[0],
): 'elsewhere' | 'inside' | 'unclear' {
  const urls = addressesOf(dir, remote, settings)
  if (urls === undefined) return 'inside'
  const addresses = urls.map((url) => readAddress(url))
  if (addresses.some(({ is }) => is === 'unclear')) return 'unclear'
  // A work tree or a submodule also trusts the files of its main repository.
  const own = [realpathSync(dir), common, common.replace(/[\\/]\.git(?=[\\/]|$).*$/s, '')]
  const isInside = (path: string): boolean => own.some((top) => path === top || path.startsWith(`${top}${sep}`))
  // As git completes it.
  const paths = addresses.flatMap((address) =>
    address.is === 'folder' ? ['', '.git', '/.git', '.git/.git'].map((end) => `${address.path}${end}`) : [],
  )
  return paths.some((path) => isInside(placeOf(dir, path))) ? 'inside' : 'elsewhere'
}

/** From where the remote is read, and where it is pushed to. Undefined: git cannot say. */
function addressesOf(
  dir: string,
  remote: string,
  settings: Parameters<typeof refusedSettings>[0],
): readonly string[] | undefined {
  const urls = settings.filter(({ key }) => key === `remote.${remote}.url`).map(({ value }) => value)
  const isWritten = !settings.some(({ key }) => /^url\..*\.(?:push)?insteadof$|^remote\..*\.pushurl$/s.test(key))
  // An empty one takes away those before it: git knows.
  if (isWritten && urls.length > 0 && !urls.includes('')) return urls
  const asks = [['--all'], ['--push', '--all']].map((which) =>
    runGit(dir, ['remote', 'get-url', ...which, '--', remote], { asForRemotes: true }),
  )
  if (asks.some(({ status }) => status !== 0)) return undefined
  return asks.flatMap(({ stdout }) => stdout.toString().replace(/\n$/, '').split('\n'))
}

/** As the system finds it: what comes after a link begins where that leads. */
function placeOf(dir: string, path: string): string {
  try {
    return realpathSync.native(isAbsolute(path) ? path : `${dir}${sep}${path}`)
  } catch {
    return realOf(resolve(dir, path))
  }
}

/** A missing file counts at its future place. */
export function realOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path)
  const above = dirname(path)
  return above === path ? path : join(realOf(above), basename(path))
}

/** `unclear`: git would go elsewhere than it says, or nowhere. */
type RemoteAddress = { readonly is: 'server' | 'unclear' } | { readonly is: 'folder'; readonly path: string }

const server: RemoteAddress = { is: 'server' }
const unclear: RemoteAddress = { is: 'unclear' }

export function readAddress(url: string, platform: NodeJS.Platform = process.platform): RemoteAddress {
  const isWindows = platform === 'win32'
  // Git tells several addresses one in a line.
  if (url === '' || /[\u0000-\u001f\u007f]/.test(url)) return unclear
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(url) ?? []
  if (scheme === 'file') return readFileAddress(url.slice('file://'.length), isWindows)
  if (scheme !== undefined) return server
  if (isWindows && /^[a-z]:/i.test(url)) return { is: 'folder', path: url }
  if (/^[^/]*:/.test(url)) return server
  return url.includes('://') ? unclear : { is: 'folder', path: url }
}

/** git drops the host after decoding, so it would use another folder than people read. */
function readFileAddress(encoded: string, isWindows: boolean): RemoteAddress {
  const rest = decode(encoded)
  if (rest === undefined) return unclear
  if (isWindows && /^\/?[a-z]:/i.test(rest)) return { is: 'folder', path: rest.replace(/^\//, '') }
  const path = rest.replace(/^localhost/, '')
  // After a host in brackets, git starts the path behind the bracket.
  return path.startsWith('/') && !path.includes('@[') ? { is: 'folder', path } : unclear
}

/** As git does: each `%` with two digits that make no NUL is a byte. Undefined: the bytes are no text. */
function decode(text: string): string | undefined {
  const bytes = Buffer.from(text).toString('latin1')
  const plain = bytes.replace(/%(?!00)([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(plain, 'latin1'))
    return /[\u0000-\u001f\u007f]/.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}
