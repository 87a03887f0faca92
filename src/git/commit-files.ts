// Commits of files that are nowhere but in memory: the folder, its index and its branches stay as they are.
import { readFileSync, realpathSync } from 'node:fs'
import { OperatorError } from '@svcsync/errors/index.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { blobId, filesAt, isBlob } from './read-objects.ts'
import { repositoryOf } from './repository.ts'
import { runGit } from './run-git.ts'

/** Its own commits are known by that: nobody has this address. */
const committer = 'svcsync <svcsync@noreply.invalid>'

interface CommitOfFiles {
  readonly message: string
  /** New content by path from the top of the repository, with `/`. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Gives the last commit. Equal input gives equal commits: their time is that of `parent`. */
export function commitFiles(dir: string, parent: string, commits: readonly CommitOfFiles[]): string {
  const [seconds = '', top = ''] = runOrThrow(dir, ['show', '--no-patch', '--format=%ct %T', parent]).split(' ')
  const made: Trees = new Map()
  let [tip, tree] = [parent, top]
  for (const { message, files } of commits) {
    const blobs = [...files].map(([path, bytes]): [readonly string[], string] => [
      path.split('/'),
      runOrThrow(dir, ['hash-object', '-w', '--no-filters', '--stdin'], bytes),
    ])
    tree = treeWith(dir, tree, blobs, made)
    const who = `${committer} ${seconds} +0000`
    const text = [`tree ${tree}`, `parent ${tip}`, `author ${who}`, `committer ${who}`, '', `${message}\n`].join('\n')
    tip = runOrThrow(dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], text)
  }
  return tip
}

interface ForeignCommit {
  readonly id: string
  readonly by: string
}

/** Commits up to `tip` that none of `known` has, and that `commitFiles` did not make. */
export function foreignCommits(dir: string, tip: string, known: readonly string[]): readonly ForeignCommit[] {
  const answer = runOrThrow(dir, ['log', '--format=%H%x00%cn <%ce>%x00%cn', tip, '--not', ...known])
  return answer.split('\n').flatMap((line) => {
    const [id = '', whole, by = ''] = line.split('\0')
    return id === '' || whole === committer ? [] : [{ id, by }]
  })
}

/** The blob of each path from the top of the repository; missing paths are left out. */
export function blobsAt(dir: string, commit: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const files = filesAt(dir, commit)
  if (files === undefined) throw gitError('ls-tree')
  const wanted = new Set(paths)
  return new Map(files.flatMap(({ path, oid }) => (wanted.has(path) ? [[path, oid]] : [])))
}

/** The files that a commit has with other contents, or not at all. */
export function uncommittedIn(dir: string, commit: string, files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const blobs = blobsAt(dir, commit, [...files.keys()])
  return [...files].flatMap(([path, bytes]) => {
    const oid = blobs.get(path)
    return oid !== undefined && blobId(bytes, oid) === oid ? [] : [path]
  })
}

/** Paths that differ between what two commits have in common and the second. */
export function changedSince(dir: string, base: string, tip: string): readonly string[] {
  return runOrThrow(dir, ['diff', '--name-only', '-z', '--no-renames', `${base}...${tip}`])
    .split('\0')
    .filter((path) => path !== '')
}

type TreeChange = readonly [path: readonly string[], blob: string]

/** The lines of trees that were made, by name: the next commit changes what the one before made. */
type Trees = Map<string, ReadonlyMap<string, string>>

/** Undefined: there is no such folder yet. */
function treeWith(dir: string, tree: string | undefined, entries: readonly TreeChange[], made: Trees): string {
  const lines = new Map(tree === undefined ? [] : (made.get(tree) ?? linesOf(dir, tree)))
  const folders = new Map<string, TreeChange[]>()
  for (const [[name = '', ...rest], blob] of entries) {
    if (rest.length > 0) folders.set(name, [...(folders.get(name) ?? []), [rest, blob]])
    else lines.set(name, `${lines.get(name)?.split(' ')[0] ?? '100644'} blob ${blob}\t${name}`)
  }
  for (const [name, own] of folders) {
    const before = /^040000 tree ([0-9a-f]+)\t/.exec(lines.get(name) ?? '')?.[1]
    lines.set(name, `040000 tree ${treeWith(dir, before, own, made)}\t${name}`)
  }
  const id = runOrThrow(dir, ['mktree', '-z'], [...lines.values()].map((line) => `${line}\0`).join(''))
  made.set(id, lines)
  return id
}

function linesOf(dir: string, tree: string): ReadonlyMap<string, string> {
  const lines = runOrThrow(dir, ['ls-tree', '-z', tree]).split('\0').filter(Boolean)
  return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line]))
}

function runOrThrow(dir: string, args: readonly string[], input?: string | Uint8Array): string {
  const { status, stdout, isMissing } = runGit(dir, args, { input, timeoutMs: 60_000 })
  if (status === 0) return stdout.toString().replace(/\n$/, '')
  throw gitError(args[0], isMissing)
}

function gitError(command: string | undefined, isMissing = false): OperatorError {
  return new OperatorError('SVC2824', `git cannot make commits here: \`git ${command}\` failed`, {
    hint: isMissing ? 'Install git 2.30 or later.' : 'Run `git fsck` there to see why.',
  })
}

/** The absolute paths that no commit could restore. Undefined: there is no repository, or git cannot tell. */
export function uncommittedAmong(folder: string, paths: readonly string[]): string[] | undefined {
  const dir = repositoryOf(realpathSync(folder))
  if (dir === undefined) return undefined
  const head = runGit(dir, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  // Nothing is committed yet.
  if (head.status === 1) return [...paths]
  const files = filesAt(dir, 'HEAD')
  if (files === undefined) return undefined
  const known = new Map(files.map(({ path, oid }) => [path, oid]))
  return paths.filter((path) => {
    const oid = known.get(relativePath(dir, realpathSync(path)))
    return oid === undefined || !isBlob(readFileSync(path), oid)
  })
}
