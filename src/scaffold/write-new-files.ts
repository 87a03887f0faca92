// Writes files into a folder, all of them or none: first into a temporary folder beside their places, then into them.
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { byCount, OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { liesWithin } from '@svcsync/files/paths.ts'
import { renamePatiently } from '@svcsync/files/rename-patiently.ts'

interface NewFile {
  readonly file: string
  readonly text: string
}

interface WriteOptions {
  /** The rule for existing files: write nothing, leave them, or replace them. */
  readonly existing: 'refuse' | 'leave' | 'replace'
  /** The code of the error if a write fails. */
  readonly code: 'SVC2031' | 'SVC2042'
  /** Until the files are moved into their places, an abort takes all back. */
  readonly signal?: AbortSignal | undefined
}

/** The reversals of all steps so far, in their order. */
type Undo = (() => void)[]

/**
 * Puts the files into their places in their order. Rejects with an OperatorError where one cannot be written, or is
 * there and must not be: then everything is as it was. Undefined: it was interrupted, and everything is as it was.
 */
export async function writeNewFiles(dir: string, files: readonly NewFile[], { existing, code, signal }: WriteOptions) {
  refuseLeadingOut(dir, files, code)
  if (existing === 'refuse') refuseExisting(dir, files)
  const isLeft = ({ file }: NewFile): boolean => existing === 'leave' && exists(join(dir, file))
  const wanted = files.filter((each) => !isLeft(each))
  const left = files.filter(isLeft).map(({ file }) => file)
  const undo: Undo = []
  // A new folder appears in one step with its content.
  const isNew = !exists(dir)
  try {
    const staging = attempt(code, wanted[0]?.file ?? '.', () => makeStaging(isNew ? dirname(dir) : dir, undo))
    const folder = isNew ? join(staging, 'whole') : dir
    for (const [index, { file, text }] of wanted.entries()) {
      // Each gives an interrupt the time to be heard.
      await writeFile(join(staging, `new-${index}`), text, { flag: 'wx' }).catch((error: unknown) => {
        throw writeError(code, file, error)
      })
      if (signal?.aborted) {
        undoAll(undo)
        return undefined
      }
    }
    for (const [index, { file }] of wanted.entries()) {
      const isPlaced = attempt(code, file, () => {
        makeFolder(dirname(join(folder, file)), undo)
        return putIntoPlace(staging, index, join(folder, file), existing === 'replace', undo)
      })
      // It came meanwhile.
      if (!isPlaced && existing === 'leave') left.push(file)
      else if (!isPlaced) throw existingFileError([file])
    }
    if (isNew) attempt(code, '.', () => renamePatiently(folder, dir))
    rmSync(staging, { recursive: true, force: true })
    return { written: wanted.map(({ file }) => file).filter((file) => !left.includes(file)), left }
  } catch (error) {
    try {
      undoAll(undo)
    } catch {
      throw new OperatorError(code, error instanceof Error ? error.message : String(error), {
        hint: 'svcsync could not remove the files that it had written: check the folder.',
        cause: error,
      })
    }
    throw error
  }
}

/** Throws an OperatorError where a link on the way to a file leads out of the folder: it may be somebody else's. */
function refuseLeadingOut(dir: string, files: readonly NewFile[], code: WriteOptions['code']): void {
  if (!exists(dir)) return
  for (const { file } of files) {
    const folders = file.split('/').slice(0, -1)
    for (const index of folders.keys()) {
      const folder = folders.slice(0, index + 1).join('/')
      const real = attempt(code, file, () => (exists(join(dir, folder)) ? realpathSync(join(dir, folder)) : undefined))
      // Nor is there anything below it.
      if (real === undefined) break
      if (liesWithin(realpathSync(dir), real)) continue
      throw new OperatorError(
        code,
        `\`${file}\` cannot be written: \`${folder}\` leads out of the folder, to ${real}`,
        {
          hint: 'Nothing was written. Replace the link with a folder, or name another folder.',
        },
      )
    }
  }
}

/** Throws an OperatorError that names files which are there already. */
export function refuseExisting(dir: string, files: readonly Pick<NewFile, 'file'>[], hint?: string): void {
  const there = files.map(({ file }) => file).filter((file) => exists(join(dir, file)))
  if (there.length > 0) throw existingFileError(there, hint)
}

/** Throws an OperatorError, before any reading, if the folder takes no files. `shown`: as the person wrote it. */
export function refuseUnwritable(dir: string, shown: string, code: WriteOptions['code']): void {
  let nearest = dir
  while (!exists(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  attempt(code, shown, () => {
    if (!statSync(nearest).isDirectory()) throw Object.assign(new TypeError('no folder'), { code: 'ENOTDIR' })
    accessSync(nearest, constants.W_OK | constants.X_OK)
  })
}

/** True for anything of that name, also a dangling link. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Something on the way is no folder: writing will say so.
    return false
  }
}

/** Hidden, so that nobody takes what is in it for manifests, and in no commit where a kill leaves it. */
function makeStaging(dir: string, undo: Undo): string {
  makeFolder(dir, undo)
  const staging = mkdtempSync(join(dir, '.svcsync-new-'))
  undo.push(() => rmSync(staging, { recursive: true, force: true }))
  writeFileSync(join(staging, '.gitignore'), '*\n')
  return staging
}

function makeFolder(folder: string, undo: Undo): void {
  if (exists(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder), undo)
  mkdirSync(folder)
  undo.push(() => removeIfEmpty(folder))
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Something of somebody else's is in it.
  }
}

function undoAll(undo: Undo): void {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) step()
}

/** False: the name exists, and must not be replaced. */
function putIntoPlace(staging: string, index: number, path: string, replace: boolean, undo: Undo): boolean {
  const staged = join(staging, `new-${index}`)
  if (replace && exists(path)) {
    const stats = statSync(path, { throwIfNoEntry: false })
    // On some systems, renaming would replace an empty folder with a file.
    if (stats?.isDirectory()) throw Object.assign(new TypeError('a folder'), { code: 'EISDIR' })
    // Nor does it ask whether anybody may write to the file.
    if (stats !== undefined) accessSync(path, constants.W_OK)
    const old = join(staging, `old-${index}`)
    linkFile(path, old)
    if (stats !== undefined) chmodSync(staged, stats.mode)
    renamePatiently(staged, path)
    undo.push(() => renamePatiently(old, path))
    return true
  }
  try {
    linkFile(staged, path)
    undo.push(() => rmSync(path, { force: true }))
    return true
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'EEXIST' && exists(path)) return false
    throw error
  }
}

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/** A second name for a file, in one step, never instead of another; a copy if the file system has no links. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!withoutLinks.has(String((error as { readonly code?: unknown }).code))) throw error
    try {
      copyFileSync(from, to, constants.COPYFILE_EXCL)
    } catch (inner) {
      if ((inner as { readonly code?: unknown }).code !== 'EEXIST') rmSync(to, { force: true })
      throw inner
    }
  }
}

function attempt<T>(code: WriteOptions['code'], file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof OperatorError ? error : writeError(code, file, error)
  }
}

function writeError(code: WriteOptions['code'], file: string, error: unknown): OperatorError {
  const said = String((error as { readonly code?: unknown }).code)
  // For a new folder, it means a file of that name.
  const why = whyUnwritable(said === 'EEXIST' ? 'ENOTDIR' : said)
  return new OperatorError(code, `\`${file}\` cannot be written: ${why}`, {
    hint: 'Nothing was written. Check the folder, its rights and the room on the disk.',
    cause: error,
  })
}

const otherFolder =
  'Nothing was written. Name another folder. `--missing` writes beside them what no manifest declares; ' +
  '--force replaces them, and what you wrote into them is gone.'

function existingFileError(files: readonly string[], hint = otherFolder): OperatorError {
  const named = files.length > 8 ? `${files.slice(0, 7).join(', ')} and ${files.length - 7} more` : files.join(', ')
  return new OperatorError('SVC2040', `${byCount(files.length, 'A file is', 'Files are')} there already: ${named}`, {
    hint,
  })
}
