// One HTTP exchange over a kept connection: an answer, or how it failed. No retries, no tokens, no meaning.
import type { ClientRequest, IncomingMessage } from 'node:http'
import { type BodyText, bodyText, type Flaw, flawed } from './body-text.ts'
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
  /** Why nothing of the text can be believed, although the status is known. */
  readonly flaw: Flaw | undefined
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
  /** Largest answer that is read, unpacked. */
  readonly maxAnswerBytes: number
}

type Stop = (reason: FaultContext['stopped']) => void

/** The header of an answer, and each of those that come before it. */
const maxHeaderSize = 64 * 1024

/** Interim answers (1xx) to one request. */
const mostInformation = 32

/** A host that drops packets in silence is given up after this long: nothing was sent to it. */
const connectTimeoutMs = 10_000

export function createTransport({ caFile, env, signal, maxAnswerBytes }: TransportOptions): Transport {
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
      let answer: IncomingMessage | undefined
      let informed = 0
      const settle = (outcome: HttpReply | Fault): void => {
        clearTimeout(timer)
        active.delete(stop)
        resolve(outcome)
      }
      const fail = (error?: unknown): void => {
        // Whoever reads the answer tells that it broke off.
        if (answer === undefined) settle(faultOf(error, { stopped, isOpen: isOpen(), proxyRefused }))
      }
      const stop: Stop = (reason) => {
        stopped ??= reason
        request.destroy()
      }
      const timer = setTimeout(stop, timeoutMs, 'timeout')
      active.add(stop)
      const options = { method, headers, agent: sender.agent, maxHeaderSize }
      const request = sender.request(asked.url, options, (incoming) => {
        if (proxyRefused) {
          request.destroy()
          return
        }
        // 101 without the header that names the other protocol comes as an answer.
        if ((incoming.statusCode ?? 0) < 200) return stop('no-answer')
        answer = incoming
        readBody(incoming, maxAnswerBytes, bytes, (read) => {
          settle(
            stopped === undefined
              ? replyOf(incoming, read)
              : faultOf(undefined, { stopped, isOpen: true, proxyRefused }),
          )
        })
      })
      // Not among the options: those are in what NODE_DEBUG makes Node print.
      if (authorization !== undefined) request.setHeader('authorization', authorization)
      const isOpen = watchOpening(request, sender.isTls, () => stop('connecting'))
      request.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
        proxyRefused = statusCode !== 200
      })
      // Nobody asked for another protocol, and hints before the answer are of no use: some are let pass.
      request.on('upgrade', () => stop('no-answer'))
      request.on('information', () => {
        informed += 1
        if (informed > mostInformation) stop('no-answer')
      })
      request.on('error', fail)
      // Whatever ends a request without an answer or an error: it is settled.
      request.on('close', fail)
      request.end(body)
    })
  }

  return {
    bytes,
    async exchange(request) {
      const sender = senders.ready(request.url) ?? (await senders.prepare(request.url))
      // What has come unasked on a kept connection is seen before the connection is used again: sockets are looked at
      // between one turn of the event loop and the next.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
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

/** Reads no more than may be, and gives what was read once: an end without the whole body is `broken`. */
function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  counted: { received: number },
  give: (body: BodyText) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  incoming.on('data', (chunk: Buffer) => {
    counted.received += chunk.length
    length += chunk.length
    if (length <= maxBytes) return chunks.push(chunk)
    give(flawed('too-large'))
    incoming.destroy()
  })
  incoming.on('end', () => {
    if (incoming.complete) bodyText(chunks, incoming.headers['content-encoding'], maxBytes, give)
  })
  // A connection that ends before the body does is an error here, and never an end.
  incoming.on('error', () => give(flawed('broken')))
  incoming.on('close', () => {
    if (!incoming.complete) give(flawed('broken'))
  })
}

function replyOf({ headers, statusCode = 0 }: IncomingMessage, { text, flaw }: BodyText): HttpReply {
  return {
    status: statusCode,
    retryAfter: headers['retry-after'] ?? null,
    location: headers.location ?? null,
    contentType: headers['content-type'] ?? null,
    date: headers.date ?? null,
    text,
    flaw,
  }
}
