// Commits of files that are nowhere but in memory: the folder, its index and its branches stay as they are.
import { readFileSync, realpathSync } from 'node:fs'
import { OperatorError } from '@svcsync/errors/index.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import { filesAt, isBlob } from './read-objects.ts'
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
  const seconds = runOrThrow(dir, ['show', '--no-patch', '--format=%ct', parent])
  let tip = parent
  for (const { message, files } of commits) {
    const blobs = [...files].map(([path, bytes]): [readonly string[], string] => [
      path.split('/'),
      runOrThrow(dir, ['hash-object', '-w', '--no-filters', '--stdin'], bytes),
    ])
    const tree = treeWith(dir, runOrThrow(dir, ['rev-parse', `${tip}^{tree}`]), blobs)
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
  return [...files].flatMap(([path, bytes]) => (blobs.get(path) === blobOf(dir, bytes) ? [] : [path]))
}

function blobOf(dir: string, bytes: Uint8Array): string {
  return runOrThrow(dir, ['hash-object', '--no-filters', '--stdin'], bytes)
}

/** Paths that differ between what two commits have in common and the second. */
export function changedSince(dir: string, base: string, tip: string): readonly string[] {
  return runOrThrow(dir, ['diff', '--name-only', '-z', '--no-renames', `${base}...${tip}`])
    .split('\0')
    .filter((path) => path !== '')
}

type TreeChange = readonly [path: readonly string[], blob: string]

/** Undefined: there is no such folder yet. */
function treeWith(dir: string, tree: string | undefined, entries: readonly TreeChange[]): string {
  const lines = new Map<string, string>()
  for (const line of tree === undefined ? [] : runOrThrow(dir, ['ls-tree', '-z', tree]).split('\0'))
    if (line !== '') lines.set(line.slice(line.indexOf('\t') + 1), line)
  const folders = new Map<string, TreeChange[]>()
  for (const [[name = '', ...rest], blob] of entries) {
    if (rest.length > 0) folders.set(name, [...(folders.get(name) ?? []), [rest, blob]])
    else lines.set(name, `${lines.get(name)?.split(' ')[0] ?? '100644'} blob ${blob}\t${name}`)
  }
  for (const [name, own] of folders) {
    const before = /^040000 tree ([0-9a-f]+)\t/.exec(lines.get(name) ?? '')?.[1]
    lines.set(name, `040000 tree ${treeWith(dir, before, own)}\t${name}`)
  }
  return runOrThrow(dir, ['mktree', '-z'], [...lines.values()].map((line) => `${line}\0`).join(''))
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
