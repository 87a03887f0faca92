// The journal of an apply: its plan first, then each write before it is sent and after it was answered.
import { type JournalLine, journalFormatVersion } from '../core/journal-record.ts'
import type { PlanDocument } from '../core/plan-document.ts'
import type { ApplyReport, Outcome } from '../core/report.ts'
import { createJournalFile, journalFailure, reopenJournalFile } from './journal-file.ts'
import { createJournalWriter, type JournalFile } from './journal-writer.ts'

export interface Journal {
  /** Resolves when it is on the disk. Rejects with an OperatorError when it cannot be kept. */
  sending(step: { readonly id: string }, attempt: number): Promise<void>
  answered(step: { readonly id: string }, result: StepEnd): void
  /** The last line. Rejects with an OperatorError when it, or an earlier one, could not be kept. */
  finish(report: Pick<ApplyReport, 'outcome' | 'counts'>): Promise<void>
  /** Without a last line: the run broke off. Never rejects. */
  close(): Promise<void>
}

export interface StepEnd {
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
}

/** The longest line that a step is likely to take, with the other one. */
const bytesOfStep = 600

/** Rejects with an OperatorError, before anything else is done, where the file cannot be written or will not fit. */
export async function beginJournal(place: JournalPlace, plan: PlanDocument): Promise<Journal> {
  const begun = { event: 'begun', at: timeOf(place), formatVersion: journalFormatVersion, plan } as const
  const needed = JSON.stringify(begun).length + plan.steps.length * bytesOfStep
  return start(place, await createJournalFile(place.path, place.shown, needed), begun)
}

/** Goes on in the same file. `length`: what of it are whole lines. */
export async function continueJournal(
  place: JournalPlace,
  length: number,
  resumed: { readonly version: string; readonly done: readonly string[]; readonly notDone: readonly string[] },
): Promise<Journal> {
  const file = await reopenJournalFile(place.path, place.shown, length)
  return start(place, file, { event: 'resumed', at: timeOf(place), ...resumed })
}

async function start(place: JournalPlace, file: JournalFile, first: JournalLine): Promise<Journal> {
  const writer = createJournalWriter(file, journalFailure(place.shown))
  const write = (line: JournalLine): Promise<void> => writer.write(line)
  const close = (): Promise<void> => writer.close().catch(() => undefined)
  try {
    await write(first)
  } catch (error) {
    await close()
    throw error
  }
  return {
    sending: ({ id }, attempt) => write({ event: 'sending', at: timeOf(place), step: id, attempt }),
    answered: ({ id }, { outcome, attempts, reason }) => {
      const line = { event: 'answered', at: timeOf(place), step: id, outcome, attempts } as const
      // What is lost here leaves the step unknown, and the next one is not sent.
      write(reason === undefined ? line : { ...line, reason }).catch(() => undefined)
    },
    async finish({ outcome, counts }) {
      // A line that was lost before is told by closing.
      await write({ event: 'finished', at: timeOf(place), outcome, counts }).catch(() => undefined)
      await writer.close()
    },
    close,
  }
}

function timeOf({ clock }: JournalPlace): string {
  return new Date(clock()).toISOString()
}
