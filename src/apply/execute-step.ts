// Carries out one step truthfully: sends it, and where the answer does not tell, reads back before it is repeated.

import { missingElements } from '@svcsync/core/compare/compare-collection.ts'
import { specOf } from '@svcsync/core/compare/compare-fields.ts'
import { joinedKeys } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { concealed } from '@svcsync/core/model/sensitive.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import { concernsOne } from '@svcsync/live/read-object.ts'
import type { WriteLog } from './apply-event.ts'
import { usualPauseMs } from './look-times.ts'
import { answerOf, nextAct, type Sight } from './next-act.ts'
import type { OtherWriters } from './other-writers.ts'
import { differingFields, effectIsThere, readBack } from './read-back.ts'
import type { createSharedRequests } from './shared-requests.ts'
import { locate, requestOf } from './step-request.ts'
import { failedResult, resultOf, type StepResult, unkeptResult, whyStopped } from './step-result.ts'

type NextAct = ReturnType<typeof nextAct>
type Situation = Parameters<typeof nextAct>[2]

interface ExecutionContext {
  readonly attempts: number
  readonly maxDelayMs: number
  /** So long, locked, lost and not there yet are worth waiting for. */
  readonly syncTimeoutMs: number
  sleep(delayMs: number): Promise<void>
  readonly port: PlatformPort
  readonly pageSize: number
  onLocked(step: Step, delayMs: number): void
  /** The object as the plan read it, and the name that it may still have. */
  seenAt(address: string): { readonly seen: Live | undefined; readonly before: string | undefined }
  /** The id under which an object created in this run is known. */
  selfOf(address: string): string | undefined
  /** `self` undefined: the answer told no id, and the object has to be found by its name. */
  created(address: string, self: string | undefined): void
  readonly others: OtherWriters
  readonly log?: WriteLog | undefined
  readonly sharing: Pick<ReturnType<typeof createSharedRequests>, 'answerTo'>
  /** Ids of steps that another process may have sent. */
  readonly maybeSent?: ReadonlySet<string> | undefined
  /** True for an object that this run created: its absence is a matter of time. */
  isNew(address: string): boolean
}

/** Never rejects for what the platform does: the outcome says it, without any secret of the step. */
export async function executeStep(step: Step, kind: Kind, context: ExecutionContext): Promise<StepResult> {
  const result = await carryOut(step, kind, context)
  if (result.reason === undefined) return result
  const stops = result.stops === undefined ? undefined : { stops: concealed(result.stops, step.spec) }
  return { ...result, reason: concealed(result.reason, step.spec), ...stops }
}

async function carryOut(step: Step, kind: Kind, context: ExecutionContext): Promise<StepResult> {
  const settled = await othersFirst(step, kind, context)
  if (settled !== undefined) return settled
  const patience = createPatience(kind.synchronises, context)
  const sentBefore = context.maybeSent?.has(step.id) === true
  let losses = 0
  for (let attempts = 1; ; attempts++) {
    const lostBefore = losses > 0 || sentBefore
    const at = locate(step, context.selfOf)
    const error = await attempt(step, kind, at, { number: attempts, lostBefore }, context)
    if (!(error instanceof PlatformError)) return error
    const answer = answerOf(error)
    const situation: Situation = {
      ...{ verb: step.verb, lostBefore, isNew: context.isNew(step.address) },
      ...{ mayWait: patience.mayWait(attempts), mayLoseMore: losses + 1 < context.attempts },
      shared: wasShared(step, attempts, context),
    }
    if (answer === 'lost') losses++
    const { next, look } = await decide(step, kind, at, { answer, situation }, context)
    if (next.act === 'update-instead' && look.live !== undefined) {
      if (losses === 0 && !sentBefore) context.others.foundCreated(step.address)
      return carryOnAsUpdate(step, kind, look.live, context, attempts)
    }
    if (next.act === 'end') return endedAs(next, error, look, attempts)
    if (next.act === 'repeat-alone') continue
    if (answer === 'locked') context.onLocked(step, patience.delayMs())
    await patience.wait()
  }
}

