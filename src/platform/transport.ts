// One HTTP exchange over the built-in fetch: an answer, or how it failed. No retries, no tokens, no meaning.
import { type Dispatching, prepareDispatching } from './dispatching.ts'
import { type Fault, faultOf } from './fault.ts'

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
  readonly text: string
  /** The body broke off: the status is known, the text is not. */
  readonly cut: boolean
}

export interface Transport {
  /** Never rejects for what the network does. Rejects with an OperatorError when the CA file cannot be read. */
  exchange(request: HttpRequest): Promise<HttpReply | Fault>
  close(): Promise<void>
  readonly bytes: { sent: number; received: number }
}

export interface TransportOptions {
  readonly caFile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal | undefined
}

export function createTransport({ caFile, env, signal }: TransportOptions): Transport {
  const dispatching = prepareDispatching(caFile, env)
  const bytes = { sent: 0, received: 0 }
  // One listener for all requests: AbortSignal.any on a signal that lives as long as the run keeps every request alive.
  const active = new Set<AbortController>()
  const interrupt = (): void => {
    for (const controller of active) controller.abort('interrupted')
  }
  signal?.addEventListener('abort', interrupt, { once: true })

  return {
    bytes,
    async exchange(request) {
      if (signal?.aborted) return { fault: 'interrupted', sent: false, code: undefined }
      const extra = await dispatcherFor(dispatching)
      const controller = new AbortController()
      // Cleared when done, unlike AbortSignal.timeout, whose timers pile up for their full length.
      const timer = setTimeout(() => controller.abort('timeout'), request.timeoutMs)
      active.add(controller)
      try {
        const response = await globalThis.fetch(request.url, {
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
          // A redirect would carry the token to wherever the answer says.
          redirect: 'manual',
          signal: controller.signal,
          ...extra,
        })
        if (request.body !== undefined) bytes.sent += Buffer.byteLength(request.body)
        const body = await textOf(response)
        if (body !== undefined) bytes.received += Buffer.byteLength(body)
        const { headers } = response
        return {
          status: response.status,
          retryAfter: headers.get('retry-after'),
          location: headers.get('location'),
          contentType: headers.get('content-type'),
          text: body ?? '',
          cut: body === undefined,
        }
      } catch (error) {
        return faultOf(error, controller.signal, dispatching !== undefined)
      } finally {
        clearTimeout(timer)
        active.delete(controller)
      }
    },
    async close() {
      signal?.removeEventListener('abort', interrupt)
      await dispatching?.close()
    },
  }
}

async function textOf(response: Response): Promise<string | undefined> {
  try {
    return await response.text()
  } catch {
    return undefined
  }
}

async function dispatcherFor(dispatching: Dispatching | undefined): Promise<object | undefined> {
  return dispatching === undefined ? undefined : { dispatcher: await dispatching.dispatcher() }
}
