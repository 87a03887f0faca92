// From files, folders and globs to the manifest files they mean.
import { join, resolve } from 'node:path'
import { plainText, type Text } from '@svcsync/core/model/sensitive.ts'
import { type Place, type Problem, SvcsyncError } from '@svcsync/errors/index.ts'
import { disk, type FileTree } from '@svcsync/files/file-tree.ts'
import { liesWithin, relativePath } from '@svcsync/files/paths.ts'
import { choicesOf, findByGlob, fixedPart, globCovers, isGlob, mostChoices } from './find-by-glob.ts'
import { startLarge } from './wording.ts'

/** A folder that cannot be listed is an error: it must never pass for an empty one. `what` is for messages. */
export function findManifestFiles(
  baseDir: string,
  patterns: readonly Text[],
  placeOf?: (index: number) => Place | undefined,
  what = { noun: 'manifest', key: 'manifests' },
  tree = disk,
) {
  const files = new Set<string>()
  const problems: Problem[] = []
  const emptyFolders: string[] = []
  const budget = { left: mostFolders }
  const said = { baseDir, what, emptyFolders, files }
  for (const [index, pattern] of patterns.entries()) {
    const fail: Fail = (severity, message, hint) =>
      problems.push({ code: 'SVC1001', severity, message, hint, place: placeOf?.(index) })
    try {
      const found = expand(baseDir, plainText(pattern), budget, tree)
      if (budget.left < 0 && typeof found === 'object') {
        const hint = `Name the folder that holds the ${what.noun}s.`
        fail('error', `\`${pattern}\` leads through more than ${mostFolders} folders`, hint)
        break
      }
      takeFound(pattern, found, said, fail)
    } catch (error) {
      if (error instanceof SvcsyncError) throw error
      const code = String((error as { readonly code?: unknown }).code)
      const missing = code === 'ENOENT' || code === 'ENOTDIR'
      const message = missing
        ? `There is no file or folder \`${pattern}\``
        : `\`${pattern}\` cannot be read: the system says ${code}`
      fail('error', message, 'The path is relative to the folder of the project file.')
    }
  }
  return { files: [...files].sort(), problems, emptyFolders }
}

export function coversFile(baseDir: string, patterns: readonly Text[], path: string): boolean {
  return patterns.some((pattern) => {
    const plain = resolve(baseDir, plainText(pattern))
    return liesWithin(plain, path) || (isGlob(plainText(pattern)) && globCovers(plain, path))
  })
}

type Fail = (severity: Problem['severity'], message: string, hint: string) => void

interface Said {
  readonly baseDir: string
  readonly what: { readonly noun: string; readonly key: string }
  readonly files: Set<string>
  readonly emptyFolders: string[]
}

function takeFound(
  pattern: Text,
  found: ReturnType<typeof expand>,
  { baseDir, what, files, emptyFolders }: Said,
  fail: Fail,
): void {
  if (found === 'other') {
    const hint = 'svcsync reads and shows only files that end in .yaml, .yml or .json: rename it.'
    fail('error', `\`${pattern}\` is no ${what.noun}`, hint)
    return
  }
  if (found === undefined) {
    fail('error', `\`${pattern}\` has more than ${mostChoices} choices`, 'Name a folder, or fewer choices.')
    return
  }
  for (const file of found.files) files.add(file)
  for (const link of found.escaping) {
    const named = found.from === 'file' ? pattern : relativePath(baseDir, link)
    const hint = `svcsync follows links inside the project only: list the file itself under \`${what.key}\`.`
    fail('error', `\`${named}\` is a link that leads out of the project`, hint)
  }
  for (const file of found.misnamed) {
    const hint = 'Remove the .txt: some editors of Windows add and hide it.'
    fail('warning', `\`${relativePath(baseDir, file)}\` is not read: its name ends in .txt`, hint)
  }
  if (found.escaping.length + found.files.length > 0) return
  if (found.from !== 'folder') {
    fail('error', `No file matches \`${pattern}\``, 'The pattern is relative to the folder of the project file.')
    return
  }
  emptyFolders.push(String(pattern))
  const hint = `${startLarge(what.noun)}s are files that end in .yaml or .yml.`
  fail('warning', `The folder \`${pattern}\` holds no ${what.noun}`, hint)
}

const mostFolders = 50_000

interface Gathered {
  readonly files: string[]
  /** Links that lead out of the project, and are not followed. */
  readonly escaping: string[]
  readonly misnamed: string[]
  readonly from: 'file' | 'folder' | 'glob'
}

/** Undefined: a glob with too many choices. `other`: a file of another kind. */
function expand(
  baseDir: string,
  pattern: string,
  budget: Collecting['budget'],
  tree: FileTree,
): Gathered | 'other' | undefined {
  const path = resolve(baseDir, pattern)
  const isPattern = tree.stat(path) === undefined && isGlob(pattern)
  // Files that the project file names outside its folder are wanted; a link must lead nowhere else.
  const roots = [tree.realPath(baseDir)]
  if (!liesWithin(baseDir, path)) roots.push(tree.realPath(isPattern ? fixedPart(path) : path))
  const staysInside = (real: string) => roots.some((root) => liesWithin(root, real))
  if (isPattern) {
    const choices = choicesOf(path)
    if (choices === undefined) return undefined
    const all = choices.map((choice) => findByGlob(choice, staysInside, budget, tree))
    const escaping = new Set(all.flatMap((found) => found.escaping))
    return {
      files: all.flatMap(({ files }) => files).filter(mayBeManifest),
      escaping: [...escaping],
      misnamed: [],
      from: 'glob',
    }
  }

  const real = tree.realPath(path)
  const isFolder = tree.stat(path)?.isDirectory() ?? false
  const found: Gathered = { files: [], escaping: [], misnamed: [], from: isFolder ? 'folder' : 'file' }
  if (!staysInside(real)) found.escaping.push(path)
  else if (isFolder) collect(path, found, { staysInside, budget, tree, visited: new Set() })
  else if (mayBeManifest(path)) found.files.push(path)
  else return 'other'
  return found
}

interface Collecting {
  readonly staysInside: (real: string) => boolean
  readonly budget: { left: number }
  readonly tree: FileTree
  readonly visited: Set<string>
}

/** Throws where a folder cannot be listed. A link to a folder is followed once, unless the folder is read anyway. */
function collect(folder: string, found: Gathered, collecting: Collecting): void {
  const { budget, tree, visited } = collecting
  const real = tree.realPath(folder)
  if (visited.has(real) || budget.left-- <= 0) return
  visited.add(real)
  const links: string[] = []
  for (const entry of tree.list(folder)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) links.push(path)
    else if (entry.isDirectory()) collect(path, found, collecting)
    else if (isManifest(path)) found.files.push(path)
    else if (/\.ya?ml\.txt$/i.test(path)) found.misnamed.push(path)
  }
  for (const path of links) collectLink(path, found, collecting)
}

function collectLink(path: string, found: Gathered, collecting: Collecting): void {
  const { staysInside, tree } = collecting
  const target = tree.stat(path)
  const isFolder = target?.isDirectory() ?? false
  if (!isFolder && !isManifest(path)) return
  if (target !== undefined && !staysInside(tree.realPath(path))) found.escaping.push(path)
  else if (isFolder) collect(path, found, collecting)
  else found.files.push(path)
}

/** A named file needs a fitting extension: messages quote files, and a list could lead to any readable one. */
function mayBeManifest(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path)
}

function isManifest(path: string): boolean {
  return /\.ya?ml$/i.test(path)
}
