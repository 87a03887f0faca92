// Writes files into a folder, all of them or none: first beside their places, then into them.
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError, whyUnwritable } from '../errors/index.ts'
import {
  digestOf,
  exists,
  makeStaging,
  recordMoves,
  removeIfEmpty,
  removeStaging,
  type StagedFile,
  stagedPath,
  takeBack,
} from './staging.ts'

export interface NewFile {
  /** Relative to the folder, with forward slashes. */
  readonly file: string
  readonly text: string
}

interface WriteOptions {
  /** What becomes of files that are there: nothing is written beside them, they stay, or they are replaced. */
  readonly existing: 'refuse' | 'leave' | 'replace'
  /** Of the error where something cannot be written. */
  readonly code: 'SVC2031' | 'SVC2042'
  /** Until the files are moved into their places, an abort takes all back. */
  readonly signal?: AbortSignal | undefined
}

export interface WrittenFiles {
  /** In their order. */
  readonly written: readonly string[]
  /** Those that were there and stay. */
  readonly left: readonly string[]
}

/**
 * Puts the files into their places in their order. Rejects with an OperatorError where one cannot be written, or is there and
 * must not be: then everything is as it was. Undefined: it was interrupted, and everything is as it was.
 */
export async function writeNewFiles(
  dir: string,
  files: readonly NewFile[],
  options: WriteOptions,
): Promise<WrittenFiles | undefined> {
  const { existing, code } = options
  if (existing === 'refuse') refuseExisting(dir, files)
  const isLeft = ({ file }: NewFile): boolean => existing === 'leave' && exists(join(dir, file))
  const wanted = files.filter((each) => !isLeft(each))
  const left = files.filter(isLeft).map(({ file }) => file)
  const made = attempt(code, wanted[0]?.file ?? '.', () => makeFolders(dir))
  let staging: string | undefined
  try {
    staging = attempt(code, wanted[0]?.file ?? '.', () => makeStaging(dir))
    const staged = await stage(staging, wanted, options)
    if (staged === undefined) {
      takeBack(dir, staging)
      undo(made)
      return undefined
    }
    recordIn(staging, dir, staged, code)
    for (const [index, each] of wanted.entries()) {
      attempt(code, each.file, () => {
        const isThere = !putIntoPlace(staging as string, index, join(dir, each.file), existing === 'replace')
        // It came meanwhile.
        if (isThere && existing === 'leave') left.push(each.file)
        else if (isThere) throw fileIsThere([each.file])
      })
    }
    removeStaging(staging)
    return { written: wanted.map(({ file }) => file).filter((file) => !left.includes(file)), left }
  } catch (error) {
    try {
      if (staging !== undefined) takeBack(dir, staging)
    } catch {
      throw new OperatorError(code, error instanceof Error ? error.message : String(error), {
        hint: 'What was written until then could not be taken back. Mend that, and run again: it begins with taking it back.',
        cause: error,
      })
    }
    undo(made)
    throw error
  }
}

/** Throws an OperatorError that names files which are there already. */
export function refuseExisting(dir: string, files: readonly Pick<NewFile, 'file'>[]): void {
  const there = files.map(({ file }) => file).filter((file) => exists(join(dir, file)))
  if (there.length > 0) throw fileIsThere(there)
}

/** Throws an OperatorError where the folder, or what it would be made in, takes no files: before anything is read for it. `shown`: as the person wrote it. */
export function refuseUnwritable(dir: string, shown: string, code: WriteOptions['code']): void {
  let nearest = dir
  while (!exists(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  attempt(code, shown, () => {
    if (!statSync(nearest).isDirectory()) throw Object.assign(new TypeError('no folder'), { code: 'ENOTDIR' })
    accessSync(nearest, constants.W_OK | constants.X_OK)
  })
}

async function stage(
  staging: string,
  files: readonly NewFile[],
  { code, signal }: WriteOptions,
): Promise<StagedFile[] | undefined> {
  const staged: StagedFile[] = []
  for (const [index, { file, text }] of files.entries()) {
    try {
      // Each gives an interrupt the time to be heard.
      await writeFile(stagedPath(staging, 'new', index), text, { flag: 'wx' })
    } catch (error) {
      throw failure(code, file, error)
    }
    if (signal?.aborted) return undefined
    staged.push({ file, digest: digestOf(text) })
  }
  return staged
}

function recordIn(staging: string, dir: string, files: readonly StagedFile[], code: WriteOptions['code']): void {
  const folders = new Set<string>()
  for (const { file } of files) {
    const parts = file.split('/').slice(0, -1)
    for (const index of parts.keys()) folders.add(parts.slice(0, index + 1).join('/'))
  }
  const isNew = (folder: string): boolean => !exists(join(dir, folder))
  attempt(code, files[0]?.file ?? '.', () => recordMoves(staging, { files, folders: [...folders].filter(isNew) }))
}

/** False: something bears the name, and is not to be replaced. */
function putIntoPlace(staging: string, index: number, path: string, replace: boolean): boolean {
  mkdirSync(dirname(path), { recursive: true })
  const staged = stagedPath(staging, 'new', index)
  if (replace && exists(path)) {
    // Renaming would put a file in the place of an empty folder, on some systems.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw Object.assign(new TypeError('a folder'), { code: 'EISDIR' })
    }
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    // Nor does it ask whether anybody may write to the file.
    if (mode !== undefined) accessSync(path, constants.W_OK)
    nameAlso(path, stagedPath(staging, 'old', index))
    if (mode !== undefined) chmodSync(staged, mode)
    renameSync(staged, path)
    return true
  }
  try {
    nameAlso(staged, path)
    return true
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'EEXIST' && exists(path)) return false
    throw error
  }
}

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/** A second name for a file, in one step and never in the place of another; a copy where the file system knows no such thing. */
function nameAlso(from: string, to: string): void {
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

/** The folders that were not there, outer ones first. */
function makeFolders(dir: string): readonly string[] {
  const made: string[] = []
  for (let path = dir; !exists(path); path = dirname(path)) made.unshift(path)
  mkdirSync(dir, { recursive: true })
  return made
}

function undo(made: readonly string[]): void {
  for (const path of [...made].reverse()) removeIfEmpty(path)
}

function attempt<T>(code: WriteOptions['code'], file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof OperatorError ? error : failure(code, file, error)
  }
}

function failure(code: WriteOptions['code'], file: string, error: unknown): OperatorError {
  const said = String((error as { readonly code?: unknown }).code)
  // Of a folder that is to be made, it means a file of that name.
  const why = whyUnwritable(said === 'EEXIST' ? 'ENOTDIR' : said)
  return new OperatorError(code, `\`${file}\` cannot be written: ${why}`, {
    hint: 'Nothing was written. Check the folder, its rights and the room on the disk.',
    cause: error,
  })
}

function fileIsThere(files: readonly string[]): OperatorError {
  const named = files.length > 8 ? `${files.slice(0, 7).join(', ')} and ${files.length - 7} more` : files.join(', ')
  return new OperatorError('SVC2040', `${files.length === 1 ? 'A file is' : 'Files are'} there already: ${named}`, {
    hint: 'Nothing was written. Name another folder, or replace them with --force.',
  })
}
