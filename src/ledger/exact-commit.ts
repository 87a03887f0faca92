// Tells if a project's files are those of the commit, without filters or the index: they may run programs.
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, relative, sep } from 'node:path'
import { relativePath } from '@svcsync/files/paths.ts'
import { isUnread, largestDocument, readBounded } from '@svcsync/files/read-bounded.ts'
import { commitOf } from '@svcsync/git/commit-tree.ts'
import { askGit, filesAt, isBlob } from '@svcsync/git/read-objects.ts'
import { realOf, repositoryOf } from '@svcsync/git/repository.ts'

/** The files of a project. All paths are absolute. */
interface ProjectFiles {
  readonly files: readonly string[]
  /** Files, and folders with everything below them, in which there may be others. */
  readonly roots: readonly string[]
  /** The extensions that count for files in `roots`; undefined: all. */
  readonly extensions: ReadonlySet<string> | undefined
}

/** `reason`: why the applied state is no commit, as a part of a sentence; `hint`: how to move the ledger. */
type ExactCommit =
  | { readonly commit: string; readonly reason?: undefined; readonly hint?: undefined; readonly isPart?: undefined }
  | {
      readonly commit: string | undefined
      readonly reason: string
      readonly hint?: string | undefined
      readonly isPart?: true | undefined
    }

const linkHint =
  'The applied changes stay. No commit holds the target of a link: list the file itself, and run apply again.'
const submoduleHint =
  'The applied changes stay. An entry names a commit of one repository: ' +
  'keep the project and its manifests in the same one, or use no ledger.'

/** `dir`: the folder with `.git`. Names the first differing file. `commit`: the checked-out one. */
export function exactCommit(
  dir: string,
  { files, roots, extensions }: ProjectFiles,
  commit = commitOf(dir, 'HEAD'),
): ExactCommit {
  if (commit === undefined) return { commit: undefined, reason: 'the branch has no commit yet' }
  const top = realpathSync(dir)
  const inside = (path: string): string | undefined => pathIn(top, path)
  const places = placesIn(top, roots)
  const listed = filesAt(dir, commit, pathArguments(places))
  if (listed === undefined) return { commit, reason: 'git cannot list its files' }
  const tracked = new Map(listed.map((each) => [each.path, each]))
  for (const file of files) {
    const path = inside(realOf(file))
    // Files elsewhere, such as mounted secrets, are in no commit.
    if (path === undefined) continue
    const entry = tracked.get(path)
    if (path !== inside(join(realOf(dirname(file)), file.slice(dirname(file).length + 1))))
      return { commit, reason: `${path} is read through a link`, hint: linkHint }
    if (repositoryOf(dirname(file)) !== dir)
      return { commit, reason: `${path} is in another repository`, hint: submoduleHint }
    if (entry === undefined) return { commit, reason: `${path} is in no commit` }
    if (!isAsCommitted(join(top, path), entry)) return { commit, reason: `${path} is not as it was committed` }
  }
  const missing = [...tracked.keys()].find(isMissing(top, places, extensions))
  return missing === undefined ? { commit } : { commit, reason: `${missing} is deleted, but still committed` }
}

/** Files that a sparse checkout leaves out would look deleted. From `dir`, as git writes paths. */
export function missingFromCheckout(
  dir: string,
  { roots, extensions }: Pick<ProjectFiles, 'roots' | 'extensions'>,
): readonly string[] {
  const top = realpathSync(dir)
  const places = placesIn(top, roots)
  const answer = askGit(dir, ['--literal-pathspecs', 'ls-files', '-v', '-z', '--', ...pathArguments(places)]) ?? ''
  const left = answer.split('\0').filter((line) => /^s /i.test(line))
  return left.map((line) => line.slice(2)).filter(isMissing(top, places, extensions))
}

/** As git writes it; undefined: it lies elsewhere. */
function pathIn(top: string, path: string): string | undefined {
  const from = relative(top, path)
  return isAbsolute(from) || from === '..' || from.startsWith(`..${sep}`) ? undefined : from.split(sep).join('/')
}

const placesIn = (top: string, roots: readonly string[]): string[] =>
  roots.flatMap((path) => pathIn(top, realOf(path)) ?? [])

/** All of the repository is no path to git. */
const pathArguments = (places: readonly string[]): readonly string[] => (places.includes('') ? [] : places)

function isMissing(
  top: string,
  places: readonly string[],
  extensions: ProjectFiles['extensions'],
): (path: string) => boolean {
  return (path) =>
    (extensions === undefined || extensions.has(extname(path).toLowerCase())) &&
    places.some((root) => root === '' || path === root || path.startsWith(`${root}/`)) &&
    lstatSync(join(top, path), { throwIfNoEntry: false }) === undefined
}

function isAsCommitted(path: string, { mode, oid }: { readonly mode: string; readonly oid: string }): boolean {
  if (!mode.startsWith('100')) return false
  const bytes = readBounded(path, largestDocument)
  return !isUnread(bytes) && isBlob(bytes, oid)
}

/** The number of commits from `before` to `after` that touch the project's files; undefined: git cannot tell. */
export function commitsBetween(
  dir: string,
  before: string,
  after: string,
  roots: readonly string[],
): number | undefined {
  const top = realpathSync(dir)
  const places = roots.map((path) => relativePath(top, realOf(path))).filter((path) => !path.startsWith('../'))
  const list = ['--literal-pathspecs', 'rev-list', '--count', `${before}..${after}`, '--']
  const answer = askGit(dir, [...list, ...pathArguments(places)])
  return answer === undefined ? undefined : Number(answer)
}
