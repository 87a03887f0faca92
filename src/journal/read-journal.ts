// The lines of a journal (see schemas/journal.schema.json), and how it is read again: which steps were done, which were
// not, and of which it is not known.

import { isJsonObject, type Json, parseJson } from '@svcsync/core/model/json.ts'
import { misfitOf } from '@svcsync/core/plan/misfit.ts'
import type { PlanDocument } from '@svcsync/core/plan/plan-document.ts'
import type { Preconditions } from '@svcsync/core/plan/precondition.ts'
import type { ApplyReport, Outcome } from '@svcsync/core/plan/report.ts'
import type { SavedPlan } from '@svcsync/core/saved/saved-plan.ts'
import { OperatorError } from '@svcsync/errors/index.ts'
import { isUnread, largestDocument, readBounded } from '@svcsync/files/read-bounded.ts'
import { follows } from './chain.ts'

export const journalFormatVersion = '2.0'

interface ReadPlace {
  readonly path: string
  readonly shown: string
  readonly keeper?: object | undefined
}

interface JournalEvent {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly chain?: string
}

/** The first line: what is to be done. Holds no secret, as no plan does. */
interface BegunLine extends JournalEvent {
  readonly event: 'begun'
  readonly formatVersion: string
  /** The whole file, for a saved plan. */
  readonly plan: PlanDocument
  /** The preconditions, for any other plan. */
  readonly preconditions?: Preconditions
}

/** On the disk before the request is sent: from here on, the step may have been carried out. */
interface SendingLine extends JournalEvent {
  readonly event: 'sending'
  readonly step: string
  readonly attempt: number
}

/** The result of the write, not of its synchronisation. */
interface AnsweredLine extends JournalEvent {
  readonly event: 'answered'
  readonly step: string
  readonly outcome: Outcome
  readonly attempts: number
  readonly reason?: string
}

/** Another process resumed the apply, after it read the outcome of its steps. */
interface ResumedLine extends JournalEvent {
  readonly event: 'resumed'
  readonly version: string
  /** Steps that turned out to be carried out, and steps that did not. */
  readonly done: readonly string[]
  readonly notDone: readonly string[]
}

/** The run came to its end by itself, whatever its outcome. */
interface FinishedLine extends JournalEvent {
  readonly event: 'finished'
  readonly outcome: ApplyReport['outcome']
  readonly counts: ApplyReport['counts']
}

export type JournalLine = BegunLine | SendingLine | AnsweredLine | ResumedLine | FinishedLine

/** `unknown`: it was sent, and the outcome is not known. `not-done`: it was not sent, or was refused. */
interface StepState {
  readonly state: 'done' | 'unchanged' | 'unknown' | 'not-done'
  /** Times that it was sent, by all the processes that wrote the journal. */
  readonly attempts: number
  /** The line in the file, from 1, that names it first. */
  readonly line: number
}

export interface JournalState {
  readonly plan: PlanDocument
  readonly preconditions: Preconditions
  readonly begunAt: string
  readonly endedAt: string
  /** The steps that began; the others are not done. */
  readonly steps: ReadonlyMap<string, StepState>
  /** The outcome of the last run; undefined: it was killed. */
  readonly finished: string | undefined
  /** A copy of a killed run's journal, which may lack its last lines: steps without an answer are `unknown`. */
  readonly isBehind: boolean
  /** Bytes that are whole lines. */
  readonly length: number
  /** The chain of the last whole line. */
  readonly chain: string
  /** Number of the first line, from 1, that does not follow those before it: the file was edited. */
  readonly brokenAt: number | undefined
}

/**
 * Rejects with an OperatorError for an unusable file. The caller checks `brokenAt` and the plan's digest. A place with
 * a keeper holds a copy, taken at intervals.
 */
