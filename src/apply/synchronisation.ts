// Waits until the platform has synchronised what was written: one watcher for all, by list pages when many wait.
import { append } from '../core/model/group-by.ts'
import { nameKey } from '../core/model/identity.ts'
import { isMisread, type Kind, type LivePart, type Location } from '../core/model/kind.ts'
import type { PlatformPort } from '../core/model/platform-port.ts'
import { failureCodes, PlatformError } from '../errors/index.ts'
import { type ListedPart, readList } from '../live/read-list.ts'
import { readObject } from '../live/read-object.ts'
import { createLookTimes, leastPauseMs, usualPauseMs } from './look-times.ts'
import { createWaitingRoom } from './waiting-room.ts'

interface SynchronisationOptions {
  readonly port: PlatformPort
  readonly pageSize: number
  readonly timeoutMs: number
  /** Milliseconds from any moment. It never jumps. */
  timer(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /** When aborted, everything is given up: what waits is late. */
  readonly kill?: AbortSignal | undefined
  onWaiting(waiting: number): void
  /** A look found that the platform is down: nothing more is worth waiting for. */
  onPlatformDown(): void
}

interface WaitTarget {
  readonly kind: Kind
  readonly address: string
  readonly at: Location
  readonly until: 'ready' | 'gone'
  /** Others wait for it: it is looked for early and often. */
  readonly urgent: boolean
}

interface Waiter {
  readonly target: WaitTarget
  /** Kind and key of the name. */
  readonly key: string
  /** Kind, and what is waited for: these take about the same time. */
  readonly sort: string
  readonly sinceMs: number
  readonly deadlineMs: number
  /** After how long it was last looked at, and not there. */
  lookedMs?: number
  /** Which wait it was, counted: a page that was asked for later shows what was written before. */
  readonly turn: number
  end(result: LivePart | 'late' | undefined): void
}

/** Between two looks while others can work: every look takes requests from them. */
const relaxedMs = 300
/** For what nobody waits for, it is early enough when all is written. */
const unhurriedMs = 15_000

export function createSynchronisation(options: SynchronisationOptions) {
  const waiting = createWaitingRoom<Waiter>()
  const times = createLookTimes()
  let turns = 0
  let watching = false
  let hurried = false
  let over = false
  let wake: () => void = () => {}
  /** By address: why the last look at it failed. */
  const troubles = new Map<string, string>()
  /** Pages that the list of a kind had when it was last read. */
  const pages = new Map<string, number>()

  const pause = async (delayMs: number): Promise<void> => {
    const pausing = new AbortController()
    wake = () => pausing.abort()
    await options.sleep(delayMs, pausing.signal)
    wake = () => {}
  }

  const dueMs = ({ sinceMs, sort, lookedMs, deadlineMs }: Waiter): number =>
    Math.min(deadlineMs, sinceMs + times.nextMs(sort, lookedMs))

  /** When those who wait are looked at next. */
  const nextLookMs = (startedMs: number, lookedAtMs: number | undefined): number => {
    const all = waiting.all()
    const urgent = hurried ? all : all.filter((waiter) => waiter.target.urgent)
    const waited = urgent.length > 0 ? urgent : all
    const pauseMs = urgent.length > 0 ? relaxedMs : unhurriedMs
    const earliestMs = ({ sinceMs }: Waiter): number => {
      if (!hurried) return (lookedAtMs ?? startedMs) + pauseMs
      return lookedAtMs === undefined ? startedMs : lookedAtMs + leastPauseMs(lookedAtMs - sinceMs)
    }
    const due = waited.map((waiter) => Math.max(earliestMs(waiter), dueMs(waiter)))
    return due.reduce((soonestMs, each) => Math.min(soonestMs, each), Number.POSITIVE_INFINITY)
  }

  const watch = async (): Promise<void> => {
    const startedMs = options.timer()
    let lookedAtMs: number | undefined
    while (waiting.size > 0) {
      const pauseMs = nextLookMs(startedMs, lookedAtMs) - options.timer()
      if (pauseMs > 0) {
        // Whatever wakes it may have changed when to look.
        await pause(pauseMs)
        continue
      }
      lookedAtMs = options.timer()
      await lookAtAll(lookedAtMs)
      expire(lookedAtMs)
      options.onWaiting(waiting.size)
    }
    watching = false
  }

  /** Late is only what a look did not show that began after its time: an answer may take long, and shows what was then. */
  const expire = (lookedAtMs: number): void => {
    for (const waiter of waiting.all()) if (lookedAtMs >= waiter.deadlineMs) finish(waiter, 'late')
  }

  options.kill?.addEventListener('abort', () => {
    for (const waiter of waiting.all()) finish(waiter, 'late')
    wake()
  })

  const finish = (waiter: Waiter, result: LivePart | 'late' | undefined): void => {
    waiting.remove(waiter)
    waiter.end(result)
  }

  /** At all whose time has come, and those for whom it comes soon: looked at together, they go on together. */
  const lookAtAll = async (nowMs: number): Promise<void> => {
    const byKind = new Map<Kind, Waiter[]>()
    for (const waiter of waiting.all()) {
      if (dueMs(waiter) > nowMs + usualPauseMs(nowMs - waiter.sinceMs)) continue
      append(byKind, waiter.target.kind, waiter)
    }
    await Promise.all(
      [...byKind].map(([kind, waiters]) => lookAtKind(kind, waiters, nowMs).catch((error) => overlook(error, waiters))),
    )
    for (const waiter of [...byKind.values()].flat()) waiter.lookedMs = nowMs - waiter.sinceMs
  }

  const lookAtKind = async (kind: Kind, waiters: readonly Waiter[], nowMs: number): Promise<void> => {
    const [first] = waiters as [Waiter]
    const list = kind.requests.list?.(first.target.at)
    const byList = list?.paged === true && waiters.length > Math.max(2, pages.get(kind.name) ?? 0)
    if (!byList) {
      await Promise.all(waiters.map((waiter) => lookSingly(waiter, nowMs)))
      return
    }
    // What was created since the last look is there beside what was there then.
    const expected = (pages.get(kind.name) ?? 0) * options.pageSize + waiters.length
    // Those who begin to wait meanwhile may stand on a page that is still to come: they need no look of their own.
    const onAsk = () => {
      const asked = turns
      const askedMs = options.timer()
      return (parts: readonly LivePart[]): void => {
        for (const part of parts) {
          for (const waiter of [...waiting.of(keyOf(kind, part.name))]) {
            if (waiter.target.until === 'ready' && waiter.turn <= asked) judge(waiter, part, askedMs)
          }
        }
      }
    }
    const items = await readList(options.port, kind, first.target.at, list, { ...options, expected, onAsk })
    pages.set(kind.name, Math.ceil(items.size / options.pageSize))
    for (const { target } of waiters) troubles.delete(target.address)
    // Only the whole list shows who is gone.
    for (const waiter of waiters) {
      if (waiter.target.until === 'gone') {
        judge(waiter, items.get(nameKey(kind, nameOf(waiter.target), options.port.normalise))?.[0], nowMs)
      }
    }
  }

  const keyOf = (kind: Kind, name: string): string => `${kind.name} ${nameKey(kind, name, options.port.normalise)}`

  const lookSingly = async (waiter: Waiter, nowMs: number): Promise<void> => {
    const { kind, address, at } = waiter.target
    const self = at.self ?? at.name ?? ''
    try {
      judge(waiter, await readObject(options.port, kind, address, { ...at, self }), nowMs)
    } catch (error) {
      overlook(error, [waiter])
    }
  }

  /** A look that fails says nothing: the next one may, and the time limit holds. */
  const overlook = (error: unknown, waiters: readonly Waiter[]): void => {
    if (error instanceof PlatformError)
      for (const { target } of waiters) troubles.set(target.address, `${error.code} ${error.message}`)
    if (error instanceof PlatformError && error.code === failureCodes.platformDown) options.onPlatformDown()
  }

  const judge = (waiter: Waiter, part: ListedPart | undefined, askedMs: number): void => {
    troubles.delete(waiter.target.address)
    if (waiter.target.until === 'gone' && part !== undefined) return
    if (part !== undefined && (isMisread(part) || !part.ready)) return
    if (waiter.target.until !== 'gone' && part === undefined) return
    times.learn(waiter.sort, waiter.lookedMs ?? 0, askedMs - waiter.sinceMs)
    finish(waiter, part)
  }

  return {
    /**
     * Resolves with the object when it is synchronised, with undefined when it is gone (`until: 'gone'`), with `'late'` when
     * the time is over. Never rejects.
     */
    wait: (target: WaitTarget) =>
      new Promise<LivePart | 'late' | undefined>((end) => {
        if (over || options.kill?.aborted) {
          end('late')
          return
        }
        const key = keyOf(target.kind, nameOf(target))
        turns++
        const sinceMs = options.timer()
        const sort = `${target.kind.name} ${target.until}`
        waiting.add({ target, key, turn: turns, sort, sinceMs, deadlineMs: sinceMs + options.timeoutMs, end })
        if (watching) {
          if (hurried) wake()
          return
        }
        watching = true
        void watch()
      }),
    /** Why the last look at an object failed that is late; undefined: it was shown, and not as it should be. */
    troubleAt: (address: string): string | undefined => troubles.get(address),
    /** The platform cannot be reached any more: what waits is late. */
    giveUp: (): void => {
      over = true
      for (const waiter of waiting.all()) finish(waiter, 'late')
      wake()
    },
    /** Whether nothing else can go on meanwhile: then looks come at once, and often. */
    hurry: (starving: boolean): void => {
      hurried = starving
      if (starving) wake()
    },
  }
}

function nameOf({ at }: WaitTarget): string {
  return at.name ?? at.self ?? ''
}
