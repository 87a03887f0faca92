// One HTTP exchange over a kept connection: an answer, or how it failed. No retries, no tokens, no meaning.
import type { Dispatcher } from 'undici'
import { createAgents } from './agents.ts'
import type { Fault } from './fault.ts'
import { type HttpReply, type HttpRequest, InFlight } from './in-flight.ts'

type TransportOptions = Parameters<typeof createAgents>[0] & {
  /** Largest answer that is held, as it comes. */
  readonly maxAnswerBytes: number
  readonly signal: AbortSignal | undefined
}

export class Transport {
  readonly bytes = { sent: 0, received: 0 }
  readonly #agents: ReturnType<typeof createAgents>
  readonly #active = new Set<InFlight>()
  readonly #options: Pick<TransportOptions, 'signal' | 'maxAnswerBytes'>

  constructor({ signal, maxAnswerBytes, ...options }: TransportOptions) {
    this.#agents = createAgents(options)
    this.#options = { signal, maxAnswerBytes }
    signal?.addEventListener('abort', this.#interrupt)
  }

  /** Never rejects for what the network does. Rejects with an OperatorError when the CA file cannot be read. */
  async exchange(request: HttpRequest): Promise<HttpReply | Fault> {
    const origin = originOf(request.url)
    const agent = this.#agents.ready(origin) ?? (await this.#agents.make(origin))
    // After the wait: an interrupt stops what is under way, and this is not yet.
    if (this.#options.signal?.aborted) return { fault: 'interrupted', sent: false, code: undefined }
    return this.#send(agent, origin, request)
  }

  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#interrupt)
    this.#agents.close()
  }

  // One listener for all requests, which come in thousands while the signal lives as long as the run.
  readonly #interrupt = (): void => {
    for (const request of this.#active) request.stop('interrupted')
  }

  #send(agent: Dispatcher, origin: string, asked: HttpRequest): Promise<HttpReply | Fault> {
    const { url, method, body, into } = asked
    const encodings = into === undefined ? 'gzip, deflate, br' : 'identity'
    const headers: Record<string, string> = { ...asked.headers, 'accept-encoding': encodings }
    if (typeof body === 'string') this.bytes.sent += Buffer.byteLength(body)
    else if (body !== undefined) {
      const length = body.reduce((sum, each) => sum + each.length, 0)
      headers['content-length'] = String(length)
      this.bytes.sent += length
    }
    const shared = { bytes: this.bytes, active: this.#active, maxAnswerBytes: this.#options.maxAnswerBytes }
    return new Promise((resolve, reject) => {
      const request = new InFlight(asked, shared, { resolve, reject })
      const path = url.slice(origin.length)
      // undici takes anything that can be iterated; its types do not say so.
      const content = (body ?? null) as string | null
      agent.dispatch({ origin, path, method: method as Dispatcher.HttpMethod, headers, body: content }, request)
    })
  }
}

/** Scheme, host and port: the address up to its first slash, which each request has. */
function originOf(url: string): string {
  return url.split('/', 3).join('/')
}
