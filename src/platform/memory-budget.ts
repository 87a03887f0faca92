// Ends a run before the engine's own "out of memory" does, which leaves no report of what was written.
import { env, execArgv } from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { failureCodes, OperatorError, PlatformError, type PlatformFailure } from '@svcsync/errors/index.ts'

/** The remainder is for the answers under way, and for the report. */
const usableShare = 0.75

const megabyte = 1024 * 1024

/** A plan of 6,000 users fits into it on Node 20, 22, 24 and 26, and the smallest into 16 MB. */
const leastMegabytes = 48

/** The bytes of answers between two measurements of the heap. */
const lookEveryBytes = 2 * 1024 * 1024

/** A look takes 4 µs. */
const thingsBetweenLooks = 500

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

/** After the last collection. */
const collected = { used: 0 }

/** The growth between two collections, as a part of the memory. */
const growthBetween = 0.1

/**
 * `share`: of the memory, that may be in use. Garbage does not count: it is collected before anything is refused.
 * Without a collector, a library leaves the memory to its host.
 */
export function refuseOverfull(
  what: string,
  hint: string,
  share = usableShare,
  statistics = getHeapStatistics,
  collect: (() => unknown) | undefined = globalThis.gc,
): void {
  const { used, limit } = heap(statistics)
  if (used < share * limit || collect === undefined) return
  if (collected.used < share * limit && used < collected.used + growthBetween * limit) return
  collect()
  collected.used = heap(statistics).used
  if (collected.used < share * limit) return
  const message = `${what} does not fit into the ${megabytesOf(limit)} MB of memory that Node may use`
  throw new OperatorError(failureCodes.memoryUsedUp, message, {
    hint: `${hint}, or give it more: NODE_OPTIONS=--max-old-space-size=8192.`,
  })
}

/** For what grows by many small things: called for each of them, it looks at the memory now and then. */
export function createRoomCheck(...asked: Parameters<typeof refuseOverfull>): () => void {
  let made = 0
  return () => {
    if (made++ % thingsBetweenLooks === 0) refuseOverfull(...asked)
  }
}

/** For commands that read a project: the engine would end a smaller heap by a signal. */
export function requireRoom(limit = heap(getHeapStatistics).limit): void {
  if (limit >= leastMegabytes * megabyte) return
  const message = `svcsync needs ${leastMegabytes} MB of memory or more, and Node may use ${megabytesOf(limit)} MB`
  throw new OperatorError(failureCodes.memoryUsedUp, message, {
    hint: 'Give it more: NODE_OPTIONS=--max-old-space-size=512.',
  })
}

const megabytesOf = (bytes: number): number => Math.floor(bytes / megabyte)

function heap(statistics: typeof getHeapStatistics): { readonly used: number; readonly limit: number } {
  const { used_heap_size: used, heap_size_limit: whole } = statistics()
  return { used, limit: oldSpaceIn(whole) }
}

/** Node tells the whole heap. A flag may leave the old part less than a half; otherwise it has nine tenths. */
export function oldSpaceIn(whole: number, flags = [env.NODE_OPTIONS, ...execArgv].join(' ')): number {
  const given = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1)?.[1]
  // The young part has at most 192 MB, on Node 24.
  return Math.min(whole, Number(given ?? 0) * megabyte || Math.max(0.9 * whole, whole - 192 * megabyte))
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
