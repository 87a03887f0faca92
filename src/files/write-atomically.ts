// Writes a file in one step: whoever reads it sees the old text or the new one, never half of it.
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** `path`: of the file itself, not of a link to it. Keeps its mode. Throws what the system says. */
export function writeAtomically(path: string, text: string): void {
  // Renaming would replace a file that nobody may write to.
  accessSync(path, constants.W_OK)
  putInPlace(path, text, statSync(path).mode)
}

/** A file that may be new, with this mode, whatever the process masks. Throws what the system says, and leaves all as it was. */
export function putInPlace(path: string, text: string | Uint8Array, mode: number): void {
  const beside = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}.tmp`)
  try {
    const file = openSync(beside, 'wx', mode)
    try {
      fchmodSync(file, mode)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
