// The states of a run's steps, and their transitions: no clock, no promise, no request.
import { append } from '@svcsync/core/model/group-by.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import { endedWell, type StepResult } from './step-result.ts'

interface StepEnding {
  readonly step: Step
  readonly result: StepResult
  readonly because?: string
}

/** The effects of an event: steps that it ended, and steps that nothing blocks any more. */
interface ScheduleEffects {
  readonly ended: readonly StepEnding[]
  readonly ready: readonly Step[]
}

export class StepSchedule {
  readonly #steps: readonly Step[]
  readonly #needsUsable: (step: Step) => boolean
  readonly #dependents = new Map<string, Step[]>()
  readonly #followers = new Map<string, Step[]>()
  /** The number of steps that must still end before it; absent: it never depended on any. */
  readonly #missing = new Map<string, number>()
  readonly #phases = new Map<string, 'started' | 'ended'>()
  #ended: StepEnding[] = []
  #ready: Step[] = []

  /** `needsUsable`: whether a step needs its own object to be usable. */
  constructor(steps: readonly Step[], needsUsable: (step: Step) => boolean) {
    this.#steps = steps
    this.#needsUsable = needsUsable
    const ids = new Set(steps.map(({ id }) => id))
    for (const step of steps) {
      const before = step.dependsOn.filter((id) => ids.has(id))
      const ahead = step.follows?.filter((id) => ids.has(id)) ?? []
      if (before.length + ahead.length > 0) this.#missing.set(step.id, before.length + ahead.length)
      for (const id of before) append(this.#dependents, id, step)
      for (const id of ahead) append(this.#followers, id, step)
    }
  }

  /** Steps that rest on what could not be read end `unsent`; what depends on them is skipped. */
  open(unsent: (step: Step, restsOn: string) => StepResult): ScheduleEffects {
    const isReady = (step: Step) => !this.#missing.has(step.id) && step.restsOn === undefined
    this.#ready.push(...this.#steps.filter(isReady))
    const resting = this.#steps.filter(({ restsOn }) => restsOn !== undefined)
    for (const step of resting) this.#end({ step, result: unsent(step, step.restsOn as string) })
    for (const step of resting) {
      this.#skipDependents(step)
      this.#letFollow(step)
    }
    return this.#told()
  }

  /** False: it has ended meanwhile. */
  begin(step: Step): boolean {
    if (this.#phases.get(step.id) === 'ended') return false
    this.#phases.set(step.id, 'started')
    return true
  }

  /** The step was sent, answered or not. Even after success, the object is not usable yet. */
  written(step: Step, result: StepResult): ScheduleEffects {
    this.#letFollow(step)
    if (endedWell(result.outcome)) this.#release(step, this.#mayFollow(step))
    else this.#fail(step, result)
    return this.#told()
  }

  /** Others may refer to its object, or never will. */
  settled(step: Step, result: StepResult): ScheduleEffects {
    if (endedWell(result.outcome)) {
      const mayFollow = this.#mayFollow(step)
      this.#end({ step, result })
      this.#release(step, (dependent) => !mayFollow(dependent))
    } else this.#fail(step, result)
    return this.#told()
  }

  /** No further step starts: of these, or of all that have not ended. */
  giveUp(reason: string, steps: readonly Step[] = this.#steps): ScheduleEffects {
    for (const step of steps) this.#end({ step, result: { outcome: 'skipped', reason, attempts: 0 } })
    return this.#told()
  }

  #told(): ScheduleEffects {
    const turn = { ended: this.#ended, ready: this.#ready }
    this.#ended = []
    this.#ready = []
    return turn
  }

  #end(ending: StepEnding): void {
    if (this.#phases.get(ending.step.id) === 'ended') return
    this.#phases.set(ending.step.id, 'ended')
    this.#ended.push(ending)
  }

  #fail(step: Step, result: StepResult): void {
    this.#end({ step, result })
    this.#skipDependents(step)
  }

  #skipDependents({ id }: Step): void {
    for (const dependent of this.#dependents.get(id) ?? []) this.#skip(dependent, id)
  }

  /** With all that depends on it. One on the same object may have been started before: it ends by itself. */
  #skip(step: Step, because: string): void {
    const waiting = [step]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.#phases.has(next.id)) continue
      this.#end({ step: next, result: { outcome: 'skipped', attempts: 0 }, because })
      waiting.push(...(this.#dependents.get(next.id) ?? []))
      this.#letFollow(next)
    }
  }

  /** Others on the same object only come after; one on another object needs it to be usable. */
  #mayFollow(step: Step): (dependent: Step) => boolean {
    return (dependent) => dependent.address === step.address && !this.#needsUsable(dependent)
  }

  #release({ id }: Step, which: (dependent: Step) => boolean): void {
    for (const dependent of this.#dependents.get(id) ?? []) if (which(dependent)) this.#lacksOneLess(dependent)
  }

  #letFollow({ id }: Step): void {
    for (const follower of this.#followers.get(id) ?? []) this.#lacksOneLess(follower)
  }

  #lacksOneLess(step: Step): void {
    const left = (this.#missing.get(step.id) as number) - 1
    this.#missing.set(step.id, left)
    if (left === 0 && this.#phases.get(step.id) !== 'ended') this.#ready.push(step)
  }
}
