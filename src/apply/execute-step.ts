// Carries out one step truthfully: sends it, and where the answer does not tell, reads back before it is repeated.

import { missingElements } from '@svcsync/core/compare/compare-collection.ts'
import { specOf } from '@svcsync/core/compare/compare-fields.ts'
import { joinedKeys } from '@svcsync/core/model/identity.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import type { Kind, Location } from '@svcsync/core/model/kind.ts'
import type { Live } from '@svcsync/core/model/live.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { concealSecrets } from '@svcsync/core/model/sensitive.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import { concernsOne } from '@svcsync/live/read-object.ts'
import type { WriteLog } from './apply-event.ts'
import { usualPauseMs } from './look-times.ts'
import { answerOf, nextAction } from './next-action.ts'
import type { OtherWriters } from './other-writers.ts'
import { differingFields, effectIsThere, readBack } from './read-back.ts'
import type { createSharedRequests } from './shared-requests.ts'
import { locate, requestOf } from './step-request.ts'
import { failedResult, resultOf, type StepResult, unkeptResult, whyStopped } from './step-result.ts'

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
  const result = await new StepExecution(step, kind, context).carryOut()
  if (result.reason === undefined) return result
  const stops = result.stops === undefined ? undefined : { stops: concealSecrets(result.stops, step.spec) }
  return { ...result, reason: concealSecrets(result.reason, step.spec), ...stops }
}

/** A write that is refused costs the platform more than a look. */
const shortestMs = 250

type Asked = Parameters<typeof nextAction>

interface Look {
  readonly found: NonNullable<Asked[1]>
  readonly live?: Live | undefined
  readonly trouble?: unknown
}

class StepExecution {
  readonly #step: Step
  readonly #kind: Kind
  readonly #context: ExecutionContext
  /** Attempts whose answer was lost. */
  #losses = 0
  /** An attempt may have been carried out, of this process or of another. */
  #maybeSent: boolean
  #waitedMs = 0
  #doubledMs = shortestMs

  constructor(step: Step, kind: Kind, context: ExecutionContext) {
    this.#step = step
    this.#kind = kind
    this.#context = context
    this.#maybeSent = context.maybeSent?.has(step.id) === true
  }

