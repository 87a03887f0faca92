// Writes a plan file in one step, for its owner alone: whoever reads it sees a whole plan or none.
import { statSync } from 'node:fs'
import { OperatorError } from '../errors/index.ts'
import { putInPlace } from '../format/write-atomically.ts'

/** Names and addresses of a whole installation stand in it. */
const mode = 0o600

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'the system does not let svcsync',
  EPERM: 'the system does not let svcsync',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it is larger than a file may be there',
  ENAMETOOLONG: 'its name is too long',
  NOFILE: 'it is a device or a pipe, and no file',
}

/** `path` absolute, `shown` as the person wrote it. Throws an OperatorError; what was there before is then still there. */
export function writePlanFile(path: string, text: string, shown: string): void {
  try {
    const there = statSync(path, { throwIfNoEntry: false })
    // Renaming would put a file in the place of whatever is there, also of a device.
    if (there !== undefined && !there.isFile()) throw failure(shown, there.isDirectory() ? 'EISDIR' : 'NOFILE')
    putInPlace(path, text, mode)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw failure(shown, String((error as { readonly code?: unknown }).code), error)
  }
}

function failure(shown: string, code: string, cause?: unknown): OperatorError {
  return new OperatorError('SVC2101', `The plan cannot be written to \`${shown}\`: ${reasons[code] ?? code}`, {
    cause,
    hint: 'Nothing was saved. Check the folder and its rights.',
  })
}
