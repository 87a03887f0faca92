// Requests to a forge: JSON, a token in a header, retries of what has not been carried out. What it answers is no more than text.

import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, parseJson } from '../core/model/json.ts'
import { parseUrl } from '../core/model/url.ts'
import { PlatformError } from '../errors/index.ts'
import type { Env } from '../platform/agents.ts'
import { isPrivate } from '../platform/client-options.ts'
import { faultError } from '../platform/failure.ts'
import { isFault } from '../platform/fault.ts'
import { nextDelayMs, parseRetryAfter } from '../platform/retry-delay.ts'
import { createScrub } from '../platform/scrub.ts'
import { createTransport, type HttpReply } from '../platform/transport.ts'

interface RestOptions {
  /** `https://gitlab.example.com/api/v4`. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Kept out of all that is said. */
  readonly token: string
  readonly caFile?: string | undefined
  readonly env: Env
  /** Default: that of the system. */
  readonly sleep?: ((delayMs: number) => Promise<unknown>) | undefined
}

const timeoutMs = 30_000
/** A limit that is told to last longer is a reason to give up: the plan itself is done. */
const mostWaitMs = 60_000
const code = 'SVC2185'

export function createRest({ baseUrl, headers, token, caFile, env, ...options }: RestOptions) {
  const wait = options.sleep ?? sleep
  const scrub = createScrub(
    () => [token],
    () => [],
  )
  const transport = createTransport({ caFile, env, signal: undefined, maxAnswerBytes: 50_000_000, connections: 1 })

  async function once(method: string, path: string, body: string | undefined): Promise<HttpReply | PlatformError> {
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`
    const parsed = parseUrl(url)
    if (parsed === undefined || !isPrivate(parsed)) {
      const failure = { kind: 'status', method, path, status: 400 } as const
      return new PlatformError(code, 'its address is not https, and a token goes nowhere else', failure)
    }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = { accept: 'application/json', 'user-agent': 'svcsync', ...type, ...headers }
    const reply = await transport.exchange({ url, method, headers: sent, body, timeoutMs })
    return isFault(reply) ? faultError(reply, { method, path, url, setting: 'baseUrl' }) : reply
  }

  return {
    close: () => transport.close(),
    /** The answer as data; undefined: it is empty. Rejects with a PlatformError. */
    async request(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, data?: object): Promise<unknown> {
      const body = data === undefined ? undefined : JSON.stringify(data)
      for (let failures = 1, waitedMs = 0; ; failures++) {
        const reply = await once(method, path, body)
        const failed = reply instanceof PlatformError ? reply : failureOf(reply, method, path, scrub)
        if (!(failed instanceof PlatformError)) return failed.data
        const retryAfterMs = reply instanceof PlatformError ? undefined : parseRetryAfter(reply.retryAfter, Date.now())
        // Whatever else is sent twice comes to the same.
        const delayMs = nextDelayMs(failed, method === 'POST' ? 'writes' : 'reads', {
          failures,
          attempts: 3,
          maxDelayMs: 5000,
          remainingMs: mostWaitMs - waitedMs,
          retryAfterMs,
          random: Math.random,
        })
        if (delayMs === undefined) throw failed
        waitedMs += delayMs
        await wait(delayMs)
      }
    },
  }
}

function failureOf(
  reply: HttpReply,
  method: string,
  path: string,
  scrub: (text: string) => string,
): PlatformError | { readonly data: unknown } {
  const { flaw, text, retryAfter } = reply
  const fail = (status: number, message: string) =>
    new PlatformError(code, scrub(message), { kind: 'status', method, path, status, asksToWait: retryAfter !== null })
  // Azure leads whoever it does not know to a page to log in, with a status of success.
  const isPage = reply.contentType?.includes('html') === true
  if (reply.status === 203 || (reply.status >= 300 && reply.status < 400)) return fail(401, 'a page to log in')
  if (reply.status >= 400) return fail(reply.status, isPage ? 'a web page' : saidIn(text))
  if (text.trim() === '' && flaw === undefined) return { data: undefined }
  const data = flaw === undefined ? parseJson(text) : undefined
  if (data !== undefined) return { data }
  const failure = { kind: 'unreadable', method, path } as const
  return new PlatformError(code, `the answer to ${method} is ${isPage ? 'a web page' : 'no JSON'}`, failure)
}

/** GitLab has a text or an object under `message`, or a text under `error`. */
function saidIn(text: string): string {
  const answer = parseJson(text)
  const { message, error } = isJsonObject(answer) ? answer : {}
  const said = message ?? error ?? ''
  return typeof said === 'string' ? said : JSON.stringify(said)
}
