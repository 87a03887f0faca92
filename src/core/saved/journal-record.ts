// The lines of a journal: what an apply was about to write, and what came of it. See schemas/journal.schema.json.
import type { PlanDocument } from '../plan/plan-document.ts'
import type { Preconditions } from '../plan/precondition.ts'
import type { ApplyReport, Outcome } from '../plan/report.ts'

export const journalFormatVersion = '2.0'

interface Line {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly chain?: string
}

/** The first line: what is to be done. Holds no secret, as no plan does. */
interface BegunLine extends Line {
  readonly event: 'begun'
  readonly formatVersion: string
  /** The whole file, for a saved plan. */
  readonly plan: PlanDocument
  /** The preconditions, for any other plan. */
  readonly preconditions?: Preconditions
}

/** On the disk before the request is sent: from here on, the step may have been carried out. */
interface SendingLine extends Line {
  readonly event: 'sending'
  readonly step: string
  readonly attempt: number
}

/** The result of the write, not of its synchronisation. */
interface AnsweredLine extends Line {
  readonly event: 'answered'
  readonly step: string
  readonly outcome: Outcome
  readonly attempts: number
  readonly reason?: string
}

/** Another process resumed the apply, after it read the outcome of its steps. */
interface ResumedLine extends Line {
  readonly event: 'resumed'
  readonly version: string
  /** Steps that turned out to be carried out, and steps that did not. */
  readonly done: readonly string[]
  readonly notDone: readonly string[]
}

/** The run came to its end by itself, whatever its outcome. */
interface FinishedLine extends Line {
  readonly event: 'finished'
  readonly outcome: ApplyReport['outcome']
  readonly counts: ApplyReport['counts']
}

export type JournalLine = BegunLine | SendingLine | AnsweredLine | ResumedLine | FinishedLine
