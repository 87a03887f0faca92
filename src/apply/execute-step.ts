// Carries out one step truthfully: sends it, and where the answer does not tell, reads back before it is repeated.
import type { FoldSvcId } from '../core/address.ts'
import { missingElements } from '../core/compare-collection.ts'
import { specOf } from '../core/compare-fields.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import type { Collection, Kind, Location } from '../core/kind.ts'
import type { PlatformPort, PlatformRequest } from '../core/platform-port.ts'
import { concealed, revealed } from '../core/sensitive.ts'
import type { Step } from '../core/step.ts'
import { effectIsUnknown, failureCodes, InternalError, isLocked, PlatformError, SvcsyncError } from '../errors/index.ts'
import { differingFields, effectIsThere, readBack } from './read-back.ts'
import type { StepResult } from './step-scheduler.ts'

export interface ExecutionContext {
  readonly port: PlatformPort
  readonly fold: FoldSvcId
  readonly pageSize: number
  /** Attempts at what is locked or lost. */
  readonly attempts: number
  readonly maxDelayMs: number
  /** How long objects that synchronise may take to do so: so long, locked, lost and not there yet are worth waiting for. */
  readonly syncTimeoutMs: number
  sleep(delayMs: number): Promise<void>
  onLocked(step: Step, delayMs: number): void
  /** The id under which an object created in this run is known. */
  selfOf(address: string): string | undefined
  /** `self` undefined: the answer told no id, and the object has to be found by its name. */
  created(address: string, self: string | undefined): void
  /** True for an object that this run created: its absence is a matter of time. */
  isNew(address: string): boolean
}

/** Never rejects for what the platform does: the outcome says it, without any secret of the step. */
export async function executeStep(step: Step, kind: Kind, context: ExecutionContext): Promise<StepResult> {
  const result = await carryOut(step, kind, context)
  return result.reason === undefined ? result : { ...result, reason: concealed(result.reason, step.spec) }
}

async function carryOut(step: Step, kind: Kind, context: ExecutionContext): Promise<StepResult> {
  let attempts = 0
  let losses = 0
  const longestMs = kind.synchronises ? Math.min(2000, context.maxDelayMs) : context.maxDelayMs
  let delayMs = Math.min(250, longestMs)
  let waitedMs = 0
  const mayWait = (): boolean => (kind.synchronises ? waitedMs < context.syncTimeoutMs : attempts < context.attempts)
  const wait = async (): Promise<void> => {
    await context.sleep(delayMs)
    waitedMs += delayMs
    delayMs = Math.min(delayMs * 2, longestMs)
  }
  for (;;) {
    const at = locate(step, context)
    attempts++
    let error: PlatformError
    try {
      const answer = await context.port.send(requestOf(step, kind, at))
      if (step.verb === 'create') learnId(step, answer, context)
      return { outcome: 'done', attempts }
    } catch (caught) {
      if (!(caught instanceof PlatformError)) return failure(caught, attempts)
      error = caught
    }
    if (isLocked(error)) {
      if (!mayWait()) return failed(error, attempts, 'locked')
      context.onLocked(step, delayMs)
      await wait()
      continue
    }
    if (effectIsUnknown(error)) losses++
    const lost = losses > 0
    if (error.kind === 'unreachable' || (error.status === 401 && !lost)) {
      const result = lost ? unknown(error, attempts) : failed(error, attempts)
      return { ...result, stops: true }
    }
    // Some installations show what is deleted until they have synchronised: that it is gone is waited for, as ever.
    if (step.verb === 'delete' && error.code === failureCodes.notFound) {
      return { outcome: lost ? 'done' : 'unchanged', attempts }
    }
    // Refused or lost: the object itself tells what to make of it.
    let live: Awaited<ReturnType<typeof readBack>>
    try {
      live = await readBack(context.port, kind, step.address, at, context)
    } catch (caught) {
      return lost ? unknown(caught, attempts) : failed(error, attempts)
    }
    if (effectIsThere(step, kind, live, context.fold)) {
      if (live !== undefined && step.verb === 'create') context.created(step.address, live.self)
      return { outcome: lost ? 'done' : 'unchanged', attempts }
    }
    if (step.verb === 'create' && live !== undefined) {
      context.created(step.address, live.self)
      return carryOnAsUpdate(step, kind, live, context, attempts)
    }
    const maybeNotYet = error.status === 404 && context.isNew(step.address)
    // Lost, and not there (yet): repeating is safe now, and a create that turns out to exist comes back here.
    if ((lost && effectIsUnknown(error)) || maybeNotYet || (lost && step.verb === 'create')) {
      // Synchronisation is worth a long wait; a platform that goes on failing is not.
      const mayRepeat = effectIsUnknown(error) ? losses < context.attempts : mayWait()
      if (!mayRepeat) return lost ? unknown(error, attempts) : failed(error, attempts)
      await wait()
      continue
    }
    return failed(error, attempts)
  }
}

