// Which files differ from the newest commit. git is asked for the commit alone: to compare, it would run filters.
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { relativePath } from '@svcsync/files/paths.ts'
import { repositoryOf } from './repository.ts'
import { runGit } from './run-git.ts'

/** The absolute paths that no commit could restore. Undefined: there is no repository, or git cannot tell. */
export function uncommittedAmong(folder: string, paths: readonly string[]): string[] | undefined {
  const dir = repositoryOf(realpathSync(folder))
  if (dir === undefined) return undefined
  const head = runGit(dir, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  // Nothing is committed yet.
  if (head.status === 1) return [...paths]
  const { status, stdout } = runGit(dir, ['ls-tree', '-r', '-z', '--full-tree', 'HEAD'])
  if (status !== 0) return undefined
  const known = new Map<string, string>()
  for (const line of stdout.toString().split('\0')) {
    const [, oid, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    if (oid !== undefined && path !== undefined) known.set(path, oid)
  }
  return paths.filter((path) => {
    const oid = known.get(relativePath(dir, realpathSync(path)))
    return oid === undefined || !isBlob(readFileSync(path), oid)
  })
}

/** Also where a checkout has other line breaks than the commit. */
function isBlob(bytes: Buffer, oid: string): boolean {
  const algorithm = oid.length === 64 ? 'sha256' : 'sha1'
  const idOf = (content: Buffer): string =>
    createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex')
  if (idOf(bytes) === oid) return true
  return (
    bytes.includes('\r\n') && idOf(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')) === oid
  )
}
