// Writes a plan file in one step, for its owner alone: whoever reads it sees a whole plan or none.
import { statSync } from 'node:fs'
import { OperatorError, whyUnwritable } from '../../errors/index.ts'
import { putInPlace } from '../../files/write-atomically.ts'

/** Names and addresses of a whole installation stand in it. */
const mode = 0o600

/** `path` absolute, `shown` as the person wrote it. Throws an OperatorError; what was there before is then still there. */
export function writePlanFile(path: string, text: string, shown: string): void {
  try {
    const there = statSync(path, { throwIfNoEntry: false })
    // Renaming would put a file in the place of whatever is there, also of a device.
    if (there !== undefined && !there.isFile()) {
      throw failure(shown, there.isDirectory() ? whyUnwritable('EISDIR') : 'it is a device or a pipe, and no file')
    }
    putInPlace(path, text, mode)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw failure(shown, whyUnwritable(String((error as { readonly code?: unknown }).code)), error)
  }
}

function failure(shown: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError('SVC2101', `The plan cannot be written to \`${shown}\`: ${why}`, {
    cause,
    hint: 'Nothing was saved. Check the folder and its rights.',
  })
}
