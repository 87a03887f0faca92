// What was asked and how it ended, for tests and for the curious. Secrets are masked when it is shown.
import { isJsonObject, type Json, type JsonObject } from '../../core/model/json.ts'

interface LogEntry {
  readonly number: number
  /** Clock time of arrival. */
  readonly time: number
  readonly method: string
  /** Percent-encoded as it came, without the query. */
  readonly path: string
  /** As it came, without the question mark. */
  readonly query: string
  bodyText: string
  /** null: no answer, the connection was broken or left hanging. Undefined: under way. */
  status: number | null | undefined
  scopes: readonly string[]
  /** Whether a write took effect; undefined for reads. */
  carriedOut: boolean | undefined
  /** The fault that was applied. */
  fault: number | undefined
  /** Number of the last request that had arrived when this one was answered, or its connection broken. */
  answeredAfter: number | undefined
}

/** Oldest entries are dropped beyond this. */
const keptEntries = 100_000

export class RequestLog {
  #entries: LogEntry[] = []
  #next = 1

  open(entry: Pick<LogEntry, 'time' | 'method' | 'path' | 'query'>): LogEntry {
    const rest = { bodyText: '', status: undefined, scopes: [], carriedOut: undefined, fault: undefined }
    const later = { answeredAfter: undefined }
    const opened: LogEntry = { number: this.#next++, ...entry, ...rest, ...later }
    this.#entries.push(opened)
    // In halves, so that dropping does not cost every request a move of the whole list.
    if (this.#entries.length > keptEntries * 1.5) this.#entries = this.#entries.slice(-keptEntries)
    return opened
  }

  /** To be called before the answer leaves: what comes because of it comes later. */
  answer(entry: LogEntry): void {
    entry.answeredAfter = this.#next - 1
  }

  clear(): void {
    this.#entries = []
  }

  show(): JsonObject[] {
    return this.#entries.map(({ bodyText, time, status, carriedOut, fault, answeredAfter, ...entry }) => ({
      ...entry,
      time: new Date(time).toISOString(),
      query: Object.fromEntries(new URLSearchParams(entry.query)),
      body: shownBody(bodyText),
      status: status ?? null,
      carriedOut: carriedOut ?? null,
      fault: fault ?? null,
      answeredAfter: answeredAfter ?? null,
    }))
  }
}

const secretKeys = /^(?:password|clientSecret|client_secret|user|clientId|applicationId)$/i

function shownBody(bodyText: string): Json {
  if (bodyText === '') return null
  try {
    const parsed: Json = JSON.parse(bodyText)
    return masked(parsed)
  } catch {
    // Not JSON: a form, such as the token request, or something broken.
    const form = new URLSearchParams(bodyText)
    return [...form.keys()].length > 0 && bodyText.includes('=') ? masked(Object.fromEntries(form)) : bodyText
  }
}

function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => masked(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isSecret = secretKeys.test(key) && typeof item === 'string'
      return [key, isSecret ? '***' : item === undefined ? null : masked(item)]
    }),
  )
}
