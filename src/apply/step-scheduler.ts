// Runs steps in parallel, each as soon as its own dependencies are done: no barrier between kinds.
import { append } from '../core/model/group-by.ts'
import { createQueue } from '../core/model/queue.ts'
import type { Step } from '../core/model/step.ts'
import type { SharedRequests } from './shared-requests.ts'
import { endedWell, type StepResult } from './step-result.ts'

interface Written {
  readonly result: StepResult
  /**
   * Settles when others may refer to the object: at once, or when the platform has synchronised it. Gives another result
   * when that fails.
   */
  readonly usable: Promise<StepResult>
}

interface SchedulerOptions {
  /** Steps that write at the same time. */
  readonly concurrency: number
  run(step: Step): Promise<Written>
  /** How a step ends that is not sent, since it rests on what could not be read. */
  unsent(step: Step, restsOn: string): StepResult
  onStart(step: Step): void
  onEnd(step: Step, result: StepResult, because?: string): void
  /** Whether there is room and no step can start: all wait for what is being synchronised, or the run is to end. */
  onStarving(starving: boolean): void
  /** When aborted, no further step starts. */
  readonly stop: AbortSignal
  /** A reason why no further step should start; asked after each step. */
  halted(): string | undefined
  /** Whether the platform takes its time after the step: it starts before others, so that they fill that time. */
  takesLong(step: Step): boolean
  readonly sharing: Pick<SharedRequests, 'keyOf' | 'fitting' | 'send'>
  /** Whether the step needs its own object to be usable, where others on it only come one after the other. */
  needsUsable(step: Step): boolean
}

/**
 * Runs every step, or ends it as skipped. Resolves when all have ended and are usable, or failed to become so. `run` must
 * not reject; where it does, all is over at once.
 */
