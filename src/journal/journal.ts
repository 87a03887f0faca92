// The journal of an apply: its plan first, then each write before it is sent and after it was answered.
import { constants } from 'node:fs'
import { type FileHandle, open, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Preconditions } from '@svcsync/core/plan/precondition.ts'
import type { ApplyReport, Outcome } from '@svcsync/core/plan/report.ts'
import { OperatorError, whyUnwritable } from '@svcsync/errors/index.ts'
import { chainLine } from './chain.ts'
import { type JournalLine, type JournalState, journalFormatVersion } from './read-journal.ts'

export interface Journal {
  /** Resolves when it is on the disk. Rejects with an OperatorError when it cannot be kept. */
  sending(step: { readonly id: string }, attempt: number): Promise<void>
  answered(step: { readonly id: string }, result: StepEnd): void
  /** The last line. Rejects with an OperatorError when it, or an earlier one, could not be kept. */
  finish(report: Pick<ApplyReport, 'outcome' | 'counts'>): Promise<void>
  /** Without a last line: the run broke off. Never rejects. */
  close(): Promise<void>
}

interface StepEnd {
  readonly outcome: Outcome
  readonly attempts: number
  readonly reason?: string | undefined
}

export interface JournalPlace {
  readonly path: string
  /** As the person wrote it. */
  readonly shown: string
  /** Milliseconds since 1970. */
  clock(): number
  readonly keeper?: JournalKeeper | undefined
}

interface JournalKeeper {
  /** The first line is on the disk, and nothing is sent yet. Rejects with an OperatorError if it cannot be kept. */
  begun(): Promise<void>
  /** All that will be written is. Never rejects. */
  ended(): Promise<void>
}

/** The longest line that a step is likely to take, with the other one. */
const bytesOfStep = 600

/** Rejects with an OperatorError, before anything else is done, where the file cannot be written or will not fit. */
export async function beginJournal(
  place: JournalPlace,
  { document: plan, preconditions }: { readonly document: PlanDocument; readonly preconditions: Preconditions },
): Promise<Journal> {
  // A saved plan holds them.
  const kept = 'saved' in plan ? {} : { preconditions }
  const begun = { event: 'begun', at: timeOf(place), formatVersion: journalFormatVersion, plan, ...kept } as const
  const needed = JSON.stringify(begun).length + plan.steps.length * bytesOfStep
  return start(place, await createJournalFile(place.path, place.shown, needed), begun, plan.digest)
}

export async function continueJournal(
  place: JournalPlace,
  { length, chain }: Pick<JournalState, 'length' | 'chain'>,
  resumed: { readonly version: string; readonly done: readonly string[]; readonly notDone: readonly string[] },
): Promise<Journal> {
  const file = await reopenJournalFile(place.path, place.shown, length)
  return start(place, file, { event: 'resumed', at: timeOf(place), ...resumed }, chain)
}

/** `chain`: what the first line follows. */
async function start(place: JournalPlace, file: JournalFile, first: JournalLine, chain: string): Promise<Journal> {
  let last = chain
  const textOf = (line: object): string => {
    const linked = chainLine(JSON.stringify(line), last)
    last = linked.chain
    return linked.text
  }
  const writer = createJournalWriter(file, journalFailure(place.shown), textOf)
  const write = (line: JournalLine): Promise<void> => writer.write(line)
  const close = async (): Promise<void> => {
    await writer.close().catch(() => undefined)
    await place.keeper?.ended()
  }
  try {
    await write(first)
    await place.keeper?.begun()
  } catch (error) {
    await close()
    throw error
  }
  return {
    sending: ({ id }, attempt) => write({ event: 'sending', at: timeOf(place), step: id, attempt }),
    answered: ({ id }, { outcome, attempts, reason }) => {
      const line = { event: 'answered', at: timeOf(place), step: id, outcome, attempts } as const
      // A lost line leaves the step unknown, and the next one is not sent.
      write(reason === undefined ? line : { ...line, reason }).catch(() => undefined)
    },
    async finish({ outcome, counts }) {
      // Closing reports a line that was lost before.
      await write({ event: 'finished', at: timeOf(place), outcome, counts }).catch(() => undefined)
      await writer.close()
      await place.keeper?.ended()
    },
    close,
  }
}

