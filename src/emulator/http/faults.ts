// Faults on order: which requests they hit, and what happens to those.
import * as s from '../shape/shape.ts'

/** The effects of a fault on a request: docs/emulator.md describes each kind. */
const kinds = ['status', 'delay', 'reset', 'cut', 'truncate', 'text', 'hang', 'expireTokens', 'misroute'] as const

export const faultShape = s.record({
  /** `path`: with `*` for anything, whole or as it follows the version. `query`: a part of it. */
  match: s.optional(
    s.record({ method: s.optional(s.filledText), path: s.optional(s.filledText), query: s.optional(s.text) }),
  ),
  /** The first matching request that is hit, counted from 1. */
  nth: s.optional(s.count),
  /** The number of requests that it hits from there on; null: all. Default: 1. */
  count: s.optional(s.nullable(s.count)),
  effect: s.record({
    kind: s.oneOf(...kinds),
    /** misroute: path below the version, with its query. */
    as: s.optional(s.filledText),
    /** status; text, where it is otherwise that of the answer itself */
    status: s.optional(s.integer),
    headers: s.optional(s.mapOf(s.text)),
    /** status: sent as JSON; absent: the error object. text: sent unchanged. */
    body: s.optional(s.anything),
    contentType: s.optional(s.filledText),
    /** Added to the latency, for every kind. */
    delayMs: s.optional(s.count),
    /** True if a write takes effect although its answer is lost. */
    carriedOut: s.optional(s.flag),
  }),
})
export type Fault = s.TypeOf<typeof faultShape>

interface ArmedFault {
  readonly number: number
  readonly fault: Fault
  matched: number
  hits: number
}

export class Faults {
  #armed: ArmedFault[] = []
  #next = 1

  add(fault: Fault): number {
    this.#armed.push({ number: this.#next, fault, matched: 0, hits: 0 })
    return this.#next++
  }

  clear(): void {
    this.#armed = []
  }

  list() {
    return this.#armed.map((armed) => ({ ...armed }))
  }

  /** The fault that hits this request, if any. Every fault counts those that match it; the first that is due hits. */
  take(method: string, path: string, query: string): { number: number; effect: Fault['effect'] } | undefined {
    const matching = this.#armed.filter(({ fault }) => isMatch(fault.match, method, path, query))
    for (const armed of matching) armed.matched++
    const due = matching.find(({ fault: { nth = 1, count = 1 }, matched, hits }) => {
      return matched >= nth && (count === null || hits < count)
    })
    if (due === undefined) return undefined
    due.hits++
    return { number: due.number, effect: due.fault.effect }
  }
}

function isMatch(match: Fault['match'], method: string, path: string, query: string): boolean {
  if (match?.method !== undefined && match.method.toUpperCase() !== method) return false
  if (match?.query !== undefined && !query.includes(match.query)) return false
  if (match?.path === undefined) return true
  const literals = match.path.split('*').map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pattern = new RegExp(`^${literals.join('.*')}$`, 'i')
  return pattern.test(path) || pattern.test(path.replace(/^\/api\/data\/[^/]+/, ''))
}
