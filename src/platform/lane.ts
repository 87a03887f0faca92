// A lane lets a limited number of requests run at once, first come first served, repetitions before newcomers.

export interface Lane {
  /** Runs the task when a slot is free. `repeated` puts it before those that have not run yet. */
  run<T>(task: () => Promise<T>, repeated: boolean): Promise<T>
}

/**
 * Own code rather than p-limit for one reason: with thousands of calls queued, a call that waits for its second
 * attempt must not go to the end of the queue, or its deadline passes there.
 */
export function createLane(limit: number): Lane {
  const repeats = createQueue()
  const newcomers = createQueue()
  let running = 0

  const release = (): void => {
    const next = repeats.take() ?? newcomers.take()
    // The slot passes on directly: a newcomer cannot slip in between.
    if (next === undefined) running -= 1
    else next()
  }

  return {
    async run(task, repeated) {
      if (running < limit) running += 1
      else await new Promise<void>((resolve) => (repeated ? repeats : newcomers).add(resolve))
      try {
        return await task()
      } finally {
        release()
      }
    },
  }
}

/** An array with a moving head: `shift` on thousands of entries would be linear each time. */
function createQueue() {
  let waiting: (() => void)[] = []
  let head = 0
  return {
    add(wake: () => void): void {
      waiting.push(wake)
    },
    take(): (() => void) | undefined {
      const wake = waiting[head]
      if (wake === undefined) return undefined
      head += 1
      if (head === waiting.length) {
        waiting = []
        head = 0
      }
      return wake
    },
  }
}
