// Requests to a forge: JSON, a token in a header, limits and retries. Its answers are treated as text.

import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, parseJson } from '@svcsync/core/model/json.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import type { Env } from '@svcsync/platform/agents.ts'
import { isPrivate } from '@svcsync/platform/client-options.ts'
import { faultError } from '@svcsync/platform/failure.ts'
import { isFault } from '@svcsync/platform/fault.ts'
import type { HttpReply } from '@svcsync/platform/in-flight.ts'
import { nextDelayMs, parseRetryAfter } from '@svcsync/platform/retry-delay.ts'
import { createScrub } from '@svcsync/platform/scrub.ts'
import { Transport } from '@svcsync/platform/transport.ts'

export type Sleep = (delayMs: number) => Promise<unknown>

interface RestOptions {
  /** `https://gitlab.example.com/api/v4`. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Never part of a message. */
  readonly token: string
  readonly caFile?: string | undefined
  readonly env: Env
  /** Default: that of the system. */
  readonly sleep?: Sleep | undefined
  /** Milliseconds until a limit of this forge's own ends, which a refusal tells; undefined: it is no limit. */
  readonly limitOf?: ((reply: HttpReply, nowMs: number) => number | undefined) | undefined
  /** Each page of a list names the next one, if there is one. */
  readonly linksPages?: true | undefined
  /** Milliseconds from the begin of one write to the next. */
  readonly writeGapMs?: number | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `reads`: it may be repeated, whatever its method. `as`: the type of what is sent, where it is another JSON. */
interface RequestForm {
  readonly as?: string
  readonly reads?: boolean
}

interface RequestBody {
  readonly body: string | undefined
  readonly as: string
}

const timeoutMs = 30_000
/** If a limit lasts longer, svcsync gives up: the plan itself is done. */
const mostWaitMs = 90_000
const code = 'SVC2185'
/** More entries than any pull request has: a server that sends pages without end is not read for ever. */
const mostPages = 1000

export function createRest({ baseUrl, headers, token, caFile, env, limitOf, writeGapMs = 0, ...options }: RestOptions) {
  const { linksPages = false } = options
  const wait = options.sleep ?? sleep
  const scrub = createScrub(
    () => [token],
    () => [],
  )
  const transport = new Transport({ caFile, env, signal: undefined, maxAnswerBytes: 50_000_000, connections: 1 })

  async function once(method: string, path: string, { body, as }: RequestBody): Promise<HttpReply | PlatformError> {
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`
    const parsed = parseUrl(url)
    if (parsed === undefined || !isPrivate(parsed)) {
      const failure = { kind: 'status', method, path, status: 400 } as const
      return new PlatformError(code, 'its address is not https, and svcsync sends no token without it', failure)
    }
    const type = body === undefined ? {} : { 'content-type': as }
    const sent = { accept: 'application/json', 'user-agent': 'svcsync', ...type, ...headers }
    const reply = await transport.exchange({ url, method, headers: sent, body, timeoutMs })
    return isFault(reply) ? faultError(reply, { method, path, url, setting: 'baseUrl' }) : reply
  }

  let mayWriteAtMs = 0
  async function paced(method: Method): Promise<void> {
    if (method === 'GET' || writeGapMs === 0) return
    const nowMs = Date.now()
    const delayMs = mayWriteAtMs - nowMs
    mayWriteAtMs = Math.max(mayWriteAtMs, nowMs) + writeGapMs
    if (delayMs > 0) await wait(delayMs)
  }

  async function ask(method: Method, path: string, data?: object, form: RequestForm = {}): Promise<RestAnswer> {
    const { as = 'application/json', reads = method !== 'POST' } = form
    const body = data === undefined ? undefined : JSON.stringify(data)
    for (let failures = 1, waitedMs = 0; ; failures++) {
      await paced(reads && method === 'POST' ? 'GET' : method)
      const reply = await once(method, path, { body, as })
      const answered = reply instanceof PlatformError ? reply : answerOf(reply, method, path, scrub)
      if (!(answered instanceof PlatformError)) return answered
      const told: RequestedWait = reply instanceof PlatformError ? {} : waitOf(reply, limitOf)
      const delayMs = delayAfter(answered, told, { reads, failures, waitedMs })
      if (delayMs === undefined) throw answered
      waitedMs += delayMs
      await wait(delayMs)
    }
  }

  return {
    close: () => transport.close(),
    /** The answer as data; undefined: it is empty. Rejects with a PlatformError. */
    request: async (method: Method, path: string, data?: object, form?: RequestForm): Promise<unknown> =>
      (await ask(method, path, data, form)).data,
    /** A list with all its pages. `entriesIn`: those of one answer, each by its id. Rejects likewise. */
    async list<T>(path: string, entriesIn: (data: unknown) => ReadonlyMap<number, T>): Promise<ReadonlyMap<number, T>> {
      const found = new Map<number, T>()
      for (let page = 1; page <= mostPages; page++) {
        const { data, links } = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`)
        const before = found.size
        for (const [id, entry] of entriesIn(data)) found.set(id, entry)
        // A page may be shorter than was asked for, and not the last.
        if (found.size === before || (linksPages && !links.includes('rel="next"'))) break
      }
      return found
    },
  }
}

