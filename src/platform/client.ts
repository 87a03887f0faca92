// The platform client: gives a request its token, address and names, and its answer a meaning.
import { setMaxListeners } from 'node:events'
import { normaliserOf } from '@svcsync/core/model/address.ts'
import { isJsonObject, type Json } from '@svcsync/core/model/json.ts'
import { KnownNames } from '@svcsync/core/model/known-names.ts'
import type { PlatformPort, PlatformRequest, ScopeNeed } from '@svcsync/core/model/platform-port.ts'
import { createQueue } from '@svcsync/core/model/queue.ts'
import type { Sensitive } from '@svcsync/core/model/sensitive.ts'
import { wireShapesOf } from '@svcsync/core/model/wire-shape.ts'
import { failureCodes, InternalError, OperatorError } from '@svcsync/errors/index.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { type ClientSettings, type PlatformClientOptions, resolveSettings } from './client-options.ts'
import { DataInterface, formOf, jsonOf } from './data-interface.ts'
import { faultError, isWebPage, type RequestName, redirectError, unreadableError } from './failure.ts'
import { isFault } from './fault.ts'
import type { HttpReply } from './in-flight.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { statusError } from './refusal.ts'
import { parseRetryAfter } from './retry-delay.ts'
import { type Attempt, RetryLoop } from './retry-loop.ts'
import { createHiding, createScrub, type Scrub } from './scrub.ts'
import { createTokenEndpoint, type TokenGrant } from './token-endpoint.ts'
import { createTokenSource } from './token-source.ts'
import { Transport } from './transport.ts'
import { createWireNames } from './wire-names.ts'

export interface PlatformClient extends PlatformPort {
  /** Beside what was needed before. Without any call, tokens carry all scopes of the application. */
  authorise(needs: readonly ScopeNeed[]): Promise<void>
  /** Calls `values` for each error; it replaces the function set before. */
  conceal(values: () => readonly Sensitive[]): void
  /** Shows text of the platform to people piece by piece, without credentials and tokens. */
  hiding(tell: (text: string) => void): ReturnType<typeof createHiding>
  /** The same as `send` for what svcsync knows nothing of: gives any answer of 2xx as it came. */
  call(request: AnyRequest): Promise<AnyAnswer>
  preview(request: AnyRequest): { readonly method: string; readonly url: string; readonly body: Json | undefined }
  stats(): ClientStats
  /** Ends pauses and requests, and closes the connections. The client is of no use afterwards. */
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
  /** The version in the address, instead of the target's: `beta`. */
  readonly version?: string | undefined
  /** Called when a 2xx answer begins: takes the body as it comes, of any length. An error of it ends the call. */
  readonly into?: (() => (bytes: Buffer) => void) | undefined
  /** Sent instead of a body, as the part `file` of a form. */
  readonly file?: Buffer | undefined
}

export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { apiVersion } = options
  const edge = new Edge(options)
  const prefix = `/api/data/v${apiVersion}`
  const rootOf = ({ version }: AnyRequest) => (version === undefined ? prefix : `/api/data/${version}`)
  const handOver = createHandOver()
  return {
    apiVersion,
    normalise: normaliserOf(options.svcIds ?? 'ignore-case'),
    timeZone: options.timeZone,
    onUnknownKey: options.onUnknownKey,
    names: new KnownNames(Object.keys(options.wireNames)),
    async send(request: PlatformRequest) {
      const path = (apiVersion === '5.0' ? request.pathIn50 : undefined) ?? request.path
      const value = await edge.carry(request, prefix, path, (...answer) => edge.reader.known(...answer))
      // A write is told in few words, and the next one waits for it.
      if (request.method === 'GET') await handOver()
      return value
    },
    call: async (request) =>
      edge.carry(request, rootOf(request), request.path, (...answer) =>
        edge.reader.any(...answer, request.into !== undefined),
      ),
    preview(request) {
      const { method, path, query, body } = request
      const renamed = body === undefined ? undefined : edge.renamed(path, body)
      return { method, url: edge.addressOf(rootOf(request), path, query), body: renamed }
    },
    // A request gets its token within its own slot; this call takes a new slot.
    authorise: (needs) => edge.retrying.within(() => edge.tokens.authorise(needs), 'repeat'),
    conceal: (values) => {
      edge.concealed = values
    },
    hiding: (tell) => createHiding(edge.credentials, tell),
    stats: () => edge.stats(),
    close: async () => edge.close(),
  }
}

