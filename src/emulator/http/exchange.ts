// One request from arrival to answer: log, faults, latency. The routes know its meaning.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from '@svcsync/core/model/json.ts'
import { type Answer, deliver, errorAnswer, jsonAnswer } from './answer.ts'
import { readBytes } from './body.ts'
import type { FaultEffect } from './faults.ts'
import type { Platform } from './platform.ts'
import { Refusal } from './refusal.ts'
import { respond } from './respond.ts'
import { splitOnce } from './route.ts'

const empty = Buffer.alloc(0)
const lostStatuses = new Set([500, 502, 504])

export async function runExchange(
  platform: Platform,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const arrived = platform.clock.elapsed()
  const { method = 'GET', url = '/', headers } = incoming
  const isRead = method === 'GET' || method === 'HEAD'
  const [path, query = ''] = splitOnce(url, '?')
  const entry = platform.log.open({ time: platform.clock.now(), method, path, query })
  const bytes = isRead ? empty : await readBytes(incoming).catch(() => undefined)
  // The client left while it was sending: nothing to carry out, nobody to answer.
  if (bytes === undefined) return
  const isUpload = headers['content-type']?.startsWith('multipart/') === true
  entry.bodyText = isUpload ? `(${bytes.length} bytes)` : bytes.toString('utf8')
  const fault = platform.faults.take(method, path, query)
  const effect = fault?.effect
  entry.fault = fault?.number
  if (effect?.kind === 'expireTokens') platform.tokens.expireAll()
  const isWrite = !isRead && path.startsWith('/api/data/')
  const isElsewhere = effect?.kind === 'misroute' && effect.as !== undefined && !isWrite
  const asked = isElsewhere ? `${/^\/api\/data\/[^/]+/.exec(path)?.[0] ?? ''}${effect.as}` : url
  const isDone = isCarriedOut(effect, platform)
  const own = answered(platform, () => {
    if (isDone) return respond(platform, { method, url: asked, headers, bytes, bodyText: entry.bodyText, entry })
    throw new Refusal('InternalError', 'Not carried out.', 503)
  })
  if (isWrite) {
    entry.carriedOut = isDone && own.status < 300
    if (entry.carriedOut) platform.changed()
  }
  const answer = faultAnswer(platform, effect, own)
  const dueMs = platform.latencyMs + (effect?.delayMs ?? 0)
  if (dueMs > 0) await platform.clock.until(arrived + dueMs)
  platform.log.answer(entry)
  entry.status = await deliver({ incoming, outgoing }, answer, platform.state.behaviour.compression, effect)
}

function answered(platform: Platform, produce: () => Answer): Answer {
  try {
    return produce()
  } catch (error) {
    return errorAnswer(error, platform.nextErrorNumber())
  }
}

function isCarriedOut(effect: FaultEffect | undefined, platform: Platform): boolean {
  if (effect?.carriedOut !== undefined) return effect.carriedOut
  const { kind, status = 500 } = effect ?? {}
  const isLost = kind === 'reset' || kind === 'hang' || (kind === 'status' && lostStatuses.has(status))
  if (isLost) return platform.state.behaviour.lostWrites === 'carriedOut'
  return kind !== 'status'
}

function faultAnswer(platform: Platform, effect: FaultEffect | undefined, own: Answer): Answer {
  if (effect?.kind === 'text') {
    const { body, status = own.status, contentType = 'text/html', headers = {} } = effect
    return { status, contentType, headers, body: typeof body === 'string' ? body : '<html><body>Gateway</body></html>' }
  }
  if (effect?.kind !== 'status') return own
  const { status = 500, body, headers } = effect
  const made = answered(platform, () => {
    if (body !== undefined) return jsonAnswer(status, body as Json)
    throw new Refusal('InternalError', 'A fault was ordered for this request.', status)
  })
  return { ...made, headers: { ...made.headers, ...headers } }
}
