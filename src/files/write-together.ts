// Writes several files together or not at all: each beside its place first, then a note lists their places, so that the
// next command can complete a killed one.
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { SystemError } from './file-tree.ts'
import { liesWithin } from './paths.ts'
import { renamePatiently } from './rename-patiently.ts'
import { beginInPlace, putInPlace } from './write-atomically.ts'

export interface FileText {
  /** Absolute, and no link. */
  readonly path: string
  /** Undefined: it is new. */
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array
}

/** In the folder of the project, while files are put in their places. */
export const editNote = '.svcsync-edit.json'

/**
 * `code`: of the system; `HALF`: some files are in their places, and `finishWriting` puts the others there; `CHANGED`:
 * the file says something else than when it was read; `FOREIGN`: no command has written the note.
 */
export class UnwrittenFile extends SystemError {
  readonly path: string

  constructor(code: string, path: string) {
    super(code)
    this.path = path
  }
}

interface Move {
  readonly from: string
  readonly to: string
}

/** Throws an UnwrittenFile: then nothing has changed, but for `HALF`. */
export function writeTogether(folder: string, files: readonly FileText[]): void {
  const begun: ReturnType<typeof beginInPlace>[] = []
  const note = join(folder, editNote)
  const moves: Move[] = []
  try {
    for (const { path, before, after } of files) {
      about(path, () => {
        const file = beginInPlace(path, before === undefined ? 0o644 : writableMode(path))
        begun.push(file)
        file.add(after)
        file.settle()
        moves.push({ from: relative(folder, file.beside), to: relative(folder, path) })
      })
    }
    for (const { path, before } of files) {
      about(path, () => {
        const isAsRead = before === undefined ? !existsSync(path) : readFileSync(path).equals(before)
        if (!isAsRead) throw new SystemError('CHANGED')
      })
    }
    // A single file needs none: one rename is done or not.
    if (moves.length > 1) about(note, () => putInPlace(note, JSON.stringify({ formatVersion: '1.0', moves }), 0o600))
    else about(files[0]?.path ?? folder, () => finish(folder, moves))
  } catch (error) {
    for (const file of begun) file.drop()
    throw error
  }
  if (moves.length > 1) inHalves(note, () => finish(folder, moves))
}

/** From here on, recovery completes the change by the note, since some files may be in place. */
function inHalves(note: string, run: () => void): void {
  try {
    run()
  } catch {
    throw new UnwrittenFile('HALF', note)
  }
}

/** Goes on with what a killed command has begun. True: there was something. Throws an UnwrittenFile. */
export function finishWriting(folder: string): boolean {
  const note = join(folder, editNote)
  if (!existsSync(note)) return false
  let moves: readonly Move[] = []
  about(note, () => {
    moves = readMoves(folder, note)
  })
  inHalves(note, () => finish(folder, moves))
  return true
}

function finish(folder: string, moves: readonly Move[]): void {
  for (const { from, to } of moves) {
    if (existsSync(join(folder, from))) renamePatiently(join(folder, from), join(folder, to))
  }
  rmSync(join(folder, editNote), { force: true })
}

/**
 * A repository may bring a note of its own: nothing outside of the project is touched, and nothing but what the command
 * names so.
 */
function readMoves(folder: string, note: string): readonly Move[] {
  let moves: unknown
  try {
    moves = (JSON.parse(readFileSync(note, 'utf8')) as { readonly moves?: unknown }).moves
  } catch {
    throw new SystemError('FOREIGN')
  }
  const isOwn = ({ from, to }: Partial<Move>): boolean => {
    if (typeof from !== 'string' || typeof to !== 'string') return false
    const [target, beside] = [join(folder, to), join(folder, from)]
    const isBeside =
      dirname(target) === dirname(beside) && basename(beside).startsWith(`.${basename(target).slice(0, 100)}.`)
    return isBeside && /\.[0-9a-f]{8}\.tmp$/.test(from) && isInside(folder, dirname(target))
  }
  if (!Array.isArray(moves) || !moves.every(isOwn)) throw new SystemError('FOREIGN')
  return moves as readonly Move[]
}

function isInside(folder: string, other: string): boolean {
  return existsSync(other) && liesWithin(realpathSync(folder), realpathSync(other))
}

function about(path: string, run: () => void): void {
  try {
    run()
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (typeof code !== 'string') throw error
    throw new UnwrittenFile(code, path)
  }
}

/** Renaming asks for no right on the file, and root has all of them: whoever took them away meant it. */
function writableMode(path: string): number {
  const { mode } = statSync(path)
  if ((mode & 0o222) === 0) throw new SystemError('EACCES')
  return mode
}
