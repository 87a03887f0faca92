// The file of a journal: for its owner alone, appended to, and refused before the first write where it will not fit.
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError, whyUnwritable } from '../errors/index.ts'
import type { JournalFile } from './journal-writer.ts'

/** Names and addresses of an installation stand in it. */
const mode = 0o600

/** `shown`: the path as the person wrote it. */
export function journalFailure(shown: string): (error: unknown) => OperatorError {
  return (error) => {
    const code = String((error as { readonly code?: unknown }).code ?? error)
    return new OperatorError('SVC2121', `The journal ${shown} cannot be written: ${whyUnwritable(code)}`, {
      cause: error,
      hint: 'Name another place with --journal, or make room.',
    })
  }
}

/** A new journal. Rejects with an OperatorError where there is one already, or no place for `bytes` more. */
export async function createJournalFile(path: string, shown: string, bytes: number): Promise<JournalFile> {
  const file = await opened(path, shown)
  try {
    const stats = await file.stat()
    const { size } = stats
    if (size > 0) {
      throw new OperatorError('SVC2122', `The journal ${shown} exists already`, {
        hint: `Go on with it by \`svcsync apply --resume ${shown}\`, or name another file.`,
      })
    }
    // A device keeps the mode that all others use it with.
    if (stats.isFile()) await file.chmod(mode).catch(() => undefined)
    await hasRoom(path, shown, bytes)
    return journalFile(file)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** One that is resumed: `length` bytes of it are whole lines, and a rest that was cut off goes. */
export async function reopenJournalFile(path: string, shown: string, length: number): Promise<JournalFile> {
  const file = await opened(path, shown)
  try {
    await file.truncate(length)
    return journalFile(file)
  } catch (error) {
    await file.close()
    throw journalFailure(shown)(error)
  }
}

async function opened(path: string, shown: string): Promise<FileHandle> {
  try {
    return await open(path, 'a', mode)
  } catch (error) {
    throw journalFailure(shown)(error)
  }
}

async function hasRoom(path: string, shown: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path)).catch(() => ({ bavail: 0, bsize: 0 }))
  // Some file systems do not tell their size.
  if (bsize === 0 || bavail * bsize >= bytes) return
  throw journalFailure(shown)({ code: 'ENOSPC' })
}

function journalFile(file: FileHandle): JournalFile {
  return {
    append: (text) => file.appendFile(text),
    flush: () =>
      file.datasync().catch((error: { readonly code?: unknown }) => {
        // What is no file on a disk cannot be flushed.
        if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
      }),
    close: () => file.close(),
  }
}