function timeOf({ clock }: JournalPlace): string {
  return new Date(clock()).toISOString()
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants

/** It contains names and addresses of an installation. */
const mode = 0o600

/** `shown`: the path as the person wrote it. */
function journalFailure(shown: string): (error: unknown) => OperatorError {
  return (error) => {
    const code = String((error as { readonly code?: unknown }).code ?? error)
    return new OperatorError('SVC2121', `The journal ${shown} cannot be written: ${whyUnwritable(code)}`, {
      cause: error,
      hint: 'Name another place with --journal, or make room.',
    })
  }
}

/** A new journal. Rejects with an OperatorError where there is one already, or no place for `bytes` more. */
async function createJournalFile(path: string, shown: string, bytes: number): Promise<JournalFile> {
  const file = await openFile(path, shown)
  try {
    const stats = await file.stat()
    const { size } = stats
    if (stats.isFIFO()) throw journalFailure(shown)({ code: 'ENODEV' })
    if (size > 0)
      throw new OperatorError('SVC2122', `The journal ${shown} exists already`, {
        hint: `Resume it with \`svcsync apply --resume ${shown}\`, or name another file.`,
      })
    // A device keeps the mode that all others use it with.
    if (stats.isFile()) await file.chmod(mode).catch(() => undefined)
    await requireSpace(path, shown, bytes)
    return journalFile(file)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** One that is resumed: `length` bytes of it are whole lines, and a rest that was cut off goes. */
async function reopenJournalFile(path: string, shown: string, length: number): Promise<JournalFile> {
  const file = await openFile(path, shown)
  try {
    await file.truncate(length)
    return journalFile(file)
  } catch (error) {
    await file.close()
    throw journalFailure(shown)(error)
  }
}

async function openFile(path: string, shown: string): Promise<FileHandle> {
  try {
    // Opening a pipe would wait for whoever reads it.
    return await open(path, O_WRONLY | O_APPEND | O_CREAT | (O_NONBLOCK ?? 0), mode)
  } catch (error) {
    throw journalFailure(shown)(error)
  }
}

async function requireSpace(path: string, shown: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path)).catch(() => ({ bavail: 0, bsize: 0 }))
  // Some file systems do not tell their size.
  if (bsize === 0 || bavail * bsize >= bytes) return
  throw journalFailure(shown)({ code: 'ENOSPC' })
}

interface JournalFile {
  /** Appends the whole text, or rejects. */
  append(text: string): Promise<void>
  /** Resolves when everything that was appended is on the disk. */
  flush(): Promise<void>
  close(): Promise<void>
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

/** `explain` turns an error of the system into one for people; calls of `textOf` keep the order of lines. */
export function createJournalWriter(
  file: JournalFile,
  explain: (error: unknown) => Error,
  textOf: (line: object) => string,
) {
  let lines: string[] = []
  let waiting: { resolve(): void; reject(error: Error): void }[] = []
  let writing: Promise<void> | undefined
  let broken: Error | undefined

  /** While one flush is under way the lines of others gather, and share the next. */
  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const text = lines.join('')
      const batch = waiting
      lines = []
      waiting = []
      try {
        await file.append(text)
        await file.flush()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        broken = explain(error)
        for (const { reject } of [...batch, ...waiting]) reject(broken)
        lines = []
        waiting = []
      }
    }
    writing = undefined
  }
  return {
    /** Resolves when the line is on the disk. Rejects, as every later call does, when the file cannot take it. */
    write(line: object): Promise<void> {
      if (broken !== undefined) return Promise.reject(broken)
      return new Promise<void>((resolve, reject) => {
        lines.push(`${textOf(line)}\n`)
        waiting.push({ resolve, reject })
        // In the next turn, so that all events of this one share a write.
        writing ??= Promise.resolve().then(drain)
      })
    },
    /** Waits for what is under way, and closes the file. Rejects when a line was lost. */
    async close(): Promise<void> {
      await writing
      await file.close()
      if (broken !== undefined) throw broken
    },
  }
}
