// Writes a file in one step: whoever reads it sees the old text or the new one, never half of it.
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { renamePatiently } from './rename-patiently.ts'

/** `path`: of the file itself, not of a link to it. Keeps its mode. Throws what the system says. */
export function writeAtomically(path: string, text: string): void {
  putInPlace(path, text, statSync(path).mode)
}

/**
 * True if a file is there already. Throws the system's error before any work if no file can be put there: renaming
 * would replace anything else, even a device.
 */
export function isReplaced(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile()) {
    throw Object.assign(new TypeError('no file'), { code: there.isDirectory() ? 'EISDIR' : 'ENODEV' })
  }
  if (there !== undefined) accessSync(path, constants.W_OK)
  // With the dot it is a folder or ENOTDIR: of a file on the way, `statSync` of Node 22 says no more than that nothing
  // is there.
  accessSync(`${dirname(path)}/.`, constants.W_OK | constants.X_OK)
  return there !== undefined
}

/**
 * A file that may be new, with this mode, whatever the process masks. Throws what the system says, and leaves all as it
 * was.
 */
export function putInPlace(path: string, text: string | Uint8Array, mode: number): void {
  const file = beginInPlace(path, mode)
  try {
    file.add(text)
    file.end()
  } finally {
    file.drop()
  }
}

/** The same of what comes in pieces: nothing is there before `end`, and nothing is left of it after `drop`. */
export function beginInPlace(path: string, mode: number) {
  isReplaced(path)
  const beside = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}.tmp`)
  let file: number | undefined = openSync(beside, 'wx', mode)
  const close = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  const drop = (): void => {
    close()
    rmSync(beside, { force: true })
  }
  /** Everything is on the disk; no file is in place yet. */
  const settle = (): void => {
    fchmodSync(file as number, mode)
    fsyncSync(file as number)
    close()
  }
  return {
    beside,
    add: (piece: string | Uint8Array): void => writeFileSync(file as number, piece),
    settle,
    end(): void {
      settle()
      renamePatiently(beside, path)
    },
    drop,
  }
}
