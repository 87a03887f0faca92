// Long work in steps, as a generator: whoever waits for answers meanwhile takes them between two steps, all others take it at once.

/** What it gives in the end. */
export function toItsEnd<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
