// Ends a run before the engine's own "out of memory" does, which leaves no report of what was written.
import { getHeapStatistics } from 'node:v8'
import { failureCodes, OperatorError, PlatformError, type PlatformFailure } from '@svcsync/errors/index.ts'

/** The remainder is for the answers under way, and for the report. */
const usableShare = 0.75

/** Three semi-spaces for what is young, of 64 MB each from Node 24 on, 16 MB before. */
const forYoungBytes = 3 * (Number.parseInt(process.versions.node, 10) >= 24 ? 64 : 16) * 1024 * 1024

/** The bytes of answers between two measurements of the heap. */
const lookEveryBytes = 2 * 1024 * 1024

/** So many bytes of the heap may a byte of JSON take once it is read: that of a list of empty objects. */
const heapOfByte = 20

/** Smaller answers are read without a look. */
const alwaysReadBytes = 1024 * 1024

type RequestName = { readonly method: string; readonly path: string }

export function createMemoryBudget(bytesReceived: () => number, statistics = getHeapStatistics) {
  let lookedAt = 0
  return {
    /** Throws a PlatformError, of what was not sent, where the memory that is left is for other things. */
    admit({ method, path }: RequestName): void {
      if (bytesReceived() - lookedAt < lookEveryBytes) return
      const { used, limit } = heap(statistics)
      if (used >= usableShare * limit)
        throw usedUp(`${method} ${path} was not sent`, { kind: 'unreachable', method, path }, limit)
      lookedAt = bytesReceived()
    },
    /** True if an answer of this length fits: the engine could otherwise end the process in the middle of it. */
    holds(length: number): boolean {
      if (length < alwaysReadBytes) return true
      const { used, limit } = heap(statistics)
      return used + heapOfByte * length < limit
    },
    overfull: ({ method, path }: RequestName): PlatformError =>
      usedUp(
        `The answer to ${method} ${path} was not read`,
        { kind: 'unreadable', method, path },
        heap(statistics).limit,
      ),
  }
}

/** `share`: of the memory, that may be in use. */
export function refuseOverfull(what: string, hint: string, share = usableShare, statistics = getHeapStatistics): void {
  const { used, limit } = heap(statistics)
  if (used < share * limit) return
  const message = `${what} does not fit into the ${megabytesOf(limit)} MB of memory that Node may use`
  throw new OperatorError(failureCodes.memoryUsedUp, message, {
    hint: `${hint}, or give it more: NODE_OPTIONS=--max-old-space-size=8192.`,
  })
}

const megabytesOf = (bytes: number): number => Math.round(bytes / 1024 / 1024)

function heap(statistics: typeof getHeapStatistics): { readonly used: number; readonly limit: number } {
  const { used_heap_size: used, heap_size_limit: whole } = statistics()
  return { used, limit: Math.max(whole - forYoungBytes, whole / 3) }
}

function usedUp(what: string, failure: PlatformFailure, limit: number): PlatformError {
  return new PlatformError(
    failureCodes.memoryUsedUp,
    `${what}: the answers of the platform filled the ${megabytesOf(limit)} MB of memory that Node may use`,
    failure,
    {
      hint:
        'Select less with `--only`, or give it more: NODE_OPTIONS=--max-old-space-size=8192. ' +
        'If the platform does not have that many objects, report it to its operators.',
    },
  )
}
