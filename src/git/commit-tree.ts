// The files of a commit, read from git's objects: there is no checkout, no filter runs, and no link leads to the disk.

import { isUtf8 } from 'node:buffer'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { OperatorError } from '@svcsync/errors/index.ts'
import { type FileTree, SystemError } from '@svcsync/files/file-tree.ts'
import { relativePath } from '@svcsync/files/paths.ts'
import type { readBounded } from '@svcsync/files/read-bounded.ts'
import { runGit } from './run-git.ts'

/** As people know them; all of it where that is not enough. */
export const shortCommit = (commit: string): string => commit.slice(0, 7)

/** `ref`: whatever git takes for a commit; it cannot be an option. Undefined: there is no such commit here. */
export function commitOf(dir: string, ref: string): string | undefined {
  if (/[\n\0]/.test(ref)) return undefined
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectname)']
  const { status, stdout } = readGit(dir, args, { input: `${ref}^{commit}\n` })
  // Without `@{upstream}`, git would end the whole run.
  if (status !== 0 && readGit(dir, ['rev-parse', '--git-dir']).status !== 0)
    throw new OperatorError('SVC2203', `git cannot read \`${dir}\` as a repository`, {
      hint: 'Run `git status` there to see why.',
    })
  return /^commit ([0-9a-f]+)\n$/.exec(stdout.toString())?.[1]
}

export function missingCommit(dir: string, ref: string): OperatorError {
  const shallow =
    'The clone is shallow: run `git fetch --unshallow`, or `git fetch origin NAME` for another branch. ' +
    'In a pipeline, check out the whole history (`fetch-depth: 0`).'
  return new OperatorError('SVC2201', `There is no folder, and no commit \`${ref}\` in this repository`, {
    hint: isShallow(dir) ? shallow : 'Check its name, or run `git fetch`.',
  })
}

/** True if the fetch left out older commits. */
export function isShallow(dir: string): boolean {
  return readGit(dir, ['rev-parse', '--is-shallow-repository']).stdout.toString().trim() === 'true'
}

/** `yes`: `commit` equals `ancestor` or comes after it. `unknown`: the local history ends too early to tell. */
export function follows(
  dir: string,
  commit: string | { readonly id: string; readonly parents: readonly string[] },
  ancestor: string,
): 'yes' | 'no' | 'unknown' {
  const { id, parents } = typeof commit === 'string' ? { id: commit, parents: [] } : commit
  if (id === ancestor || parents.includes(ancestor)) return 'yes'
  const { status } = readGit(dir, ['merge-base', '--is-ancestor', ancestor, id], { timeoutMs: 60_000 })
  if (status === 0) return 'yes'
  return status === 1 && !isShallow(dir) ? 'no' : 'unknown'
}

/** Along first parents, newest first, those that a base does not hold. Without a base here, the commit alone. */
export function commitsSince(dir: string, base: string | undefined, commit: string): readonly string[] {
  const isHere = base !== undefined && commitOf(dir, base) !== undefined
  const bound = isHere ? `^${base}` : '--max-count=1'
  const { status, stdout } = readGit(dir, ['rev-list', '--first-parent', bound, commit, '--'], { timeoutMs: 60_000 })
  return status === 0 ? stdout.toString().split('\n').filter(Boolean) : []
}

/** The commit that brought `path`, from the folder with `.git`. Undefined: none has it, or git cannot tell. */
export function commitThatAdded(dir: string, path: string): string | undefined {
  const log = ['log', '-1', '--no-show-signature', '--diff-filter=A', '--format=%H', 'HEAD', '--', path]
  const { status, stdout } = readGit(dir, ['--literal-pathspecs', ...log], { timeoutMs: 60_000 })
  return status === 0 ? stdout.toString().trim() || undefined : undefined
}

type NodeType = 'file' | 'folder' | 'link' | 'submodule'

type TreeEntry = ReturnType<FileTree['list']>[number]

class TreeNode implements TreeEntry {
  readonly name: string
  readonly sort: NodeType
  readonly oid: string
  readonly parts = new Map<string, TreeNode>()

  constructor(name: string, sort: NodeType, oid: string) {
    this.name = name
    this.sort = sort
    this.oid = oid
  }

  isFile(): boolean {
    return this.sort === 'file'
  }

  /** There is one in a checkout, with files that are not of this repository. */
  isDirectory(): boolean {
    return this.sort === 'folder' || this.sort === 'submodule'
  }

  isSymbolicLink(): boolean {
    return this.sort === 'link'
  }
}

