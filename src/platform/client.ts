// The platform client: gives a request its token, address and names, and its answer a meaning.
import { setMaxListeners } from 'node:events'
import { normaliserOf } from '../core/model/address.ts'
import { isJsonObject, type Json } from '../core/model/json.ts'
import { createKnownNames } from '../core/model/known-names.ts'
import type { PlatformPort, PlatformRequest, ScopeNeed } from '../core/model/platform-port.ts'
import type { Sensitive } from '../core/model/sensitive.ts'
import { wireShapesOf } from '../core/model/wire-shape.ts'
import type { PlatformError } from '../errors/index.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { type PlatformClientOptions, resolveSettings } from './client-options.ts'
import { type Asked, faultError, isWebPage, redirectError, unreadableError } from './failure.ts'
import { isFault } from './fault.ts'
import { createHandOver } from './hand-over.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { assertSafePath, encodeQuery } from './path.ts'
import { statusError } from './refusal.ts'
import { parseRetryAfter } from './retry-delay.ts'
import { type Attempt, createRetrying } from './retrying.ts'
import { createHiding, createScrub } from './scrub.ts'
import { createTokenEndpoint, type TokenGrant } from './token-endpoint.ts'
import { createTokenSource } from './token-source.ts'
import { createTransport, type HttpReply, type Transport } from './transport.ts'
import { createWireNames } from './wire-names.ts'

export interface PlatformClient extends PlatformPort {
  /**
   * Beside what was needed before. Fetches a token when the present one does not carry it. Without any call of this,
   * tokens carry all scopes of the application.
   */
  authorise(needs: readonly ScopeNeed[]): Promise<void>
  /**
   * What the platform quotes of these values is shown as their references, in every error from now on. `values` is asked
   * when there is an error; what was given before is forgotten.
   */
  conceal(values: () => readonly Sensitive[]): void
  /** What the platform tells as text for people, piece by piece, without credentials and tokens. */
  hiding(tell: (text: string) => void): ReturnType<typeof createHiding>
  /** The same as `send` for what svcsync knows nothing of: gives any answer of 2xx as it came. */
  call(request: AnyRequest): Promise<AnyAnswer>
  /** What `call` would send. */
  preview(request: AnyRequest): { readonly method: string; readonly url: string; readonly body: Json | undefined }
  stats(): ClientStats
  /** Closes the kept connections. The client is of no use afterwards. */
  close(): Promise<void>
}

interface ClientStats {
  /** Requests to the data interface, repetitions included. */
  readonly requests: number
  readonly retries: number
  /** Requests for tokens, those that were refused and repetitions included. */
  readonly tokenRequests: number
  /** Tokens received, those of scope trials included. */
  readonly tokens: number
  readonly bytesSent: number
  /** Bodies, after decompression. */
  readonly bytesReceived: number
}

interface AnyRequest extends Omit<PlatformRequest, 'pathIn50'> {
  /** The version in the address, in the place of the target's: `beta`. */
  readonly version?: string | undefined
  /**
   * Called as an answer of 2xx begins, for each that broke off again; what it gives takes the body as it comes, of any length, also a
   * web page, which else is no answer of the platform: an attachment may be one. What it throws ends the call.
   */
  readonly into?: (() => (bytes: Buffer) => void) | undefined
  /** Sent in the place of a body, as the part `file` of a form. */
  readonly file?: Buffer | undefined
}

interface AnyAnswer {
  readonly status: number
  /** Unpacked; none where they went elsewhere. */
  readonly bytes: Buffer
  /** In neutral names; undefined: it is no JSON. */
  readonly json: Json | undefined
}

/** The second one is for a token that others had fetched, and that was withdrawn together with the first. */
const mostRenewals = 2

