// Ends a run before the engine's own "out of memory" does, which leaves no report of what was written.
import { getHeapStatistics } from 'node:v8'
import { failureCodes, PlatformError } from '../errors/index.ts'

/**
 * The engine collects long before: where so much of the heap is in use, most of it is. What remains is for the answers that
 * are under way, and for the report.
 */
const usableShare = 0.75

/** Of the limit that the engine tells, this is only for what is young: three times 16 MB. */
const forYoungBytes = 48 * 1024 * 1024

/** What answers bring is what fills the heap: it is looked at after so many bytes of them. */
const lookEveryBytes = 2 * 1024 * 1024

/** Throws a PlatformError, of what was not sent, where the memory that is left is for other things. */
type MemoryBudget = (asked: { readonly method: string; readonly path: string }) => void

export function createMemoryBudget(bytesReceived: () => number): MemoryBudget {
  let lookedAt = 0
  return ({ method, path }) => {
    if (bytesReceived() - lookedAt < lookEveryBytes) return
    const { used_heap_size: used, heap_size_limit: whole } = getHeapStatistics()
    const limit = whole - forYoungBytes
    if (used < usableShare * limit) {
      lookedAt = bytesReceived()
      return
    }
    const megabytes = Math.round(limit / 1024 / 1024)
    throw new PlatformError(
      failureCodes.memoryUsedUp,
      `${method} ${path} was not sent: what the platform answered has filled the memory of ${megabytes} MB that Node may take`,
      { kind: 'unreachable', method, path },
      {
        hint: 'Select less with `--only`, or give it more: NODE_OPTIONS=--max-old-space-size=8192. If the platform has no such amount of objects, its answers are made up: report that to those who run it.',
      },
    )
  }
}
