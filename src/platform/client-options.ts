// The options of a platform client, with their defaults and the checks that need no network.
import { setTimeout as delay } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { SvcIdCase } from '@svcsync/core/model/address.ts'
import type { Kind } from '@svcsync/core/model/kind.ts'
import type { PlatformPort, TokenAnswer } from '@svcsync/core/model/platform-port.ts'
import type { Sensitive } from '@svcsync/core/model/sensitive.ts'
import { parseUrl } from '@svcsync/core/model/url.ts'
import { failureCodes, OperatorError, type PlatformError } from '@svcsync/errors/index.ts'
import type { Env } from './agents.ts'

export interface PlatformClientOptions {
  /** E.g. `https://test.example.com`; a path in front of `/api` is kept. */
  readonly baseUrl: string
  /** The origin of tokens. Default: `baseUrl`. */
  readonly authUrl?: string | undefined
  readonly apiVersion: '5.0' | '6.0'
  readonly timeZone?: string | undefined
  readonly svcIds?: SvcIdCase
  readonly clientId: string
  readonly clientSecret: string
  /** The version of svcsync, for the User-Agent header. */
  readonly version: string
  /** They say which texts of bodies and answers are words of the interface. */
  readonly kinds: readonly Kind[]
  /** Neutral name to the installation's name. */
  readonly wireNames: Readonly<Record<string, string>>
  readonly retry: { readonly attempts: number; readonly maxDelayMs: number }
  /** Values that the platform may quote: like those of `conceal`, they appear as their references. */
  readonly concealed?: readonly Sensitive[] | undefined
  /** For one attempt, body included. Default: 60,000. */
  readonly timeoutMs?: number | undefined
  /** For the attempts of one call and the pauses between them. Default: 300,000. */
  readonly deadlineMs?: number | undefined
  /** Requests in flight, all of them. */
  readonly concurrency: number
  /** Largest answer that is read, unpacked. Default: 64 MB, or a 24th of the memory that Node may take. */
  readonly maxAnswerBytes?: number | undefined
  /** PEM file with certificates to trust beside the usual ones. */
  readonly caFile?: string | undefined
  /** For the proxy variables. */
  readonly env: Env
  /** Permits `http://` to other machines: token and data travel readable. */
  readonly allowInsecureHttp?: boolean | undefined
  /** Stops everything under way. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since 1970. Only for what servers say of times of day. */
  readonly clock?: (() => number) | undefined
  /** Milliseconds from any moment. It never jumps, unlike a clock that is set. */
  readonly timer?: (() => number) | undefined
  readonly sleep?: ((delayMs: number, signal?: AbortSignal) => Promise<void>) | undefined
  /** From 0 up to, but not including, 1. */
  readonly random?: (() => number) | undefined
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
  readonly onToken?: ((answer: TokenAnswer) => void) | undefined
  readonly onUnknownKey?: PlatformPort['onUnknownKey']
}

export type ClientSettings = ReturnType<typeof resolveSettings>

export function resolveSettings(options: PlatformClientOptions) {
  const insecureAllowed = options.allowInsecureHttp === true
  for (const name of ['clientId', 'clientSecret'] as const) {
    if (options[name] === '') {
      throw new OperatorError(failureCodes.credentialsEmpty, `${name} is empty`, {
        hint: `Set ${name} of the target, or SVCSYNC_${name === 'clientId' ? 'CLIENT_ID' : 'CLIENT_SECRET'}.`,
      })
    }
  }
  return {
    baseUrl: usableAddress('baseUrl', options.baseUrl, insecureAllowed),
    authUrl: usableAddress('authUrl', options.authUrl ?? options.baseUrl, insecureAllowed),
    attempts: options.retry.attempts,
    maxDelayMs: options.retry.maxDelayMs,
    // A timer set to more fires at once.
    timeoutMs: Math.min(options.timeoutMs ?? 60_000, 2 ** 31 - 1),
    deadlineMs: options.deadlineMs ?? 300_000,
    concurrency: options.concurrency,
    maxAnswerBytes: options.maxAnswerBytes ?? usualAnswerBytes(),
    signal: options.signal,
    clock: options.clock ?? Date.now,
    timer: options.timer ?? (() => performance.now()),
    sleep: options.sleep ?? ((delayMs, signal) => delay(delayMs, undefined, signal === undefined ? {} : { signal })),
    random: options.random ?? Math.random,
    onEvent: options.onEvent,
    onToken: options.onToken,
  }
}

/** Several are under way at once, and what is read of one takes up to twenty times its length. */
function usualAnswerBytes(): number {
  return Math.min(64_000_000, Math.floor(getHeapStatistics().heap_size_limit / 24))
}

function usableAddress(name: string, address: string, insecureAllowed: boolean): string {
  const url = parseUrl(address)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  // The address itself is not repeated: one with a password in it is among those refused here.
  if (
    url === undefined ||
    !isWeb ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new OperatorError(failureCodes.addressUnusable, `${name} is not a usable address`, {
      hint: `Give ${name} as https://host, without user, password, query or fragment.`,
    })
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecureAllowed) {
    throw new OperatorError(failureCodes.addressInsecure, `${name} uses http, which would send the secret readable`, {
      hint: `Give ${name} as https://${url.host}, or set allowInsecureHttp of the target.`,
    })
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** True if nobody on the way can read the traffic. */
export function isPrivate({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

interface DownReason {
  readonly code: string
  readonly status?: number | undefined
}

type ClientEvent =
  | {
      readonly kind: 'retry'
      readonly method: string
      readonly path: string
      /** The attempt that failed, 1-based. */
      readonly attempt: number
      readonly delayMs: number
      readonly reason: Pick<PlatformError, 'kind' | 'code' | 'status'>
    }
  /** A further token was fetched: the old one ended, was refused, or carries too few scopes. */
  | { readonly kind: 'token-renewed'; readonly reason: 'expired' | 'refused' | 'scopes' }
  /** Requests fail in a row: no further one starts, and one probe looks for the platform after the pause. */
  | {
      readonly kind: 'platform-silent'
      readonly failures: number
      readonly delayMs: number
      readonly reason: DownReason
    }
  /** The probes failed, too: nothing more is sent. */
  | { readonly kind: 'platform-down'; readonly failures: number; readonly reason: DownReason }
  | { readonly kind: 'platform-back' }
  /** The platform demanded a pause: all requests of this client wait. */
  | { readonly kind: 'paused'; readonly delayMs: number }