export async function runSteps(steps: readonly Step[], options: SchedulerOptions): Promise<void> {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const dependents = new Map<string, Step[]>()
  const followers = new Map<string, Step[]>()
  const missing = new Map<string, number>()
  const started = new Set<string>()
  const ended = new Set<string>()
  for (const step of steps) {
    const before = step.dependsOn.filter((id) => byId.has(id))
    const ahead = step.follows?.filter((id) => byId.has(id)) ?? []
    missing.set(step.id, before.length + ahead.length)
    for (const id of before) append(dependents, id, step)
    for (const id of ahead) append(followers, id, step)
  }
  const slow = createQueue<Step>()
  const quick = createQueue<Step>()
  let running = 0
  let open = 0
  let finish: () => void = () => {}
  let fail: (error: unknown) => void = () => {}
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  /** What becomes ready in one turn of the event loop goes together: who was in one request, or on one page, stays so. */
  let gathering = false
  const gather = (): void => {
    if (gathering) return
    gathering = true
    open++
    const go = (): void => {
      gathering = false
      open--
      pump()
    }
    new Promise((resolve) => setImmediate(resolve)).then(go).catch(fail)
  }
  /** By what lets them share requests, and of which of those one is under way. */
  const sharing = new Map<string, Step[]>()
  const underWay = new Set<string>()
  const ready = {
    add: (step: Step): void => {
      const key = options.sharing.keyOf(step)
      if (key !== undefined) {
        append(sharing, key, step)
        gather()
      } else (options.takesLong(step) ? slow : quick).add(step)
    },
    take: (): Step | undefined => slow.take() ?? quick.take(),
    /** As with packets: a request leaves when it is full, or when none of its sort is under way. */
    takeShared: (): { readonly key: string; readonly steps: readonly Step[] } | undefined => {
      if (gathering) return undefined
      for (const [key, waiting] of sharing) {
        const count = options.sharing.fitting(waiting)
        if (count === waiting.length && underWay.has(key)) continue
        if (count === waiting.length) sharing.delete(key)
        return { key, steps: waiting.splice(0, count) }
      }
      return undefined
    },
    takeAll: (): Step[] => {
      const all = [...sharing.values()].flat()
      sharing.clear()
      for (let step = ready.take(); step !== undefined; step = ready.take()) all.push(step)
      return all
    },
  }
  for (const step of steps) if (missing.get(step.id) === 0 && step.restsOn === undefined) ready.add(step)

  const end = (step: Step, result: StepResult, because?: string): void => {
    if (ended.has(step.id)) return
    ended.add(step.id)
    options.onEnd(step, result, because)
  }
  const skip = (step: Step, because: string): void => {
    const waiting: Step[] = [step]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      // One on the same object may have been started when this was written: it ends by itself.
      if (ended.has(next.id) || started.has(next.id)) continue
      end(next, { outcome: 'skipped', attempts: 0 }, because)
      waiting.push(...(dependents.get(next.id) ?? []))
      letFollow(next)
    }
  }
  const skipResting = (): void => {
    const resting = steps.filter(({ restsOn }) => restsOn !== undefined)
    for (const step of resting) end(step, options.unsent(step, step.restsOn as string))
    for (const step of resting) {
      for (const dependent of dependents.get(step.id) ?? []) skip(dependent, step.id)
      letFollow(step)
    }
  }
  const lacksOneLess = (step: Step): void => {
    const left = (missing.get(step.id) as number) - 1
    missing.set(step.id, left)
    if (left === 0 && !ended.has(step.id)) ready.add(step)
  }
  const release = (step: Step, which: (dependent: Step) => boolean): void => {
    for (const dependent of dependents.get(step.id) ?? []) if (which(dependent)) lacksOneLess(dependent)
  }
  const letFollow = (step: Step): void => {
    for (const follower of followers.get(step.id) ?? []) lacksOneLess(follower)
  }
  // A step on the same object only has to come after; one on another object needs this one to be usable, and so does one
  // that makes the object refer to itself.
  const mayFollow = (step: Step) => (dependent: Step) =>
    dependent.address === step.address && !options.needsUsable(dependent)
  const begin = (step: Step): void => {
    started.add(step.id)
    options.onStart(step)
  }
  /** Once it was sent, each step sees to itself. */
  const startShared = async (key: string, steps: readonly Step[]): Promise<void> => {
    running++
    open++
    underWay.add(key)
    for (const step of steps) begin(step)
    await options.sharing.send(steps)
    underWay.delete(key)
    running--
    open--
    for (const step of steps) start(step).catch(fail)
    pump()
  }
  const start = async (step: Step): Promise<void> => {
    running++
    open++
    if (!started.has(step.id)) begin(step)
    const { result, usable } = await options.run(step)
    running--
    letFollow(step)
    if (endedWell(result.outcome)) {
      release(step, mayFollow(step))
      pump()
      const later = await usable
      end(step, later)
      if (endedWell(later.outcome)) release(step, (dependent) => !mayFollow(step)(dependent))
      else for (const dependent of dependents.get(step.id) ?? []) skip(dependent, step.id)
    } else {
      end(step, result)
      for (const dependent of dependents.get(step.id) ?? []) skip(dependent, step.id)
    }
    open--
    pump()
  }
  const pump = (): void => {
    const reason = options.stop.aborted ? 'the run was interrupted' : options.halted()
    if (reason !== undefined) {
      for (const step of ready.takeAll()) end(step, { outcome: 'skipped', reason, attempts: 0 })
    }
    while (running < options.concurrency) {
      const shared = ready.takeShared()
      if (shared !== undefined) {
        startShared(shared.key, shared.steps).catch(fail)
        continue
      }
      const step = ready.take()
      if (step === undefined) break
      if (!ended.has(step.id)) start(step).catch(fail)
    }
    if (open === 0) {
      // What is left depends on something that was skipped.
      for (const step of steps)
        if (!ended.has(step.id))
          end(step, { outcome: 'skipped', reason: reason ?? 'nothing it depends on ended', attempts: 0 })
      finish()
    } else options.onStarving(running < options.concurrency)
  }
  skipResting()
  options.stop.addEventListener('abort', pump, { once: true })
  pump()
  await finished.finally(() => options.stop.removeEventListener('abort', pump))
}
