// A request from the moment in which it is handed over: what has come of it, and how it ends.
import { isUtf8 } from 'node:buffer'
import type { InputType, ZlibOptions } from 'node:zlib'
import { type Fault, faultOf } from './fault.ts'

export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Pieces are written one after another, and never copied. */
  readonly body?: string | readonly Buffer[] | undefined
  /** The timeout of a piece of the body if `into` takes it, else of the whole. */
  readonly timeoutMs: number
  /** As an answer of 2xx begins: takes the body as it comes. The reply has none then. */
  readonly into?: (() => (bytes: Buffer) => void) | undefined
}

export interface HttpReply extends BodyText {
  readonly status: number
  readonly retryAfter: string | null
  readonly location: string | null
  readonly contentType: string | null
  /** The text of the server's clock. */
  readonly date: string | null
  /** All of them, by names in small letters. */
  readonly headers: Head['headers']
}

interface SharedCounters {
  readonly bytes: { received: number }
  readonly active: Set<InFlight>
  readonly maxAnswerBytes: number
}

interface OutcomeHandlers {
  resolve(outcome: HttpReply | Fault): void
  reject(error: unknown): void
}

/** Interim answers (1xx) to one request. */
const mostInformation = 32

/** The part of undici in use: exported types must not name a bundled package. */
interface AbortHandle {
  abort(reason: Error): void
}

export class InFlight {
  readonly #asked: HttpRequest
  readonly #shared: SharedCounters
  readonly #settling: OutcomeHandlers
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #stopped: Parameters<typeof faultOf>[1]['stopped']
  /** It is being written, so that it may have left. */
  #sending: AbortHandle | undefined
  #begun = false
  #informed = 0
  #head: Head | undefined
  #take: ((bytes: Buffer) => void) | undefined
  #length = 0

  constructor(asked: HttpRequest, shared: SharedCounters, settling: OutcomeHandlers) {
    this.#asked = asked
    this.#shared = shared
    this.#settling = settling
    this.#timer = setTimeout(() => this.stop('timeout'), asked.timeoutMs)
    shared.active.add(this)
  }

  /** Before it is sent it waits for a connection, and is given up as soon as it gets one. */
  stop(reason: 'timeout' | 'interrupted' | 'no-answer'): void {
    this.#stopped ??= reason
    this.#fail()
    this.#sending?.abort(new Error(reason))
  }

  onRequestStart(controller: AbortHandle): void {
    if (this.#stopped === undefined) this.#sending = controller
    else controller.abort(new Error(this.#stopped))
  }

  onResponseStarted(): void {
    this.#begun = true
  }

  onResponseStart(_: unknown, status: number, headers: Head['headers']): void {
    const { into } = this.#asked
    // It ignores some informational answers. Nobody requested another protocol.
    if (status >= 200) {
      this.#head = { status, headers }
      if (into !== undefined && status < 300)
        this.#handOn(() => {
          this.#take = into()
        })
    } else if (status === 101 || ++this.#informed > mostInformation) this.stop('no-answer')
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    const take = this.#take
    this.#shared.bytes.received += chunk.length
    // An answer that is packed unasked is unpacked at its end.
    if (take !== undefined && encodingOf(this.#head) === undefined) {
      this.#timer.refresh()
      this.#handOn(() => take(chunk))
      return
    }
    this.#length += chunk.length
    if (this.#length <= this.#shared.maxAnswerBytes) this.#chunks.push(chunk)
    else if (this.#head !== undefined) {
      this.#settle(replyOf(this.#head, flawed('too-large')))
      this.#sending?.abort(new Error('too-large'))
    }
  }

  onResponseEnd(): void {
    const { headers = {}, status = 0 } = this.#head ?? {}
    bodyText(this.#chunks, encodingOf(this.#head), this.#shared.maxAnswerBytes, (read) => {
      if (this.#chunks.length > 0) this.#handOn(() => this.#take?.(read.bytes))
      this.#settle(replyOf({ status, headers }, read))
    })
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#head === undefined || this.#stopped !== undefined) this.#fail(error)
    else this.#settle(replyOf(this.#head, flawed('broken')))
  }

  #settle(outcome: HttpReply | Fault): void {
    clearTimeout(this.#timer)
    this.#shared.active.delete(this)
    this.#settling.resolve(outcome)
  }

  #handOn(give: () => void): void {
    try {
      give()
    } catch (error) {
      this.#settling.reject(error)
      this.stop('interrupted')
    }
  }

  #fail(error?: unknown): void {
    const sent = this.#sending !== undefined
    this.#settle(faultOf(error, { stopped: this.#stopped, sent, begun: this.#begun }))
  }
}

/** Undefined: no encoding, which some proxies express by an empty header. */
function encodingOf(head: Head | undefined): string | undefined {
  const encoding = first(head?.headers['content-encoding'])?.trim().toLowerCase()
  return encoding === '' || encoding === 'identity' ? undefined : encoding
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

/** Why the status of an answer is known, and its body is not: it broke off, is larger than may be, or no UTF-8. */
type Flaw = 'broken' | 'too-large' | 'not-utf8'

interface BodyText {
  readonly bytes: Buffer
  readonly text: string
  readonly flaw: Flaw | undefined
}

type Unpack = (packed: InputType, options: ZlibOptions, done: (error: Error | null, bytes: Buffer) => void) => void

/** Gives the text, at once if it is not packed. A body that cannot be unpacked counts as broken off. */
function bodyText(
  chunks: readonly Buffer[],
  encoding: string | undefined,
  maxBytes: number,
  give: (body: BodyText) => void,
): void {
  const [only] = chunks
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
  if (encoding === undefined || bytes.length === 0) give(decoded(bytes))
  else unpacked(bytes, encoding, maxBytes).then(give)
}

function flawed(flaw: Flaw): BodyText {
  return { bytes: Buffer.alloc(0), text: '', flaw }
}

async function unpacked(packed: Buffer, encoding: string, maxBytes: number): Promise<BodyText> {
  const unpack = await unpackerOf(encoding)
  if (unpack === undefined) return flawed('broken')
  return new Promise((resolve) => {
    // A small answer may unpack to any size: it is stopped on the way.
    unpack(packed, { maxOutputLength: maxBytes }, (error, bytes) => {
      const isTooLarge = (error as NodeJS.ErrnoException | null)?.code === 'ERR_BUFFER_TOO_LARGE'
      resolve(error === null ? decoded(bytes) : flawed(isTooLarge ? 'too-large' : 'broken'))
    })
  })
}

async function unpackerOf(encoding: string): Promise<Unpack | undefined> {
  const zlib = await import('node:zlib')
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzip
    case 'deflate':
      return zlib.inflate
    case 'br':
      return zlib.brotliDecompress
    default:
      return undefined
  }
}

/** Also decodes invalid UTF-8, since error texts are shown; other uses refuse it. */
function decoded(bytes: Buffer): BodyText {
  const text = bytes.toString('utf8')
  return {
    bytes,
    text: text.charCodeAt(0) === 0xfeff ? text.slice(1) : text,
    flaw: isUtf8(bytes) ? undefined : 'not-utf8',
  }
}
