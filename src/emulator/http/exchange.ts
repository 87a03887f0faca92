// One request from arrival to answer: log, faults, latency. What the request means is for the routes.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Json } from '../../core/model/json.ts'
import type { Clock } from '../clock.ts'
import type { EmulatorOptions } from '../emulator.ts'
import type { PlatformState } from '../state/platform-state.ts'
import { type Answer, errorAnswer, jsonAnswer } from './answer.ts'
import { readBytes } from './body.ts'
import { deliver } from './deliver.ts'
import type { FaultEffect, Faults } from './faults.ts'
import { Refusal } from './refusal.ts'
import type { RequestLog } from './request-log.ts'
import type { Tokens } from './tokens.ts'

/** What all endpoints share. The state is replaced as a whole by the control endpoint: always ask anew. */
export interface Platform {
  state: PlatformState
  readonly clock: Clock
  readonly tokens: Tokens
  readonly log: RequestLog
  readonly faults: Faults
  latencyMs: number
  /** Called after every request that may have changed state. */
  readonly changed: () => void
  readonly nextErrorNumber: () => number
  readonly onExchange: EmulatorOptions['onExchange']
}

export interface Env {
  /** `instead`: the exchange of the request in whose place this one is answered. */
  Bindings: HttpBindings & { readonly instead?: Exchange }
  Variables: { exchange: Exchange }
}

interface Exchange {
  readonly entry: ReturnType<RequestLog['open']>
  readonly bodyText: string
  readonly bytes: Buffer
  answer: Answer | undefined
}

const empty = Buffer.alloc(0)
const lostStatuses = new Set([500, 502, 504])

/**
 * `proceed` runs the route, which leaves its answer in the exchange. `reroute` runs that of another address, as it would stand
 * in the request.
 */
export async function runExchange(
  platform: Platform,
  c: Context<Env>,
  proceed: () => Promise<void>,
  reroute: (url: string, exchange: Exchange) => Promise<void>,
): Promise<void> {
  const arrived = platform.clock.elapsed()
  const { incoming, outgoing } = c.env
  const method = incoming.method ?? 'GET'
  const [path = '/', query = ''] = splitOnce(incoming.url ?? '/', '?')
  const entry = platform.log.open({ time: platform.clock.now(), method, path, query })
  const bytes = method === 'GET' || method === 'HEAD' ? empty : await readBytes(incoming).catch(() => undefined)
  // The client left while it was sending: nothing to carry out, nobody to answer.
  if (bytes === undefined) return
  const isUpload = incoming.headers['content-type']?.startsWith('multipart/') === true
  const bodyText = isUpload ? `(${bytes.length} bytes)` : bytes.toString('utf8')
  entry.bodyText = bodyText
  const exchange: Exchange = { entry, bodyText, bytes, answer: undefined }
  c.set('exchange', exchange)
  const fault = platform.faults.take(method, path, query)
  entry.fault = fault?.number
  if (fault?.effect.kind === 'expireTokens') platform.tokens.expireAll()
  const isWrite = method !== 'GET' && method !== 'HEAD' && path.startsWith('/api/data/')
  const other = fault?.effect.kind === 'misroute' ? fault.effect.as : undefined
  if (other !== undefined && !isWrite) {
    const instead = { ...exchange, entry: { ...entry, query: splitOnce(other, '?')[1] ?? '' } }
    await reroute(`${/^\/api\/data\/[^/]+/.exec(path)?.[0] ?? ''}${other}`, instead)
    exchange.answer = instead.answer
  } else if (isCarriedOut(fault?.effect, platform)) await proceed()
  const ownAnswer = exchange.answer ?? failedAnswer(platform, new Refusal(503, 'InternalError', 'Not carried out.'))
  if (isWrite) {
    entry.carriedOut = exchange.answer !== undefined && exchange.answer.status < 300
    if (entry.carriedOut) platform.changed()
  }
  const answer = faultAnswer(platform, fault?.effect, ownAnswer)
  const dueMs = platform.latencyMs + (fault?.effect.delayMs ?? 0)
  if (dueMs > 0) await platform.clock.until(arrived + dueMs)
  platform.log.answer(entry)
  entry.status = await deliver({ incoming, outgoing }, answer, fault?.effect)
}

export function failedAnswer(platform: Platform, error: unknown): Answer {
  return errorAnswer(error, platform.nextErrorNumber())
}

function isCarriedOut(effect: FaultEffect | undefined, platform: Platform): boolean {
  if (effect === undefined) return true
  if (effect.carriedOut !== undefined) return effect.carriedOut
  const byBehaviour = platform.state.behaviour.lostWrites === 'carriedOut'
  if (effect.kind === 'reset' || effect.kind === 'hang') return byBehaviour
  if (effect.kind === 'status') return lostStatuses.has(effect.status ?? 500) && byBehaviour
  return true
}

function faultAnswer(platform: Platform, effect: FaultEffect | undefined, own: Answer): Answer {
  if (effect?.kind === 'text') {
    const body = typeof effect.body === 'string' ? effect.body : '<html><body>Gateway</body></html>'
    return {
      status: effect.status ?? own.status,
      contentType: effect.contentType ?? 'text/html',
      body,
      headers: effect.headers ?? {},
    }
  }
  if (effect?.kind !== 'status') return own
  const status = effect.status ?? 500
  const made =
    effect.body === undefined
      ? failedAnswer(platform, new Refusal(status, 'InternalError', 'A fault was ordered for this request.'))
      : jsonAnswer(status, effect.body as Json)
  return { ...made, status, headers: { ...made.headers, ...effect.headers } }
}

export function splitOnce(text: string, at: string): [string, string | undefined] {
  const position = text.indexOf(at)
  return position < 0 ? [text, undefined] : [text.slice(0, position), text.slice(position + at.length)]
}
