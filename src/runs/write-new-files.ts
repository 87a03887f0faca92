// Writes files into a folder, all of them or, where one is there already, none.
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../errors/index.ts'

export interface NewFile {
  /** Relative to the folder, with forward slashes. */
  readonly file: string
  readonly text: string
}

/** Throws an OperatorError that names files which are there already, unless they may be replaced. */
export function refuseExisting(dir: string, files: readonly NewFile[]): void {
  const existing = files.map(({ file }) => file).filter((file) => exists(join(dir, file)))
  if (existing.length === 0) return
  const named =
    existing.length > 8 ? `${existing.slice(0, 7).join(', ')} and ${existing.length - 7} more` : existing.join(', ')
  throw new OperatorError('SVC2040', `${existing.length === 1 ? 'A file is' : 'Files are'} there already: ${named}`, {
    hint: 'Nothing was written. Name another folder, or replace them with --force.',
  })
}

/** In their order. Throws an OperatorError that says what was written until then. */
export function writeFiles(dir: string, files: readonly NewFile[], replace: boolean): void {
  for (const [index, { file, text }] of files.entries()) {
    try {
      mkdirSync(dirname(join(dir, file)), { recursive: true })
      // Without leave to replace it fails on whatever bears the name, a link that leads nowhere among it.
      writeFileSync(join(dir, file), text, { flag: replace ? 'w' : 'wx' })
    } catch (error) {
      const code = String((error as { readonly code?: unknown }).code)
      const written = files.slice(0, index).map((each) => each.file)
      const done = written.length === 0 ? 'Nothing was written.' : `Written until then: ${written.join(', ')}.`
      throw new OperatorError('SVC2042', `\`${file}\` cannot be written: the system says ${code}`, {
        hint: `Check the folder and its rights. ${done}`,
        cause: error,
      })
    }
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Something on the way is no folder: writing will say so.
    return false
  }
}
