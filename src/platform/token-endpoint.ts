// Asks the platform for tokens: OAuth 2.0 client credentials, as the reference gives them.
import { isJsonObject, type Json, parseJson } from '@svcsync/core/model/json.ts'
import type { TokenAnswer } from '@svcsync/core/model/platform-port.ts'
import { AccessError, failureCodes, PlatformError, tokenPath } from '@svcsync/errors/index.ts'
import type { ClientSettings } from './client-options.ts'
import { faultError, isWebPage, type RequestName, redirectError, tooLargeError } from './failure.ts'
import { isFault } from './fault.ts'
import type { HttpReply } from './in-flight.ts'
import { readErrorBody } from './refusal.ts'
import { parseRetryAfter } from './retry-delay.ts'
import type { Attempt, RetryLoop } from './retry-loop.ts'
import type { Scrub } from './scrub.ts'
import type { Transport } from './transport.ts'

export interface TokenGrant {
  readonly token: string
  readonly expiresAtMs: number | undefined
  /** The requested scopes, or fewer if the answer says so. Empty: all of the application. */
  readonly scopes: readonly string[]
}

/** Undefined when a scope is refused. Never a 404: a wrong address for tokens is no object that is not there. */
type AskForToken = (scopes: readonly string[]) => Promise<TokenGrant | undefined>

interface TokenEndpointParts {
  readonly settings: ClientSettings
  readonly clientId: string
  readonly clientSecret: string
  readonly userAgent: string
  readonly transport: Pick<Transport, 'exchange'>
  readonly retrying: RetryLoop
  readonly scrub: Scrub
}

export function createTokenEndpoint(parts: TokenEndpointParts): AskForToken {
  const { settings, transport, scrub } = parts
  // Without an authUrl, the baseUrl is the setting to check.
  const setting = settings.authUrl === settings.baseUrl ? 'baseUrl' : 'authUrl'
  const asked: RequestName = { method: 'POST', path: tokenPath, url: `${settings.authUrl}${tokenPath}`, setting }
  const headers = {
    accept: 'text/plain',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': parts.userAgent,
  }
  return (scopes) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: parts.clientId,
      client_secret: parts.clientSecret,
    })
    if (scopes.length > 0) form.set('scope', scopes.join(' '))
    const body = form.toString()
    const attempt = async (timeoutMs: number): Promise<Attempt<TokenGrant | undefined>> => {
      const askedAtMs = settings.timer()
      const reply = await transport.exchange({ url: asked.url, method: 'POST', headers, body, timeoutMs })
      if (isFault(reply)) return { error: faultError(reply, asked) }
      if (reply.status >= 200 && reply.status < 300) {
        const read = readGrant(reply, asked, scopes, askedAtMs)
        if ('value' in read) settings.onToken?.(tokenAnswer(read.value, reply, askedAtMs, settings))
        return read
      }
      const refusal = readErrorBody(reply, scrub)
      if (reply.status < 500 && isScopeRefusal(refusal.type)) return { value: undefined }
      return {
        error: tokenError(reply, asked, refusal, blanksAround(parts)),
        retryAfterMs: parseRetryAfter(reply.retryAfter, settings.clock()),
      }
    }
    // A second request for a token does no harm, so it needs no turn.
    return parts.retrying.send({ method: 'POST', path: tokenPath, attempt })
  }
}

function isScopeRefusal(type: string | undefined): boolean {
  return type === 'InvalidScope' || type === 'invalid_scope'
}

/** It travels with each request: a longer one is none, and no server would take its header. */
const maxTokenLength = 100_000

function readGrant(
  reply: HttpReply,
  asked: RequestName,
  scopes: readonly string[],
  askedAtMs: number,
): Attempt<TokenGrant> {
  // Independent of the content type, since the request accepts text/plain.
  const body = parseJson(reply.text)
  const fields = isJsonObject(body) ? body : {}
  const token = fields.access_token
  // Anything but visible ASCII is refused in a header, maybe with the token in the message.
  if (typeof token !== 'string' || token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token))
    return { error: unusable(reply, asked) }
  const lifetimeMs = typeof fields.expires_in === 'object' ? Number.NaN : Number(fields.expires_in) * 1000
  return {
    value: {
      token,
      expiresAtMs: lifetimeMs > 0 && Number.isFinite(lifetimeMs) ? askedAtMs + lifetimeMs : undefined,
      scopes: granted(fields.scope, scopes),
    },
  }
}