export async function readJournal({ path, shown, keeper }: ReadPlace): Promise<JournalState> {
  const bytes = readBounded(path, largestDocument)
  if (isUnread(bytes))
    throw new OperatorError('SVC2123', `The journal ${shown} cannot be read: ${bytes.reason}`, {
      cause: bytes.cause,
      hint: 'Name the file that --journal has written.',
    })
  // A line that a kill cut off says nothing.
  const length = bytes.lastIndexOf('\n') + 1
  const texts = bytes.subarray(0, length).toString('utf8').split('\n').slice(0, -1)
  const [head, ...later] = texts.map((text, index) => parseLine(text, index + 1, shown))
  if (head === undefined) throw unusable(shown, 'its first line is incomplete: nothing was sent under it')
  const first = headOf(head, shown)
  const rest = later.map((line, index) => laterLine(line, `${shown}:${index + 2}`))
  const { plan, preconditions, at } = first
  const known = new Set(plan.steps.map(({ id }) => id))
  const steps = new Map<string, StepState>()
  let finished: string | undefined
  for (const [index, line] of rest.entries()) {
    finished = line.event === 'finished' ? line.outcome : undefined
    for (const [id, state] of statesAfter(line, steps)) {
      if (!known.has(id))
        throw unusable(`${shown}:${index + 2}`, `it speaks of step ${id}, which its plan does not have`)
      steps.set(id, { ...state, line: steps.get(id)?.line ?? index + 2 })
    }
  }
  const isBehind = keeper !== undefined && finished === undefined
  if (isBehind) for (const id of unanswered(plan, rest)) steps.set(id, perhapsSent(steps.get(id)))
  const chains = [plan.digest, ...[first, ...rest].map(({ chain }) => String(chain))]
  const broken = texts.findIndex((text, index) => !follows(text, chains[index + 1] as string, chains[index] as string))
  const brokenAt = broken < 0 ? undefined : broken + 1
  const { at: endedAt } = rest.at(-1) ?? first
  const begun = preconditions ?? (plan as SavedPlan).saved
  return {
    plan,
    preconditions: begun,
    begunAt: at,
    endedAt,
    steps,
    finished,
    isBehind,
    length,
    chain: chains.at(-1) as string,
    brokenAt,
  }
}

/** The last run may have sent them after the copy was taken. */
function unanswered({ steps }: PlanDocument, lines: readonly JournalLine[]): readonly string[] {
  const over = new Set<string>()
  for (const line of lines) {
    if (line.event === 'answered') over.add(line.step)
    if (line.event !== 'resumed') continue
    for (const id of line.done) over.add(id)
    for (const id of line.notDone) over.delete(id)
  }
  return steps.flatMap(({ id }) => (over.has(id) ? [] : [id]))
}

const perhapsSent = (known: StepState | undefined): StepState => ({
  state: 'unknown',
  attempts: Math.max(known?.attempts ?? 0, 1),
  line: known?.line ?? 1,
})

function statesAfter(line: JournalLine, before: ReadonlyMap<string, StepState>): [string, Omit<StepState, 'line'>][] {
  const now = (id: string, state: StepState['state'], sent = 0): [string, Omit<StepState, 'line'>] => [
    id,
    { state, attempts: (before.get(id)?.attempts ?? 0) + sent },
  ]
  switch (line.event) {
    case 'sending':
      return [now(line.step, 'unknown', 1)]
    case 'answered':
      return [now(line.step, stateOf(line.outcome))]
    case 'resumed':
      return [...line.done.map((id) => now(id, 'done')), ...line.notDone.map((id) => now(id, 'not-done'))]
    default:
      // Additions of a later minor version.
      return []
  }
}

function stateOf(outcome: Outcome): StepState['state'] {
  if (outcome === 'failed' || outcome === 'skipped') return 'not-done'
  return outcome
}

type ParsedLine = { readonly [key: string]: Json | undefined }

function parseLine(text: string, number: number, shown: string): ParsedLine {
  const value = parseJson(text)
  if (!isJsonObject(value) || typeof value.event !== 'string')
    throw unusable(`${shown}:${number}`, 'a line is no event: the file was changed or damaged')
  return value
}

const laterEvents: readonly unknown[] = ['sending', 'answered', 'resumed', 'finished'] satisfies JournalLine['event'][]

function laterLine(line: ParsedLine, shown: string): JournalLine {
  const { event } = line
  // Another first line would begin another journal. Additions of a later minor version are skipped.
  const misfit =
    event === 'begun'
      ? 'event'
      : laterEvents.includes(event)
        ? misfitOf(line, `journal.schema.json#/$defs/${event}`)
        : undefined
  if (misfit === undefined) return line as unknown as JournalLine
  throw unusable(shown, `\`${misfit}\` is not as svcsync writes it: the file was changed or damaged`)
}

function headOf(line: ParsedLine, shown: string): Extract<JournalLine, { event: 'begun' }> {
  const { event, formatVersion, plan } = line
  if (event !== 'begun' || !isJsonObject(plan)) throw unusable(`${shown}:1`, 'it does not begin with a plan')
  const [major] = String(formatVersion).split('.')
  if (major !== journalFormatVersion.split('.')[0])
    throw unusable(shown, `its format is ${String(formatVersion)}, and this svcsync reads ${journalFormatVersion}`)
  const isWithout = plan.saved === undefined && line.preconditions === undefined
  const misfit = misfitOf(line, 'journal.schema.json#/$defs/begun') ?? (isWithout ? 'preconditions' : undefined)
  if (misfit === undefined) return line as unknown as ReturnType<typeof headOf>
  throw unusable(`${shown}:1`, `\`${misfit}\` is not as svcsync writes it: the file was changed or damaged`)
}

function unusable(shown: string, why: string): OperatorError {
  return new OperatorError('SVC2124', `The journal ${shown} cannot be resumed: ${why}`, {
    hint: 'Run `svcsync apply` without it: it reads the live state.',
  })
}