/** Throws an OperatorError for options that cannot work. Sends nothing before the first call. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const settings = resolveSettings(options)
  const { clock, signal } = settings
  // Every request that pauses listens to it: many are no leak.
  if (signal !== undefined) setMaxListeners(0, signal)
  const prefix = `/api/data/v${options.apiVersion}`
  const userAgent = `svcsync/${options.version}`
  const names = createWireNames(options.wireNames, wireShapesOf(options.kinds))
  const { maxAnswerBytes, concurrency: connections } = settings
  const transport = createTransport({
    caFile: options.caFile,
    env: options.env,
    signal,
    maxAnswerBytes,
    connections,
  })
  const breaker = createCircuitBreaker(settings, () => lookAgain())
  const retrying = createRetrying(settings, breaker)
  const handOver = createHandOver()
  const { clientId, clientSecret } = options
  const memory = createMemoryBudget(() => transport.bytes.received)
  const { concealed: always = [] } = options
  let concealed: () => readonly Sensitive[] = () => []
  const credentials = () => [clientSecret, ...tokens.secrets()]
  const scrub = createScrub(credentials, () =>
    [...always, ...concealed()].map((value) => ({ value: value.reveal(), shown: value.template })),
  )
  let tokenRequests = 0
  const forTokens: Transport = {
    ...transport,
    exchange(request) {
      tokenRequests += 1
      return transport.exchange(request)
    },
  }
  const parts = { settings, clientId, clientSecret, userAgent, retrying, scrub }
  const ask = createTokenEndpoint({ ...parts, transport: forTokens })
  const tokens = createTokenSource(ask, settings.timer, settings.onEvent)
  let requests = 0
  /** The half-open probe of the breaker: a read that was answered; before there is one, what any token may ask. */
  let answered: Asked = { method: 'GET', path: '/me', url: `${settings.baseUrl}${prefix}/me`, setting: 'baseUrl' }

  const exchange = (
    url: string,
    method: string,
    content: Content | undefined,
    grant: TokenGrant,
    timeoutMs: number,
    into?: AnyRequest['into'],
  ) => {
    requests += 1
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization: `Bearer ${grant.token}`,
      'user-agent': userAgent,
    }
    if (content !== undefined) headers['content-type'] = content.type
    return transport.exchange({ url, method, headers, body: content?.body, timeoutMs, into })
  }

  async function lookAgain(): Promise<PlatformError | undefined> {
    const asked = answered
    const grant = await tokens.current()
    const reply = await exchange(asked.url, asked.method, undefined, grant, settings.timeoutMs)
    if (isFault(reply)) return faultError(reply, asked)
    // It says when to come again, so it is there.
    return reply.status < 500 || reply.retryAfter !== null ? undefined : statusError(reply, asked, grant.scopes, scrub)
  }

  function understand(reply: HttpReply, asked: Asked, grant: TokenGrant): Attempt<Json | undefined> {
    if (reply.status < 300) {
      if (asked.method === 'GET') return readObject(reply, asked)
      // Something stands in the place of the platform, and cannot tell whether it was carried out.
      return isWebPage(reply) ? { error: unreadableError(reply, asked) } : { value: readOutcome(reply, asked) }
    }
    return refused(reply, asked, grant)
  }

  function refused(reply: HttpReply, asked: Asked, grant: TokenGrant): Attempt<never> {
    if (reply.status < 400) return { error: redirectError(reply, asked) }
    const error = statusError(reply, asked, grant.scopes, scrub, names?.namedIn)
    const isPause = reply.status === 429 || reply.status === 503
    return isPause ? { error, retryAfterMs: parseRetryAfter(reply.retryAfter, clock()) } : { error }
  }

  function readObject(reply: HttpReply, asked: Asked): Attempt<Json> {
    if (!memory.holds(reply.text.length)) return { error: memory.overfull(asked) }
    const value = parsed(reply, asked)
    return isJsonObject(value) ? { value } : { error: unreadableError(reply, asked) }
  }

  /** A write that the platform answered with 2xx was carried out, whatever its body looks like. */
  function readOutcome(reply: HttpReply, asked: Asked): Json | undefined {
    if (reply.flaw !== undefined || !memory.holds(reply.text.length) || reply.text.trim() === '') return undefined
    const value = parsed(reply, asked)
    return value === undefined ? reply.text : value
  }

  function parsed(reply: HttpReply, { path }: Asked): Json | undefined {
    if (reply.flaw !== undefined) return undefined
    try {
      const value = JSON.parse(reply.text) as Json
      return names === undefined ? value : names.inbound(path, value)
    } catch {
      return undefined
    }
  }

  function addressOf(root: string, path: string, query: PlatformRequest['query']): string {
    assertSafePath(path)
    const search = query === undefined ? '' : encodeQuery(names === undefined ? query : names.query(query))
    return `${settings.baseUrl}${root}${path}${search}`
  }

  function rootOf({ version }: AnyRequest): string {
    return version === undefined ? prefix : `/api/data/${version}`
  }

  function carry<T>(
    { method, query, body, file, into }: AnyRequest,
    root: string,
    path: string,
    read: (reply: HttpReply, asked: Asked, grant: TokenGrant) => Attempt<T>,
  ): Promise<T> {
    const url = addressOf(root, path, query)
    const content =
      file !== undefined
        ? formOf(file)
        : body !== undefined
          ? jsonOf(names === undefined ? body : names.outbound(path, body))
          : undefined
    const asked: Asked = { method, path, url, setting: 'baseUrl' }

    const isRead = method === 'GET'
    const attempt = async (timeoutMs: number): Promise<Attempt<T>> => {
      memory.admit(asked)
      let grant = await tokens.current()
      let reply = await exchange(url, method, content, grant, timeoutMs, into)
      // A token can be refused before its end. A write that was refused for it was not carried out.
      for (let renewals = 0; renewals < mostRenewals && !isFault(reply) && reply.status === 401; renewals++) {
        const renewed = await tokens.renew(grant)
        grant = renewed.grant
        reply = await exchange(url, method, content, grant, timeoutMs, into)
        if (renewed.asked) break
      }
      if (isRead && !isFault(reply) && reply.status < 300) answered = asked
      return isFault(reply) ? { error: faultError(reply, asked) } : read(reply, asked, grant)
    }
    return retrying.send({ method, path, turn: isRead ? 'read' : 'write', attempt })
  }

  return {
    apiVersion: options.apiVersion,
    normalise: normaliserOf(options.svcIds ?? 'ignore-case'),
    timeZone: options.timeZone,
    onUnknownKey: options.onUnknownKey,
    names: createKnownNames(Object.keys(options.wireNames)),
    async send(request: PlatformRequest) {
      const path = (options.apiVersion === '5.0' ? request.pathIn50 : undefined) ?? request.path
      const value = await carry(request, prefix, path, understand)
      await handOver()
      return value
    },
    async call(request) {
      return carry(request, rootOf(request), request.path, (reply, asked, grant): Attempt<AnyAnswer> => {
        if (reply.status >= 300) return refused(reply, asked, grant)
        const isWhole = reply.flaw === undefined || reply.flaw === 'not-utf8'
        if (!isWhole || (request.into === undefined && isWebPage(reply)))
          return { error: unreadableError(reply, asked) }
        return { value: { status: reply.status, bytes: reply.bytes, json: parsed(reply, asked) } }
      })
    },
    preview(request) {
      const { method, path, query, body } = request
      const renamed = body === undefined || names === undefined ? body : names.outbound(path, body)
      return { method, url: addressOf(rootOf(request), path, query), body: renamed }
    },
    // A token asked for by a request is asked for in its slot, and this one in a slot of its own.
    authorise: (needs) => retrying.within(() => tokens.authorise(needs), 'repeat'),
    conceal: (values) => {
      concealed = values
    },
    hiding: (tell) => createHiding(credentials, tell),
    stats: () => ({
      requests,
      retries: retrying.retries(),
      tokenRequests,
      tokens: tokens.count(),
      bytesSent: transport.bytes.sent,
      bytesReceived: transport.bytes.received,
    }),
    async close() {
      breaker.close()
      transport.close()
    },
  }
}

interface Content {
  readonly type: string
  readonly body: string | readonly Buffer[]
}

function jsonOf(value: Json): Content {
  return { type: 'application/json', body: JSON.stringify(value) }
}

function formOf(file: Buffer): Content {
  const boundary = `svcsync-${crypto.randomUUID()}`
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="chunk"\r\ncontent-type: application/octet-stream\r\n\r\n`
  const body = [Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}