function tokenAnswer(
  grant: TokenGrant,
  { date }: HttpReply,
  askedAtMs: number,
  { clock, timer }: ClientSettings,
): TokenAnswer {
  const { scopes, expiresAtMs } = grant
  const serverMs = date === null ? Number.NaN : Date.parse(date)
  // Somewhere between question and answer; the header has no parts of seconds.
  const aheadMs = serverMs + 500 - (clock() - (timer() - askedAtMs) / 2)
  return {
    scopes,
    lifetimeMs: expiresAtMs === undefined ? undefined : expiresAtMs - askedAtMs,
    aheadMs: Number.isNaN(aheadMs) ? undefined : aheadMs,
  }
}

/** OAuth lets a server grant less than asked. An answer that shares nothing with the question means something else. */
function granted(answer: Json | undefined, scopes: readonly string[]): readonly string[] {
  if (typeof answer !== 'string') return scopes
  const named = new Set(answer.split(/\s+/))
  const kept = scopes.filter((scope) => named.has(scope))
  return kept.length > 0 ? kept : scopes
}

function addressOf({ setting }: RequestName): string {
  return setting === 'authUrl' ? setting : 'baseUrl, or authUrl where tokens come from elsewhere'
}

function unusable(reply: HttpReply, asked: RequestName): PlatformError {
  const failure = { kind: 'unreadable', method: 'POST', path: tokenPath } as const
  if (reply.flaw === 'too-large') return tooLargeError('The answer to the token request', failure)
  if (reply.flaw === 'broken')
    return new PlatformError(failureCodes.cutShort, 'The answer to the token request was cut short', failure)
  // An AccessError is not repeated: a web page stays a web page.
  const found = isWebPage(reply) ? 'is a web page' : 'holds no access token'
  return new AccessError(
    failureCodes.tokenUnusable,
    `The answer to the token request ${found}`,
    { ...failure, kind: 'unreachable' },
    {
      hint: `Check ${addressOf(asked)}: it must be the address of the platform itself, without a login page in front.`,
    },
  )
}

/** Copied secrets, and those from a pipeline's store, often bring along an invisible line break. */
function blanksAround({ clientId, clientSecret }: Pick<TokenEndpointParts, 'clientId' | 'clientSecret'>): string {
  const around = Object.entries({ clientId, clientSecret }).flatMap(([name, value]) =>
    value.trim() === value ? [] : name,
  )
  return around.length === 0 ? '' : ` White space surrounds ${around.join(' and ')}, and is sent as well.`
}

/** `more`: behind what to check. */
function tokenError(
  reply: HttpReply,
  asked: RequestName,
  refusal: ReturnType<typeof readErrorBody>,
  more: string,
): PlatformError {
  const { status } = reply
  const host = new URL(asked.url).host
  if (status >= 300 && status < 400) return redirectError(reply, asked)
  const failure = { kind: 'status', method: 'POST', path: tokenPath, ...refusal } as const
  const said = refusal.description === undefined ? '' : `: ${refusal.description}`
  if (status === 429 || status >= 500) {
    const kind = refusal.type === undefined ? '' : ` (${refusal.type})`
    return new PlatformError(
      status === 429 ? failureCodes.tooManyRequests : failureCodes.serverFailed,
      `${host} answered ${status}${kind} to the token request${said}`,
      {
        ...failure,
        status,
      },
      {
        hint:
          'Try again later. If it happens again, ' +
          "tell the platform's operators, with the error id if there is one.",
      },
    )
  }
  if (status === 404 || status === 405 || isWebPage(reply)) {
    return new AccessError(
      failureCodes.tokenAddressWrong,
      `${host} gives no tokens at ${tokenPath} (${status})`,
      failure,
      { hint: `Check ${addressOf(asked)}: it is the address before ${tokenPath}.` },
    )
  }
  return new AccessError(
    failureCodes.credentialsRefused,
    `${host} refused the client credentials (${status}${refusal.type === undefined ? '' : ` ${refusal.type}`})${said}`,
    status === 401 || status === 403 ? { ...failure, status } : failure,
    {
      hint: `Check clientId and clientSecret, and that the application exists on the platform and may use them.${more}`,
    },
  )
}
