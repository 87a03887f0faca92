// A session, its chunks, the configuration that starts it, and what becomes of it. Source: facts, import session.
import { createHash } from 'node:crypto'
import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isJsonObject, type JsonObject } from '@svcsync/core/model/json.ts'
import { effectIsUnknown, OperatorError, PlatformError } from '@svcsync/errors/index.ts'
import type { PlatformClient } from '@svcsync/platform/client.ts'
import { createNews, logsOf, statusOf, unreadable } from './read-log.ts'

type ImportEvent =
  | { readonly type: 'session'; readonly id: string; readonly chunks: number }
  | { readonly type: 'sent'; readonly bytes: number; readonly total: number; readonly chunk: number }
  | { readonly type: 'started' }
  /** The progress could not be read. */
  | { readonly type: 'unread'; readonly why: string }
  /** A piece of what is new of the log; `read`: that was all for now. */
  | { readonly type: 'logs'; readonly text: string }
  | { readonly type: 'read' }

interface ImportOptions {
  readonly file: string
  /** As it was named. */
  readonly shown: string
  readonly dbId: number
  readonly configuration: JsonObject
  readonly chunkSize: number
  /** One that was begun, with the same file and size of chunks. */
  readonly session?: string | undefined
  /** The longest wait for its end, in milliseconds. */
  readonly timeoutMs: number
  readonly onEvent: (event: ImportEvent) => void
  readonly pause: (ms: number) => Promise<void>
  readonly nowMs: () => number
  /** Aborted: nothing further is sent. The platform continues its own work. */
  readonly stop: AbortSignal
}

interface ImportReport {
  /** For `--session`: with the mark of the file, as long as the file counts. */
  readonly session: string
  /** `unknown`: it was begun, and how it ended is not known. `interrupted`: it was not begun. */
  readonly outcome: 'completed' | 'completed-with-errors' | 'failed' | 'unknown' | 'interrupted'
  readonly bytes: number
  /** By this run: what the session had already came from the file as it was then. */
  readonly bytesSent: number
  readonly chunks: number
  readonly chunkSize: number
  /** Hexadecimal, of the whole file; empty if it was not sent whole, or the session was started before. */
  readonly sha256: string
  /** The speed in bytes per second; null: nothing was sent. */
  readonly bytesPerSecond: number | null
  readonly durationMs: number
}

interface Session {
  readonly client: PlatformClient
  readonly id: string
  /** Its path. */
  readonly at: string
  readonly options: ImportOptions
}

/** A chunk whose answer was lost is sent again: its number says which it is. */
const mostSendings = 3
const firstPauseMs = 500
const longestPauseMs = 5_000

export async function importRun(client: PlatformClient, options: ImportOptions): Promise<ImportReport> {
  const { file, shown, dbId, chunkSize, nowMs } = options
  const startedMs = nowMs()
  requirePackage(file, shown)
  const handle = await open(file)
  try {
    const stats = await handle.stat()
    const { given, mark } = sessionOf(options.session)
    const path = `/db/${dbId}/importsessions`
    const id = given ?? (await begin(client, path, { chunkSize, totalSize: stats.size }))
    const session = { client, id, at: `${path}/${encodeURIComponent(id)}`, options }
    const chunks = Math.ceil(stats.size / chunkSize)
    const own = await markOf(handle, stats.size, chunkSize)
    if (given === undefined) options.onEvent({ type: 'session', id: `${id}.${own}`, chunks })
    const isBegun = given !== undefined && (await isUnderWay(session))
    // After a change of file, half of each would be imported.
    if (!isBegun && mark !== undefined && mark !== own)
      throw unusable(shown, 'the session was begun with another file, or other chunks', continueHint)
    const upload = isBegun ? { sha256: '', sent: 0 } : await send(session, handle, stats.size)
    const { size, mtimeMs } = await handle.stat()
    if (size !== stats.size || mtimeMs !== stats.mtimeMs)
      throw unusable(shown, 'it was changed while it was read, and the import was not started')
    const sendMs = nowMs() - startedMs
    const mayStart = upload.sha256 !== undefined && (isBegun || (await configure(session)))
    const outcome = mayStart && (await follow(session))
    return {
      session: isBegun ? id : `${id}.${own}`,
      outcome: outcome || 'interrupted',
      bytes: stats.size,
      bytesSent: upload.sent,
      chunks,
      chunkSize,
      sha256: upload.sha256 ?? '',
      bytesPerSecond: upload.sent === 0 || sendMs <= 0 ? null : Math.round((upload.sent * 1000) / sendMs),
      durationMs: nowMs() - startedMs,
    }
  } finally {
    await handle.close()
  }
}