function locate(step: Step, context: ExecutionContext): Location {
  const self = step.at.self ?? context.selfOf(step.address)
  return self === undefined ? step.at : { ...step.at, self }
}

/** The request of a step, with its secrets. */
function requestOf(step: Step, kind: Kind, at: Location): PlatformRequest {
  const { requests } = kind
  const elements = step.elements ?? []
  const collection = kind.collections[step.collection ?? ''] as Collection
  const request =
    step.verb === 'create'
      ? requests.create?.(at, step.spec ?? {}, step.collections ?? {})
      : step.verb === 'update'
        ? requests.update?.(at, step.spec ?? {})
        : step.verb === 'delete'
          ? requests.remove?.(at)
          : collection[step.verb](at, elements)
  if (request === undefined) throw new InternalError(`The kind ${kind.name} has no request for ${step.verb}`)
  return request.body === undefined ? request : { ...request, body: revealed(request.body) as Json }
}

/** Constants and connections answer a create with their ids; accounts have theirs before, whatever the answer says. */
function learnId(step: Step, answer: Json | undefined, context: ExecutionContext): void {
  const id = isJsonObject(answer) ? (answer.guid ?? answer.id) : undefined
  // Some versions answer with a bare text, or with nothing.
  context.created(step.address, step.at.self ?? (id === undefined || id === null ? undefined : String(id)))
}

/** A create that found the object: what is still different is written to it. */
async function carryOnAsUpdate(
  step: Step,
  kind: Kind,
  live: NonNullable<Awaited<ReturnType<typeof readBack>>>,
  context: ExecutionContext,
  attempts: number,
): Promise<StepResult> {
  let sent = attempts
  const rest: Step[] = []
  const spec = step.spec ?? {}
  const differences = differingFields(spec, kind, live, context.fold)
  const base = {
    id: step.id,
    address: step.address,
    kind: step.kind,
    at: { ...step.at, self: live.self },
    dependsOn: [],
  }
  if (differences.length > 0) {
    const changed = specOf(differences)
    rest.push({ ...base, verb: 'update', spec: kind.updateSpec?.(changed, spec, live.spec) ?? changed })
  }
  for (const [collection, wanted] of Object.entries(step.collections ?? {})) {
    const elements = missingElements(wanted, live.collections[collection] ?? [], context.fold)
    if (elements.length > 0) rest.push({ ...base, verb: 'add', collection, elements })
  }
  for (const part of rest) {
    const result = await executeStep(part, kind, context)
    sent += result.attempts
    if (result.outcome !== 'done' && result.outcome !== 'unchanged') return { ...result, attempts: sent }
  }
  return { outcome: 'done', attempts: sent }
}

function failed(error: PlatformError, attempts: number, prefix?: string): StepResult {
  const reason = prefix === undefined ? error.message : `${prefix}: ${error.message}`
  return { outcome: 'failed', reason, hint: error.hint, attempts }
}

function unknown(error: unknown, attempts: number): StepResult {
  const reason = error instanceof SvcsyncError ? error.message : 'reading back failed'
  return {
    outcome: 'unknown',
    reason: `it is not known whether it was carried out: ${reason}`,
    hint: 'Run plan again: it reads what is there now.',
    attempts,
  }
}

function failure(error: unknown, attempts: number): StepResult {
  if (error instanceof SvcsyncError && error.actor !== 'svcsync') {
    return { outcome: 'failed', reason: error.message, hint: error.hint, attempts }
  }
  throw error
}