/** A write that is refused costs the platform more than a look. */
const shortestMs = 250

/** `synchronises`: of objects that the platform takes in and finishes later; there time counts, elsewhere attempts. */
function createPatience(synchronises: boolean, context: ExecutionContext) {
  let waitedMs = 0
  let doubledMs = shortestMs
  const delayMs = (): number => {
    const wantedMs = synchronises ? Math.max(shortestMs, usualPauseMs(waitedMs)) : doubledMs
    return Math.min(wantedMs, context.maxDelayMs)
  }
  return {
    mayWait: (attempts: number): boolean =>
      synchronises ? waitedMs < context.syncTimeoutMs : attempts < context.attempts,
    delayMs,
    async wait(): Promise<void> {
      const pauseMs = delayMs()
      await context.sleep(pauseMs)
      waitedMs += pauseMs
      doubledMs = pauseMs * 2
    },
  }
}

function wasShared(step: Step, attempts: number, { sharing }: ExecutionContext): boolean {
  return attempts === 1 && (sharing.answerTo(step)?.steps ?? 1) > 1
}

function endedAs(
  { outcome, stops }: NextAct & { readonly act: 'end' },
  error: PlatformError,
  { trouble }: Look,
  attempts: number,
): StepResult {
  return { ...resultOf(outcome, error, trouble, attempts), ...(stops && { stops: whyStopped(error) }) }
}

async function decide(
  step: Step,
  kind: Kind,
  at: Location,
  { answer, situation }: { readonly answer: ReturnType<typeof answerOf>; readonly situation: Situation },
  context: ExecutionContext,
): Promise<{ next: NextAct; look: Look }> {
  if (answer === 'lost' && step.verb === 'create') context.others.sent(step, kind)
  const next = nextAct(answer, undefined, situation)
  if (next.act !== 'read-back') return { next, look: { found: 'nothing' } }
  const look = await lookAt(step, kind, at, situation.shared, context)
  if (look.live !== undefined && step.verb === 'create') context.created(step.address, look.live.self)
  return { next: nextAct(answer, look.found, situation), look }
}

/** The outcome, or the platform's error, after which the caller must read the object back. */
async function attempt(
  step: Step,
  kind: Kind,
  at: Location,
  { number, lostBefore }: { readonly number: number; readonly lostBefore: boolean },
  context: ExecutionContext,
): Promise<StepResult | PlatformError> {
  let sent = number - 1
  try {
    const together = number === 1 ? context.sharing.answerTo(step) : undefined
    if (together !== undefined) {
      sent = number
      if (together.error !== undefined) throw together.error
      return { outcome: 'done', attempts: sent }
    }
    const { seen, before } = context.seenAt(step.address)
    const request = requestOf(step, kind, at, { seen, before, normalise: context.port.normalise })
    // Nobody would know of a write that is sent without its line in the journal.
    const unkept = await context.log
      ?.sending(step, number)
      .catch((error: unknown) => unkeptResult(error, sent, lostBefore))
    if (unkept !== undefined) return unkept
    sent = number
    const answer = await context.port.send(request)
    if (step.verb === 'create') {
      learnId(step, answer, context)
      context.others.sent(step, kind)
    }
    return { outcome: 'done', attempts: sent }
  } catch (error) {
    return error instanceof PlatformError && sent === number ? error : failedResult(error, sent)
  }
}

