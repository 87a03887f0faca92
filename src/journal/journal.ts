// The journal of an apply: its plan first, then each write before it is sent and after it was answered.

import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Preconditions } from '@svcsync/core/plan/preconditions.ts'
import type { ApplyReport, Outcome } from '@svcsync/core/plan/report.ts'
import { type JournalLine, journalFormatVersion } from '@svcsync/core/saved/journal-record.ts'
import { linkedLine } from './chain.ts'
import { createJournalFile, createJournalWriter, journalFailure, reopenJournalFile } from './journal-file.ts'
import type { JournalState } from './read-journal.ts'

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
  /** Keeps it elsewhere as well. */
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

/** A plan as its journal begins with it. */
interface JournalledPlan {
  readonly document: PlanDocument
  readonly preconditions: Preconditions
}

/** Rejects with an OperatorError, before anything else is done, where the file cannot be written or will not fit. */
export async function beginJournal(place: JournalPlace, planned: JournalledPlan): Promise<Journal> {
  const { document: plan, preconditions } = planned
  // A saved plan holds them.
  const kept = 'saved' in plan ? {} : { preconditions }
  const begun = { event: 'begun', at: timeOf(place), formatVersion: journalFormatVersion, plan, ...kept } as const
  const needed = JSON.stringify(begun).length + plan.steps.length * bytesOfStep
  return start(place, await createJournalFile(place.path, place.shown, needed), begun, plan.digest)
}

/** Goes on in the same file. */
export async function continueJournal(
  place: JournalPlace,
  { length, chain }: Pick<JournalState, 'length' | 'chain'>,
  resumed: { readonly version: string; readonly done: readonly string[]; readonly notDone: readonly string[] },
): Promise<Journal> {
  const file = await reopenJournalFile(place.path, place.shown, length)
  return start(place, file, { event: 'resumed', at: timeOf(place), ...resumed }, chain)
}

/** `chain`: what the first line follows. */
async function start(
  place: JournalPlace,
  file: Parameters<typeof createJournalWriter>[0],
  first: JournalLine,
  chain: string,
): Promise<Journal> {
  let last = chain
  const textOf = (line: object): string => {
    const linked = linkedLine(JSON.stringify(line), last)
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
      // A line that was lost before is told by closing.
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
