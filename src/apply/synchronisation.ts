// Waits until the platform has synchronised what was written: one watcher for all, by list pages when many wait.
import { append, getOrInsert } from '@svcsync/core/model/group-by.ts'
import { nameKey } from '@svcsync/core/model/identity.ts'
import { isMisread, type Kind, type LivePart, type Location } from '@svcsync/core/model/kind.ts'
import type { PlatformPort } from '@svcsync/core/model/platform-port.ts'
import { failureCodes, PlatformError } from '@svcsync/errors/index.ts'
import { type ListedPart, readList } from '@svcsync/live/read-list.ts'
import { readObject } from '@svcsync/live/read-object.ts'
import { createLookTimes, nextLookMs, usualPauseMs } from './look-times.ts'

type Watch = Parameters<typeof nextLookMs>[0]

interface SynchronisationOptions {
  readonly port: PlatformPort
  readonly pageSize: number
  readonly timeoutMs: number
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

/** The object that is ready; `late`: nothing of that was seen in time. */
type WaitResult = LivePart | 'gone' | 'late'

interface Waiter {
  readonly target: WaitTarget
  readonly key: string
  /** Kind, and what is waited for: these take about the same time. */
  readonly sort: string
  readonly sinceMs: number
  readonly deadlineMs: number
  /** The time of the last look that did not find it. */
  lookedMs?: number
  /** The number of the wait: a page requested later shows earlier writes. */
  readonly turn: number
  end(result: WaitResult): void
}

export class Synchronisation {
  readonly #options: SynchronisationOptions
  readonly #waiting = createWaitingRoom()
  readonly #times = createLookTimes()
  /** By address: why the last look at it failed. */
  readonly #troubles = new Map<string, string>()
  /** Pages that the list of a kind had when it was last read. */
  readonly #pages = new Map<string, number>()
  #turns = 0
  /** Undefined: nobody waits. */
  #watch: Watch | undefined
  #hurried = false
  #over = false
  #wake: () => void = () => {}

