// One HTTP exchange over a kept connection: an answer, or how it failed. No retries, no tokens, no meaning.
import type { Dispatcher } from 'undici'
import { createAgents } from './agents.ts'
import { type BodyText, bodyText, flawed } from './body-text.ts'
import { type Fault, type FaultContext, faultOf } from './fault.ts'

export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Pieces are written one after another, and never copied. */
  readonly body?: string | readonly Buffer[] | undefined
  /** Where a piece of the body may take so long, and all of it any time, it is taken by `into`. */
  readonly timeoutMs: number
  /** Called as an answer of 2xx begins; what it gives takes the body as it comes, and may throw. The reply has none then. */
  readonly into?: (() => (bytes: Buffer) => void) | undefined
}

export interface HttpReply extends BodyText {
  readonly status: number
  readonly retryAfter: string | null
  readonly location: string | null
  readonly contentType: string | null
  /** What the server's clock said, as it wrote it. */
  readonly date: string | null
  /** All of them, by names in small letters. */
  readonly headers: Head['headers']
}

export interface Transport {
  /** Never rejects for what the network does. Rejects with an OperatorError when the CA file cannot be read. */
  exchange(request: HttpRequest): Promise<HttpReply | Fault>
  close(): void
  readonly bytes: { sent: number; received: number }
}

type TransportOptions = Parameters<typeof createAgents>[0] & {
  /** Largest answer that is held, as it comes. */
  readonly maxAnswerBytes: number
  readonly signal: AbortSignal | undefined
}

type Stop = (reason: FaultContext['stopped']) => void

/** Interim answers (1xx) to one request. */
const mostInformation = 32

export function createTransport({ signal, maxAnswerBytes, ...options }: TransportOptions): Transport {
  const agents = createAgents(options)
  const bytes = { sent: 0, received: 0 }
  // One listener for all requests, which come in thousands while the signal lives as long as the run.
  const active = new Set<Stop>()
  const interrupt = (): void => {
    for (const stop of active) stop('interrupted')
  }
  signal?.addEventListener('abort', interrupt, { once: true })

  function send(agent: Dispatcher, origin: string, asked: HttpRequest): Promise<HttpReply | Fault> {
    const { url, method, body, timeoutMs, into } = asked
    const encodings = into === undefined ? 'gzip, deflate, br' : 'identity'
    const headers: Record<string, string> = { ...asked.headers, 'accept-encoding': encodings }
    if (body !== undefined) {
      const length =
        typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, each) => sum + each.length, 0)
      if (typeof body !== 'string') headers['content-length'] = String(length)
      bytes.sent += length
    }
    return new Promise((resolve, reject) => {
      let stopped: FaultContext['stopped']
      let sending: Dispatcher.DispatchController | undefined
      let begun = false
      let informed = 0
      let head: Head | undefined
      let take: ((bytes: Buffer) => void) | undefined
      let length = 0
      const chunks: Buffer[] = []
      const settle = (outcome: HttpReply | Fault): void => {
        clearTimeout(timer)
        active.delete(stop)
        resolve(outcome)
      }
      const handOn = (give: () => void): void => {
        try {
          give()
        } catch (error) {
          reject(error)
          stop('interrupted')
        }
      }
      const fail = (error?: unknown): void => settle(faultOf(error, { stopped, sent: sending !== undefined, begun }))
      // Before it is sent it waits for a connection, and is given up as soon as it gets one.
      const stop: Stop = (reason) => {
        stopped ??= reason
        fail()
        sending?.abort(new Error(reason))
      }
      const timer = setTimeout(stop, timeoutMs, 'timeout')
      active.add(stop)
      agent.dispatch(
        {
          origin,
          path: url.slice(origin.length),
          method: method as Dispatcher.HttpMethod,
          headers,
          // undici takes anything that can be iterated; its types do not say so.
          body: (body ?? null) as string | null,
        },
        {
          onRequestStart(controller) {
            if (stopped === undefined) sending = controller
            else controller.abort(new Error(stopped))
          },
          onResponseStarted() {
            begun = true
          },
          onResponseStart(_, status, received) {
            // Hints before the answer are of no use: some are let pass. Nobody asked for another protocol.
            if (status >= 200) {
              head = { status, headers: received }
              if (into !== undefined && status < 300) handOn(() => (take = into()))
            } else if (status === 101 || ++informed > mostInformation) stop('no-answer')
          },
          onResponseData(_, chunk) {
            bytes.received += chunk.length
            // What is packed though nobody asked for that is unpacked at its end.
            if (take !== undefined && encodingOf(head) === undefined) {
              const give = take
              timer.refresh()
              handOn(() => give(chunk))
              return
            }
            length += chunk.length
            if (length <= maxAnswerBytes) chunks.push(chunk)
            else if (head !== undefined) {
              settle(replyOf(head, flawed('too-large')))
              sending?.abort(new Error('too-large'))
            }
          },
          onResponseEnd() {
            const { headers = {}, status = 0 } = head ?? {}
            bodyText(chunks, encodingOf(head), maxAnswerBytes, (read) => {
              if (chunks.length > 0) handOn(() => take?.(read.bytes))
              settle(replyOf({ status, headers }, read))
            })
          },
          onResponseError(_, error) {
            if (head === undefined || stopped !== undefined) fail(error)
            else settle(replyOf(head, flawed('broken')))
          },
        },
      )
    })
  }

  return {
    bytes,
    async exchange(request) {
      const origin = originOf(request.url)
      const agent = agents.ready(origin) ?? (await agents.make(origin))
      // After the wait: an interrupt stops what is under way, and this is not yet.
      if (signal?.aborted) return { fault: 'interrupted', sent: false, code: undefined }
      return send(agent, origin, request)
    },
    close() {
      signal?.removeEventListener('abort', interrupt)
      agents.close()
    },
  }
}

/** Undefined: as it is. */
function encodingOf(head: Head | undefined): string | undefined {
  const encoding = first(head?.headers['content-encoding']) ?? 'identity'
  return encoding === 'identity' ? undefined : encoding
}

interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

function replyOf({ status, headers }: Head, body: BodyText): HttpReply {
  return {
    status,
    retryAfter: first(headers['retry-after']),
    location: first(headers.location),
    contentType: first(headers['content-type']),
    date: first(headers.date),
    headers,
    ...body,
  }
}

function first(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null
}

/** Scheme, host and port: the address up to its first slash. */
function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('://') + 3)
  return slash < 0 ? url : url.slice(0, slash)
}