/** As it was told when it was begun: its id, and the mark of the file. */
function sessionOf(text: string | undefined) {
  if (text === undefined) return {}
  const [whole, given, mark] = /^([\w-]{1,200})(?:\.([\da-f]{8}))?$/.exec(text) ?? []
  if (whole === undefined) throw noSession(text)
  return { given, mark }
}

export function requirePackage(file: string, shown: string): void {
  const stats = ((): Stats | string => {
    try {
      accessSync(file, constants.R_OK)
      return statSync(file)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' ? 'there is no such file' : `the system says ${code}`
    }
  })()
  if (typeof stats === 'string') throw unusable(shown, `it cannot be opened: ${stats}`)
  if (!stats.isFile()) throw unusable(shown, 'it is no file')
  if (stats.size === 0) throw unusable(shown, 'it is empty')
}

/** A sample of a file's contents: packages are compressed, so a change moves everything behind it. */
async function markOf(handle: FileHandle, size: number, chunkSize: number): Promise<string> {
  const hash = createHash('sha256').update(`${size} ${chunkSize} `)
  const piece = Buffer.alloc(65_536)
  for (let part = 0; part <= 16; part++) {
    const from = Math.floor((Math.max(0, size - piece.length) * part) / 16)
    const { bytesRead } = await handle.read(piece, 0, piece.length, from)
    hash.update(piece.subarray(0, bytesRead))
  }
  return hash.digest('hex').slice(0, 8)
}

async function begin(client: PlatformClient, path: string, body: JsonObject): Promise<string> {
  const answer = await client.send({ method: 'POST', path, body })
  const id = isJsonObject(answer) ? answer.sessionId : undefined
  // It becomes a segment of a path, and `--session` takes it.
  if (typeof id !== 'string' || !/^[\w-]{1,200}$/.test(id))
    throw unreadable('POST', path, 'names no session that svcsync can continue', 'Nothing was imported.')
  return id
}

/** True if it was configured already. Throws if there is nothing to resume. */
async function isUnderWay({ client, at, id }: Session): Promise<boolean> {
  const unheard = createNews(() => undefined)
  const status = await statusOf(client, at, unheard)
  if (status === 'missing') throw noSession(id)
  return status !== 'created'
}

async function* chunksOf(handle: FileHandle, total: number, chunkSize: number): AsyncGenerator<Buffer> {
  // One is sent while the next one is read into the other.
  const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(chunkSize, total)))
  const read = async (number: number): Promise<Buffer> => {
    const from = (number - 1) * chunkSize
    const buffer = (buffers[number % 2] as Buffer).subarray(0, Math.max(0, Math.min(chunkSize, total - from)))
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  }
  let next = read(1)
  for (let number = 1; (number - 1) * chunkSize < total; number++) {
    const chunk = await next
    next = read(number + 1)
    // An early stop leaves this promise behind.
    next.catch(() => undefined)
    yield chunk
  }
}

/** Without a `sha256` where it was interrupted before the end. */
async function send(
  { client, at, options }: Session,
  handle: FileHandle,
  total: number,
): Promise<{ readonly sha256: string | undefined; readonly sent: number }> {
  const { chunkSize, onEvent, stop } = options
  const hash = createHash('sha256')
  let [number, wanted, seen, sent] = [0, 1, 0, 0]
  for await (const chunk of chunksOf(handle, total, chunkSize)) {
    number += 1
    if (stop.aborted) return { sha256: undefined, sent }
    const sending = number < wanted ? undefined : sendChunk(client, `${at}/${number}`, chunk, stop)
    // The hash is computed while the chunk is under way, which begins when this gives way.
    await new Promise((resolve) => setImmediate(resolve))
    hash.update(chunk)
    seen += chunk.length
    if (sending !== undefined) {
      const answer = await sending.catch((error) => {
        // Stops at once: the resumed session shows the outcome of this chunk.
        if (stop.aborted && error instanceof PlatformError) return 'stopped' as const
        throw error
      })
      if (answer === 'stopped') return { sha256: undefined, sent }
      const next = answer ?? number + 1
      sent += chunk.length
      if (next <= number)
        throw new PlatformError(
          'SVC3096',
          `The platform did not keep chunk ${number}: it asks for chunk ${next}`,
          { kind: 'unreadable', method: 'POST', path: at },
          { hint: 'Nothing was imported. Start again without `--session`.' },
        )
      // The platform counts by what the session was begun with.
      if (next > Math.ceil(total / chunkSize) + 1) throw otherFile(next)
      wanted = next
    }
    onEvent({ type: 'sent', bytes: seen, total, chunk: number })
  }
  return { sha256: hash.digest('hex'), sent }
}

