// The folder in which new files wait until all of them are written. What a run that was killed has left of it tells the
// next one what to take back.
import { createHash, randomBytes } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { OperatorError, whyUnwritable } from '../errors/index.ts'
import { isOurs } from '../files/is-ours.ts'
import { putInPlace } from '../files/write-atomically.ts'

/** Hidden, so that nobody takes what is in it for manifests; with the number of the process that writes. */
const form = /^\.svcsync-new-(\d+)-[0-9a-f]+$/
/** Nobody takes that long to write: a process of this number is another one by now. */
const longestRunMs = 10 * 60_000

export interface StagedFile {
  /** Relative to the folder, with forward slashes. */
  readonly file: string
  readonly digest: string
}

interface Recorded {
  /** That were not there, outer ones first. */
  readonly folders: readonly string[]
  readonly files: readonly StagedFile[]
}

/** Throws what the system says. */
export function makeStaging(dir: string): string {
  const path = join(dir, `.svcsync-new-${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(path, { mode: 0o700 })
  // What a kill leaves of it gets into no commit.
  writeFileSync(join(path, '.gitignore'), '*\n')
  for (const part of ['new', 'old']) mkdirSync(join(path, part))
  return path
}

/** Before the first file is moved into its place: from here on there is something to take back. */
export function recordMoves(staging: string, moves: Recorded): void {
  putInPlace(join(staging, 'moves.json'), JSON.stringify(moves), 0o600)
}

/** Where the text of a file waits, and where a file that it replaces is kept meanwhile. */
export function stagedPath(staging: string, part: 'new' | 'old', index: number): string {
  return join(staging, part, String(index))
}

export function digestOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * Takes back what earlier runs have put into the folder and were killed at: files that hold what they wrote, and nothing
 * that anybody has touched since. The names of these files; empty where there were none, or where all had been done. Throws
 * an OperatorError where another run is writing there.
 */
export function takeBackEarlier(dir: string): readonly string[] {
  const taken: string[] = []
  for (const name of namesIn(dir)) {
    const match = form.exec(name)
    if (match === null) continue
    const staging = join(dir, name)
    const stats = lstatSync(staging, { throwIfNoEntry: false })
    if (stats?.isDirectory() !== true || !isOurs(stats)) continue
    if (isRunning(Number(match[1]), stats)) {
      throw new OperatorError('SVC2044', 'Another svcsync is writing into this folder', {
        hint: `Wait for it. If there is none, delete \`${name}\` and run again.`,
      })
    }
    try {
      taken.push(...takeBack(dir, staging, { unlessDone: true }))
    } catch (error) {
      const why = whyUnwritable(String((error as { readonly code?: unknown }).code))
      throw new OperatorError('SVC2044', `What an earlier run began to write cannot be taken back: ${why}`, {
        hint: `Check the rights of the folder. What is left of that run is in \`${name}\`.`,
        cause: error,
      })
    }
  }
  return taken
}

/** Takes the files back, and away with the folder. The names of those that had been put into place. */
export function takeBack(dir: string, staging: string, { unlessDone = false } = {}): readonly string[] {
  const { files, folders } = readMoves(staging)
  const inPlace = files.filter(({ file, digest }) => digestAt(join(dir, file)) === digest)
  const isDone = unlessDone && inPlace.length === files.length
  if (!isDone) {
    for (const [index, { file }] of files.entries()) {
      const path = join(dir, file)
      const old = stagedPath(staging, 'old', index)
      const isWritten = inPlace.some((each) => each.file === file)
      if (exists(old) && (isWritten || !exists(path))) renameSync(old, path)
      else if (isWritten) unlinkSync(path)
    }
    for (const folder of [...folders].reverse()) removeIfEmpty(join(dir, folder))
  }
  removeStaging(staging)
  return isDone ? [] : inPlace.map(({ file }) => file)
}

export function removeStaging(staging: string): void {
  rmSync(staging, { recursive: true, force: true })
}

export function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Something of somebody else's is in it, or it never came to be.
  }
}

/** Whatever bears the name, a link that leads nowhere among it. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Something on the way is no folder: writing will say so.
    return false
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function isRunning(pid: number, { mtimeMs }: Stats): boolean {
  if (pid === process.pid || Date.now() - mtimeMs > longestRunMs) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'EPERM'
  }
}

/** Without a record nothing was put into place. */
function readMoves(staging: string): Recorded {
  const nothing = { files: [], folders: [] }
  try {
    const { files, folders } = JSON.parse(readFileSync(join(staging, 'moves.json'), 'utf8')) as Recorded
    return { files: files.filter(({ file }) => staysInside(file)), folders: folders.filter(staysInside) }
  } catch {
    return nothing
  }
}

function staysInside(path: string): boolean {
  return path !== '' && !path.split('/').some((part) => part === '' || part === '..')
}

/** Undefined: there is no such file. */
function digestAt(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? digestOf(readFileSync(path)) : undefined
  } catch {
    return undefined
  }
}
