// Finds the files of a ref and its log: links may lead out of the repository.
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from './run-git.ts'

/** Where git would write instead of a ref. `path`: from the folder of the refs; absent: the ref itself. */
type Detour =
  | { readonly kind: 'link' | 'no-file'; readonly path: string }
  | { readonly kind: 'symbolic'; readonly path?: undefined }

/** Files that git writes beside refs when it fetches. */
const besides = ['shallow', 'packed-refs', 'reftable']

/** `common`: the folder with `refs`, of all work trees. Undefined: git writes to the ref, and nowhere else. */
export function detourOf(dir: string, common: string, ref: string): Detour | undefined {
  const link = besides.find((path) => statusOf(join(common, path))?.isSymbolicLink())
  if (link !== undefined) return { kind: 'link', path: link }
  const detour = detourOfFile(common, ref) ?? detourOfFile(common, `logs/${ref}`)
  if (detour !== undefined) return detour
  return isSymbolic(dir, common, ref) ? { kind: 'symbolic' } : undefined
}

function detourOfFile(common: string, file: string): Detour | undefined {
  const names = file.split('/')
  for (let depth = 1; depth <= names.length; depth++) {
    const path = names.slice(0, depth).join('/')
    const status = statusOf(join(common, path))
    if (status === undefined) return undefined
    if (status.isSymbolicLink()) return { kind: 'link', path }
    const isLast = depth === names.length
    // A log is only appended to, also as a hard link; an empty folder in a file's place may be left over.
    if (isLast && file.startsWith('logs/') && status.isFile() && status.nlink > 1) return { kind: 'link', path }
    if (!status.isDirectory() && !(isLast && status.isFile())) return { kind: 'no-file', path }
  }
  return undefined
}

/** Links are not followed: refs that are symbolic are files in which that is written. */
function isSymbolic(dir: string, common: string, ref: string): boolean {
  if (statusOf(join(common, 'reftable')) !== undefined)
    return runGit(dir, ['symbolic-ref', '--quiet', ref]).status === 0
  const path = join(common, ref)
  return statusOf(path)?.isFile() === true && readFileSync(path, 'latin1').startsWith('ref:')
}

const statusOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** The ref that is checked out, where it is one of these: with each, git writes to the log of HEAD, too. */
export function checkedOutBelow(dir: string, common: string, above: string): string | undefined {
  const ref = checkedOut(dir, common) ?? runGit(dir, ['symbolic-ref', '--quiet', 'HEAD']).stdout.toString().trim()
  return ref.startsWith(above) ? ref : undefined
}

/** Reads a usual clone without running git. Undefined: only git can tell. */
function checkedOut(dir: string, common: string): string | undefined {
  const file = join(dir, '.git/HEAD')
  if (!statusOf(join(dir, '.git'))?.isDirectory() || !statusOf(file)?.isFile()) return undefined
  const [, ref] = /^ref: (refs\/\S+)\n$/.exec(readFileSync(file, 'latin1')) ?? []
  return ref === undefined || isSymbolic(dir, common, ref) ? undefined : ref
}

/** Another ref that keeps this one from being there, as a folder is no file. */
export function refInTheWay(dir: string, ref: string): string | undefined {
  const [, above = ref] = /^(refs\/[^/]+)\//.exec(ref) ?? []
  const { stdout } = runGit(dir, ['for-each-ref', '--format=%(refname)', '--', above])
  const names = stdout.toString().split('\n')
  return names.find((name) => name !== '' && (ref.startsWith(`${name}/`) || name.startsWith(`${ref}/`)))
}