const continueHint =
  'Nothing was imported. ' +
  'Continue the session with the same file and `--chunk-size`, or start again without `--session`.'

const correctHint =
  'Nothing was imported, but everything is sent. ' +
  'Correct the configuration, and continue with `--session` and the same file.'

/** A hint for a refusal that has none. */
function hinted(error: unknown, hint: string): unknown {
  const isRefused = error instanceof PlatformError && error.status !== undefined && error.hint === undefined
  return isRefused ? new PlatformError(error.code, error.message, error, { hint }) : error
}

/** The number of the next chunk; undefined: the platform does not tell. */
async function sendChunk(
  client: PlatformClient,
  path: string,
  file: Buffer,
  stop: AbortSignal,
): Promise<number | undefined> {
  for (let sending = 1; ; sending++) {
    try {
      const { json } = await client.call({ method: 'POST', path, file })
      const next = isJsonObject(json) ? json.nextChunkIndex : undefined
      return typeof next === 'number' ? next : undefined
    } catch (error) {
      if (effectIsUnknown(error) && sending < mostSendings && !stop.aborted) continue
      throw hinted(error, continueHint)
    }
  }
}

/** False: interrupted before. */
async function configure(session: Session): Promise<boolean> {
  const { client, at, options } = session
  const { configuration, stop, onEvent } = options
  if (stop.aborted) return false
  for (let sending = 1; ; sending++) {
    try {
      await client.send({ method: 'PATCH', path: at, body: configuration })
      break
    } catch (error) {
      // A session is configured once: after a lost answer, the second attempt may be refused for that.
      if (!effectIsUnknown(error) && sending === 1) throw hinted(error, correctHint)
      const isBegun = await isUnderWay(session).catch(() => undefined)
      // Nobody can say: it is looked for as one that was started.
      if (isBegun === undefined) return true
      if (isBegun) break
      if (!effectIsUnknown(error) || sending >= mostSendings) throw error
    }
  }
  onEvent({ type: 'started' })
  return true
}

async function follow(session: Session): Promise<ImportReport['outcome']> {
  const { timeoutMs, nowMs, pause, stop, onEvent } = session.options
  const untilMs = nowMs() + timeoutMs
  let [unread, pauseMs] = ['', firstPauseMs]
  const log = session.client.hiding((text) => onEvent({ type: 'logs', text }))
  const news = createNews(log.more)
  try {
    for (;;) {
      const seen = await readProgress(session, news)
      if (seen.why !== undefined && seen.why !== unread) onEvent({ type: 'unread', why: seen.why })
      unread = seen.why ?? unread
      onEvent({ type: 'read' })
      if (seen.outcome !== undefined) return seen.outcome
      if (stop.aborted || nowMs() >= untilMs) return 'unknown'
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  } finally {
    // Not before: what one look ends with may be the beginning of a credential that the next one shows whole.
    log.end()
  }
}

/** `why`: the reason why it could not be read. Without an outcome, the import continues on the platform. */
async function readProgress(
  { client, at }: Session,
  news: ReturnType<typeof createNews>,
): Promise<{ readonly outcome?: ImportReport['outcome']; readonly why?: string }> {
  try {
    const status = await statusOf(client, at, news)
    if (status === 'completed' || status === 'completed-with-errors' || status === 'failed') {
      if (news.isNone()) await logsOf(client, at, news)
      return { outcome: status }
    }
    return status === 'missing' ? { outcome: 'unknown' } : {}
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const isClosed = error.status === 403 || error.status === 404
    return { why: error.message, ...(isClosed && { outcome: 'unknown' }) }
  }
}

function noSession(session: string): OperatorError {
  return new OperatorError('SVC2188', `The platform has no import session \`${session}\``, {
    hint: 'Start again without `--session`.',
  })
}

function otherFile(next: number): OperatorError {
  return new OperatorError(
    'SVC2188',
    `The session has more chunks than the file: the platform asks for chunk ${next}`,
    { hint: continueHint },
  )
}

function unusable(file: string, why: string, hint = 'Name the file of a package.'): OperatorError {
  return new OperatorError('SVC2187', `\`${file}\` cannot be imported: ${why}`, { hint })
}