interface RestAnswer {
  readonly data: unknown
  readonly links: string
}

interface RequestedWait {
  readonly retryAfterMs?: number | undefined
  readonly limit?: PlatformError
}

function delayAfter(
  failure: PlatformError,
  { limit = failure, retryAfterMs }: RequestedWait,
  { reads, failures, waitedMs }: { readonly reads: boolean; readonly failures: number; readonly waitedMs: number },
): number | undefined {
  return nextDelayMs(limit, reads ? 'reads' : 'writes', {
    ...{ failures, attempts: 3, maxDelayMs: 5000, random: Math.random },
    ...{ remainingMs: mostWaitMs - waitedMs, retryAfterMs },
  })
}

/** The wait that the server asks for. A limit precedes any work, so even a write may be repeated. */
function waitOf(reply: HttpReply, limitOf: RestOptions['limitOf']): RequestedWait {
  const limitMs = limitOf?.(reply, Date.now())
  if (limitMs === undefined) return { retryAfterMs: parseRetryAfter(reply.retryAfter, Date.now()) }
  const failure = { kind: 'status', method: '', path: '', status: 429, asksToWait: true } as const
  return { retryAfterMs: limitMs, limit: new PlatformError(code, 'a limit', failure) }
}

function answerOf(
  reply: HttpReply,
  method: string,
  path: string,
  scrub: (text: string) => string,
): PlatformError | RestAnswer {
  const { flaw, text, retryAfter } = reply
  const fail = (status: number, message: string) =>
    new PlatformError(code, scrub(message), { kind: 'status', method, path, status, asksToWait: retryAfter !== null })
  const isPage = reply.contentType?.includes('html') === true
  if ([301, 307, 308].includes(reply.status)) return fail(reply.status, 'it has moved to another address')
  // Azure leads whoever it does not know to a page to log in, with a status of success.
  if (reply.status === 203 || (reply.status >= 300 && reply.status < 400)) return fail(401, 'a page to log in')
  if (reply.status >= 400) return fail(reply.status, isPage ? 'a web page' : messageIn(text))
  const links = String(reply.headers.link ?? '')
  if (text.trim() === '' && flaw === undefined) return { data: undefined, links }
  const data = flaw === undefined ? parseJson(text) : undefined
  if (data !== undefined) return { data, links }
  const failure = { kind: 'unreadable', method, path } as const
  return new PlatformError(code, `the answer to ${method} is ${isPage ? 'a web page' : 'no JSON'}`, failure)
}

/** GitLab has a text or an object under `message`, or a text under `error`. */
function messageIn(text: string): string {
  const answer = parseJson(text)
  const { message, error } = isJsonObject(answer) ? answer : {}
  const said = message ?? error ?? ''
  return typeof said === 'string' ? said : JSON.stringify(said)
}

/** Comments with their texts, as GitHub and GitLab list them. */
export function textsIn(page: unknown): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const each of Array.isArray(page) ? page : []) {
    const { id, body } = each as { readonly id?: unknown; readonly body?: unknown }
    if (typeof id === 'number') found.set(id, typeof body === 'string' ? body : '')
  }
  return found
}