interface ResolvedNode {
  /** Undefined: a link leads to it, and out of the repository. */
  readonly node: TreeNode | undefined
  /** Without links. */
  readonly path: string
}

/** As many as systems follow. */
const mostLinks = 40

/** In bytes: no path is longer, and in MB: see readText. */
const [longestLink, largestFile] = [4096, 64]

/** Below these numbers of files and bytes, asking for the sizes first costs more than it saves. */
const [fewFiles, mostAtOnce] = [100, 4 * 1024 * 1024]

/** The files as a checkout has them at `root`, the folder with `.git`. Throws an OperatorError if git cannot tell. */
export class CommitTree implements FileTree {
  readonly #root: string
  readonly #commit: string
  readonly #top: TreeNode
  readonly #links: TreeNode[] = []
  readonly #blobs = new Map<string, Buffer>()
  /** In bytes, of those that were not read for it. */
  readonly #tooLarge = new Map<string, number>()

  constructor(root: string, commit: string) {
    this.#root = root
    this.#commit = commit
    this.#top = this.#readTree()
  }

  /** Absolute, of all files with one of these names. */
  filesCalled(names: readonly string[]): string[] {
    const found: string[] = []
    const visit = (node: TreeNode, path: string): void => {
      for (const part of node.parts.values()) {
        if (part.sort === 'folder') visit(part, join(path, part.name))
        else if (part.sort === 'file' && names.includes(part.name)) found.push(join(path, part.name))
      }
    }
    visit(this.#top, this.#root)
    return found
  }

  list(folder: string): readonly TreeEntry[] {
    const node = this.#find(folder)?.node
    if (node?.sort === 'submodule') throw this.#notOfThis(`\`${this.#shown(folder)}\` is a submodule`)
    if (node?.sort !== 'folder') throw new SystemError(node === undefined ? 'ENOENT' : 'ENOTDIR')
    return [...node.parts.values()]
  }

  exists(path: string): boolean {
    return this.#find(path, false) !== undefined
  }

  stat(path: string): Pick<TreeEntry, 'isFile' | 'isDirectory'> | undefined {
    const found = this.#find(path)
    return found && (found.node ?? { isFile: () => true, isDirectory: () => false })
  }

  realPath(path: string): string {
    const found = this.#find(path)
    if (found === undefined) throw new SystemError('ENOENT')
    return found.path
  }

  read(path: string, mostMegabytes: number): ReturnType<typeof readBounded> {
    const node = this.#find(path)?.node
    if (node === undefined) return { code: 'ENOENT', reason: 'there is no such file' }
    if (node.sort !== 'file') return { code: 'EISDIR', reason: 'it is a folder' }
    this.#load([node.oid], largestFile * 1024 * 1024)
    const bytes = this.#blobs.get(node.oid)
    const megabytes = Math.ceil((bytes?.length ?? this.#tooLarge.get(node.oid) ?? 0) / 1024 / 1024)
    // Each blob is read once, and parsing takes much memory.
    this.#blobs.delete(node.oid)
    if (bytes !== undefined && megabytes <= mostMegabytes) return bytes
    return { code: 'EFBIG', reason: `it has ${megabytes} MB, and may have ${mostMegabytes}` }
  }

  prepare(paths: readonly string[]): void {
    const nodes = paths.flatMap((path) => this.#find(path)?.node ?? [])
    this.#load(
      nodes.map(({ oid }) => oid),
      largestFile * 1024 * 1024,
    )
  }

  /** `follows`: the last part, where it is a link. Undefined: there is nothing. */
  #find(path: string, follows = true, left = mostLinks): ResolvedNode | undefined {
    const inside = relative(this.#root, path)
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      if (left < mostLinks) return { node: undefined, path }
      throw this.#notOfThis(`\`${this.#shown(path)}\` lies outside the repository`)
    }
    const names = inside === '' ? [] : inside.split(sep)
    let [node, at] = [this.#top, this.#root]
    for (const [index, name] of names.entries()) {
      const next = node.parts.get(name)
      if (next === undefined) {
        if (node.sort !== 'submodule') return undefined
        throw this.#notOfThis(`\`${this.#shown(at)}\` is a submodule`)
      }
      if (next.sort === 'link' && (follows || index < names.length - 1)) {
        if (left === 0) throw new SystemError('ELOOP')
        return this.#find(resolve(at, this.#linkOf(next), ...names.slice(index + 1)), follows, left - 1)
      }
      node = next
      at = join(at, name)
    }
    return { node, path: at }
  }

  #linkOf({ oid }: TreeNode): string {
    this.#load(
      this.#links.map((link) => link.oid),
      longestLink,
    )
    // Longer than any path: it leads nowhere.
    return this.#blobs.get(oid)?.toString() ?? '\0'
  }

  #readTree(): TreeNode {
    const { status, stdout } = readGit(this.#root, ['ls-tree', '-r', '-z', '--full-tree', `${this.#commit}^{commit}`], {
      timeoutMs: 60_000,
    })
    if (status !== 0 && commitOf(this.#root, this.#commit) === undefined) throw missingCommit(this.#root, this.#commit)
    if (status !== 0) throw this.#unreadable('a folder')
    const top = new TreeNode('', 'folder', '')
    let [folder, folderPath] = [top, '']
    for (const line of stdout.toString('latin1').split('\0')) {
      const [, mode = '', oid = '', path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      if (path === undefined) continue
      const end = path.lastIndexOf('/')
      if (path.slice(0, Math.max(end, 0)) !== folderPath) {
        folderPath = path.slice(0, Math.max(end, 0))
        folder = folderAt(top, folderPath)
      }
      const sort = mode === '120000' ? 'link' : mode === '160000' ? 'submodule' : 'file'
      const node = new TreeNode(nameOf(path.slice(end + 1)), sort, oid)
      folder.parts.set(node.name, node)
      if (sort === 'link') this.#links.push(node)
    }
    return top
  }

  /** Loads the missing objects up to this size in bytes. */
  #load(oids: readonly string[], mostBytes: number): void {
    const wanted = [...new Set(oids)].filter((oid) => !this.#blobs.has(oid) && !this.#tooLarge.has(oid))
    if (wanted.length === 0) return
    if (mostBytes > mostAtOnce && wanted.length <= fewFiles && this.#read(wanted, mostAtOnce)) return
    // Larger objects are not requested.
    const sizes = readGit(this.#root, ['cat-file', '--batch-check=%(objectsize)'], ids(wanted))
    const sizeLines = sizes.stdout.toString().split('\n')
    const small = wanted.filter((oid, index) => {
      const size = Number(sizeLines[index])
      if (sizes.status !== 0 || !Number.isInteger(size)) throw this.#unreadable('a file')
      if (size > mostBytes) this.#tooLarge.set(oid, size)
      return size <= mostBytes
    })
    if (!this.#read(small)) throw this.#unreadable('a file')
  }

  /** False: git could not, as where they have more than `mostMemory` bytes. */
  #read(oids: readonly string[], mostMemory?: number): boolean {
    const { status, stdout } = readGit(this.#root, ['cat-file', '--batch=%(objectsize)'], { ...ids(oids), mostMemory })
    if (status !== 0) return false
    let at = 0
    for (const oid of oids) {
      const start = stdout.indexOf(10, at) + 1
      at = start + Number(stdout.toString('latin1', at, start))
      if (start === 0 || !(at <= stdout.length)) throw this.#unreadable('a file')
      this.#blobs.set(oid, stdout.subarray(start, at))
      at++
    }
    return true
  }

  #shown(path: string): string {
    return relativePath(this.#root, path)
  }

  #notOfThis(message: string): OperatorError {
    return new OperatorError('SVC2207', `${message}: the commit ${shortCommit(this.#commit)} has none of its content`, {
      hint: 'Check that commit out into a folder, with its submodules, and pass the folder: `--since FOLDER`.',
    })
  }

  #unreadable(what: string): OperatorError {
    return new OperatorError('SVC2203', `git cannot read ${what} of the commit ${shortCommit(this.#commit)}`, {
      hint: 'In a partial clone, clone again without `--filter`. Otherwise run `git fsck`.',
    })
  }
}

function ids(oids: readonly string[]) {
  return { input: oids.map((oid) => `${oid}\n`).join(''), timeoutMs: 60_000 }
}

function folderAt(top: TreeNode, path: string): TreeNode {
  let folder = top
  for (const part of path.split('/').filter((each) => each !== '')) {
    const name = nameOf(part)
    let next = folder.parts.get(name)
    if (next === undefined) {
      next = new TreeNode(name, 'folder', '')
      folder.parts.set(name, next)
    }
    folder = next
  }
  return folder
}

/** Bytes that are not UTF-8 appear as git shows them: `\377`. */
function nameOf(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  if (isUtf8(bytes)) return bytes.toString()
  return latin1.replace(/[\x80-\xff]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`)
}

function readGit(...given: Parameters<typeof runGit>): ReturnType<typeof runGit> {
  const answer = runGit(...given)
  if (!answer.isMissing) return answer
  throw new OperatorError('SVC2202', 'git is not installed, but a commit is named', {
    hint: 'Install git, or name a folder with the project as it was.',
  })
}