class Edge {
  readonly settings: ClientSettings
  readonly names: ReturnType<typeof createWireNames>
  readonly tokens: ReturnType<typeof createTokenSource>
  readonly retrying: RetryLoop
  readonly reader: AnswerReader
  readonly credentials: () => string[]
  concealed: () => readonly Sensitive[] = () => []
  readonly #transport: Transport
  readonly #breaker: CircuitBreaker
  readonly #data: DataInterface
  readonly #memory: ReturnType<typeof createMemoryBudget>
  /** Ends what is under way: for the caller's signal, and for `close`. */
  readonly #over = new AbortController()
  readonly #given: AbortSignal | undefined
  readonly #interrupt = (): void => this.#over.abort()
  #tokenRequests = 0

  constructor(options: PlatformClientOptions) {
    const { signal } = this.#over
    this.#given = options.signal
    this.#given?.addEventListener('abort', this.#interrupt)
    if (this.#given?.aborted) this.#interrupt()
    const settings = { ...resolveSettings(options), signal }
    const { maxAnswerBytes, concurrency: connections, clock } = settings
    this.settings = settings
    // Every request that pauses listens to it: many are no leak.
    setMaxListeners(0, signal, ...(this.#given === undefined ? [] : [this.#given]))
    const { clientId, clientSecret, caFile, env, concealed: always = [] } = options
    const userAgent = `svcsync/${options.version}`
    this.names = createWireNames(options.wireNames, wireShapesOf(options.kinds))
    const transport = new Transport({ caFile, env, signal, maxAnswerBytes, connections })
    this.#transport = transport
    this.#breaker = new CircuitBreaker(settings, () => this.#data.lookAgain())
    this.retrying = new RetryLoop(settings, this.#breaker)
    this.#memory = createMemoryBudget(() => transport.bytes.received)
    this.credentials = () => [clientSecret, ...this.tokens.secrets()]
    const scrub = createScrub(this.credentials, () =>
      [...always, ...this.concealed()].map((value) => ({ value: value.reveal(), shown: value.template })),
    )
    const forTokens: Pick<Transport, 'exchange'> = {
      exchange: (request) => {
        this.#tokenRequests += 1
        return transport.exchange(request)
      },
    }
    const { retrying, names } = this
    const parts = { settings, clientId, clientSecret, userAgent, retrying, scrub, transport: forTokens }
    this.tokens = createTokenSource(createTokenEndpoint(parts), settings.timer, settings.onEvent)
    this.reader = new AnswerReader({ names, memory: this.#memory, scrub, clock })
    const url = `${settings.baseUrl}/api/data/v${options.apiVersion}/me`
    const probe: RequestName = { method: 'GET', path: '/me', url, setting: 'baseUrl' }
    this.#data = new DataInterface({ transport, tokens: this.tokens, settings, userAgent, scrub, probe })
  }

  renamed(path: string, body: Json): Json {
    return this.names === undefined ? body : this.names.outbound(path, body)
  }

  addressOf(root: string, path: string, query: PlatformRequest['query']): string {
    assertSafePath(path)
    const search = query === undefined ? '' : encodeQuery(this.names === undefined ? query : this.names.query(query))
    return `${this.settings.baseUrl}${root}${path}${search}`
  }

  carry<T>(
    { method, query, body, file, into }: AnyRequest,
    root: string,
    path: string,
    read: (reply: HttpReply, asked: RequestName, grant: TokenGrant) => Attempt<T>,
  ): Promise<T> {
    const asked: RequestName = { method, path, url: this.addressOf(root, path, query), setting: 'baseUrl' }
    const json = body === undefined ? undefined : jsonOf(this.renamed(path, body))
    const content = file === undefined ? json : formOf(file)
    const attempt = async (timeoutMs: number): Promise<Attempt<T>> => {
      this.#memory.admit(asked)
      const { reply, grant } = await this.#data.ask(asked, { content, timeoutMs, into })
      return isFault(reply) ? { error: faultError(reply, asked) } : read(reply, asked, grant)
    }
    return this.retrying.send({ method, path, turn: method === 'GET' ? 'read' : 'write', attempt })
  }

  stats(): ClientStats {
    return {
      requests: this.#data.requests,
      retries: this.retrying.retries,
      tokenRequests: this.#tokenRequests,
      tokens: this.tokens.count(),
      bytesSent: this.#transport.bytes.sent,
      bytesReceived: this.#transport.bytes.received,
    }
  }

  close(): void {
    this.#given?.removeEventListener('abort', this.#interrupt)
    this.#over.abort()
    this.#breaker.close()
    this.#transport.close()
  }
}

/** A query or fragment by accident, and dots that URL parsers resolve, encoded or not. */
const unsafePath = /[?#\\\s\p{Cc}]|\/(?:\.|%2e){1,2}(?:\/|$)/iu

/** `?a=1&b=x%20y`, or the empty string. Spaces become `%20`: not every server reads `+` as a space. */
export function encodeQuery(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let encoded = ''
  for (const name in query) {
    const value = query[name]
    if (value === undefined) continue
    const text = String(value)
    if (!isWellFormed(text)) {
      throw new OperatorError(failureCodes.segmentUnusable, `The value of ${name} is not valid Unicode`, {
        hint: 'It holds half of a character, maybe by an escape like \\uD800. Use another identifier.',
      })
    }
    encoded += `${encoded === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(text)}`
  }
  return encoded
}

/** Throws an InternalError when a path could reach something else than it says. */
function assertSafePath(path: string): void {
  if (!path.startsWith('/') || unsafePath.test(path)) {
    throw new InternalError(`The path ${JSON.stringify(path)} is not safe to send`)
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** One answer in each turn of the event loop: work on one must not keep requests from leaving. */
export function createHandOver(): () => Promise<void> {
  const waiting = createQueue<() => void>()
  let isRunning = false
  const next = (): void => {
    const resolve = waiting.take()
    isRunning = resolve !== undefined
    if (resolve === undefined) return
    setImmediate(next)
    resolve()
  }
  return () =>
    new Promise((resolve) => {
      waiting.add(resolve)
      if (isRunning) return
      isRunning = true
      setImmediate(next)
    })
}

interface AnyAnswer {
  readonly status: number
  readonly bytes: Buffer
  /** In neutral names; undefined: it is no JSON. */
  readonly json: Json | undefined
}

interface ReaderParts {
  readonly names: ReturnType<typeof createWireNames>
  readonly memory: ReturnType<typeof createMemoryBudget>
  readonly scrub: Scrub
  clock(): number
}

class AnswerReader {
  readonly #parts: ReaderParts

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** For known requests: a read gives an object, a write anything. */
  known(reply: HttpReply, asked: RequestName, grant: TokenGrant): Attempt<Json | undefined> {
    if (reply.status >= 300) return this.#refused(reply, asked, grant)
    if (asked.method === 'GET') return this.#object(reply, asked)
    // A web page comes from another server, which cannot tell if the platform executed the request.
    return isWebPage(reply) ? { error: unreadableError(reply, asked) } : { value: this.#outcome(reply, asked) }
  }

  /** Any answer of 2xx as it came. `isTaken`: its body went elsewhere, and may be a web page. */
  any(reply: HttpReply, asked: RequestName, grant: TokenGrant, isTaken: boolean): Attempt<AnyAnswer> {
    if (reply.status >= 300) return this.#refused(reply, asked, grant)
    const isWhole = reply.flaw === undefined || reply.flaw === 'not-utf8'
    if (!isWhole || (!isTaken && isWebPage(reply))) return { error: unreadableError(reply, asked) }
    return { value: { status: reply.status, bytes: reply.bytes, json: this.#parsed(reply, asked) } }
  }

  #refused(reply: HttpReply, asked: RequestName, grant: TokenGrant): Attempt<never> {
    const { scrub, names, clock } = this.#parts
    if (reply.status < 400) return { error: redirectError(reply, asked) }
    const error = statusError(reply, asked, grant.scopes, scrub, names?.namedIn)
    const isPause = reply.status === 429 || reply.status === 503
    return isPause ? { error, retryAfterMs: parseRetryAfter(reply.retryAfter, clock()) } : { error }
  }

  #object(reply: HttpReply, asked: RequestName): Attempt<Json> {
    const { memory } = this.#parts
    if (!memory.holds(reply.text.length)) return { error: memory.overfull(asked) }
    const value = this.#parsed(reply, asked)
    return isJsonObject(value) ? { value } : { error: unreadableError(reply, asked) }
  }

  /** A write that the platform answered with 2xx was carried out, whatever its body looks like. */
  #outcome(reply: HttpReply, asked: RequestName): Json | undefined {
    const { text, flaw } = reply
    if (flaw !== undefined || !this.#parts.memory.holds(text.length) || text.trim() === '') return undefined
    const value = this.#parsed(reply, asked)
    return value === undefined ? text : value
  }

  #parsed(reply: HttpReply, { path }: RequestName): Json | undefined {
    const { names } = this.#parts
    if (reply.flaw !== undefined) return undefined
    try {
      const value = JSON.parse(reply.text) as Json
      return names === undefined ? value : names.inbound(path, value)
    } catch {
      return undefined
    }
  }
}