  constructor(options: SynchronisationOptions) {
    this.#options = options
    options.kill?.addEventListener('abort', () => this.#endAll())
  }

  /** Never rejects. */
  wait(target: WaitTarget): Promise<WaitResult> {
    const { timer, timeoutMs, kill } = this.#options
    if (this.#over || kill?.aborted) return Promise.resolve('late')
    const key = this.#keyOf(target.kind, nameOf(target))
    const sort = `${target.kind.name} ${target.until}`
    const sinceMs = timer()
    this.#turns++
    return new Promise((end) => {
      this.#waiting.add({ target, key, turn: this.#turns, sort, sinceMs, deadlineMs: sinceMs + timeoutMs, end })
      if (this.#watch === undefined) void this.#watchAll()
      else if (this.#hurried) this.#wake()
    })
  }

  /** Why the last look at an object failed that is late; undefined: it was shown, and not as it should be. */
  troubleAt(address: string): string | undefined {
    return this.#troubles.get(address)
  }

  /** The platform cannot be reached any more: what waits is late. */
  giveUp(): void {
    this.#over = true
    this.#endAll()
  }

  /** True if no other step can run meanwhile: looks then come at once and often. */
  hurry(starving: boolean): void {
    // It is told at the end of each step, of which there may be thousands.
    const hasBegun = starving && !this.#hurried
    this.#hurried = starving
    if (hasBegun) this.#wake()
  }

  async #watchAll(): Promise<void> {
    const { timer, onWaiting } = this.#options
    const watch: Watch = { startedMs: timer() }
    this.#watch = watch
    while (this.#waiting.size > 0) {
      const waited = this.#waiting.all().map((waiter) => ({
        ...{ sinceMs: waiter.sinceMs, urgent: waiter.target.urgent, dueMs: this.#dueMs(waiter) },
      }))
      const pauseMs = nextLookMs(watch, this.#hurried, waited) - timer()
      if (pauseMs > 0) {
        // Each event that wakes it may change the time of the next look.
        await this.#pause(pauseMs)
        continue
      }
      watch.lookedAtMs = timer()
      await this.#lookAtAll(watch.lookedAtMs)
      this.#expire(watch.lookedAtMs)
      onWaiting(this.#waiting.size)
    }
    this.#watch = undefined
  }

  async #pause(delayMs: number): Promise<void> {
    const pausing = new AbortController()
    this.#wake = () => pausing.abort()
    await this.#options.sleep(delayMs, pausing.signal)
  }

  #dueMs({ sinceMs, sort, lookedMs, deadlineMs }: Waiter): number {
    return Math.min(deadlineMs, sinceMs + this.#times.nextMs(sort, lookedMs))
  }

  /** Late is only what a look did not show that began after its time. */
  #expire(lookedAtMs: number): void {
    for (const waiter of this.#waiting.all()) if (lookedAtMs >= waiter.deadlineMs) this.#finish(waiter, 'late')
  }

  #endAll(): void {
    for (const waiter of this.#waiting.all()) this.#finish(waiter, 'late')
    this.#wake()
  }

  #finish(waiter: Waiter, result: WaitResult): void {
    this.#waiting.remove(waiter)
    waiter.end(result)
  }

  /** Looks at all due steps, and those due soon, so that they continue together. */
  async #lookAtAll(nowMs: number): Promise<void> {
    const byKind = new Map<Kind, Waiter[]>()
    for (const waiter of this.#waiting.all()) {
      if (this.#dueMs(waiter) > nowMs + usualPauseMs(nowMs - waiter.sinceMs)) continue
      append(byKind, waiter.target.kind, waiter)
    }
    const looks = [...byKind].map(([kind, waiters]) =>
      this.#lookAtKind(kind, waiters, nowMs).catch((error: unknown) => this.#overlook(error, waiters)),
    )
    await Promise.all(looks)
    for (const waiter of [...byKind.values()].flat()) waiter.lookedMs = nowMs - waiter.sinceMs
  }

  async #lookAtKind(kind: Kind, waiters: readonly Waiter[], nowMs: number): Promise<void> {
    const { port, pageSize } = this.#options
    const [{ target: first }] = waiters as [Waiter]
    const list = kind.requests.list?.(first.at)
    const known = this.#pages.get(kind.name) ?? 0
    if (list?.paged !== true || waiters.length <= Math.max(2, known)) {
      await Promise.all(waiters.map((waiter) => this.#lookSingly(waiter, nowMs)))
      return
    }
    // New objects are listed beside those of the last look.
    const expected = known * pageSize + waiters.length
    const onAsk = () => this.#onPage(kind)
    const items = await readList(port, kind, first.at, list, { ...this.#options, expected, onAsk })
    this.#pages.set(kind.name, Math.ceil(items.size / pageSize))
    for (const { target } of waiters) this.#troubles.delete(target.address)
    // Only the whole list shows who is gone.
    for (const waiter of waiters) {
      if (waiter.target.until !== 'gone') continue
      this.#judge(waiter, items.get(nameKey(kind, nameOf(waiter.target), port.normalise))?.[0], nowMs)
    }
  }

  /** An object that begins to wait meanwhile may be on a later page, so it needs no look of its own. */
  #onPage(kind: Kind): (parts: readonly LivePart[]) => void {
    const asked = this.#turns
    const askedMs = this.#options.timer()
    return (parts) => {
      for (const part of parts)
        for (const waiter of [...this.#waiting.of(this.#keyOf(kind, part.name))])
          if (waiter.turn <= asked) this.#judge(waiter, part, askedMs)
    }
  }

  #keyOf(kind: Kind, name: string): string {
    return `${kind.name} ${nameKey(kind, name, this.#options.port.normalise)}`
  }

  async #lookSingly(waiter: Waiter, nowMs: number): Promise<void> {
    const { kind, address, at } = waiter.target
    const self = at.self ?? at.name ?? ''
    try {
      this.#judge(waiter, await readObject(this.#options.port, kind, address, { ...at, self }), nowMs)
    } catch (error) {
      this.#overlook(error, [waiter])
    }
  }

  /** A look that fails says nothing: the next one may, and the time limit holds. */
  #overlook(error: unknown, waiters: readonly Waiter[]): void {
    if (!(error instanceof PlatformError)) return
    for (const { target } of waiters) this.#troubles.set(target.address, `${error.code} ${error.message}`)
    if (error.code === failureCodes.platformDown) this.#options.onPlatformDown()
  }

  #judge(waiter: Waiter, part: ListedPart | undefined, askedMs: number): void {
    this.#troubles.delete(waiter.target.address)
    const seen = part ?? 'gone'
    const isOver = waiter.target.until === 'gone' ? seen === 'gone' : seen !== 'gone' && !isMisread(seen) && seen.ready
    if (!isOver) return
    this.#times.learn(waiter.sort, waiter.lookedMs ?? 0, askedMs - waiter.sinceMs)
    this.#finish(waiter, seen as Exclude<WaitResult, 'late'>)
  }
}

function nameOf({ at }: WaitTarget): string {
  return at.name ?? at.self ?? ''
}

function createWaitingRoom() {
  const everybody = new Set<Waiter>()
  const byKey = new Map<string, Set<Waiter>>()
  return {
    get size(): number {
      return everybody.size
    },
    add(one: Waiter): void {
      everybody.add(one)
      getOrInsert(byKey, one.key, () => new Set()).add(one)
    },
    remove(one: Waiter): void {
      everybody.delete(one)
      const same = byKey.get(one.key)
      same?.delete(one)
      if (same?.size === 0) byKey.delete(one.key)
    },
    /** A copy: whoever goes through it may remove from it. */
    all: (): readonly Waiter[] => [...everybody],
    of: (key: string): Iterable<Waiter> => byKey.get(key) ?? [],
  }
}
