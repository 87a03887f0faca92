// The writes that an embedded platform has seen, as tests compare them.
import type { Emulator } from '../../src/emulator/index.ts'

export interface LoggedWrite {
  /** The place in arrival order, among all requests. */
  readonly number: number
  /** The last number that had arrived when this was answered; infinite: it was not. */
  readonly answeredAfter: number
  readonly method: string
  /** Below the version, percent-encoded. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Secrets masked. */
  readonly body: unknown
  readonly status: number | null
  /** True if it took effect, whatever the client was told. */
  readonly carriedOut: boolean
}

/** All writes so far, oldest first; requests for tokens are none. */
export function writesOf(emulator: Emulator): LoggedWrite[] {
  const log = emulator.requests() as unknown as (LoggedWrite & { readonly path: string })[]
  return log
    .filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/data/'))
    .map(({ number, answeredAfter, method, path, query, body, status, carriedOut }) => ({
      number,
      answeredAfter: answeredAfter ?? Number.POSITIVE_INFINITY,
      method,
      path: path.replace(/^\/api\/data\/v[\d.]+/, ''),
      query,
      body,
      status,
      carriedOut,
    }))
}

/** Splits writes so that each belongs to one step: licences of several users share requests. */
export function unsharedWrites(writes: readonly LoggedWrite[]): LoggedWrite[] {
  return writes.filter(({ path }) => path !== '/admin/licenses/assign')
}

/** The steps that they are of. */
export function unsharedSteps<T extends { readonly kind: string }>(steps: readonly T[]): T[] {
  return steps.filter(({ kind }) => kind !== 'license')
}

/** `POST /admin/group/members/add?svcId=g@example.com {"members":[…]}`, for comparing by eye. */
export function writeLine({ method, path, query, body }: LoggedWrite): string {
  const search = Object.entries(query).map(([key, value]) => `${key}=${value}`)
  return (
    `${method} ` +
    `${path}${search.length > 0 ? `?${search.join('&')}` : ''}${body === null ? '' : ` ${JSON.stringify(body)}`}`
  )
}

/**
 * The lines in an order that does not depend on what ran beside what: by the object that is written to, or the subject
 * of a privilege, and for one of them in the order of sending.
 */
export function writeLines(writes: readonly LoggedWrite[]): string[] {
  const keyed = writes.map((write, index) => {
    const subject = (write.body as { readonly svcId?: string; readonly level?: string } | null) ?? {}
    const object = `${write.path.replace(/\/(?:add|remove)$/, '')} ${JSON.stringify(write.query)}`
    const key = subject.level === undefined && subject.svcId === undefined ? object : `${object} ${subject.svcId}`
    return { key, index, line: writeLine(write) }
  })
  keyed.sort((a, b) => (a.key === b.key ? a.index - b.index : a.key < b.key ? -1 : 1))
  return keyed.map(({ line }) => line)
}