  async carryOut(): Promise<StepResult> {
    const { others, selfOf, onLocked } = this.#context
    const settled = await this.#othersFirst()
    if (settled !== undefined) return settled
    for (let attempts = 1; ; attempts++) {
      const lostBefore = this.#maybeSent
      const at = locate(this.#step, selfOf)
      const error = await this.#attempt(at, attempts, lostBefore)
      if (!(error instanceof PlatformError)) return error
      const answer = answerOf(error)
      const situation = this.#situationAfter(attempts, lostBefore)
      if (answer === 'lost') {
        this.#losses++
        this.#maybeSent = true
      }
      const { next, look } = await this.#decide(at, answer, situation)
      if (next.act === 'update-instead' && look.live !== undefined) {
        if (!this.#maybeSent) others.foundCreated(this.#step.address)
        return this.#carryOnAsUpdate(look.live, attempts)
      }
      if (next.act === 'end') {
        const { outcome, stops } = next
        return { ...resultOf(outcome, error, look.trouble, attempts), ...(stops && { stops: whyStopped(error) }) }
      }
      if (next.act === 'repeat-alone') continue
      if (answer === 'locked') onLocked(this.#step, this.#delayMs())
      await this.#wait()
    }
  }

  #situationAfter(attempts: number, lostBefore: boolean): Asked[2] {
    const { attempts: most, syncTimeoutMs, isNew, sharing } = this.#context
    const { verb, address } = this.#step
    return {
      ...{ verb, lostBefore, isNew: isNew(address), mayLoseMore: this.#losses + 1 < most },
      // For objects that the platform takes in and finishes later time counts, elsewhere attempts.
      mayWait: this.#kind.synchronises ? this.#waitedMs < syncTimeoutMs : attempts < most,
      shared: attempts === 1 && (sharing.answerTo(this.#step)?.steps ?? 1) > 1,
    }
  }

  #delayMs(): number {
    const usualMs = Math.max(shortestMs, usualPauseMs(this.#waitedMs))
    return Math.min(this.#kind.synchronises ? usualMs : this.#doubledMs, this.#context.maxDelayMs)
  }

  async #wait(): Promise<void> {
    const pauseMs = this.#delayMs()
    await this.#context.sleep(pauseMs)
    this.#waitedMs += pauseMs
    this.#doubledMs = pauseMs * 2
  }

  async #decide(
    at: Location,
    answer: Asked[0],
    situation: Asked[2],
  ): Promise<{ readonly next: ReturnType<typeof nextAction>; readonly look: Look }> {
    const { others, created } = this.#context
    const { verb, address } = this.#step
    if (answer === 'lost' && verb === 'create') others.sent(this.#step, this.#kind)
    const next = nextAction(answer, undefined, situation)
    if (next.act !== 'read-back') return { next, look: { found: 'nothing' } }
    const look = await this.#look(at, situation.shared)
    if (look.live !== undefined && verb === 'create') created(address, look.live.self)
    return { next: nextAction(answer, look.found, situation), look }
  }

  /** The outcome, or the platform's error, after which the caller must read the object back. */
  async #attempt(at: Location, number: number, lostBefore: boolean): Promise<StepResult | PlatformError> {
    const { sharing, seenAt, port, log, others } = this.#context
    const [step, kind] = [this.#step, this.#kind]
    let sent = number - 1
    try {
      const together = number === 1 ? sharing.answerTo(step) : undefined
      if (together !== undefined) {
        sent = number
        if (together.error !== undefined) throw together.error
        return { outcome: 'done', attempts: sent }
      }
      const request = requestOf(step, kind, at, { ...seenAt(step.address), normalise: port.normalise })
      // Nobody would know of a write that is sent without its line in the journal.
      const unkept = await log?.sending(step, number).catch((error: unknown) => unkeptResult(error, sent, lostBefore))
      if (unkept !== undefined) return unkept
      sent = number
      const answer = await port.send(request)
      if (step.verb === 'create') {
        this.#learnId(answer)
        others.sent(step, kind)
      }
      return { outcome: 'done', attempts: sent }
    } catch (error) {
      return error instanceof PlatformError && sent === number ? error : failedResult(error, sent)
    }
  }

  /** Another writer's change since the plan may leave nothing to send. Undefined: the step is sent. */
  async #othersFirst(): Promise<StepResult | undefined> {
    const { others, created } = this.#context
    const [step, kind] = [this.#step, this.#kind]
    if (step.verb === 'remove') return others.leavesNobody(step, kind)
    if (step.verb !== 'create') return undefined
    let live: Live | undefined
    try {
      live = await others.appeared(step, kind)
    } catch (error) {
      const reason =
        'it was not sent, because svcsync could not read its list again: ' +
        `${error instanceof Error ? error.message : ''}`
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
    created(step.address, live.self)
    return effectIsThere(step, kind, live) ? { outcome: 'unchanged', attempts: 0 } : this.#carryOnAsUpdate(live, 0)
  }

  async #look(at: Location, shared: boolean): Promise<Look> {
    const { port, pageSize, seenAt } = this.#context
    const { address } = this.#step
    try {
      const live = await readBack(port, this.#kind, address, at, { pageSize, before: seenAt(address).before })
      if (effectIsThere(this.#step, this.#kind, live)) return { found: 'effect', live }
      return { found: live === undefined ? 'nothing' : 'other', live }
    } catch (trouble) {
      // Whom the platform does not know holds none of what went with that of others: alone, its refusal tells why.
      const isUnknown = trouble instanceof PlatformError && answerOf(trouble) === 'absent'
      return isUnknown && shared ? { found: 'nothing' } : { found: 'unreadable', trouble }
    }
  }

  /** The platform answers with the ids of constants, connections and substitutions; accounts have theirs before. */
  #learnId(answer: Json | undefined): void {
    const { address, at } = this.#step
    // Some versions answer with a bare number or text, or with nothing; an id of another sort would name nothing.
    const bare = /^\d+$/.test(String(answer)) ? [answer] : []
    const [id] = (isJsonObject(answer) ? [answer.guid, answer.id] : bare).filter(
      (each) => typeof each === 'number' || (typeof each === 'string' && each !== ''),
    )
    this.#context.created(address, at.self ?? (id === undefined ? undefined : String(id)))
  }

  /** A create that found the object: what is still different is written to it. */
  async #carryOnAsUpdate(live: Live, attempts: number): Promise<StepResult> {
    const [step, kind] = [this.#step, this.#kind]
    const { id, address, at, spec = {}, fieldKeys: own, collections = {} } = step
    const fieldKeys = joinedKeys(live, { spec, fieldKeys: own })
    const base = {
      ...{ id, address, kind: step.kind, at: { ...at, self: live.self }, dependsOn: [] },
      ...(fieldKeys && { fieldKeys }),
    }
    const rest: Step[] = []
    const differences = differingFields(step, kind, live)
    const whole = Object.values(kind.collections).some((collection) => collection.whole)
    if (differences.length > 0 || whole) {
      const changed = specOf(differences)
      const update = kind.updateSpec?.(changed, spec, live.spec) ?? changed
      rest.push({ ...base, verb: 'update', spec: update, ...(whole && { collections }) })
    }
    for (const [collection, wanted] of Object.entries(collections)) {
      if (kind.collections[collection]?.whole) continue
      const elements = missingElements(wanted, live.collections[collection] ?? [])
      if (elements.length > 0) rest.push({ ...base, verb: 'add', collection, elements })
    }
    let sent = attempts
    for (const part of rest) {
      const result = await executeStep(part, kind, this.#context)
      sent += result.attempts
      if (result.outcome === 'done' || result.outcome === 'unchanged') continue
      // It may be this very step that created it: what did not work is the rest.
      const reason = `it exists, and is not yet as wanted: ${result.reason ?? ''}`
      return { ...result, reason, attempts: sent }
    }
    return { outcome: 'done', attempts: sent }
  }
}
