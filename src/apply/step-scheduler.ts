// Runs steps in parallel, each as soon as its own dependencies are done: no barrier between kinds.

import { append } from '@svcsync/core/model/group-by.ts'
import { createQueue } from '@svcsync/core/model/queue.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import type { createSharedRequests } from './shared-requests.ts'
import type { StepResult } from './step-result.ts'
import { StepSchedule } from './step-schedule.ts'

interface StepWrite {
  readonly result: StepResult
  /** At once, or when the platform has synchronised it. Gives another result when that fails. */
  readonly usable: Promise<StepResult>
}

interface SchedulerOptions extends ReadyOptions {
  readonly concurrency: number
  run(step: Step): Promise<StepWrite>
  unsent(step: Step, restsOn: string): StepResult
  onStart(step: Step): void
  onEnd(step: Step, result: StepResult, because?: string): void
  /** True if there is room and no step can start: all wait for synchronisation, or the run is to end. */
  onStarving(starving: boolean): void
  readonly stop: AbortSignal
  /** A reason why no further step should start; asked after each step. */
  halted(): string | undefined
  /** True if the step needs its own object to be usable; other steps on it merely come one after the other. */
  needsUsable(step: Step): boolean
}

/** Resolves when all have ended and are usable. `run` must not reject; where it does, all is over at once. */
export async function runSteps(steps: readonly Step[], options: SchedulerOptions): Promise<void> {
  await new StepRun(steps, options).finished
}

class StepRun {
  readonly finished: Promise<void>
  readonly #options: SchedulerOptions
  readonly #schedule: StepSchedule
  readonly #ready: ReadySteps
  /** The sorts of shared requests that are under way. */
  readonly #underWay = new Set<string>()
  /** Writes in flight; and what the run still waits for. */
  #running = 0
  #open = 0
  #gathering = false
  #finish: () => void = () => {}
  #fail: (error: unknown) => void = () => {}

  constructor(steps: readonly Step[], options: SchedulerOptions) {
    this.#options = options
    this.#schedule = new StepSchedule(steps, options.needsUsable)
    this.#ready = new ReadySteps(options)
    const pump = () => this.#pump()
    // Runs over several targets share one signal: each takes its listener along.
    this.finished = new Promise<void>((resolve, reject) => {
      this.#finish = resolve
      this.#fail = reject
    }).finally(() => options.stop.removeEventListener('abort', pump))
    options.stop.addEventListener('abort', pump)
    this.#take(this.#schedule.open(options.unsent))
    this.#pump()
  }

  #take({ ended, ready }: ReturnType<StepSchedule['open']>): void {
    for (const { step, result, because } of ended) this.#options.onEnd(step, result, because)
    for (const step of ready) if (this.#ready.add(step)) this.#gather()
  }

  /** Steps that become ready in one turn of the event loop go together. */
  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#open++
    const go = (): void => {
      this.#gathering = false
      this.#open--
      this.#pump()
    }
    new Promise((resolve) => setImmediate(resolve)).then(go).catch(this.#fail)
  }

  #pump(): void {
    const { stop, halted, concurrency } = this.#options
    const reason = stop.aborted ? 'the run was interrupted' : halted()
    if (reason !== undefined) this.#take(this.#schedule.giveUp(reason, this.#ready.takeAll()))
    while (this.#running < concurrency && this.#startNext());
    if (this.#open > 0) this.#options.onStarving(this.#running < concurrency)
    else {
      // The remaining steps depend on a skipped one.
      this.#take(this.#schedule.giveUp(reason ?? 'nothing it depends on ended'))
      this.#finish()
    }
  }

  /** False: nothing is there that could start. */
  #startNext(): boolean {
    const shared = this.#gathering ? undefined : this.#ready.takeShared(this.#underWay)
    if (shared !== undefined) {
      const begun = shared.steps.filter((step) => this.#schedule.begin(step))
      if (begun.length > 0) this.#startShared(shared.key, begun).catch(this.#fail)
      return true
    }
    const step = this.#ready.take()
    if (step !== undefined && this.#schedule.begin(step)) this.#start(step, true).catch(this.#fail)
    return step !== undefined
  }

  /** Once it was sent, each step sees to itself. */
  async #startShared(key: string, steps: readonly Step[]): Promise<void> {
    this.#running++
    this.#open++
    this.#underWay.add(key)
    for (const step of steps) this.#options.onStart(step)
    await this.#options.sharing.send(steps)
    this.#underWay.delete(key)
    this.#running--
    this.#open--
    for (const step of steps) this.#start(step, false).catch(this.#fail)
    this.#pump()
  }

  /** A listener may interrupt the run, so it hears only once the step counts as under way. */
  async #start(step: Step, isNew: boolean): Promise<void> {
    this.#running++
    this.#open++
    if (isNew) this.#options.onStart(step)
    const { result, usable } = await this.#options.run(step)
    this.#running--
    this.#take(this.#schedule.written(step, result))
    this.#pump()
    this.#take(this.#schedule.settled(step, await usable))
    this.#open--
    this.#pump()
  }
}

interface ReadyOptions {
  /** True if the platform takes long after the step: it starts before others, so that they fill that time. */
  takesLong(step: Step): boolean
  readonly sharing: Pick<ReturnType<typeof createSharedRequests>, 'keyOf' | 'fitting' | 'send'>
}

class ReadySteps {
  readonly #options: ReadyOptions
  readonly #slow = createQueue<Step>()
  readonly #quick = createQueue<Step>()
  /** By what lets them share requests. */
  readonly #shared = new Map<string, [Step, ...Step[]]>()

  constructor(options: ReadyOptions) {
    this.#options = options
  }

  /** True if other steps may join this one in a request. */
  add(step: Step): boolean {
    const key = this.#options.sharing.keyOf(step)
    if (key === undefined) (this.#options.takesLong(step) ? this.#slow : this.#quick).add(step)
    else append(this.#shared, key, step)
    return key !== undefined
  }

  take(): Step | undefined {
    return this.#slow.take() ?? this.#quick.take()
  }

  /** As with packets: a request leaves when it is full, or when none of its sort is under way. */
  takeShared(underWay: ReadonlySet<string>): { readonly key: string; readonly steps: readonly Step[] } | undefined {
    for (const [key, waiting] of this.#shared) {
      const count = this.#options.sharing.fitting(waiting)
      if (count === waiting.length && underWay.has(key)) continue
      if (count === waiting.length) this.#shared.delete(key)
      return { key, steps: waiting.splice(0, count) }
    }
    return undefined
  }

  takeAll(): Step[] {
    const all = [...this.#shared.values()].flat()
    this.#shared.clear()
    for (let step = this.take(); step !== undefined; step = this.take()) all.push(step)
    return all
  }
}
