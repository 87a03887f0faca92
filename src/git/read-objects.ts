// What git says of the objects of a repository: names, the files of a commit, and contents.
import { createHash } from 'node:crypto'
import { runGit } from './run-git.ts'

/** The text of an answer, without its last line break. Undefined: git could not give it. */
export function askGit(dir: string, args: readonly string[], input?: string | Uint8Array): string | undefined {
  const { status, stdout } = runGit(dir, args, { input, timeoutMs: 60_000 })
  return status === 0 ? stdout.toString().replace(/\n$/, '') : undefined
}

/** The id behind a name, such as `HEAD` or `HEAD:svcsync.yaml`. Undefined: there is no such object. */
export function idOf(dir: string, name: string): string | undefined {
  return askGit(dir, ['rev-parse', '--verify', '--quiet', name])
}

interface ListedFile {
  readonly mode: string
  readonly oid: string
  /** From the folder with `.git`. */
  readonly path: string
}

/** The files and links of a commit, in these places or anywhere. Undefined: git cannot list them. */
export function filesAt(dir: string, commit: string, places: readonly string[] = []): ListedFile[] | undefined {
  const list = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', commit, '--', ...places]
  return askGit(dir, list)
    ?.split('\0')
    .flatMap((line): ListedFile[] => {
      // A path may hold tabs of its own.
      const [, mode, oid, path] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      return mode === undefined || oid === undefined || path === undefined ? [] : [{ mode, oid, path }]
    })
}

interface GitObject {
  readonly id: string
  readonly type: string
  readonly bytes: Buffer
}

/** In the order of their names; undefined: git does not have it. One run of git: each costs as much as a request. */
export function readObjects(dir: string, names: readonly string[]): readonly (GitObject | undefined)[] {
  if (names.length === 0) return []
  const input = names.map((name) => `${name}\n`).join('')
  const { stdout } = runGit(dir, ['cat-file', '--batch'], { input, timeoutMs: 60_000 })
  let at = 0
  return names.map(() => {
    const start = stdout.indexOf('\n', at) + 1
    // Git broke off.
    if (start === 0) return undefined
    const [, id, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(stdout.toString('utf8', at, start - 1)) ?? []
    at = start
    if (id === undefined || type === undefined) return undefined
    at += Number(size) + 1
    return { id, type, bytes: stdout.subarray(start, at - 1) }
  })
}

/** The id of a file as git counts it: by SHA-1 or SHA-256, as of `like`. */
export function blobId(bytes: Uint8Array, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** True also for a text with other line breaks than the commit has. */
export function isBlob(bytes: Buffer, oid: string): boolean {
  if (blobId(bytes, oid) === oid) return true
  return blobId(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), oid) === oid
}
