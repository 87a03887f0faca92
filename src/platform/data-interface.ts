// Sends requests to the data interface, each with a token that is renewed where it is refused before its end.
import type { Json } from '@svcsync/core/model/json.ts'
import type { PlatformError } from '@svcsync/errors/index.ts'
import type { ClientSettings } from './client-options.ts'
import { faultError, type RequestName } from './failure.ts'
import { type Fault, isFault } from './fault.ts'
import type { HttpReply, HttpRequest } from './in-flight.ts'
import { statusError } from './refusal.ts'
import type { Scrub } from './scrub.ts'
import type { TokenGrant } from './token-endpoint.ts'
import type { createTokenSource } from './token-source.ts'
import type { Transport } from './transport.ts'

interface Content {
  readonly type: string
  readonly body: string | readonly Buffer[]
}

interface SendOptions {
  readonly content?: Content | undefined
  readonly timeoutMs: number
  readonly into?: HttpRequest['into']
}

interface InterfaceParts {
  readonly transport: Transport
  readonly tokens: ReturnType<typeof createTokenSource>
  readonly settings: ClientSettings
  readonly userAgent: string
  readonly scrub: Scrub
  /** The first probe, which any token allows. */
  readonly probe: RequestName
}

/** The second one is for a token that others had fetched, and that was withdrawn together with the first. */
const mostRenewals = 2

export class DataInterface {
  readonly #parts: InterfaceParts
  /** A read that was answered: the half-open probe of the breaker. */
  #answered: RequestName
  #requests = 0

  constructor(parts: InterfaceParts) {
    this.#parts = parts
    this.#answered = parts.probe
  }

  get requests(): number {
    return this.#requests
  }

  /** A token can be refused before its end. A write that was refused for it was not carried out. */
  async ask(asked: RequestName, sending: SendOptions): Promise<{ reply: HttpReply | Fault; grant: TokenGrant }> {
    const { tokens } = this.#parts
    let grant = await tokens.current()
    let reply = await this.#exchange(asked, grant, sending)
    for (let renewals = 0; renewals < mostRenewals && !isFault(reply) && reply.status === 401; renewals++) {
      const renewed = await tokens.renew(grant)
      grant = renewed.grant
      reply = await this.#exchange(asked, grant, sending)
      if (renewed.asked) break
    }
    if (asked.method === 'GET' && !isFault(reply) && reply.status < 300) this.#answered = asked
    return { reply, grant }
  }

  /** Checks if the platform is up: undefined, or why it seems down. */
  async lookAgain(): Promise<PlatformError | undefined> {
    const { tokens, settings, scrub } = this.#parts
    const asked = this.#answered
    const grant = await tokens.current()
    const reply = await this.#exchange(asked, grant, { timeoutMs: settings.timeoutMs })
    if (isFault(reply)) return faultError(reply, asked)
    // It names a time for the next attempt, so the platform is up.
    return reply.status < 500 || reply.retryAfter !== null ? undefined : statusError(reply, asked, grant.scopes, scrub)
  }

  #exchange({ url, method }: RequestName, { token }: TokenGrant, { content, timeoutMs, into }: SendOptions) {
    this.#requests += 1
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'user-agent': this.#parts.userAgent,
    }
    if (content !== undefined) headers['content-type'] = content.type
    return this.#parts.transport.exchange({ url, method, headers, body: content?.body, timeoutMs, into })
  }
}

export function jsonOf(value: Json): Content {
  return { type: 'application/json', body: JSON.stringify(value) }
}

const partHead =
  'content-disposition: form-data; name="file"; filename="chunk"\r\ncontent-type: application/octet-stream'

export function formOf(file: Buffer): Content {
  const boundary = `svcsync-${crypto.randomUUID()}`
  const body = [Buffer.from(`--${boundary}\r\n${partHead}\r\n\r\n`), file, Buffer.from(`\r\n--${boundary}--\r\n`)]
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}
