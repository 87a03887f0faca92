// The requests and their ends, for tests and for the curious. Secrets are masked when it is shown.
import { isJsonObject, type Json, type JsonObject, parseJson } from '@svcsync/core/model/json.ts'

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
  scopes: readonly string[]
  /** null: no answer, the connection was broken or left hanging. Absent: under way. */
  status?: number | null
  /** True if a write took effect; absent for reads. */
  carriedOut?: boolean
  /** The fault that was applied. */
  fault?: number | undefined
  /** Number of the last request that had arrived when this one was answered, or its connection broken. */
  answeredAfter?: number
}

/** Oldest entries are dropped beyond this. */
const keptEntries = 100_000

export class RequestLog {
  #entries: LogEntry[] = []
  #next = 1

  open(entry: Pick<LogEntry, 'time' | 'method' | 'path' | 'query'>): LogEntry {
    const opened: LogEntry = { number: this.#next++, ...entry, bodyText: '', scopes: [] }
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
    return this.#entries.map(({ number, time, method, path, query, bodyText, scopes, ...ended }) => {
      const { status = null, carriedOut = null, fault = null, answeredAfter = null } = ended
      const request = { number, time: new Date(time).toISOString(), method, path, body: shownBody(bodyText) }
      const fields = Object.fromEntries(new URLSearchParams(query))
      return { ...request, query: fields, scopes, status, carriedOut, fault, answeredAfter }
    })
  }
}

const secretKeys = /^(?:password|clientSecret|client_secret|user|clientId|applicationId)$/i

function shownBody(bodyText: string): Json {
  if (bodyText === '') return null
  const parsed = parseJson(bodyText)
  if (parsed !== undefined) return masked(parsed)
  // A form, such as the token request, or something broken.
  const form = [...new URLSearchParams(bodyText)]
  return form.length > 0 && bodyText.includes('=') ? masked(Object.fromEntries(form)) : bodyText
}

function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => masked(item))
  if (!isJsonObject(value)) return value
  const isSecret = (key: string, item: Json) => secretKeys.test(key) && typeof item === 'string'
  const entries = Object.entries(value).map(([key, item = null]) => [key, isSecret(key, item) ? '***' : masked(item)])
  return Object.fromEntries(entries)
}
