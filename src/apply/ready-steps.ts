// Steps that may start: those after which the platform takes its time first, and those that share requests beside them.
import { append } from '@svcsync/core/model/group-by.ts'
import { createQueue } from '@svcsync/core/model/queue.ts'
import type { Step } from '@svcsync/core/model/step.ts'
import type { SharedRequests } from './shared-requests.ts'

export interface ReadyOptions {
  /** Whether the platform takes its time after the step: it starts before others, so that they fill that time. */
  takesLong(step: Step): boolean
  readonly sharing: Pick<SharedRequests, 'keyOf' | 'fitting' | 'send'>
}

export class ReadySteps {
  readonly #options: ReadyOptions
  readonly #slow = createQueue<Step>()
  readonly #quick = createQueue<Step>()
  /** By what lets them share requests. */
  readonly #shared = new Map<string, Step[]>()

  constructor(options: ReadyOptions) {
    this.#options = options
  }

  /** Whether others may join the step in one request. */
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
