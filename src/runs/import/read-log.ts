// Logs of imports, as they come: fifty megabytes in one string of JSON are never in memory.
import { createHash } from 'node:crypto'
import { isJsonObject, type Json, parseJson } from '@svcsync/core/model/json.ts'
import { PlatformError } from '@svcsync/errors/index.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'

type PrintLog = (text: string) => void

/** The text around a log is no longer than this. */
const maxTextAround = 16 * 1024 * 1024
/** The text before a log. If the log may not be text, it is read as JSON in the end. */
const openings = {
  status: /^\s*\{(?:.*?,)?\s*"logs"\s*:\s*(?:"|(?=[^\s"n{[]))/s,
  logs: /^\s*(?:"|(?=[^\s"n{[]))/,
} as const
/** A log that nobody quoted has marks in it that end nothing: what follows them says so. */
const escapeOrQuote = /\\u[\da-fA-F]{4}|\\[^u]|\\u?|"\s{0,99}/g
const meanings: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function meaningOf(token: string): string {
  if (token.length === 6) return String.fromCharCode(Number.parseInt(token.slice(2), 16))
  return /^\\["\\/]$/.test(token) ? (token[1] as string) : (token[0] === '\\' && meanings[token[1] ?? '']) || token
}

/** The log goes to `tell`, piece by piece; `text` is the answer without it, and `json` that as JSON. */
export async function readLog(
  client: PlatformClient,
  path: string,
  tell: () => PrintLog,
): Promise<{ readonly json: Json | undefined; readonly text: string }> {
  let reader: LogReader | undefined
  const begin = () => {
    const begun = new LogReader(path, tell())
    reader = begun
    return (bytes: Buffer): void => begun.take(bytes)
  }
  await client.call({ method: 'GET', path, into: begin })
  const text = reader === undefined ? '' : (reader as LogReader).end()
  return { json: parseJson(text), text }
}

class LogReader {
  readonly #path: string
  readonly #opening: RegExp
  readonly #give: (text: string) => void
  readonly #decoder = new TextDecoder('utf-8')
  #place: 'before' | 'within' | 'bare' | 'behind' = 'before'
  #held = ''
  #text = ''

  constructor(path: string, give: (text: string) => void) {
    this.#path = path
    this.#opening = openings[path.endsWith('/logs') ? 'logs' : 'status']
    this.#give = give
  }

  take(bytes: Buffer): void {
    this.#read(this.#decoder.decode(bytes, { stream: true }), false)
  }

  end(): string {
    this.#read(this.#decoder.decode(), true)
    return this.#text + this.#held
  }

  #read(piece: string, isLast: boolean): void {
    this.#held += piece
    if (this.#place === 'before') this.#open()
    if (this.#place === 'within') {
      const { told, rest, isOver } = partOf(this.#held, isLast)
      this.#give(told)
      this.#held = rest
      if (isOver) this.#place = 'behind'
    } else if (this.#place === 'bare') {
      this.#give(this.#held)
      this.#held = ''
    }
    if (this.#held.length <= maxTextAround) return
    throw new PlatformError(
      'SVC3096',
      `The answer to GET ${this.#path} has more than ${maxTextAround / 1024 / 1024} MB besides its log`,
      { kind: 'unreadable', method: 'GET', path: this.#path },
      { hint: 'Check `wireNames` of the target.' },
    )
  }

  #open(): void {
    const [start] = this.#opening.exec(this.#held) ?? []
    if (start === undefined) return
    this.#text = start
    this.#held = this.#held.slice(start.length)
    this.#place = start.endsWith('"') ? 'within' : 'bare'
  }
}

function partOf(part: string, isLast: boolean) {
  let [told, from] = ['', 0]
  for (const { 0: token, index } of part.matchAll(escapeOrQuote)) {
    const end = index + token.length
    const needed = token[0] === '"' ? end + 1 : index + (token === '\\u' ? 6 : 2)
    told += part.slice(from, index)
    from = index
    if (!isLast && part.length < needed) return { told, rest: part.slice(from), isOver: false }
    const next = part[end]
    // Its end stays, for the JSON around it.
    if (token[0] === '"' && (next === undefined || next === ',' || next === '}'))
      return { told, rest: part.slice(from), isOver: true }
    told += meaningOf(token)
    from = end
  }
  return { told: told + part.slice(from), rest: '', isOver: false }
}

const blockLength = 65_536

/** Keeps only digests of blocks and the last piece of the text shown so far. */
export function createNews(tell: PrintLog) {
  const told: string[] = []
  let last = ''
  let [at, held] = [0, '']
  const compare = (text: string): void => {
    const fresh = at === told.length && text.startsWith(last) ? text.slice(last.length) : text
    if (fresh !== '') tell(fresh)
  }
  const more = (text: string): void => {
    held += text
    for (; held.length >= blockLength; held = held.slice(blockLength)) {
      const block = held.slice(0, blockLength)
      const digest = createHash('sha256').update(block).digest('base64')
      if (told[at] !== digest) {
        compare(block)
        told.splice(at, told.length, digest)
        last = ''
      }
      at += 1
    }
  }
  return {
    /** Begins an answer; one that broke off begins again. */
    begin(): PrintLog {
      ;[at, held] = [0, '']
      return more
    },
    more,
    end(): void {
      compare(held)
      told.length = at
      last = held
    },
    isNone: () => told.length === 0 && last === '',
  }
}

const statuses = ['failed', 'completed', 'completed-with-errors', 'missing', 'created', 'in-progress'] as const
type LogNews = ReturnType<typeof createNews>

export async function statusOf(client: PlatformClient, at: string, news: LogNews): Promise<(typeof statuses)[number]> {
  const path = `${at}/status`
  const { json, text } = await readLog(client, path, news.begin)
  // A log that nobody quoted makes no JSON of the answer; the number before it counts all the same.
  const broken = /^\s*\{\s*"status"\s*:\s*(\d+)\s*,\s*"logs"\s*:\s*"?/.exec(text)
  const { status, logs } = isJsonObject(json)
    ? json
    : { status: Number(broken?.[1]), logs: text.slice(broken?.[0].length) }
  const word = typeof status === 'number' ? statuses[status] : undefined
  if (word === undefined)
    throw unreadable('GET', path, 'has no status that svcsync knows', 'Check `wireNames` of the target.')
  news.more(textOf(logs))
  news.end()
  return word
}

/** They are for people: whatever came is shown. */
export async function logsOf(client: PlatformClient, at: string, news: LogNews): Promise<void> {
  try {
    const { json, text } = await readLog(client, `${at}/logs`, news.begin)
    news.more(textOf(json === undefined ? text.replace(/^\s*"/, '') : json))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    news.more(`(the log cannot be read: ${error.message})`)
  }
  news.end()
}

function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

export function unreadable(method: 'GET' | 'POST', path: string, why: string, hint: string): PlatformError {
  return new PlatformError(
    'SVC3096',
    `The answer to ${method} ${path} ${why}`,
    { kind: 'unreadable', method, path },
    { hint },
  )
}