/** Another writer's change since the plan may leave nothing to send. Undefined: the step is sent. */
async function othersFirst(step: Step, kind: Kind, context: ExecutionContext): Promise<StepResult | undefined> {
  if (step.verb === 'remove') return context.others.leavesNobody(step, kind)
  if (step.verb !== 'create') return undefined
  let live: Live | undefined
  try {
    live = await context.others.appeared(step, kind)
  } catch (error) {
    const reason = `it was not sent, because svcsync could not read its list again: ${error instanceof Error ? error.message : ''}`
    if (!(error instanceof PlatformError)) throw error
    return {
      outcome: 'failed',
      code: error.code,
      reason,
      hint: error.hint,
      attempts: 0,
      ...(!concernsOne(error) && { stops: whyStopped(error) }),
    }
  }
  if (live === undefined) return undefined
  context.created(step.address, live.self)
  const isThere = effectIsThere(step, kind, live)
  return isThere ? { outcome: 'unchanged', attempts: 0 } : carryOnAsUpdate(step, kind, live, context, 0)
}

interface Look {
  readonly found: Sight
  readonly live?: Live | undefined
  readonly trouble?: unknown
}

async function lookAt(step: Step, kind: Kind, at: Location, shared: boolean, context: ExecutionContext): Promise<Look> {
  try {
    const { before } = context.seenAt(step.address)
    const live = await readBack(context.port, kind, step.address, at, { pageSize: context.pageSize, before })
    if (effectIsThere(step, kind, live)) return { found: 'effect', live }
    return { found: live === undefined ? 'nothing' : 'other', live }
  } catch (trouble) {
    // Whom the platform does not know holds none of what went with that of others: alone, its refusal tells why.
    const isUnknown = trouble instanceof PlatformError && answerOf(trouble) === 'absent'
    return isUnknown && shared ? { found: 'nothing' } : { found: 'unreadable', trouble }
  }
}

/** The platform answers with the ids of constants, connections and substitutions; accounts have theirs before. */
function learnId(step: Step, answer: Json | undefined, context: ExecutionContext): void {
  // Some versions answer with a bare number or text, or with nothing; an id of another sort would name nothing.
  const bare = /^\d+$/.test(String(answer)) ? [answer] : []
  const [id] = (isJsonObject(answer) ? [answer.guid, answer.id] : bare).filter(
    (each) => typeof each === 'number' || (typeof each === 'string' && each !== ''),
  )
  context.created(step.address, step.at.self ?? (id === undefined ? undefined : String(id)))
}

/** A create that found the object: what is still different is written to it. */
async function carryOnAsUpdate(
  step: Step,
  kind: Kind,
  live: Live,
  context: ExecutionContext,
  attempts: number,
): Promise<StepResult> {
  let sent = attempts
  const rest: Step[] = []
  const spec = step.spec ?? {}
  const differences = differingFields(step, kind, live)
  const fieldKeys = joinedKeys(live, { spec, fieldKeys: step.fieldKeys })
  const base = {
    id: step.id,
    address: step.address,
    kind: step.kind,
    at: { ...step.at, self: live.self },
    dependsOn: [],
    ...(fieldKeys && { fieldKeys }),
  }
  const whole = Object.values(kind.collections).some((collection) => collection.whole)
  if (differences.length > 0 || whole) {
    const changed = specOf(differences)
    const own = kind.updateSpec?.(changed, spec, live.spec) ?? changed
    rest.push({ ...base, verb: 'update', spec: own, ...(whole && { collections: step.collections ?? {} }) })
  }
  for (const [collection, wanted] of Object.entries(step.collections ?? {})) {
    if (kind.collections[collection]?.whole) continue
    const elements = missingElements(wanted, live.collections[collection] ?? [])
    if (elements.length > 0) rest.push({ ...base, verb: 'add', collection, elements })
  }
  for (const part of rest) {
    const result = await executeStep(part, kind, context)
    sent += result.attempts
    if (result.outcome === 'done' || result.outcome === 'unchanged') continue
    // It may be this very step that created it: what did not work is the rest.
    const reason = `it exists, and is not yet as wanted: ${result.reason ?? ''}`
    return { ...result, reason, attempts: sent }
  }
  return { outcome: 'done', attempts: sent }
}
