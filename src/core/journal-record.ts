// The lines of a journal: what an apply was about to write, and what came of it. Described by schemas/journal.schema.json.
import type { PlanDocument } from './plan-document.ts'
import type { ApplyReport, Outcome } from './report.ts'

export const journalFormatVersion = '1.0'

interface Line {
  /** ISO 8601, UTC. */
  readonly at: string
}

/** The first line: what is to be done. Holds no secret, as no plan does. */
export interface BegunLine extends Line {
  readonly event: 'begun'
  readonly formatVersion: string
  readonly plan: PlanDocument
}

/** On the disk before the request is sent: from here on, the step may have been carried out. */
export interface SendingLine extends Line {
  readonly event: 'sending'
  readonly step: string
  readonly attempt: number
}

/** What the write came to. That the platform has synchronised it is not said. */
export interface AnsweredLine extends Line {
  readonly event: 'answered'
  readonly step: string
  readonly outcome: Outcome
  readonly attempts: number
  readonly reason?: string
}

/** The journal was taken up by another process, which has looked at what its steps came to. */
export interface ResumedLine extends Line {
  readonly event: 'resumed'
  readonly version: string
  /** Steps that turned out to be carried out, and steps that did not. */
  readonly done: readonly string[]
  readonly notDone: readonly string[]
}

/** The run came to its end by itself, whatever its outcome. */
export interface FinishedLine extends Line {
  readonly event: 'finished'
  readonly outcome: ApplyReport['outcome']
  readonly counts: ApplyReport['counts']
}

export type JournalLine = BegunLine | SendingLine | AnsweredLine | ResumedLine | FinishedLine
