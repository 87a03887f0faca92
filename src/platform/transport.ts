// One HTTP exchange over a kept connection: an answer, or how it failed. No retries, no tokens, no meaning.
import type { Dispatcher } from 'undici'
import { createAgents } from './agents.ts'
import type { Fault } from './fault.ts'
import { type HttpReply, type HttpRequest, InFlight } from './in-flight.ts'

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

export function createTransport({ signal, maxAnswerBytes, ...options }: TransportOptions): Transport {
  const agents = createAgents(options)
  const bytes = { sent: 0, received: 0 }
  // One listener for all requests, which come in thousands while the signal lives as long as the run.
  const active = new Set<InFlight>()
  const interrupt = (): void => {
    for (const request of active) request.stop('interrupted')
  }
  signal?.addEventListener('abort', interrupt)
  const shared = { bytes, active, maxAnswerBytes }

  function send(agent: Dispatcher, origin: string, asked: HttpRequest): Promise<HttpReply | Fault> {
    const { url, method, body, into } = asked
    const encodings = into === undefined ? 'gzip, deflate, br' : 'identity'
    const headers: Record<string, string> = { ...asked.headers, 'accept-encoding': encodings }
    if (typeof body === 'string') bytes.sent += Buffer.byteLength(body)
    else if (body !== undefined) {
      const length = body.reduce((sum, each) => sum + each.length, 0)
      headers['content-length'] = String(length)
      bytes.sent += length
    }
    return new Promise((resolve, reject) => {
      const request = new InFlight(asked, shared, { resolve, reject })
      const path = url.slice(origin.length)
      // undici takes anything that can be iterated; its types do not say so.
      const content = (body ?? null) as string | null
      agent.dispatch({ origin, path, method: method as Dispatcher.HttpMethod, headers, body: content }, request)
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

/** Scheme, host and port: the address up to its first slash, which each request has. */
function originOf(url: string): string {
  return url.split('/', 3).join('/')
}
