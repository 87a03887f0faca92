// The file of a journal: for its owner alone, refused before the first write if it does not fit, and flushed.
import { constants } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants

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
    if (stats.isFIFO()) throw journalFailure(shown)({ code: 'ENODEV' })
    if (size > 0) {
      throw new OperatorError('SVC2122', `The journal ${shown} exists already`, {
        hint: `Resume it with \`svcsync apply --resume ${shown}\`, or name another file.`,
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
    // Opening a pipe would wait for whoever reads it.
    return await open(path, O_WRONLY | O_APPEND | O_CREAT | (O_NONBLOCK ?? 0), mode)
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
        // Only a file on a disk can be flushed.
        if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
      }),
    close: () => file.close(),
  }
}

interface JournalFile {
  /** Appends the whole text, or rejects. */
  append(text: string): Promise<void>
  /** Resolves when everything that was appended is on the disk. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface JournalWriter {
  /** Resolves when the line is on the disk. Rejects, as every later call does, when the file cannot take it. */
  write(line: object): Promise<void>
  /** Waits for what is under way, and closes the file. Rejects when a line was lost. */
  close(): Promise<void>
}

/** `explain` makes an error of the system into one for people; `textOf` is asked in the order of the lines. */
export function createJournalWriter(
  file: JournalFile,
  explain: (error: unknown) => Error,
  textOf: (line: object) => string,
): JournalWriter {
  let lines: string[] = []
  let waiting: { resolve(): void; reject(error: Error): void }[] = []
  let writing: Promise<void> | undefined
  let broken: Error | undefined

  /** While one flush is under way the lines of others gather, and share the next. */
  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const text = lines.join('')
      const asked = waiting
      lines = []
      waiting = []
      try {
        await file.append(text)
        await file.flush()
        for (const { resolve } of asked) resolve()
      } catch (error) {
        broken = explain(error)
        for (const { reject } of [...asked, ...waiting]) reject(broken)
        lines = []
        waiting = []
      }
    }
    writing = undefined
  }
  return {
    write(line) {
      if (broken !== undefined) return Promise.reject(broken)
      return new Promise<void>((resolve, reject) => {
        lines.push(`${textOf(line)}\n`)
        waiting.push({ resolve, reject })
        // In a turn of its own: what is told in this one goes along.
        writing ??= Promise.resolve().then(drain)
      })
    },
    async close() {
      await writing
      await file.close()
      if (broken !== undefined) throw broken
    },
  }
}
