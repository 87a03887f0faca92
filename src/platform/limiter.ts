// Limits how many requests are in flight: repetitions go first, then reads, since writes wait for what they tell.
import { createQueue } from '@svcsync/core/model/queue.ts'

type Turn = 'repeat' | 'read' | 'write'

/** If both wait, a write follows after this many reads: repeated looks must not keep out the writes. */
const mostReadsInARow = 3

/** Not p-queue: that takes the highest priority whatever else waits, so that reads could starve the writes. */
export function createLimiter(limit: number) {
  const repeats = createQueue<() => void>()
  const reads = createQueue<() => void>()
  const writes = createQueue<() => void>()
  const waiting = { repeat: repeats, read: reads, write: writes }
  let running = 0
  let readsInARow = 0

  const takeWrite = (): (() => void) | undefined => {
    readsInARow = 0
    return writes.take()
  }
  const next = (): (() => void) | undefined => {
    const repeat = repeats.take()
    if (repeat !== undefined) return repeat
    const write = readsInARow >= mostReadsInARow ? takeWrite() : undefined
    if (write !== undefined) return write
    const read = reads.take()
    readsInARow++
    return read ?? takeWrite()
  }

  return {
    async run<T>(task: () => Promise<T>, turn: Turn): Promise<T> {
      if (running < limit) running++
      else await new Promise<void>((resolve) => waiting[turn].add(resolve))
      try {
        return await task()
      } finally {
        const wake = next()
        // The slot passes on directly: a newcomer cannot slip in between.
        if (wake === undefined) running--
        else wake()
      }
    },
  }
}
