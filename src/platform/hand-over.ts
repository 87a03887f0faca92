// One answer in each turn of the event loop: work on one must not keep requests from leaving.
import { createQueue } from '@svcsync/core/model/queue.ts'

/** Gives a function whose promise is fulfilled when it is the caller's turn. */
export function createHandOver(): () => Promise<void> {
  const waiting = createQueue<() => void>()
  let isRunning = false
  const next = (): void => {
    const resolve = waiting.take()
    isRunning = resolve !== undefined
    if (resolve === undefined) return
    setImmediate(next)
    resolve()
  }
  return () =>
    new Promise((resolve) => {
      waiting.add(resolve)
      if (isRunning) return
      isRunning = true
      setImmediate(next)
    })
}
