// Decides the next act after an attempt at a step, from its answer and from reading back: one table, no waiting.
import type { Step } from '@svcsync/core/model/step.ts'
import { effectIsUnknown, failureCodes, isLocked, type PlatformError } from '@svcsync/errors/index.ts'

/** `absent`: the platform does not know the object. `lost`: it may have been carried out. `refused`: it was not. */
type Answer = 'done' | 'locked' | 'not-sent' | 'token-refused' | 'absent' | 'lost' | 'refused'

/** `effect`: as the step wants it. `other`: otherwise. `nothing`: not there, or not shown yet. */
type LookResult = 'effect' | 'other' | 'nothing' | 'unreadable'

interface Situation {
  readonly verb: Step['verb']
  /** An answer to an earlier attempt at this step was lost: it may have been carried out since. */
  readonly lostBefore: boolean
  /** This run created the object: its absence is a matter of time. */
  readonly isNew: boolean
  /** There is time left for what passes: locks, and objects that are not shown yet. */
  readonly mayWait: boolean
  /** So few answers were lost that another attempt is worth it. */
  readonly mayLoseMore: boolean
  /** The request was about other objects, too: it may have been refused because of them, and not as a whole. */
  readonly shared: boolean
}

type NextAction =
  | {
      readonly act: 'end'
      readonly outcome: 'done' | 'unchanged' | 'failed' | 'unknown'
      /** The failure concerns every step to come. */
      readonly stops?: true
    }
  /** Only given when nothing was read back yet. */
  | { readonly act: 'read-back' }
  | { readonly act: 'repeat-later' }
  | { readonly act: 'repeat-alone' }
  /** The object that was to be created is there: what differs is written to it. */
  | { readonly act: 'update-instead' }

export function answerOf(error: PlatformError): Exclude<Answer, 'done'> {
  if (isLocked(error)) return 'locked'
  if (error.kind === 'unreachable') return 'not-sent'
  if (effectIsUnknown(error)) return 'lost'
  if (error.status === 401) return 'token-refused'
  // By its code, not its status: a web page that says 404 knows nothing about the object.
  return error.code === failureCodes.notFound ? 'absent' : 'refused'
}

export function nextAction(answer: Answer, found: LookResult | undefined, situation: Situation): NextAction {
  if (answer === 'done') return { act: 'end', outcome: 'done' }
  const isRefusedWhole = answer === 'not-sent' || answer === 'token-refused'
  const partly = situation.shared && !isRefusedWhole
  const lost = situation.lostBefore || answer === 'lost' || partly
  const act = actByAnswer(answer, situation, { partly, lost })
  if (act !== undefined) return act
  // Some installations show what is deleted until they have synchronised: that it is gone is waited for, as ever.
  const isGone = situation.verb === 'delete' && answer === 'absent'
  if (isGone || found === 'effect') return { act: 'end', outcome: lost ? 'done' : 'unchanged' }
  // Refused or lost: the object itself tells what to make of it.
  return found === undefined ? { act: 'read-back' } : actByLook(answer, found, situation, { partly, lost })
}

/** `partly`: refused because of others, perhaps. `lost`: this attempt, or one before, may have been carried out. */
interface WriteDoubt {
  readonly partly: boolean
  readonly lost: boolean
}

function endOf(lost: boolean): NextAction & { readonly act: 'end' } {
  return { act: 'end', outcome: lost ? 'unknown' : 'failed' }
}

/** Decides by the answer alone. */
function actByAnswer(answer: Answer, { mayWait }: Situation, { partly, lost }: WriteDoubt): NextAction | undefined {
  if (answer === 'locked' && mayWait && !partly) return { act: 'repeat-later' }
  if (answer === 'locked' && !lost) return endOf(lost)
  const isShut = answer === 'not-sent' || (answer === 'token-refused' && !lost)
  return isShut ? { ...endOf(lost), stops: true } : undefined
}

function actByLook(
  answer: Answer,
  found: Exclude<LookResult, 'effect'>,
  situation: Situation,
  { partly, lost }: WriteDoubt,
): NextAction {
  const { verb, mayWait } = situation
  const notSettled = endOf(lost)
  if (found === 'unreadable') return notSettled
  if (partly && answer !== 'lost') return { act: 'repeat-alone' }
  if (found === 'other' && verb === 'create') return { act: 'update-instead' }
  // Lost, and not there (yet): repeating is safe now, and a create that turns out to exist comes back here.
  if (answer === 'lost') return situation.mayLoseMore ? { act: 'repeat-later' } : notSettled
  const maybeNotYet = (answer === 'absent' && situation.isNew) || (lost && verb === 'create')
  if (maybeNotYet && mayWait) return { act: 'repeat-later' }
  // An earlier attempt may not be shown yet: only what was never lost failed.
  return notSettled
}
