// Reads an answer of the data interface as a value, or as the error for it.
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { type Asked, isWebPage, redirectError, unreadableError } from './failure.ts'
import type { HttpReply } from './in-flight.ts'
import type { createMemoryBudget } from './memory-budget.ts'
import { statusError } from './refusal.ts'
import { parseRetryAfter } from './retry-delay.ts'
import type { Attempt } from './retrying.ts'
import type { Scrub } from './scrub.ts'
import type { TokenGrant } from './token-endpoint.ts'
import type { createWireNames } from './wire-names.ts'

export interface AnyAnswer {
  readonly status: number
  readonly bytes: Buffer
  /** In neutral names; undefined: it is no JSON. */
  readonly json: Json | undefined
}

interface ReaderParts {
  readonly names: ReturnType<typeof createWireNames>
  readonly memory: ReturnType<typeof createMemoryBudget>
  readonly scrub: Scrub
  clock(): number
}

export class AnswerReader {
  readonly #parts: ReaderParts

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** For known requests: a read gives an object, a write anything. */
  known(reply: HttpReply, asked: Asked, grant: TokenGrant): Attempt<Json | undefined> {
    if (reply.status >= 300) return this.#refused(reply, asked, grant)
    if (asked.method === 'GET') return this.#object(reply, asked)
    // Something stands in the place of the platform, and cannot tell whether it was carried out.
    return isWebPage(reply) ? { error: unreadableError(reply, asked) } : { value: this.#outcome(reply, asked) }
  }

  /** Any answer of 2xx as it came. `isTaken`: its body went elsewhere, and may be a web page. */
  any(reply: HttpReply, asked: Asked, grant: TokenGrant, isTaken: boolean): Attempt<AnyAnswer> {
    if (reply.status >= 300) return this.#refused(reply, asked, grant)
    const isWhole = reply.flaw === undefined || reply.flaw === 'not-utf8'
    if (!isWhole || (!isTaken && isWebPage(reply))) return { error: unreadableError(reply, asked) }
    return { value: { status: reply.status, bytes: reply.bytes, json: this.#parsed(reply, asked) } }
  }

  #refused(reply: HttpReply, asked: Asked, grant: TokenGrant): Attempt<never> {
    const { scrub, names, clock } = this.#parts
    if (reply.status < 400) return { error: redirectError(reply, asked) }
    const error = statusError(reply, asked, grant.scopes, scrub, names?.namedIn)
    const isPause = reply.status === 429 || reply.status === 503
    return isPause ? { error, retryAfterMs: parseRetryAfter(reply.retryAfter, clock()) } : { error }
  }

  #object(reply: HttpReply, asked: Asked): Attempt<Json> {
    const { memory } = this.#parts
    if (!memory.holds(reply.text.length)) return { error: memory.overfull(asked) }
    const value = this.#parsed(reply, asked)
    return isJsonObject(value) ? { value } : { error: unreadableError(reply, asked) }
  }

  /** A write that the platform answered with 2xx was carried out, whatever its body looks like. */
  #outcome(reply: HttpReply, asked: Asked): Json | undefined {
    const { text, flaw } = reply
    if (flaw !== undefined || !this.#parts.memory.holds(text.length) || text.trim() === '') return undefined
    const value = this.#parsed(reply, asked)
    return value === undefined ? text : value
  }

  #parsed(reply: HttpReply, { path }: Asked): Json | undefined {
    const { names } = this.#parts
    if (reply.flaw !== undefined) return undefined
    try {
      const value = JSON.parse(reply.text) as Json
      return names === undefined ? value : names.inbound(path, value)
    } catch {
      return undefined
    }
  }
}
