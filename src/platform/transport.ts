// One HTTP exchange over a kept connection: an answer, or how it failed. No retries, no tokens, no meaning.
import type { ClientRequest, IncomingMessage } from 'node:http'
import { bodyText } from './body-text.ts'
import { type Fault, type FaultContext, faultOf } from './fault.ts'
import { createSenders, type Sender } from './senders.ts'

export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly timeoutMs: number
}

export interface HttpReply {
  readonly status: number
  readonly retryAfter: string | null
  readonly location: string | null
  readonly contentType: string | null
  /** What the server's clock said, as it wrote it. */
  readonly date: string | null
  readonly text: string
  /** The body broke off: the status is known, the text is not. */
  readonly cut: boolean
}

export interface Transport {
  /** Never rejects for what the network does. Rejects with an OperatorError when the CA file cannot be read. */
  exchange(request: HttpRequest): Promise<HttpReply | Fault>
  close(): void
  readonly bytes: { sent: number; received: number }
}

export interface TransportOptions {
  readonly caFile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal | undefined
}

type Stop = (reason: FaultContext['stopped']) => void

/** A host that drops packets in silence is given up after this long: nothing was sent to it. */
const connectTimeoutMs = 10_000

export function createTransport({ caFile, env, signal }: TransportOptions): Transport {
  const senders = createSenders(caFile, env)
  const bytes = { sent: 0, received: 0 }
  // One listener for all requests, which come in thousands while the signal lives as long as the run.
  const active = new Set<Stop>()
  const interrupt = (): void => {
    for (const stop of active) stop('interrupted')
  }
  signal?.addEventListener('abort', interrupt, { once: true })

  function send(sender: Sender, asked: HttpRequest): Promise<HttpReply | Fault> {
    const { method, body, timeoutMs } = asked
    const { authorization, ...others } = asked.headers
    const headers: Record<string, string | number> = { ...others, 'accept-encoding': 'gzip, deflate, br' }
    if (body !== undefined) {
      headers['content-length'] = Buffer.byteLength(body)
      bytes.sent += headers['content-length']
    }
    return new Promise((resolve) => {
      let stopped: FaultContext['stopped']
      let proxyRefused = false
      let request: ClientRequest
      const settle = (outcome: HttpReply | Fault): void => {
        clearTimeout(timer)
        active.delete(stop)
        resolve(outcome)
      }
      const stop: Stop = (reason) => {
        stopped ??= reason
        request.destroy()
      }
      const timer = setTimeout(stop, timeoutMs, 'timeout')
      active.add(stop)
      request = sender.request(asked.url, { method, headers, agent: sender.agent }, (incoming) => {
        if (proxyRefused) {
          request.destroy()
          return settle(faultOf(undefined, { stopped, isOpen: false, proxyRefused }))
        }
        incoming.on('data', (chunk: Buffer) => {
          bytes.received += chunk.length
        })
        readReply(incoming).then((reply) => {
          settle(stopped === undefined ? reply : faultOf(undefined, { stopped, isOpen: true, proxyRefused }))
        })
      })
      // Not among the options: those are in what NODE_DEBUG makes Node print.
      if (authorization !== undefined) request.setHeader('authorization', authorization)
      const isOpen = watchOpening(request, sender.isTls, () => stop('connecting'))
      request.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
        proxyRefused = statusCode !== 200
      })
      request.on('error', (error) => settle(faultOf(error, { stopped, isOpen: isOpen(), proxyRefused })))
      request.end(body)
    })
  }

  return {
    bytes,
    async exchange(request) {
      const sender = senders.ready(request.url) ?? (await senders.prepare(request.url))
      // After the wait: an interrupt stops what is under way, and this is not yet.
      if (signal?.aborted) return { fault: 'interrupted', sent: false, code: undefined }
      return send(sender, request)
    },
    close() {
      signal?.removeEventListener('abort', interrupt)
      senders.close()
    },
  }
}

/** Tells whether the connection was made: before that, nothing of the request can have left. */
function watchOpening(request: ClientRequest, isTls: boolean, onLate: () => void): () => boolean {
  let isOpen = false
  request.once('socket', (socket) => {
    if (request.reusedSocket || !socket.connecting) {
      isOpen = true
      return
    }
    const timer = setTimeout(onLate, connectTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      isOpen = true
    })
  })
  return () => isOpen
}

function readReply(incoming: IncomingMessage): Promise<HttpReply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const settle = (text: string | undefined): void => {
      const { headers, statusCode = 0 } = incoming
      resolve({
        status: statusCode,
        retryAfter: headers['retry-after'] ?? null,
        location: headers.location ?? null,
        contentType: headers['content-type'] ?? null,
        date: headers.date ?? null,
        text: text ?? '',
        cut: text === undefined,
      })
    }
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => bodyText(chunks, incoming.headers['content-encoding'], settle))
    // A connection that ends before the body does is an error here, and never an end.
    incoming.on('error', () => settle(undefined))
  })
}
